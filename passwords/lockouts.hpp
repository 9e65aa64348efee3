// Who has given wrong passwords too often, and is locked out for a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "config/api/logon_passwords.hpp"

namespace nexusfix::engine {

// Which clients have given wrong passwords too often, and how long their Logons are refused: by
// pairs of a CompID and its source address. A client that guesses passwords locks out no other
// client, and the true counterparty only if both have the same address.
class Lockouts {
 public:
  // At most this number of pairs is kept. Beyond it, the pair with the oldest last failure is
  // forgotten.
  static constexpr std::size_t kPairsMax = 10'000;
  static constexpr std::chrono::seconds kTimeMax{3'600};

  // How long the pair is still locked out; zero: it is not.
  [[nodiscard]] std::chrono::nanoseconds left(std::string_view pair, MonoTime now) const;
  // Counts a failure. The result is how long the pair is locked out from now on; zero: it is not.
  [[nodiscard]] std::chrono::seconds failed(std::string_view pair, const LockoutRule& rule,
                                            MonoTime now);
  void succeeded(std::string_view pair);
  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }

 private:
  struct Pair {
    std::string name;
    std::uint32_t failures = 0;
    MonoTime until{};
  };
  using Pairs = std::list<Pair>;  // the latest failure is the first

  Pairs pairs_;
  std::unordered_map<std::string_view, Pairs::iterator> by_name_;  // views into pairs_
};

// By addresses alone, against a client that guesses under another CompID each time.
class AddressLockouts {
 public:
  // At most this number of addresses is kept. Beyond it, the address with the oldest last failure
  // is forgotten.
  static constexpr std::size_t kAddressesMax = 10'000;

  // As in Lockouts.
  [[nodiscard]] std::chrono::nanoseconds left(transport::Source source, MonoTime now) const;
  [[nodiscard]] std::chrono::seconds failed(transport::Source source,
                                            const AddressLockoutRule& rule, MonoTime now);
  [[nodiscard]] std::size_t size() const noexcept { return addresses_.size(); }

 private:
  struct Address {
    transport::Source source = 0;
    std::uint32_t failures = 0;
    MonoTime since{};                 // of the first of these failures
    std::chrono::seconds interval{};  // the longest of their rules
    MonoTime until{};
  };
  using Addresses = std::list<Address>;  // the latest failure is the first

  Addresses addresses_;
  std::unordered_map<transport::Source, Addresses::iterator> by_source_;
};

}  // namespace nexusfix::engine
