#include "transport/api/service_notifier.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <nexusfix/base/language.hpp>

#include "transport/tcp/descriptor.hpp"
#include "transport/tcp/socket_calls.hpp"

namespace nexusfix::transport {
namespace {

constexpr std::chrono::nanoseconds kNoWatchdog = std::chrono::weeks{1};

constexpr std::uint64_t kMicrosMax = 86'400'000'000;  // a day

// Absent: 0.
std::expected<std::uint64_t, NetworkError> number_of(const char* name) {
  const char* const text = std::getenv(name);
  std::uint64_t number = 0;
  if (text == nullptr) return number;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error == std::errc{} && stop == end) return number;
  return std::unexpected{
      NetworkError{std::string{name} + "=" + text + ": a number was expected", EINVAL}};
}

}  // namespace

std::expected<std::unique_ptr<ServiceNotifier>, NetworkError> ServiceNotifier::from_environment(
    std::uint32_t loops) {
  const char* const socket = std::getenv("NOTIFY_SOCKET");
  if (socket == nullptr || *socket == '\0') return nullptr;
  Options options{.socket = socket, .loops = loops};
  const auto pid = number_of("WATCHDOG_PID");
  if (!pid) return std::unexpected{pid.error()};
  const auto micros = number_of("WATCHDOG_USEC");
  if (!micros) return std::unexpected{micros.error()};
  // The watchdog may watch another process of the service.
  if (*pid == 0 || *pid == static_cast<std::uint64_t>(::getpid())) {
    options.watchdog =
        std::chrono::microseconds{static_cast<std::int64_t>(std::min(*micros, kMicrosMax))};
  }
  return open(options);
}

std::expected<std::unique_ptr<ServiceNotifier>, NetworkError> ServiceNotifier::open(
    const Options& options) {
  NEXUSFIX_ASSERT(options.loops >= 1 && options.loops <= kLoopsMax);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_abstract = options.socket.starts_with('@');
  const bool is_path = options.socket.starts_with('/');
  if ((!is_abstract && !is_path) || options.socket.size() >= sizeof address.sun_path) {
    return std::unexpected{
        NetworkError{"NOTIFY_SOCKET: a path, or @ and a name, was expected", EINVAL}};
  }
  std::ranges::copy(options.socket, address.sun_path);
  if (is_abstract) address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + options.socket.size() +
                                           (is_path ? 1 : 0));
  Descriptor descriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (descriptor.get() < 0) return std::unexpected{error_now("socket", "NOTIFY_SOCKET")};
  if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    return std::unexpected{error_now("connect NOTIFY_SOCKET", options.socket)};
  }
  return std::unique_ptr<ServiceNotifier>{new ServiceNotifier{descriptor.release(), options}};
}

ServiceNotifier::ServiceNotifier(int descriptor, const Options& options)
    : descriptor_{descriptor},
      has_watchdog_{options.watchdog.count() > 0},
      // Four signs in each interval; systemd asks for two.
      sleep_max_{has_watchdog_ ? std::max(std::chrono::nanoseconds{options.watchdog} / 4,
                                          std::chrono::nanoseconds{1})
                               : kNoWatchdog},
      living_loops_{options.loops == kLoopsMax ? ~std::uint64_t{0}
                                               : (std::uint64_t{1} << options.loops) - 1} {
  std::ranges::fill(next_signs_, has_watchdog_ ? MonoTime::min() : MonoTime::max());
}

ServiceNotifier::~ServiceNotifier() { ::close(descriptor_); }

void ServiceNotifier::ready() {
  if (!is_ready_.exchange(true)) send("READY=1\n", 0);
}

void ServiceNotifier::stopping() {
  if (!is_stopping_.exchange(true)) send("STOPPING=1\n", MSG_DONTWAIT);
}

void ServiceNotifier::send_sign_of_life(std::uint32_t loop, MonoTime now) noexcept {
  next_signs_[loop] = now + sleep_max_;
  const std::uint64_t mine = std::uint64_t{1} << loop;
  // Relaxed: only the bits themselves are shared.
  const std::uint64_t living = living_loops_.load(std::memory_order_relaxed);
  if (((signs_.fetch_or(mine, std::memory_order_relaxed) | mine) & living) != living) return;
  signs_.store(0, std::memory_order_relaxed);
  send("WATCHDOG=1\n", MSG_DONTWAIT);
}

void ServiceNotifier::report_waiting(std::uint32_t loop, std::uint32_t sessions) noexcept {
  waiting_[loop].store(sessions, std::memory_order_relaxed);
  std::uint64_t all = 0;
  for (const auto& one : waiting_) all += one.load(std::memory_order_relaxed);
  std::array<char, 128> text{};
  const int size =
      all == 0
          ? std::snprintf(text.data(), text.size(), "STATUS=serving\n")
          : std::snprintf(text.data(), text.size(),
                          "STATUS=serving; changed keys of %llu session%s are pending, see the "
                          "event log\n",
                          static_cast<unsigned long long>(all), all == 1 ? "" : "s");
  send({text.data(), static_cast<std::size_t>(size)}, MSG_DONTWAIT);
}

// A failed send is ignored: the service manager does not listen any more.
void ServiceNotifier::send(std::string_view text, int flags) const noexcept {
  while (::send(descriptor_, text.data(), text.size(), flags | MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return;
  }
}

}  // namespace nexusfix::transport
