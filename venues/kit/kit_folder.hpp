// A folder with the files of a kit and the keys of its test clients.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "venues/kit/kit.hpp"
#include "venues/logon/logon_verifier.hpp"

namespace nexusfix::venues {

// Where a client of the kit connects to.
struct Place {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

// The full path of a folder, which is made if it does not exist. Blocks for the disk. The error
// names it.
[[nodiscard]] std::expected<std::string, std::string> full_folder(const std::string& folder,
                                                                  Disk& disk);

// Writes the files of the kit that the folder does not have, and makes the keys that are missing.
// Paths in the configurations are those of the folder. Blocks for the disk. The error names the
// file.
[[nodiscard]] std::expected<void, std::string> write_kit(const Kit& kit, const std::string& folder,
                                                         Disk& disk);

// Whose lines the configuration of a client has.
enum class ClientLines : std::uint8_t {
  OfTheKit,  // those of the kit, with the folder's paths
  Changed,   // the user's: only SocketConnectHost and SocketConnectPort are set
};

// Sets the place in the configuration of an endpoint's client. Lines that the user has changed or
// added stay as they are. Blocks for the disk. The error names the file: it cannot be written, or
// has no SocketConnectPort to set.
[[nodiscard]] std::expected<ClientLines, std::string> place_client(const Kit& kit,
                                                                   const Endpoint& endpoint,
                                                                   const std::string& folder,
                                                                   const Place& place, Disk& disk);

// How a simulated venue listens.
struct Served {
  std::string host = "127.0.0.1";
  std::vector<std::uint16_t> ports{};  // of each endpoint
  std::string certificate{};           // a file of PEM: TLS; empty: plain TCP
  std::string certificate_key{};       // its private key; empty: in the same file
};
// The kit as a simulated venue reads it: its venue.cfg with the paths of the folder, and this
// place.
[[nodiscard]] std::expected<Kit, std::string> read_served_kit(const Kit& kit,
                                                              const std::string& folder,
                                                              const Served& served);

// The file that the client of an endpoint signs with, in the folder. Empty: it signs nothing.
[[nodiscard]] std::string client_key_path(const Endpoint& endpoint, const std::string& folder);

// Verifies Logons of an endpoint. key_path: a public key in PEM, or the shared secret, which only
// its owner may read; empty: that of the folder. Null: the endpoint's Logons are not signed.
[[nodiscard]] std::expected<std::unique_ptr<LogonVerifier>, std::string> read_verifier(
    const Endpoint& endpoint, const std::string& folder, const std::string& key_path, Disk& disk);

}  // namespace nexusfix::venues
