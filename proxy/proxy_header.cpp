#include "proxy/proxy_header.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <optional>

#include "transport/api/address.hpp"

namespace nexusfix::transport {
namespace {

using Status = ProxyHeader::Status;

// Version 1: "PROXY TCP4 10.0.0.1 10.0.0.2 40112 5001" and CR LF (section 2.1).
constexpr std::string_view kFirst1 = "PROXY ";
constexpr std::size_t kLineBytesMin = std::string_view{"PROXY UNKNOWN\r\n"}.size();
constexpr std::size_t kLineBytesMax = 107;
// Version 2: 12 bytes that no text begins with, the version and command, the family and protocol,
// the size of what follows (section 2.2).
constexpr std::string_view kFirst2{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::size_t kFixedBytes = 16;
constexpr unsigned kLocal = 0x20;
constexpr unsigned kProxied = 0x21;
constexpr unsigned kUnspecified = 0x00;
constexpr unsigned kTcp4 = 0x11;
constexpr unsigned kTcp6 = 0x21;
constexpr std::size_t kTcp4Bytes = 12;  // two addresses, two ports
constexpr std::size_t kTcp6Bytes = 36;
static_assert(kLineBytesMin < kFixedBytes, "no header is shorter than the line of version 1");

ProxyHeader wrong(std::string_view why) { return {Status::Wrong, 0, {}, why}; }
ProxyHeader need(std::size_t size) { return {Status::NeedMore, size, {}, {}}; }
ProxyHeader whole(std::size_t size, std::string source) {
  return {Status::Whole, size, std::move(source), {}};
}

std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return port;
}

// Nothing: the text is no address of that family.
std::optional<Address> read_address(int family, std::string_view text, std::uint16_t port) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  Address address = any_address(family, port);
  void* const binary = family == AF_INET ? static_cast<void*>(&address.v4.sin_addr)
                                         : static_cast<void*>(&address.v6.sin6_addr);
  if (::inet_pton(family, std::string{text}.c_str(), binary) != 1) return std::nullopt;
  return address;
}

// line: the text between "PROXY " and the end of the line.
ProxyHeader read_line(std::string_view line, std::size_t size) {
  constexpr std::string_view kExpected =
      "a PROXY line that is not TCP4 or TCP6, two addresses and two ports";
  if (line == "UNKNOWN" || line.starts_with("UNKNOWN ")) return whole(size, {});
  std::array<std::string_view, 5> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t end = line.find(' ');
    const bool is_last = i + 1 == words.size();
    if (is_last != (end == std::string_view::npos)) return wrong(kExpected);
    words[i] = line.substr(0, end);
    line.remove_prefix(is_last ? line.size() : end + 1);
  }
  if (words[0] != "TCP4" && words[0] != "TCP6") return wrong(kExpected);
  const int family = words[0] == "TCP4" ? AF_INET : AF_INET6;
  const auto port = read_port(words[3]);
  if (!port || !read_port(words[4])) return wrong(kExpected);
  const auto source = read_address(family, words[1], *port);
  if (!source || !read_address(family, words[2], 0)) return wrong(kExpected);
  return whole(size, source->to_string());
}

ProxyHeader read_version_1(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kLineBytesMax).find('\n');
  if (end == std::string_view::npos) {
    if (bytes.size() >= kLineBytesMax) return wrong("a PROXY line without an end");
    return need(std::max(kLineBytesMin, bytes.size() + (bytes.back() == '\r' ? 1 : 2)));
  }
  if (bytes[end - 1] != '\r') return wrong("a PROXY line that does not end with CR and LF");
  return read_line(bytes.substr(kFirst1.size(), end - 1 - kFirst1.size()), end + 1);
}

unsigned byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}

std::string source_of(std::string_view addresses, unsigned family) {
  Address source = any_address(family == kTcp4 ? AF_INET : AF_INET6, 0);
  const char* const at = addresses.data();
  if (family == kTcp4) {
    std::memcpy(&source.v4.sin_addr, at, 4);
    std::memcpy(&source.v4.sin_port, at + 8, 2);
  } else {
    std::memcpy(&source.v6.sin6_addr, at, 16);
    std::memcpy(&source.v6.sin6_port, at + 32, 2);
  }
  return source.to_string();
}

ProxyHeader read_version_2(std::string_view bytes) {
  if (bytes.size() > kFirst2.size() && byte_at(bytes, kFirst2.size()) != kLocal &&
      byte_at(bytes, kFirst2.size()) != kProxied) {
    return wrong("a PROXY header of another version than 1 and 2, or of an unknown command");
  }
  if (bytes.size() < kFixedBytes) return need(kFixedBytes);
  const std::size_t size = kFixedBytes + byte_at(bytes, 14) * 256 + byte_at(bytes, 15);
  if (size > kProxyHeaderBytesMax) return wrong("a PROXY header of more than 4,096 bytes");
  const bool is_local = byte_at(bytes, kFirst2.size()) == kLocal;
  const unsigned family = byte_at(bytes, 13);
  const bool is_tcp = family == kTcp4 || family == kTcp6;
  if (!is_local && family != kUnspecified && !is_tcp) {
    return wrong("a PROXY header of something else than TCP over IPv4 or IPv6");
  }
  if (!is_local && is_tcp && size < kFixedBytes + (family == kTcp4 ? kTcp4Bytes : kTcp6Bytes)) {
    return wrong("a PROXY header that is too short for its addresses");
  }
  if (bytes.size() < size) return need(size);
  if (is_local || !is_tcp) return whole(size, {});
  return whole(size, source_of(bytes.substr(kFixedBytes), family));
}

}  // namespace

ProxyHeader read_proxy_header(std::string_view bytes) {
  const auto begins_like = [&](std::string_view first) {
    const std::size_t size = std::min(bytes.size(), first.size());
    return bytes.substr(0, size) == first.substr(0, size);
  };
  const bool is_1 = begins_like(kFirst1);
  if (!is_1 && !begins_like(kFirst2)) return wrong("no PROXY header");
  if (bytes.size() < (is_1 ? kFirst1 : kFirst2).size()) return need(kLineBytesMin);
  return is_1 ? read_version_1(bytes) : read_version_2(bytes);
}

}  // namespace nexusfix::transport
