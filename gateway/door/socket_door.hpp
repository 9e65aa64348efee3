// The Unix socket at which clients attach.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "gateway/door/client_door.hpp"

namespace nexusfix::gateway {

// One thread.
class SocketDoor final : public ClientDoor {
 public:
  // Listens at the path, and gives the file this mode. A socket that no process listens on is
  // replaced; any other file, and a socket in use, is an error of one line.
  [[nodiscard]] static std::expected<SocketDoor, std::string> open(const std::string& path,
                                                                   std::uint32_t mode);
  SocketDoor(SocketDoor&& other) noexcept;
  SocketDoor& operator=(SocketDoor&&) = delete;
  // Removes the file.
  ~SocketDoor() override;

  // The peer is its user and its process, as the kernel reports them.
  AcceptedClient accept() override;
  std::string address() const override { return path_; }
  int descriptor() const noexcept override { return socket_; }

 private:
  SocketDoor(std::string path, int socket) noexcept : path_{std::move(path)}, socket_{socket} {}

  std::string path_;
  int socket_ = -1;
};

}  // namespace nexusfix::gateway
