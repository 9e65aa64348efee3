// Addresses of the internet families, and their texts.
#pragma once

#include <cstdint>
#include <expected>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// An IPv4 or IPv6 address with its port, as the system calls take it.
struct Address {
  union {
    sockaddr generic;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  socklen_t size = 0;

  Address() noexcept : v6{} {}

  [[nodiscard]] int family() const noexcept { return generic.sa_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  // "127.0.0.1:5001", "[::1]:5001", "[fe80::1%eth0]:5001"; an IPv4 address mapped into IPv6 is
  // shown as IPv4.
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Address& left, const Address& right) noexcept;
};

// "host:port" as the user wrote it, with brackets around an IPv6 address, and * for all addresses.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

// The address if the host is a literal one, with its scope (fe80::1%eth0).
[[nodiscard]] std::optional<Address> literal_address(const Endpoint& endpoint);

// The addresses of a literal host and of "localhost", which need no resolver (RFC 6761, section
// 6.3: localhost is always the loopback address). Empty: the name has to be resolved.
[[nodiscard]] std::vector<Address> known_addresses(const Endpoint& endpoint);

[[nodiscard]] Address any_address(int family, std::uint16_t port) noexcept;

// Calls the system's resolver and blocks until it answers. The error is its text. At most
// kCandidatesMax addresses, in the resolver's order of preference.
inline constexpr std::size_t kCandidatesMax = 16;
using Resolution = std::expected<std::vector<Address>, std::string>;
[[nodiscard]] Resolution resolve_blocking(const Endpoint& endpoint);

[[nodiscard]] Address local_address(int descriptor) noexcept;
[[nodiscard]] Address peer_address(int descriptor) noexcept;

}  // namespace nexusfix::transport
