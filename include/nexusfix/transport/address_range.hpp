// Addresses and networks: the entries of an allow list, and the sources that limits count.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix::transport {

// One address, or all addresses of a network: "10.0.0.1", "10.1.0.0/16", "2001:db8::/32". An IPv4
// address mapped into IPv6 (::ffff:10.0.0.1) counts as the IPv4 address; no IPv6 network contains
// IPv4 addresses.
//
// A link-local address may name its interface: "fe80::1%eth0", "fe80::%eth0/64", or the interface's
// number, as in "fe80::1%2". It then matches on that link only; without an interface it matches on
// every link.
class AddressRange {
 public:
  // Nothing: the text is no address, the address has bits set after those of the network, or it
  // names an interface and is not link-local.
  [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);
  // address: as peer_address_of() returns it. A text that is no address is in no range.
  [[nodiscard]] bool contains(std::string_view address) const;
  // The same text for all ranges that mean the same.
  [[nodiscard]] std::string to_string() const;
  // One link-local address on any link.
  [[nodiscard]] bool is_of_any_link() const noexcept;

  friend bool operator==(const AddressRange&, const AddressRange&) = default;

 private:
  friend std::string name_of_source(std::string_view address);

  std::array<unsigned char, 16> bytes_{};  // IPv4: the first four
  unsigned prefix_ = 0;                    // the number of significant bits
  bool is_v4_ = false;
  std::string scope_;  // the interface; empty: any
};

// One address. A link-local address must name its interface: without it, nothing can connect to it
// or listen on it.
[[nodiscard]] bool is_complete_address(std::string_view text);

// What a limit for each address counts as one source: an IPv4 address; the /64 network of an IPv6
// address, because one host may use all addresses of it; for link-local addresses, those of one
// interface. address: as peer_address_of() returns it; 0: it is no address.
using Source = std::uint64_t;
[[nodiscard]] Source source_of(std::string_view address);
// For people: "192.0.2.7", "2001:db8::/64", "fe80::%eth0/64". A text that is no address is returned
// unchanged.
[[nodiscard]] std::string name_of_source(std::string_view address);

// The addresses that may connect to the sessions of one port, or that may act as proxies.
class AllowList {
 public:
  [[nodiscard]] static AllowList everybody() noexcept {
    AllowList list;
    list.allow_all();
    return list;
  }
  void allow_all() noexcept { allows_all_ = true; }
  void allow(const AddressRange& range);
  void allow(const AllowList& all);
  [[nodiscard]] bool contains(std::string_view address) const;
  // The ranges, in the order of the configuration.
  [[nodiscard]] const std::vector<AddressRange>& ranges() const noexcept { return ranges_; }

  friend bool operator==(const AllowList&, const AllowList&) = default;

 private:
  std::vector<AddressRange> ranges_;
  bool allows_all_ = false;
};

}  // namespace nexusfix::transport
