#include "gateway/ring/client_ring.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fmt/format.h>
#include <sys/socket.h>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "gateway/ring/futex.hpp"

namespace nexusfix::gateway {
namespace {

// A futex does not wake when the other process is killed: the socket says so, at this interval.
constexpr std::chrono::milliseconds kLookAtSocket{50};
// Between two readings of the clock while it polls.
constexpr int kPollsPerClock = 64;

void pause() noexcept {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

std::expected<std::unique_ptr<ClientRing>, RingError> ClientRing::attach(const std::string& path,
                                                                         std::uint64_t key,
                                                                         int socket) {
  auto file = RingFile::open(path);
  if (!file) return std::unexpected{file.error()};
  if ((*file)->geometry().key != key) {
    return std::unexpected{RingError{
        .text = fmt::format("{}: is the shared memory of another client: its key is {:016x}, not "
                            "{:016x}",
                            path, (*file)->geometry().key, key)}};
  }
  return std::unique_ptr<ClientRing>{new ClientRing{std::move(*file), socket}};
}

ClientRing::ClientRing(std::unique_ptr<RingFile> file, int socket) noexcept
    : file_{std::move(file)},
      reader_{place_in(*file_, Direction::ToClient)},
      writer_{place_in(*file_, Direction::ToGateway)},
      socket_{socket} {}

Written ClientRing::send(std::string_view frame, std::string_view rest) noexcept {
  const Written written = writer_.write(frame, rest);
  if (written != Written::Yes) return written;
  if (writer_.take_sleeper() != Sleeps::No) [[unlikely]] {
    // A full socket has bytes that the gateway has not read: it wakes in any case.
    static_cast<void>(::send(socket_, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL));
  }
  return written;
}

Waited ClientRing::wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) noexcept {
  SystemClock clock;
  const MonoTime begin = clock.now().mono;
  const MonoTime end = begin + timeout;
  const MonoTime spin_end = begin + std::min(spin, timeout);
  std::uint32_t& sleeps = reader_.place().words->sleeps;
  for (;;) {
    for (int polls = 0; polls < kPollsPerClock; ++polls) {
      if (reader_.has_frame()) return Waited::Frame;
      pause();
    }
    if (is_closed()) return reader_.has_frame() ? Waited::Frame : Waited::Closed;
    const MonoTime now = clock.now().mono;
    if (now >= end) return Waited::Timeout;
    if (now < spin_end) continue;
    if (!reader_.begin_sleep(Sleeps::Futex)) return Waited::Frame;
    // After begin_sleep(): close() clears the word and wakes only what sleeps by then.
    if (!is_closed()) {
      wait_by_futex(sleeps, static_cast<std::uint32_t>(Sleeps::Futex),
                    std::min<std::chrono::nanoseconds>(end - now, kLookAtSocket));
    }
    reader_.end_sleep();
    if (!reader_.has_frame() && !is_gateway_there()) return Waited::Closed;
  }
}

bool ClientRing::is_closed() noexcept {
  // Acquire pairs with the release in GatewayRing::close().
  return std::atomic_ref{file_->header().state}.load(std::memory_order_acquire) !=
         static_cast<std::uint32_t>(GatewayState::Open);
}

bool ClientRing::is_gateway_there() noexcept {
  std::array<char, 64> bytes{};
  for (;;) {
    const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received == 0) return false;
    if (received < 0 && errno != EINTR) return errno == EAGAIN;
  }
}

RingFault ClientRing::fault() noexcept {
  if (reader_.fault() != RingFault::None) return reader_.fault();
  if (file_->failed()) return RingFault::Truncated;
  if (!is_closed()) return RingFault::None;
  return static_cast<RingFault>(
      std::atomic_ref{file_->header().close_reason}.load(std::memory_order_relaxed));
}

}  // namespace nexusfix::gateway
