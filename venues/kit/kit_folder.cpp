#include "venues/kit/kit_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

#include "transport/api/signing_key.hpp"
#include "venues/kit/kit_files.hpp"
#include "venues/kit/test_keys.hpp"

namespace nexusfix::venues {
namespace {

using Done = std::expected<void, std::string>;

constexpr std::string_view kFile = "file:";
constexpr std::string_view kPublic = ".pub";
constexpr std::uint64_t kKeyBytesMax = 64U << 10U;
constexpr std::uint64_t kClientBytesMax = 1U << 20U;
constexpr std::string_view kConnectHost = "SocketConnectHost";
constexpr std::string_view kConnectPort = "SocketConnectPort";
// Keys whose value is a path of the folder.
constexpr std::array<std::string_view, 4> kPathKeys{
    "DataDictionary=", "AppDataDictionary=", "TransportDataDictionary=", "FileStorePath="};

std::string place_key(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, value);
}

// A line of a configuration, with this place if it has one. Blanks around a key are allowed.
std::string line_at(std::string_view line, const Place& place) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t equals = line.find('=');
  if (first == std::string_view::npos || equals == std::string_view::npos) return std::string{line};
  const std::string_view key =
      line.substr(first, line.find_last_not_of(" \t", equals - 1) + 1 - first);
  if (key == kConnectHost) return place_key(key, place.host);
  if (key == kConnectPort) return place_key(key, std::to_string(place.port));
  return std::string{line};
}

// A user's configuration, with this place.
std::string with_place(std::string_view text, const Place& place) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += line_at(text.substr(0, end), place) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// A line of a client's configuration, with the folder's paths and the venue's place.
std::string placed_line(std::string_view line, const std::string& folder, const Place* place) {
  for (const std::string_view key : kPathKeys) {
    if (!line.starts_with(key)) continue;
    return fmt::format("{}{}/{}", key, folder, line.substr(key.size()));
  }
  const std::size_t file = line.find(kFile);
  if (line.starts_with("LogonKey=") && file != std::string_view::npos) {
    const std::size_t name = file + kFile.size();
    return fmt::format("{}{}/{}", line.substr(0, name), folder, line.substr(name));
  }
  return place == nullptr ? std::string{line} : line_at(line, *place);
}

std::string placed(std::string_view text, const std::string& folder, const Place* place) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += placed_line(text.substr(0, end), folder, place) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

Done write(Disk& disk, const std::string& path, std::string_view text) {
  if (auto done = replace_file(disk, path, text); !done)
    return std::unexpected{done.error().what()};
  return {};
}

std::string tls_keys(const Served& served) {
  const std::string& key =
      served.certificate_key.empty() ? served.certificate : served.certificate_key;
  return fmt::format("\nSocketUseSSL=Y\nServerCertificateFile={}\nServerCertificateKeyFile={}",
                     served.certificate, key);
}

bool is_there(Disk& disk, const std::string& path) { return disk.status(path).has_value(); }

Done make_keys(const Endpoint& endpoint, const std::string& folder, Disk& disk) {
  const std::string path = client_key_path(endpoint, folder);
  if (path.empty() || is_there(disk, path)) return {};
  const auto keys = make_test_keys(*endpoint.signature);
  if (!keys) return std::unexpected{keys.error()};
  if (!keys->venue.empty()) {
    if (auto done = write(disk, path + std::string{kPublic}, keys->venue); !done) return done;
  }
  return write(disk, path, keys->client.view());
}

}  // namespace

std::expected<std::string, std::string> full_folder(const std::string& folder, Disk& disk) {
  if (auto made = disk.make_directories(folder); !made) {
    return std::unexpected{made.error().what()};
  }
  struct FreeText {
    void operator()(char* text) const noexcept { std::free(text); }
  };
  const std::unique_ptr<char, FreeText> path{::realpath(folder.c_str(), nullptr)};
  if (path == nullptr) return std::unexpected{folder + ": " + std::strerror(errno)};
  return std::string{path.get()};
}

Done write_kit(const Kit& kit, const std::string& folder, Disk& disk) {
  for (const KitFile& file : kit_files()) {
    if (file.kit != kit.name || file.name == "venue.cfg") continue;
    const std::string path = fmt::format("{}/{}", folder, file.name);
    if (is_there(disk, path)) continue;
    const std::string in = path.substr(0, path.rfind('/'));
    if (auto made = disk.make_directories(in); !made) {
      return std::unexpected{made.error().what()};
    }
    const std::string text =
        file.name.ends_with(".cfg") ? placed(file.text, folder, nullptr) : std::string{file.text};
    if (auto done = write(disk, path, text); !done) return done;
  }
  for (const Endpoint& endpoint : kit.endpoints) {
    if (auto done = make_keys(endpoint, folder, disk); !done) return done;
  }
  return {};
}

std::expected<ClientLines, std::string> place_client(const Kit& kit, const Endpoint& endpoint,
                                                     const std::string& folder, const Place& place,
                                                     Disk& disk) {
  const std::string path = folder + "/" + endpoint.client;
  const std::string of_kit = placed(kit_file(kit.name, endpoint.client), folder, &place);
  std::string before;
  if (is_there(disk, path)) {
    auto text = read_file(disk, path, kClientBytesMax);
    if (!text) return std::unexpected{text.error().what()};
    before = std::move(*text);
  }
  const std::string now = before.empty() ? of_kit : with_place(before, place);
  const std::string port_line = place_key(kConnectPort, std::to_string(place.port));
  if (!("\n" + now).contains("\n" + port_line + "\n")) {
    return std::unexpected{path +
                           ": SocketConnectPort is missing: the client would not find port " +
                           std::to_string(place.port)};
  }
  if (now != before) {
    if (auto done = write(disk, path, now); !done) return std::unexpected{done.error()};
  }
  return now == of_kit ? ClientLines::OfTheKit : ClientLines::Changed;
}

std::expected<Kit, std::string> read_served_kit(const Kit& kit, const std::string& folder,
                                                const Served& served) {
  std::string text;
  std::string_view rest = kit_file(kit.name, "venue.cfg");
  std::size_t endpoint = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("SocketAcceptHost=")) {
      text += "SocketAcceptHost=" + served.host;
      if (!served.certificate.empty()) text += tls_keys(served);
    } else if (line.starts_with("SocketAcceptPort=")) {
      text += fmt::format("SocketAcceptPort={}", served.ports.at(endpoint++));
    } else {
      text += placed_line(line, folder, nullptr);
    }
    text += "\n";
  }
  return parse_kit(kit.name, text, [&](std::string_view file) { return kit_file(kit.name, file); });
}

std::string client_key_path(const Endpoint& endpoint, const std::string& folder) {
  if (endpoint.signature == nullptr) return {};
  std::string_view key = endpoint.signature->key;
  if (key.starts_with(transport::kBase64UrlKey)) key.remove_prefix(transport::kBase64UrlKey.size());
  return key.starts_with(kFile) ? folder + "/" + std::string{key.substr(kFile.size())} : "";
}

std::expected<std::unique_ptr<LogonVerifier>, std::string> read_verifier(
    const Endpoint& endpoint, const std::string& folder, const std::string& key_path, Disk& disk) {
  if (!endpoint.logon.signature) return nullptr;
  const bool is_public = has_public_key(*endpoint.signature);
  const std::string path =
      key_path.empty() ? client_key_path(endpoint, folder) + std::string{is_public ? kPublic : ""}
                       : key_path;
  if (!is_public) {
    const auto is_private = disk.is_private(path);
    if (!is_private) return std::unexpected{is_private.error().what()};
    if (!*is_private) {
      return std::unexpected{path + ": has a secret and is readable by other users: chmod 600 " +
                             path};
    }
  }
  auto text = read_regular_file(disk, path, kKeyBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto verifier = LogonVerifier::make(endpoint.signature, *text);
  wipe_bytes(*text);
  if (!verifier) return std::unexpected{path + ": " + verifier.error()};
  return verifier;
}

}  // namespace nexusfix::venues
