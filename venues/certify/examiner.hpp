// Examines what the program under test sends, by the rules of the venue that a script plays.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "tester/play/received_message.hpp"
#include "venues/kit/kit.hpp"
#include "venues/logon/logon_gate.hpp"

namespace nexusfix::venues {

// One thread at a time.
class Examiner {
 public:
  // endpoint must outlive it.
  Examiner(const Endpoint& endpoint, std::unique_ptr<LogonVerifier> verifier)
      : endpoint_{endpoint}, gate_{endpoint.logon, std::move(verifier)} {}

  // The rule that a message breaks; nothing: the venue would accept it.
  [[nodiscard]] std::optional<tester::Breach> breach_of(std::string_view message, WallTime now);

 private:
  const Endpoint& endpoint_;
  LogonGate gate_;
};

}  // namespace nexusfix::venues
