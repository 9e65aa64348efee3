// Reads `CONDITIONS then ACTIONS` of a rule.
#pragma once

#include <optional>
#include <string>

#include <nexusfix/wire/field.hpp>

#include "nexusfix/dictionary/field_names.hpp"
#include "venue/rules/rule_line.hpp"
#include "venue/rules/rules.hpp"

namespace nexusfix::venue {

class RuleReader {
 public:
  // After the word `if`. A fault is that of the line.
  [[nodiscard]] Rule read(RuleLine& line);

 private:
  std::optional<wire::Tag> read_field(RuleLine& line);
  // BUY means 1, NewOrderSingle means D.
  std::string wire_value(RuleLine& line, wire::Tag tag, std::string value);
  Condition read_condition(RuleLine& line);
  Action read_action(RuleLine& line);

  command::FieldNames names_;
};

}  // namespace nexusfix::venue
