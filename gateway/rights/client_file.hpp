// The file of clients of `nexusfix gateway`: docs/guide/gateway.md.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/rights/client_rights.hpp"

namespace nexusfix::gateway {

// The port for clients by WebSocket.
struct WebSocketSettings {
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port{};  // none: there is no such port; 0: any free one
  std::vector<std::string> origins{};   // in lower case: pages of these sites may attach
  std::string certificate_file{};       // of TLS; empty: none
  std::string certificate_key_file{};   // empty: in certificate_file
  std::string authorities_file{};       // clients must show a certificate of these
  std::size_t line = 0;                 // of the port
};

struct ClientFile {
  std::string socket_path;
  std::uint32_t socket_mode = 0600;
  std::string memory_path = "/dev/shm";  // the folder of the files of shared memory
  WebSocketSettings web_socket{};
  std::vector<ClientRights> clients;  // in the order of the file
};

// The error has a line for each fault, with file and line.
[[nodiscard]] std::expected<ClientFile, std::string> parse_clients(std::string_view text,
                                                                   std::string_view file);

// Checks the clients against the names of the sessions: a session that does not exist, and two
// traders that own all messages of one. The error has a line for each fault.
[[nodiscard]] std::expected<void, std::string> check_clients(
    const ClientFile& clients, const std::vector<std::string>& sessions, std::string_view file);

// Reads the file, which must be readable by its user and group alone: it has tokens. May block.
[[nodiscard]] std::expected<ClientFile, std::string> read_clients(const std::string& path);

}  // namespace nexusfix::gateway
