#include "gateway/door/socket_door.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "gateway/door/socket_link.hpp"

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;

constexpr int kWaiting = 64;  // connections that the kernel keeps until accept()

Failed failure(const std::string& path, std::string_view call) {
  return Failed{fmt::format("{}: {}: {}", path, call, std::strerror(errno))};
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// Whether a process listens there.
bool is_in_use(const sockaddr_un& address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const int done = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool is_refused = done != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !is_refused;
}

}  // namespace

std::expected<SocketDoor, std::string> SocketDoor::open(const std::string& path,
                                                        std::uint32_t mode) {
  const sockaddr_un address = address_of(path);
  if (path.size() >= sizeof address.sun_path) return Failed{path + ": the path is too long"};
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return Failed{path + ": it exists, and is no socket"};
    if (is_in_use(address)) return Failed{path + ": another process listens there"};
    if (::unlink(path.c_str()) != 0) return failure(path, "unlink");
  }
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return failure(path, "socket");
  SocketDoor door{{}, socket};
  // No process can connect between bind() and chmod(): it does not listen yet.
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failure(path, "bind");
  }
  door.path_ = path;
  if (::chmod(path.c_str(), mode) != 0) return failure(path, "chmod");
  if (::listen(socket, kWaiting) != 0) return failure(path, "listen");
  return door;
}

SocketDoor::SocketDoor(SocketDoor&& other) noexcept
    : path_{std::exchange(other.path_, {})}, socket_{std::exchange(other.socket_, -1)} {}

SocketDoor::~SocketDoor() {
  if (socket_ < 0) return;
  ::close(socket_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

AcceptedClient SocketDoor::accept() {
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return {};
  ucred peer{};
  socklen_t size = sizeof peer;
  static_cast<void>(::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size));
  return {std::make_unique<SocketLink>(socket),
          fmt::format("user {}, process {}", peer.uid, peer.pid)};
}

}  // namespace nexusfix::gateway
