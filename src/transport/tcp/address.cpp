#include "transport/api/address.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <system_error>

namespace nexusfix::transport {
namespace {

struct AddressListFree {
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListFree>;

int look_up(const Endpoint& endpoint, int flags, AddressList& list) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result =
      ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (result == 0) list.reset(found);
  return result;
}

std::vector<Address> to_addresses(const addrinfo* list) {
  std::vector<Address> addresses;
  for (; list != nullptr && addresses.size() < kCandidatesMax; list = list->ai_next) {
    if (list->ai_addrlen > sizeof(sockaddr_in6)) continue;
    Address address;
    std::memcpy(&address.v6, list->ai_addr, list->ai_addrlen);
    address.size = list->ai_addrlen;
    addresses.push_back(address);
  }
  return addresses;
}

Address loopback(int family, std::uint16_t port) noexcept {
  Address address = any_address(family, port);
  if (family == AF_INET) {
    address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else {
    address.v6.sin6_addr = in6addr_loopback;
  }
  return address;
}

// "%eth0" of a link-local address; the number if that interface does not exist any more.
std::string scope_of(const sockaddr_in6& address) {
  if (address.sin6_scope_id == 0) return {};
  std::array<char, IF_NAMESIZE> name{};
  if (::if_indextoname(address.sin6_scope_id, name.data()) != nullptr) {
    return std::string{"%"} + name.data();
  }
  return "%" + std::to_string(address.sin6_scope_id);
}

}  // namespace

bool is_localhost(std::string_view host) noexcept {
  constexpr std::string_view kName = "localhost";
  if (host.size() != kName.size()) return false;
  for (std::size_t i = 0; i < kName.size(); ++i) {
    const char lower = host[i] >= 'A' && host[i] <= 'Z' ? static_cast<char>(host[i] + 32) : host[i];
    if (lower != kName[i]) return false;
  }
  return true;
}

std::string_view without_brackets(std::string_view host) noexcept {
  if (!host.starts_with('[') || !host.ends_with(']')) return host;
  const std::string_view inner = host.substr(1, host.size() - 2);
  return inner.find(':') == std::string_view::npos ? host : inner;
}

std::uint16_t Address::port() const noexcept {
  return ntohs(family() == AF_INET ? v4.sin_port : v6.sin6_port);
}

void Address::set_port(std::uint16_t port) noexcept {
  (family() == AF_INET ? v4.sin_port : v6.sin6_port) = htons(port);
}

std::string Address::to_string() const {
  if (size == 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const std::string port_text = ":" + std::to_string(port());
  if (family() == AF_INET) {
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return text.data() + port_text;
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    constexpr std::size_t kMappedPrefixBytes = 12;
    ::inet_ntop(AF_INET, v6.sin6_addr.s6_addr + kMappedPrefixBytes, text.data(), text.size());
    return text.data() + port_text;
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return "[" + (text.data() + scope_of(v6)) + "]" + port_text;
}

bool operator==(const Address& left, const Address& right) noexcept {
  if (left.family() != right.family() || left.port() != right.port()) return false;
  if (left.family() == AF_INET) return left.v4.sin_addr.s_addr == right.v4.sin_addr.s_addr;
  return left.v6.sin6_scope_id == right.v6.sin6_scope_id &&
         std::memcmp(&left.v6.sin6_addr, &right.v6.sin6_addr, sizeof(in6_addr)) == 0;
}

std::string to_string(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  const std::string host = endpoint.host.empty() ? "*" : endpoint.host;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port);
}

std::optional<Address> literal_address(const Endpoint& endpoint) {
  AddressList list;
  if (endpoint.host.empty() || look_up(endpoint, AI_NUMERICHOST, list) != 0) return std::nullopt;
  const std::vector<Address> addresses = to_addresses(list.get());
  if (addresses.empty()) return std::nullopt;
  return addresses.front();
}

std::vector<Address> known_addresses(const Endpoint& endpoint) {
  if (is_localhost(endpoint.host)) {
    return {loopback(AF_INET, endpoint.port), loopback(AF_INET6, endpoint.port)};
  }
  if (const std::optional<Address> literal = literal_address(endpoint)) return {*literal};
  return {};
}

Address any_address(int family, std::uint16_t port) noexcept {
  Address address;
  if (family == AF_INET) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
  } else {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
  }
  return address;
}

Resolution resolve_blocking(const Endpoint& endpoint) {
  AddressList list;
  const int result = look_up(endpoint, AI_ADDRCONFIG, list);
  if (result == EAI_SYSTEM) return std::unexpected{std::generic_category().message(errno)};
  if (result != 0) return std::unexpected{std::string{::gai_strerror(result)}};
  return to_addresses(list.get());
}

Address local_address(int descriptor) noexcept {
  Address address;
  socklen_t size = sizeof(sockaddr_in6);
  if (::getsockname(descriptor, &address.generic, &size) == 0) address.size = size;
  return address;
}

Address peer_address(int descriptor) noexcept {
  Address address;
  socklen_t size = sizeof(sockaddr_in6);
  if (::getpeername(descriptor, &address.generic, &size) == 0) address.size = size;
  return address;
}

std::optional<std::string> canonical_address(const std::string& address) {
  // Stricter than inet_aton(): 10.1 is no address in an allow list.
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  const std::string unscoped = address.substr(0, address.find('%'));
  if (::inet_pton(AF_INET, unscoped.c_str(), parsed.data()) != 1 &&
      ::inet_pton(AF_INET6, unscoped.c_str(), parsed.data()) != 1) {
    return std::nullopt;
  }
  const auto literal = literal_address({address, 0});
  if (!literal) return std::nullopt;
  const std::string shown = literal->to_string();
  const std::string_view scoped = peer_address_of(shown);
  return std::string{scoped.substr(0, scoped.find('%'))};
}

std::string_view peer_address_of(std::string_view peer_name) noexcept {
  peer_name = peer_name.substr(0, peer_name.rfind(':'));
  if (!peer_name.starts_with('[') || !peer_name.ends_with(']')) return peer_name;
  return peer_name.substr(1, peer_name.size() - 2);
}

}  // namespace nexusfix::transport
