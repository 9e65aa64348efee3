#include "transport/tcp/receive_time.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>

namespace nexusfix::transport {
namespace {

constexpr unsigned kOfKernel = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
constexpr unsigned kOfCard = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;

// Places in scm_timestamping.
constexpr std::size_t kKernelStamp = 0;
constexpr std::size_t kCardStamp = 2;

std::chrono::nanoseconds nanoseconds_of(const timespec& time) noexcept {
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

bool set(int descriptor, int option, unsigned value) noexcept {
  return ::setsockopt(descriptor, SOL_SOCKET, option, &value, sizeof value) == 0;
}

unsigned get(int descriptor, int option) noexcept {
  unsigned value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

// 0: the kernel has not stamped it.
struct Stamps {
  std::chrono::nanoseconds kernel{};
  std::chrono::nanoseconds card{};
};

Stamps stamps_of(const msghdr& message) noexcept {
  Stamps stamps;
  auto& head = const_cast<msghdr&>(message);  // CMSG_NXTHDR takes no const one
  for (const cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr;
       part = CMSG_NXTHDR(&head, const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_TIMESTAMPING) {
      scm_timestamping times{};
      std::memcpy(&times, CMSG_DATA(part), sizeof times);
      stamps = {nanoseconds_of(times.ts[kKernelStamp]), nanoseconds_of(times.ts[kCardStamp])};
    } else if (part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec time{};
      std::memcpy(&time, CMSG_DATA(part), sizeof time);
      stamps.kernel = nanoseconds_of(time);
    }
  }
  return stamps;
}

}  // namespace

ReceiveTimestamps ask_for_times(int descriptor, ReceiveTimestamps wanted) noexcept {
  if (wanted == ReceiveTimestamps::None) return wanted;
  if (wanted == ReceiveTimestamps::Hardware &&
      set(descriptor, SO_TIMESTAMPING, kOfKernel | kOfCard))
    return wanted;
  const bool is_set =
      set(descriptor, SO_TIMESTAMPING, kOfKernel) || set(descriptor, SO_TIMESTAMPNS, 1);
  return is_set ? ReceiveTimestamps::Software : ReceiveTimestamps::None;
}

ReceiveTimestamps times_asked_for(int descriptor) noexcept {
  const unsigned asked = get(descriptor, SO_TIMESTAMPING);
  if ((asked & SOF_TIMESTAMPING_RAW_HARDWARE) != 0) return ReceiveTimestamps::Hardware;
  const bool is_set = asked != 0 || get(descriptor, SO_TIMESTAMPNS) != 0;
  return is_set ? ReceiveTimestamps::Software : ReceiveTimestamps::None;
}

WallTime CardClock::map(std::chrono::nanoseconds card, WallTime kernel) noexcept {
  const std::chrono::nanoseconds passed = kernel.time_since_epoch() - card;
  const bool is_of_window = kernel >= window_began_ && kernel - window_began_ < kWindow;
  if (!is_of_window) {
    // After a pause of a window, or if the system's clock was set back, nothing before counts.
    const bool follows = kernel >= window_began_ && kernel - window_began_ < 2 * kWindow;
    least_before_ = follows ? least_ : passed;
    least_ = passed;
    window_began_ = kernel;
  }
  least_ = std::min(least_, passed);
  return WallTime{card + std::min(least_, least_before_)};
}

ssize_t TimedReceives::receive(int descriptor, std::span<char> buffer) noexcept {
  iovec bytes{buffer.data(), buffer.size()};
  alignas(cmsghdr)
      std::array<char, CMSG_SPACE(sizeof(scm_timestamping)) + CMSG_SPACE(sizeof(timespec))>
          control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(descriptor, &message, 0);
  if (count <= 0) return count;
  const auto [kernel, card] = stamps_of(message);
  if (kernel == std::chrono::nanoseconds{}) {
    last_ = {};
  } else if (wanted_ == ReceiveTimestamps::Hardware && card != std::chrono::nanoseconds{}) {
    last_ = {card_.map(card, WallTime{kernel}), ReceiveTimestamps::Hardware};
  } else {
    last_ = {WallTime{kernel}, ReceiveTimestamps::Software};
  }
  return count;
}

}  // namespace nexusfix::transport
