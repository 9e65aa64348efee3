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

// One address, or all addresses of a network: `10.0.0.1`, `10.1.0.0/16`, `2001:db8::/32`. An
// IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the IPv4 address; no IPv6 network
// contains IPv4 addresses.
//
// A link-local address may name its interface: "fe80::1%eth0", "fe80::%eth0/64", or the interface's
// number, as in `fe80::1%2`. It then matches on that link only; without an interface it matches on
// every link.
class AddressRange {
 public:
  // Reads an address or a network. No value: the text is neither, the address has bits set after
  // those of the network, or it names an interface and is not link-local.
  [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);
  // Whether the range has this address. address: as peer_address_of() returns it. A text that is no
  // address is in no range.
  [[nodiscard]] bool contains(std::string_view address) const;
  // The canonical form, which is the same text for all ranges that mean the same.
  [[nodiscard]] std::string to_string() const;
  // Whether this is one link-local address without an interface, which matches on every link.
  [[nodiscard]] bool is_of_any_link() const noexcept;

  // Whether both have the same addresses, on the same interface.
  friend bool operator==(const AddressRange&, const AddressRange&) = default;

 private:
  friend std::string name_of_source(std::string_view address);

  std::array<unsigned char, 16> bytes_{};  // IPv4: the first four
  unsigned prefix_ = 0;                    // the number of significant bits
  bool is_v4_ = false;
  std::string scope_;  // the interface; empty: any
};

// Whether the text is one address that can be connected to and listened on: a link-local address
// must name its interface.
[[nodiscard]] bool is_complete_address(std::string_view text);

// What a limit for each address counts as one source: an IPv4 address; the /64 network of an IPv6
// address, because one host may use all addresses of it; for link-local addresses, those of one
// interface.
using Source = std::uint64_t;
// The source of an address. address: as peer_address_of() returns it; 0: it is no address.
[[nodiscard]] Source source_of(std::string_view address);
// The source of an address for people: "192.0.2.7", "2001:db8::/64", "fe80::%eth0/64". A text that
// is no address is returned unchanged.
[[nodiscard]] std::string name_of_source(std::string_view address);

// The addresses that may connect to the sessions of one port, or that may act as proxies.
// A new list allows no address.
class AllowList {
 public:
  // A list that allows every address.
  [[nodiscard]] static AllowList everybody() noexcept {
    AllowList list;
    list.allow_all();
    return list;
  }
  // Allows every address.
  void allow_all() noexcept { allows_all_ = true; }
  // Allows the addresses of a range, too.
  void allow(const AddressRange& range);
  // Allows everything that the other list allows, too.
  void allow(const AllowList& all);
  // Whether the address is allowed. address: as peer_address_of() returns it.
  [[nodiscard]] bool contains(std::string_view address) const;
  // The ranges, in the order of the configuration, also when every address is allowed. Valid until
  // allow() is called.
  [[nodiscard]] const std::vector<AddressRange>& ranges() const noexcept { return ranges_; }

  // Whether both have the same ranges in the same order, and both or neither allow every address.
  friend bool operator==(const AllowList&, const AllowList&) = default;

 private:
  std::vector<AddressRange> ranges_;
  bool allows_all_ = false;
};

}  // namespace nexusfix::transport
