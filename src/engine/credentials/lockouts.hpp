// Who has given wrong passwords too often, and how long nothing more is tried for them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/address_range.hpp>

#include "engine/credentials/lockout_rules.hpp"

namespace nexusfix::engine {

// By pairs of a CompID and the address that it came from: whoever guesses locks out nobody else,
// and the counterparty itself only if it has the same address.
class Lockouts {
 public:
  // What is kept at most. Beyond it the pair that failed longest ago is forgotten.
  static constexpr std::size_t kPairsMax = 10'000;
  static constexpr std::chrono::seconds kTimeMax{3'600};

  // How long nothing is tried for it any more; zero: it may be tried.
  [[nodiscard]] std::chrono::nanoseconds left(std::string_view pair, MonoTime now) const;
  // How long it is locked out from now on; zero: it is not.
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
  using Pairs = std::list<Pair>;  // who failed last is the first

  Pairs pairs_;
  std::unordered_map<std::string_view, Pairs::iterator> by_name_;  // views into pairs_
};

// By addresses alone: whoever gives another CompID with each guess fails under none of them often.
class AddressLockouts {
 public:
  // What is kept at most. Beyond it the address that failed longest ago is forgotten.
  static constexpr std::size_t kAddressesMax = 10'000;

  // As of Lockouts.
  [[nodiscard]] std::chrono::nanoseconds left(transport::Source source, MonoTime now) const;
  [[nodiscard]] std::chrono::seconds failed(transport::Source source,
                                            const AddressLockoutRule& rule, MonoTime now);
  [[nodiscard]] std::size_t size() const noexcept { return addresses_.size(); }

 private:
  struct Address {
    transport::Source source = 0;
    std::uint32_t failures = 0;
    MonoTime since{};                 // the first of them
    std::chrono::seconds interval{};  // the longest that one of them asked for
    MonoTime until{};
  };
  using Addresses = std::list<Address>;  // who failed last is the first

  Addresses addresses_;
  std::unordered_map<transport::Source, Addresses::iterator> by_source_;
};

}  // namespace nexusfix::engine
