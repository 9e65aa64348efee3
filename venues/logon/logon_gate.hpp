// What a venue checks of a Logon before it accepts it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "venues/logon/logon_verifier.hpp"
#include "venues/logon/rule.hpp"

namespace nexusfix::venues {

// How old a SendingTime may be, and how far ahead.
struct ClockRule {
  std::chrono::milliseconds window{};      // without the field
  std::string window_tag{};                // RecvWindow: the client's own window; empty: none
  std::chrono::milliseconds window_max{};  // of the field
  std::chrono::milliseconds ahead{1'000};  // a SendingTime in the future
  Refusal refusal{};
};

// A field whose leading digits are the time in milliseconds, higher in each Logon.
struct NonceRule {
  std::string tag{};
  std::chrono::milliseconds window{};  // around the venue's clock
  Refusal refusal{};
};

// A field with the time in milliseconds after which the Logon is no longer taken.
struct ExpiryRule {
  std::string tag{};
  Refusal refusal{};
};

struct LogonRules {
  std::vector<Rule> fields{};          // in the order in which they are checked
  std::optional<ClockRule> clock{};    // nothing: SendingTime is not checked
  std::optional<NonceRule> nonce{};    // nothing: there is none
  std::optional<ExpiryRule> expiry{};  // nothing: Logons do not expire
  std::optional<Refusal> signature{};  // nothing: Logons are not signed
};

// One thread at a time.
class LogonGate {
 public:
  // verifier: null if the rules have no signature.
  LogonGate(LogonRules rules, std::unique_ptr<LogonVerifier> verifier)
      : rules_{std::move(rules)}, verifier_{std::move(verifier)} {}

  // Why the venue refuses the Logon; nothing: it accepts it, and its nonce is used. The tag is that
  // of the field that is wrong. logon: its bytes. detail: the difference, for the
  // operator of the venue.
  [[nodiscard]] std::optional<Refusal> refusal_of(std::string_view logon, WallTime now,
                                                  std::string& detail);

 private:
  using Fields = std::vector<tester::ReceivedField>;

  [[nodiscard]] std::optional<Refusal> check_clock(const Fields& logon, WallTime now,
                                                   std::string& detail) const;
  [[nodiscard]] std::optional<Refusal> check_nonce(const Fields& logon, WallTime now,
                                                   std::string& detail) const;

  [[nodiscard]] std::optional<Refusal> check_expiry(const Fields& logon, WallTime now,
                                                    std::string& detail) const;

  LogonRules rules_;
  std::unique_ptr<LogonVerifier> verifier_;
  std::map<std::string, std::uint64_t, std::less<>> last_nonces_;  // by Username (553)
};

}  // namespace nexusfix::venues
