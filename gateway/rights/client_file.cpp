#include "gateway/rights/client_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"
#include "gateway/protocol/frame.hpp"

namespace nexusfix::gateway {
namespace {

constexpr std::uint64_t kFileBytesMax = 1U << 20U;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kTokenBytesMin = 16;
constexpr std::size_t kSocketPathBytesMax = 107;  // sockaddr_un
constexpr std::string_view kSpaces = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const auto one = trimmed(text.substr(0, comma)); !one.empty()) list.emplace_back(one);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return list;
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_name(std::string_view name) {
  const auto is_valid = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, is_valid);
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_{file} {}

  void read(std::string_view text) {
    text = without_byte_order_mark(text);
    while (!text.empty()) {
      ++line_;
      const std::size_t end = text.find('\n');
      take(trimmed(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    check();
  }

  std::expected<ClientFile, std::string> result() && {
    if (!faults_.empty()) return std::unexpected{std::move(faults_)};
    return std::move(found_);
  }

 private:
  enum class Section : std::uint8_t { None, Gateway, Client };

  void fault(std::size_t line, std::string_view what) {
    if (!faults_.empty()) faults_ += '\n';
    fmt::format_to(std::back_inserter(faults_), "{}:{}: {}", file_, line, printable(what));
  }
  void take(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (line == "[GATEWAY]") {
      section_ = Section::Gateway;
      if (std::exchange(has_gateway_, true)) fault(line_, "[GATEWAY] is there already");
      keys_.clear();
    } else if (line == "[CLIENT]") {
      section_ = Section::Client;
      keys_.clear();
      found_.clients.emplace_back().line = line_;
    } else if (const std::size_t equals = line.find('='); equals != std::string_view::npos) {
      set(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    } else {
      fault(line_, "[GATEWAY], [CLIENT] or KEY=VALUE was expected");
    }
  }
  // A right without a value would be a right to everything.
  void set(std::string_view key, std::string_view value) {
    if (value.find_first_not_of(", \t") == std::string_view::npos) {
      return fault(line_, fmt::format("{}: a value was expected", key));
    }
    if (std::ranges::find(keys_, key) != keys_.end()) {
      return fault(line_, fmt::format("{} has a value in this section already", key));
    }
    keys_.emplace_back(key);
    switch (section_) {
      case Section::None:
        return fault(line_, "a key comes after [GATEWAY] or [CLIENT]");
      case Section::Gateway:
        return set_gateway(key, value);
      case Section::Client:
        return set_client(found_.clients.back(), key, value);
    }
  }
  void set_gateway(std::string_view key, std::string_view value) {
    if (key == "SocketPath") {
      found_.socket_path = value;
      if (value.empty() || value.size() > kSocketPathBytesMax) {
        fault(line_, "SocketPath: a path of 1 to 107 bytes was expected");
      }
    } else if (key == "SocketMode") {
      const auto mode = number_of<std::uint32_t>(value, 8);
      if (!mode || *mode > 0777)
        return fault(line_, "SocketMode: octal, such as 0660, was expected");
      found_.socket_mode = *mode;
    } else if (key == "MemoryPath") {
      if (!value.starts_with('/')) return fault(line_, "MemoryPath: a path from / was expected");
      found_.memory_path = value;
    } else if (key.starts_with("WebSocket")) {
      if (web_socket_line_ == 0) web_socket_line_ = line_;
      set_web_socket(found_.web_socket, key, value);
    } else {
      fault(line_, fmt::format("{} is no key of [GATEWAY]: SocketPath, SocketMode, MemoryPath, or "
                               "one of WebSocketPort",
                               key));
    }
  }
  void set_web_socket(WebSocketSettings& web, std::string_view key, std::string_view value) {
    if (key == "WebSocketPort") {
      web.port = number_of<std::uint16_t>(value, 10);
      web.line = line_;
      if (!web.port) fault(line_, "WebSocketPort: 0 to 65535 was expected");
    } else if (key == "WebSocketHost") {
      web.host = value;
      if (value.empty()) fault(line_, "WebSocketHost: a name or an address was expected");
    } else if (key == "WebSocketOrigins") {
      web.origins = list_of(value);
      for (std::string& origin : web.origins) set_origin(origin);
    } else if (key == "WebSocketCertificateFile") {
      web.certificate_file = value;
    } else if (key == "WebSocketCertificateKeyFile") {
      web.certificate_key_file = value;
    } else if (key == "WebSocketAuthoritiesFile") {
      web.authorities_file = value;
    } else {
      fault(line_, fmt::format("{} is no key of [GATEWAY]: WebSocketPort, WebSocketHost, "
                               "WebSocketOrigins, WebSocketCertificateFile, "
                               "WebSocketCertificateKeyFile or WebSocketAuthoritiesFile",
                               key));
    }
  }
  // As browsers write it: RFC 6454, sec. 6.2.
  void set_origin(std::string& origin) {
    for (char& one : origin) one = to_lower(one);
    const std::string_view rest = std::string_view{origin}.substr(
        std::min(origin.size(), origin.starts_with("http://") ? std::size_t{7} : std::size_t{8}));
    const bool has_scheme = origin.starts_with("http://") || origin.starts_with("https://");
    if (has_scheme && !rest.empty() && rest.find_first_of("/*?#@ ") == std::string_view::npos) {
      return;
    }
    fault(line_, fmt::format("WebSocketOrigins: {}: a scheme, a host and a port that is not the "
                             "usual one were expected, such as https://desk.example.com. There is "
                             "no pattern, and null is every file and sandbox",
                             origin));
  }
  void set_client(ClientRights& client, std::string_view key, std::string_view value) {
    if (key == "Name") {
      client.name = value;
    } else if (key == "Token") {
      client.token = value;
    } else if (key == "Sessions") {
      client.sessions = value == "*" ? std::vector<std::string>{} : list_of(value);
    } else if (key == "MsgType") {
      client.rule.msg_types = list_of(value);
    } else if (key == "Account") {
      client.rule.accounts = list_of(value);
    } else if (key == "Symbol") {
      client.rule.symbols = list_of(value);
    } else if (key == "ClOrdIDPrefix") {
      client.rule.cl_ord_id_prefixes = list_of(value);
    } else if (key == "Role") {
      if (value != "trader" && value != "observer") {
        return fault(line_, "Role: trader or observer was expected");
      }
      client.role = value == "trader" ? ClientRole::Trader : ClientRole::Observer;
    } else if (key == "WhenAway") {
      if (value != "wait" && value != "log-out" && value != "reject") {
        return fault(line_, "WhenAway: wait, log-out or reject was expected");
      }
      client.when_away = value == "wait"      ? WhenAway::Wait
                         : value == "log-out" ? WhenAway::LogOut
                                              : WhenAway::Reject;
    } else if (key == "QueueBytes") {
      const auto bytes = number_of<std::size_t>(value, 10);
      if (!bytes || *bytes < kFrameBytesMax || *bytes > std::size_t{1} << 32U) {
        return fault(line_, "QueueBytes: 1052672 to 4294967296 was expected");
      }
      client.queue_bytes = *bytes;
    } else {
      fault(line_, fmt::format("{} is no key of [CLIENT]: Name, Token, Role, Sessions, MsgType, "
                               "Account, Symbol, ClOrdIDPrefix, WhenAway or QueueBytes",
                               key));
    }
  }
  void check_web_socket() {
    const WebSocketSettings& web = found_.web_socket;
    if (!web.port) {
      if (web_socket_line_ == 0 || web.line != 0) return;
      return fault(web_socket_line_, "the keys of the WebSocket need WebSocketPort");
    }
    if (!web.certificate_file.empty()) return;
    if (!web.certificate_key_file.empty() || !web.authorities_file.empty()) {
      fault(web.line, "the keys of TLS need WebSocketCertificateFile");
    }
    const auto address =
        transport::canonical_address(std::string{transport::without_brackets(web.host)});
    const bool is_loopback = address ? address->starts_with("127.") || *address == "::1"
                                     : transport::is_localhost(web.host);
    if (!is_loopback) {
      fault(web.line,
            fmt::format("WebSocketHost={}: a port that other machines reach needs "
                        "WebSocketCertificateFile, or its tokens are readable on the network",
                        web.host));
    }
  }
  void check() {
    check_web_socket();
    if (found_.socket_path.empty()) fault(line_, "[GATEWAY] with SocketPath was expected");
    if (found_.clients.empty()) fault(line_, "no [CLIENT]: no program could attach");
    for (std::size_t i = 0; i < found_.clients.size(); ++i) {
      const ClientRights& one = found_.clients[i];
      if (!is_name(one.name)) {
        fault(one.line, "Name: 1 to 64 letters, digits, '-', '_' or '.' were expected");
      }
      if (one.token.size() < kTokenBytesMin) {
        fault(one.line,
              "Token: at least 16 characters were expected, such as those of "
              "`openssl rand -hex 16`");
      }
      if (one.is_observer() && (!one.rule.is_everything() || one.when_away != WhenAway::Wait)) {
        fault(one.line, "an observer has no MsgType, Account, Symbol, ClOrdIDPrefix or WhenAway");
      }
      for (std::size_t before = 0; before < i; ++before) {
        if (found_.clients[before].name == one.name) {
          fault(one.line, fmt::format("the client {} has a section already, in line {}", one.name,
                                      found_.clients[before].line));
        }
      }
    }
  }

  std::string_view file_;
  std::size_t line_ = 0;
  std::size_t web_socket_line_ = 0;  // of its first key
  Section section_ = Section::None;
  bool has_gateway_ = false;
  std::vector<std::string> keys_;  // of this section, up to this line
  ClientFile found_;
  std::string faults_;
};

}  // namespace

std::expected<ClientFile, std::string> parse_clients(std::string_view text, std::string_view file) {
  Reader reader{file};
  reader.read(text);
  return std::move(reader).result();
}

std::expected<void, std::string> check_clients(const ClientFile& clients,
                                               const std::vector<std::string>& sessions,
                                               std::string_view file) {
  std::string faults;
  const auto fault = [&](const ClientRights& client, const std::string& what) {
    if (!faults.empty()) faults += '\n';
    fmt::format_to(std::back_inserter(faults), "{}:{}: client {}: {}", file, client.line,
                   client.name, printable(what));
  };
  for (const ClientRights& client : clients.clients) {
    for (const std::string& session : client.sessions) {
      if (std::ranges::find(sessions, session) == sessions.end()) {
        fault(client, fmt::format("Sessions: the configuration has no session {}", session));
      }
    }
  }
  for (const std::string& session : sessions) {
    const ClientRights* owner = nullptr;
    for (const ClientRights& client : clients.clients) {
      if (client.is_observer() || !client.may_see(session)) continue;
      if (owner != nullptr) {
        fault(client, fmt::format("it would get nothing of session {}: {} owns all of its "
                                  "messages. Give {} a rule, or put it last",
                                  session, owner->name, owner->name));
      } else if (client.rule.is_everything()) {
        owner = &client;
      }
    }
  }
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  return {};
}

std::expected<ClientFile, std::string> read_clients(const std::string& path) {
  PosixDisk disk;
  const auto text = read_file(disk, path, kFileBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto clients = parse_clients(*text, path);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    std::string faults = fmt::format(
        "{}: other users can read it, or its group can write it, and it has tokens: chmod 640 {}",
        path, path);
    if (!clients) faults += '\n' + clients.error();
    return std::unexpected{std::move(faults)};
  }
  return clients;
}

}  // namespace nexusfix::gateway
