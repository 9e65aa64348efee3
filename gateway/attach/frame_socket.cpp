#include "gateway/attach/frame_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace nexusfix::gateway {
namespace {

// At a time from the socket.
constexpr std::size_t kReadBytes = 64U << 10U;

std::unexpected<AttachError> failed(std::string text, AttachFault fault = AttachFault::Io,
                                    std::uint32_t code = 0) {
  return std::unexpected{AttachError{.fault = fault, .code = code, .text = std::move(text)}};
}

}  // namespace

std::string_view frame_fault_text(FrameFault fault) noexcept {
  switch (fault) {
    case FrameFault::Length:
      return "the gateway sent a frame of an impossible length";
    case FrameFault::Version:
      return "the gateway speaks another version of the protocol";
    case FrameFault::Kind:
      break;
  }
  return "the gateway sent a frame of an unknown kind";
}

std::expected<FrameSocket, AttachError> FrameSocket::connect(const std::string& path,
                                                             std::chrono::nanoseconds timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return failed(path + ": the path of a socket has at most 107 bytes");
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  FrameSocket made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (made.socket_ < 0) return failed(std::string{"socket: "} + std::strerror(errno));
  const auto micros = std::max<std::int64_t>(
      1, std::chrono::duration_cast<std::chrono::microseconds>(timeout).count());
  const timeval limit{.tv_sec = micros / 1'000'000, .tv_usec = micros % 1'000'000};
  if (::setsockopt(made.socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      ::connect(made.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EAGAIN)
      return failed(path + ": the gateway accepts no connection", AttachFault::Timeout);
    return failed(path + ": " + std::strerror(errno));
  }
  return made;
}

FrameSocket::FrameSocket(FrameSocket&& from) noexcept
    : socket_{std::exchange(from.socket_, -1)},
      bytes_{std::move(from.bytes_)},
      begin_{from.begin_},
      filled_{from.filled_},
      returned_{from.returned_},
      unsent_{std::move(from.unsent_)},
      is_read_to_end_{from.is_read_to_end_},
      takes_nothing_{from.takes_nothing_},
      end_{std::move(from.end_)} {}

FrameSocket::~FrameSocket() {
  if (socket_ >= 0) ::close(socket_);
}

std::expected<Greeting, AttachError> FrameSocket::greet(const HelloText& hello,
                                                        std::chrono::nanoseconds timeout) {
  const std::string text = write_hello(hello);
  if (text.size() > kHelloBytesMax)
    return failed(
        fmt::format("a Hello has at most {} bytes: there are too many cursors", kHelloBytesMax));
  if (send({.kind = FrameKind::Hello}, text) != Sent::Yes)
    return failed("the gateway has closed the connection");
  Frame frame;
  const Received received = receive(frame, timeout);
  if (received == Received::Timeout)
    return failed("the gateway has not answered", AttachFault::Timeout);
  if (received == Received::Closed) return failed(end_);
  if (frame.header.kind == FrameKind::Closed)
    return failed(std::string{frame.body}, AttachFault::Refused, frame.header.code);
  if (frame.header.kind != FrameKind::Welcome) return failed("the answer to a Hello is no Welcome");
  auto welcome = read_welcome(frame.body);
  if (!welcome) return failed(std::move(welcome.error()));
  return Greeting{.welcome = std::move(*welcome), .last_number = frame.header.number};
}

Sent FrameSocket::send(const FrameHeader& header, std::string_view body) {
  if (body.size() > kFrameBytesMax - kHeaderBytes) return Sent::TooLong;
  flush();
  if (takes_nothing_ || socket_ < 0) return Sent::Closed;
  if (unsent_.size() >= kUnsentBytesMax) return Sent::Full;
  append_frame(unsent_, header, body);
  flush();
  return takes_nothing_ ? Sent::Closed : Sent::Yes;
}

std::size_t FrameSocket::write(std::span<const char> bytes) noexcept {
  for (;;) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    takes_nothing_ = errno != EAGAIN && errno != EWOULDBLOCK;
    return 0;
  }
}

void FrameSocket::flush() noexcept {
  std::size_t sent = 0;
  while (sent < unsent_.size() && !takes_nothing_) {
    const std::size_t count = write(std::span{unsent_}.subspan(sent));
    if (count == 0) break;
    sent += count;
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
  if (takes_nothing_) unsent_.clear();
}

void FrameSocket::fill() {
  if (is_read_to_end_) return;
  if (begin_ == filled_) begin_ = filled_ = 0;
  if (bytes_.size() - filled_ < kReadBytes) {
    std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_),
              bytes_.begin() + static_cast<std::ptrdiff_t>(filled_), bytes_.begin());
    filled_ -= std::exchange(begin_, 0);
    bytes_.resize(std::max(bytes_.size(), filled_ + kReadBytes));
  }
  for (;;) {
    const ssize_t count =
        ::recv(socket_, bytes_.data() + filled_, bytes_.size() - filled_, MSG_DONTWAIT);
    if (count > 0) {
      filled_ += static_cast<std::size_t>(count);
      return;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    is_read_to_end_ = true;
    end_ = count == 0 ? "the gateway has closed the connection"
                      : std::string{"recv: "} + std::strerror(errno);
    return;
  }
}

std::size_t FrameSocket::whole_frame() {
  const std::span<const char> rest{bytes_.data() + begin_, filled_ - begin_};
  const auto length = frame_bytes(rest);
  if (!length) {
    is_read_to_end_ = true;
    end_ = frame_fault_text(length.error());
    filled_ = begin_;
    return 0;
  }
  return *length > rest.size() ? 0 : *length;
}

bool FrameSocket::has_frame() {
  flush();
  begin_ += std::exchange(returned_, 0);
  if (whole_frame() == 0) fill();
  return whole_frame() != 0 || is_read_to_end_;
}

Received FrameSocket::receive(Frame& to, std::chrono::nanoseconds timeout,
                              std::chrono::nanoseconds spin) {
  SystemClock clock;
  MonoTime end{};
  MonoTime spin_end{};
  for (bool is_first = true;; is_first = false) {
    if (has_frame()) break;
    const MonoTime now = clock.now().mono;
    if (is_first) {
      end = now + timeout;
      spin_end = now + std::min(spin, timeout);
    }
    if (now >= end) return Received::Timeout;
    if (now >= spin_end) sleep(end - now);
  }
  const std::size_t size = whole_frame();
  if (size == 0) return Received::Closed;
  const auto frame = read_frame({bytes_.data() + begin_, size});
  if (!frame) {
    is_read_to_end_ = true;
    end_ = frame_fault_text(frame.error());
    filled_ = begin_;
    return Received::Closed;
  }
  returned_ = size;
  to = *frame;
  return Received::Frame;
}

void FrameSocket::sleep(std::chrono::nanoseconds timeout) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec limit{.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
  const auto wanted = static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
  pollfd waited{.fd = socket_, .events = wanted, .revents = 0};
  static_cast<void>(::ppoll(&waited, 1, &limit, nullptr));
}

}  // namespace nexusfix::gateway
