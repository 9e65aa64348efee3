#include "venues/certify/examiner.hpp"

#include <fmt/format.h>

namespace nexusfix::venues {
namespace {

constexpr std::string_view kSessionMsgTypes = "012345A";

std::string tag_text(unsigned tag) { return tag == 0 ? "" : std::to_string(tag); }

}  // namespace

std::optional<tester::Breach> Examiner::breach_of(std::string_view message, WallTime now) {
  const auto fields = tester::fields_of(message);
  const std::string_view type = tester::value_of(fields, "35").value_or("");
  if (type == "A") {
    std::string detail;
    const auto refusal = gate_.refusal_of(message, now, detail);
    if (!refusal) return std::nullopt;
    return tester::Breach{
        .tag = tag_text(refusal->tag),
        .what = fmt::format("the venue refuses the Logon: {} ({})", refusal->text, detail)};
  }
  if (type.size() == 1 && kSessionMsgTypes.contains(type)) return std::nullopt;
  if (!endpoint_.msg_types.contains(type)) {
    return tester::Breach{.tag = "35",
                          .what = fmt::format("the venue refuses MsgType {} at this endpoint: {}",
                                              type, endpoint_.other_msg_types.text)};
  }
  for (const MessageRule& one : endpoint_.rules) {
    if (one.msg_type != type || one.rule.is_kept(fields)) continue;
    return tester::Breach{.tag = one.rule.condition().tag(),
                          .what = fmt::format("the venue refuses it: {} (the rule is {})",
                                              one.rule.refusal().text, one.rule.shown())};
  }
  return std::nullopt;
}

}  // namespace nexusfix::venues
