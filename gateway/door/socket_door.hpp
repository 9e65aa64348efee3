// The Unix socket at which clients attach.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "gateway/door/socket_link.hpp"

namespace nexusfix::gateway {

// A process that has connected, as the kernel reports it.
struct SocketPeer {
  std::uint32_t user = 0;    // its user ID
  std::int32_t process = 0;  // its process ID
};

// A connection of a client that has said nothing yet.
struct AcceptedClient {
  std::unique_ptr<SocketLink> link;
  SocketPeer peer;
};

// One thread.
class SocketDoor {
 public:
  // Listens at the path, and gives the file this mode. A socket that no process listens on is
  // replaced; any other file, and a socket in use, is an error of one line.
  [[nodiscard]] static std::expected<SocketDoor, std::string> open(const std::string& path,
                                                                   std::uint32_t mode);
  SocketDoor(SocketDoor&& other) noexcept;
  SocketDoor& operator=(SocketDoor&&) = delete;
  // Removes the file.
  ~SocketDoor();

  // The next client that has connected; no link: there is none. It does not block.
  [[nodiscard]] AcceptedClient accept();
  // Readable when accept() has a client.
  [[nodiscard]] int descriptor() const noexcept { return socket_; }

 private:
  SocketDoor(std::string path, int socket) noexcept : path_{std::move(path)}, socket_{socket} {}

  std::string path_;
  int socket_ = -1;
};

}  // namespace nexusfix::gateway
