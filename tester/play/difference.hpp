// How a message differs from what a statement expects, and how much of it is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/condition.hpp"

namespace nexusfix::tester {

// The first condition that a message does not fulfil, and what it has instead.
struct Difference {
  const Condition* condition;  // one of the given ones
  std::string got;
};
// Nothing: the message fulfils all of them.
[[nodiscard]] std::optional<Difference> difference(std::string_view message,
                                                   const std::vector<Condition>& conditions);

// ": " and the Text (58) of another message than the expected one, perhaps why it came; empty if
// the condition is about another field than MsgType.
[[nodiscard]] std::string reason_in(std::string_view message, const Condition& condition);

// "35=8|39=2|".
[[nodiscard]] std::string texts_of(const std::vector<Condition>& conditions);

// The tag of the first field of the message that is not the expected one, BodyLength (9) aside if
// another one follows. Empty: there is none.
[[nodiscard]] std::string first_different_tag(std::string_view message, std::string_view expected);

// The whole fields at the begin of a message that a report shows: at most 64 KiB. Without SOH that
// early, the bytes up to there.
[[nodiscard]] std::string_view begin_of(std::string_view message) noexcept;
// " ... (3000059 bytes)".
[[nodiscard]] std::string size_text(std::size_t bytes);

}  // namespace nexusfix::tester
