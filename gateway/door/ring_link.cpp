#include "gateway/door/ring_link.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

#include "gateway/protocol/frame.hpp"

namespace nexusfix::gateway {
namespace {

constexpr std::size_t kFrameKindAt = 5;  // of a frame
// Calls of read() without a frame between two looks at the socket: a system call each.
constexpr int kReadsBetweenLooks = 4'000;

}  // namespace

RingLink::RingLink(std::unique_ptr<GatewayRing> ring, std::unique_ptr<ClientLink> socket) noexcept
    : ring_{std::move(ring)}, socket_{std::move(socket)} {}

std::span<const char> RingLink::read() {
  if (sleeps_) {
    sleeps_ = false;
    ring_->end_sleep();
    look_at_socket();
  }
  if (!fault_.empty()) [[unlikely]]
    return {};
  const std::string_view frame = ring_->read();
  if (!frame.empty()) [[likely]] {
    const auto length = frame_bytes(frame);
    if (length && *length == frame.size()) [[likely]]
      return frame;
    fail(to_string(length ? FrameFault::Length : length.error()), true);
    return {};
  }
  if (ring_->is_closed()) {
    fail(to_string(ring_->fault()), true);
  } else if (!socket_fault_.empty()) {
    // The ring was read again after the socket had ended.
    fail(socket_fault_, false);
  } else if (--until_look_ < 0) {
    until_look_ = kReadsBetweenLooks;
    look_at_socket();
  }
  return {};
}

bool RingLink::has_ended() {
  look_at_socket();
  return !socket_fault_.empty();
}

void RingLink::look_at_socket() {
  std::array<char, 256> bytes{};
  for (;;) {
    const ssize_t count = ::recv(socket_->descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count == 0) {
      socket_fault_ = "the client has closed its connection";
    } else if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
      socket_fault_ = std::string{"recv: "} + std::strerror(errno);
    }
    return;
  }
}

void RingLink::fail(std::string_view fault, bool is_of_protocol) {
  if (!fault_.empty()) return;
  fault_ = fault;
  is_protocol_fault_ = is_of_protocol;
}

bool RingLink::write(std::span<const char> frame) {
  if (frame[kFrameKindAt] == static_cast<char>(FrameKind::Welcome)) [[unlikely]]
    return socket_->write(frame);
  const Written written = ring_->write({frame.data(), frame.size()});
  if (written == Written::Full) return false;
  // A closed ring takes nothing any more: nothing waits for it.
  if (written == Written::Fault) fail(to_string(ring_->fault()), true);
  has_written_ = true;
  return true;
}

void RingLink::flush() {
  if (socket_->has_unsent()) [[unlikely]]
    socket_->flush();
  // A client falls asleep only when it has read all that was written before.
  if (std::exchange(has_written_, false) && ring_->wake_client()) {
    // A full socket has bytes that the client has not read: it wakes in any case.
    static_cast<void>(::send(socket_->descriptor(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL));
  }
}

std::expected<std::unique_ptr<GatewayRing>, RingError> make_ring(RingFileOptions options,
                                                                 const ClientLink& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.descriptor(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
    options.client_process = static_cast<std::uint32_t>(peer.pid);
  return GatewayRing::create(options);
}

bool RingLink::begin_sleep() noexcept {
  sleeps_ = fault_.empty() && socket_fault_.empty() && ring_->begin_sleep();
  return sleeps_;
}

}  // namespace nexusfix::gateway
