#include "gateway/attach/ring_client.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;

// Reads exactly these bytes. False: the gateway has closed the connection, or the time is over.
bool receive_all(int socket, char* to, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    const ssize_t count = ::recv(socket, to + got, size - got, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

bool send_all(int socket, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

// A frame from the socket.
std::expected<std::vector<char>, std::string> receive_frame(int socket) {
  std::vector<char> bytes(kHeaderBytes);
  if (!receive_all(socket, bytes.data(), bytes.size()))
    return Failed{"the gateway has not answered"};
  const auto length = frame_bytes(bytes);
  if (!length) return Failed{std::string{to_string(length.error())}};
  bytes.resize(*length);
  if (!receive_all(socket, bytes.data() + kHeaderBytes, *length - kHeaderBytes))
    return Failed{"the gateway's answer is not whole"};
  return bytes;
}

}  // namespace

RingClient::~RingClient() { ::close(socket_); }

std::expected<std::unique_ptr<RingClient>, std::string> RingClient::attach(
    const std::string& socket_path, HelloText hello, std::chrono::milliseconds timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path)
    return Failed{socket_path + ": the path is too long"};
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return Failed{std::string{"socket: "} + std::strerror(errno)};
  std::unique_ptr<RingClient> client{new RingClient{socket}};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timeval limit{.tv_sec = seconds.count(),
                      .tv_usec = std::chrono::microseconds{timeout - seconds}.count()};
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
      ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Failed{socket_path + ": " + std::strerror(errno)};
  }
  hello.ring_version = kRingVersion;
  if (auto greeted = client->greet(hello); !greeted) return Failed{std::move(greeted.error())};
  return client;
}

std::expected<void, std::string> RingClient::greet(const HelloText& hello) {
  std::vector<char> bytes;
  append_frame(bytes, {.kind = FrameKind::Hello}, write_hello(hello));
  if (!send_all(socket_, bytes)) return Failed{"the gateway takes no Hello"};
  const auto answer = receive_frame(socket_);
  if (!answer) return Failed{answer.error()};
  const auto frame = read_frame(*answer);
  if (!frame) return Failed{std::string{to_string(frame.error())}};
  if (frame->header.kind != FrameKind::Welcome) {
    return Failed{fmt::format("the gateway refused the client with code {}: {}", frame->header.code,
                              frame->body)};
  }
  auto welcome = read_welcome(frame->body);
  if (!welcome) return Failed{std::move(welcome.error())};
  last_number_ = frame->header.number;
  welcome_ = std::move(*welcome);
  if (welcome_.ring.path.empty()) return Failed{"the gateway has no shared memory"};
  auto ring = ClientRing::attach(welcome_.ring.path, welcome_.ring.key, socket_);
  if (!ring) return Failed{std::move(ring.error().text)};
  ring_ = std::move(*ring);
  return {};
}

}  // namespace nexusfix::gateway
