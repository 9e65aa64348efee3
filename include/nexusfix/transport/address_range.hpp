// Addresses and networks that an allow list names, and that limits are for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix::transport {

// One address or all of a network's: "10.0.0.1", "10.1.0.0/16", "2001:db8::/32". An IPv4 address
// mapped into IPv6 (::ffff:10.0.0.1) is the IPv4 one; no IPv6 network has IPv4 addresses.
//
// A link-local address may have its interface: "fe80::1%eth0", "fe80::%eth0/64", or its number, as
// in "fe80::1%2". It is then that address of that link alone; without one it is that of any link.
class AddressRange {
 public:
  // Nothing: it is none, the address has bits after those of the network, or it has an interface
  // and is not link-local.
  [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);
  // The address as peer_address_of() gives it; whatever is none is in no range.
  [[nodiscard]] bool contains(std::string_view address) const;
  // In one form for all that mean the same.
  [[nodiscard]] std::string to_string() const;
  // One link-local address, of whichever link.
  [[nodiscard]] bool is_of_any_link() const noexcept;

  friend bool operator==(const AddressRange&, const AddressRange&) = default;

 private:
  friend std::string name_of_source(std::string_view address);

  std::array<unsigned char, 16> bytes_{};  // IPv4: the first four
  unsigned prefix_ = 0;                    // how many bits of it count
  bool is_v4_ = false;
  std::string scope_;  // the interface; empty: any
};

// An address alone, and a link-local one with its interface, which it is of no use without: what
// can be connected to, or listened on.
[[nodiscard]] bool is_complete_address(std::string_view text);

// Whom a limit for each address counts as one: an IPv4 address; of IPv6 the network of 64 bits, any
// of whose addresses one host may take, and of link-local ones that of one interface. As
// peer_address_of() gives it; 0: it is none.
using Source = std::uint64_t;
[[nodiscard]] Source source_of(std::string_view address);
// For people: "192.0.2.7", "2001:db8::/64", "fe80::%eth0/64"; what is no address as it is.
[[nodiscard]] std::string name_of_source(std::string_view address);

// Who is let in: by the sessions of one port, all together; or to speak for others, as a proxy.
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
  // Those that were named, in that order.
  [[nodiscard]] const std::vector<AddressRange>& ranges() const noexcept { return ranges_; }

  friend bool operator==(const AllowList&, const AllowList&) = default;

 private:
  std::vector<AddressRange> ranges_;
  bool allows_all_ = false;
};

}  // namespace nexusfix::transport
