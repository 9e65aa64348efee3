// A rule of a venue for a received message: what a field must be, and how the venue answers if not.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/condition.hpp"

namespace nexusfix::venues {

// How a venue refuses a message.
enum class Way : std::uint8_t {
  Logout,          // "logout": a Logout with the text, and the end of the connection
  Disconnect,      // "disconnect": the end of the connection, without a message
  Reject,          // "reject": a Reject (35=3)
  BusinessReject,  // "business": a BusinessMessageReject (35=j)
  Report,          // "report": an ExecutionReport of a rejected order (39=8)
  Send,            // "send": a message: "35=Y|262={262}|58=Unknown"
};

// An answer that refuses a message.
struct Refusal {
  Way way = Way::Logout;
  std::string text{};     // Text (58)
  unsigned tag = 0;       // the field that is wrong; 0: none
  std::string message{};  // Send: with its Text
};

// "logout Signature is not valid". The error says what was expected.
[[nodiscard]] std::expected<Refusal, std::string> parse_refusal(std::string_view text);

// "25035 in 1,2 -> logout MessageHandling (25035) must be 1 or 2". The condition has the form of
// nexusfix test.
class Rule {
 public:
  // The error says what was expected.
  [[nodiscard]] static std::expected<Rule, std::string> parse(std::string_view text);

  // A field of a group must keep it in each entry, unless the condition names one: 55#2=X.
  [[nodiscard]] bool is_kept(const std::vector<tester::ReceivedField>& fields) const;
  [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }
  [[nodiscard]] const tester::Condition& condition() const noexcept { return condition_; }
  // The condition for a person; "554=..." instead of a password or a signature.
  [[nodiscard]] std::string shown() const;

 private:
  tester::Condition condition_;
  Refusal refusal_;
};

}  // namespace nexusfix::venues
