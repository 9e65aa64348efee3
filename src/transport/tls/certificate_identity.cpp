// The identities of certificates in a configuration. It needs no library, so every build has it.
#include <algorithm>

#include "transport/api/tls.hpp"

namespace nexusfix::transport {
namespace {

constexpr std::size_t kDnsBytesMax = 253;  // RFC 1035, section 2.3.4
constexpr std::size_t kUriBytesMax = 2'048;
// 32 bytes in base64: 43 digits, the last of which has two zero bits, and the padding.
constexpr std::size_t kPinDigits = 43;
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_pin(std::string_view digits) {
  if (digits.size() != kPinDigits + 1 || digits.back() != '=') return false;
  digits.remove_suffix(1);
  return digits.find_first_not_of(kBase64) == std::string_view::npos &&
         kBase64.find(digits.back()) % 4 == 0;
}

bool is_dns_name(std::string_view name) {
  return !name.empty() && name.size() <= kDnsBytesMax &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
             std::string_view::npos;
}

bool is_uri(std::string_view uri) {
  return uri.size() <= kUriBytesMax && uri.find(':') != std::string_view::npos &&
         std::ranges::all_of(uri, [](char byte) { return byte > ' ' && byte < '\x7F'; });
}

}  // namespace

std::string dns_identity(std::string_view name) {
  std::string identity = "dns:";
  for (const char byte : name) {
    identity += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
  }
  return identity;
}

std::optional<std::string> certificate_identity(std::string_view text) {
  constexpr std::string_view kName = "san:";
  constexpr std::string_view kPin = "pin:sha256/";
  if (text.starts_with(kPin)) {
    return is_pin(text.substr(kPin.size())) ? std::optional{std::string{text}} : std::nullopt;
  }
  if (!text.starts_with(kName)) return std::nullopt;
  const std::string_view name = text.substr(kName.size());
  if (name.find_first_of(std::string_view{"%\0", 2}) == std::string_view::npos) {
    if (const auto address = canonical_address(std::string{name})) return "ip:" + *address;
  }
  if (is_dns_name(name)) return dns_identity(name);
  return is_uri(name) ? std::optional{"uri:" + std::string{name}} : std::nullopt;
}

}  // namespace nexusfix::transport
