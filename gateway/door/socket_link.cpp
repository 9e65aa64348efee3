#include "gateway/door/socket_link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "gateway/protocol/frame.hpp"

namespace nexusfix::gateway {
namespace {

constexpr std::size_t kReceiveBytes = 64U << 10U;
// Bytes that wait for the client here. A larger buffer goes back when it is empty.
constexpr std::size_t kLinkBytes = 1U << 20U;

}  // namespace

SocketLink::~SocketLink() { ::close(socket_); }

void SocketLink::fail(std::string fault, bool is_of_protocol) {
  if (!fault_.empty()) return;
  fault_ = std::move(fault);
  is_protocol_fault_ = is_of_protocol;
}

std::size_t SocketLink::whole_frame() {
  const std::span<const char> bytes{received_.data() + begin_, end_ - begin_};
  const auto length = frame_bytes(bytes);
  if (!length) {
    fail(std::string{to_string(length.error())}, true);
    return 0;
  }
  return *length <= bytes.size() ? *length : 0;
}

std::span<const char> SocketLink::read() {
  for (;;) {
    if (!fault_.empty()) return {};
    if (const std::size_t length = whole_frame(); length != 0) {
      const std::size_t at = std::exchange(begin_, begin_ + length);
      return {received_.data() + at, length};
    }
    if (!receive()) return {};
  }
}

bool SocketLink::receive() {
  if (begin_ != 0) {
    std::memmove(received_.data(), received_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (received_.size() - end_ < kReceiveBytes) received_.resize(end_ + kReceiveBytes);
  const ssize_t count =
      ::recv(socket_, received_.data() + end_, received_.size() - end_, MSG_DONTWAIT);
  if (count > 0) {
    end_ += static_cast<std::size_t>(count);
    return true;
  }
  if (count == 0) {
    fail("the client has closed its connection", false);
  } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    fail(std::string{"recv: "} + std::strerror(errno), false);
  }
  return false;
}

bool SocketLink::has_ended() {
  pollfd socket{socket_, POLLRDHUP, 0};
  return ::poll(&socket, 1, 0) != 0;
}

bool SocketLink::write(std::span<const char> frame) {
  if (has_unsent() && unsent_.size() - sent_ + frame.size() > kLinkBytes) return false;
  unsent_.insert(unsent_.end(), frame.begin(), frame.end());
  return true;
}

void SocketLink::flush() {
  while (has_unsent() && (fault_.empty() || is_protocol_fault_)) {
    const ssize_t count = ::send(socket_, unsent_.data() + sent_, unsent_.size() - sent_,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        fail(std::string{"send: "} + std::strerror(errno), false);
      }
      // What was sent makes room, so that the buffer does not grow for ever.
      if (sent_ > kLinkBytes) {
        unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent_));
        sent_ = 0;
      }
      return;
    }
    sent_ += static_cast<std::size_t>(count);
  }
  if (has_unsent()) return;
  unsent_.clear();
  sent_ = 0;
  if (unsent_.capacity() > kLinkBytes) std::vector<char>{}.swap(unsent_);
}

}  // namespace nexusfix::gateway
