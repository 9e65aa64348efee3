// What a configuration may say of a proxy. It is part of the layer, not of nexusfix::proxy: a
// program without proxies checks its configuration, too.
#include <string>
#include <string_view>

#include "transport/api/address.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::transport {
namespace {

using Protocol = ConnectProxy::Protocol;

// SOCKS 5 (RFC 1928 and RFC 1929): the size of a text is one byte.
constexpr std::size_t kSocksTextMax = 255;

}  // namespace

std::string_view validate(const ConnectProxy& proxy) {
  if (proxy.host.empty() || proxy.port == 0) return "a host and a port are needed";
  if (proxy.user.empty() && !proxy.password.empty()) return "a password needs a user";
  const auto has = [](const std::string& text, char byte) { return text.contains(byte); };
  switch (proxy.protocol) {
    case Protocol::Http10:
    case Protocol::Http11:
      // RFC 7617, section 2: a colon in the user would begin the password.
      return has(proxy.user, ':') ? "an HTTP user cannot contain a colon" : "";
    case Protocol::Socks4:
    case Protocol::Socks4a:
      return has(proxy.user, '\0') ? "a SOCKS 4 user cannot contain a byte 0" : "";
    case Protocol::Socks5:
      break;
  }
  if (proxy.user.empty()) return "";
  if (proxy.user.size() > kSocksTextMax) return "a SOCKS 5 user has at most 255 bytes";
  const bool is_valid = !proxy.password.empty() && proxy.password.size() <= kSocksTextMax;
  return is_valid ? "" : "a password for SOCKS 5 has 1 to 255 bytes";
}

std::string_view validate(Protocol protocol, const std::string& target_host) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  if (target_host.contains('%'))
    return "a proxy cannot connect to an address with an interface of this machine";
  const auto literal = literal_address({target_host, 1});
  const bool is_socks_4 = protocol == Protocol::Socks4 || protocol == Protocol::Socks4a;
  if (literal && literal->family() == AF_INET6) {
    return is_socks_4 ? "SOCKS 4 has no IPv6 addresses; SOCKS 5 does" : "";
  }
  const bool is_name = !target_host.empty() && target_host.size() <= kSocksTextMax &&
                       target_host.find_first_not_of(kLetters) == std::string::npos;
  return is_name ? "" : "a proxy takes an address, or a name of letters, digits, '-', '.' and '_'";
}

}  // namespace nexusfix::transport
