#include "venue/rules/rule_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>

namespace nexusfix::venue {
namespace {

constexpr unsigned kPartsMax = 1'000;
constexpr unsigned kReasonMax = 99'999;

void check(RuleLine& line, const Rule& rule) {
  for (const Action& one : rule.actions) {
    if (std::ranges::count(rule.actions, one.kind, &Action::kind) > 1) {
      return line.fail("a rule has each action once");
    }
  }
  const bool ends = rule.action(ActionKind::Reject) || rule.action(ActionKind::StaySilent);
  if (ends && (rule.action(ActionKind::Fill) || rule.action(ActionKind::Hold) ||
               rule.action(ActionKind::Cancel) || rule.action(ActionKind::Accept))) {
    line.fail("an order that is rejected, or gets no answer, has no other actions of orders");
  }
}

// fill [QUANTITY | N%] [[in] N parts] [at PRICE] [after TIME]
void read_fill(RuleLine& line, Action& action) {
  if (line.peek().ends_with('%')) {
    action.permille = line.permille().value_or(1);
    if (action.permille == 0) line.fail("a fill has a share above 0%; 'hold' fills nothing");
  } else if (line.takes("quantity")) {
    action.quantity = line.units("a quantity");
  }
  static_cast<void>(line.takes("in"));
  const bool has_count =
      !line.peek().empty() && line.peek().front() >= '0' && line.peek().front() <= '9';
  if (has_count) {
    action.parts = line.count("a number of parts", kPartsMax).value_or(1);
    if (action.parts == 0) line.fail("a fill has at least 1 part");
    if (!line.takes("part")) line.expect("parts");
  }
  if (line.takes("at")) action.price = line.units("a price");
  if (line.takes("after")) action.time = line.time().value_or(Milliseconds{0});
}

}  // namespace

Rule RuleReader::read(RuleLine& line) {
  Rule rule;
  do {
    rule.conditions.push_back(read_condition(line));
    rule.names_msg_type |= rule.conditions.back().tag == tag::MsgType;
  } while (line.takes("and"));
  line.expect("then");
  do {
    rule.actions.push_back(read_action(line));
  } while (line.takes(","));
  if (!line.failed()) check(line, rule);
  return rule;
}

std::optional<wire::Tag> RuleReader::read_field(RuleLine& line) {
  const auto name = line.value("a field such as Symbol");
  if (!name) return std::nullopt;
  unsigned number = 0;
  const char* const end = name->data() + name->size();
  const auto [stop, fault] = std::from_chars(name->data(), end, number);
  constexpr unsigned kTagMax = 99'999'999;
  if (fault == std::errc{} && stop == end && number > 0 && number <= kTagMax) {
    return static_cast<wire::Tag>(number);
  }
  if (const auto* const field = names_.field(*name)) return field->tag;
  const auto nearest = names_.nearest_field(*name);
  line.fail(
      nearest ? fmt::format("there is no field '{}'. Did you mean '{}'?", *name, *nearest)
              : fmt::format("there is no field '{}': a name of FIX or a tag was expected", *name));
  return std::nullopt;
}

std::string RuleReader::wire_value(RuleLine& line, wire::Tag tag, std::string value) {
  if (names_.has_value(tag, value)) return value;
  if (auto named = names_.value(tag, value)) return std::move(*named);
  constexpr std::size_t kNameBytesMin = 4;  // shorter ones may be values of the counterparty
  if (value.size() >= kNameBytesMin) {
    if (const auto nearest = names_.nearest_value(tag, value)) {
      line.fail(fmt::format("the field has no value '{}'. Did you mean '{}'?", value, *nearest));
    }
  }
  return value;
}

Condition RuleReader::read_condition(RuleLine& line) {
  Condition condition;
  if (line.takes("chance")) {
    condition.test = Test::Chance;
    condition.permille = line.permille().value_or(0);
    return condition;
  }
  const bool has = line.takes("has");
  const bool has_not = !has && line.takes("no");
  condition.tag = read_field(line).value_or(0);
  if (has || has_not) {
    condition.test = has ? Test::Has : Test::HasNot;
    return condition;
  }
  const auto test = line.one_of({"=", "!=", "<", "<=", ">", ">=", "like", "in"});
  constexpr std::array kTests{Test::Equal,   Test::NotEqual,       Test::Less, Test::LessOrEqual,
                              Test::Greater, Test::GreaterOrEqual, Test::Like, Test::Equal};
  if (!test) return condition;
  condition.test = kTests[*test];
  const bool is_number = condition.test == Test::Less || condition.test == Test::LessOrEqual ||
                         condition.test == Test::Greater || condition.test == Test::GreaterOrEqual;
  constexpr std::size_t kIn = 7;
  if (is_number) {
    const auto bound = line.value("a number");
    if (bound && !wire::to_decimal(*bound)) line.fail("a number with up to 18 digits was expected");
    condition.values.push_back(bound.value_or("0"));
  } else if (*test == kIn || *test <= 1) {
    condition.values =
        *test == kIn ? line.list("a value") : std::vector{line.value("a value").value_or("")};
    for (std::string& one : condition.values) {
      if (!line.failed()) one = wire_value(line, condition.tag, std::move(one));
    }
  } else {
    condition.values.push_back(line.value("a pattern such as 'TEST*'").value_or(""));
  }
  return condition;
}

Action RuleReader::read_action(RuleLine& line) {
  Action action;
  const auto kind = line.one_of(
      {"accept", "reject", "stay", "delay", "fill", "hold", "cancel", "disconnect", "log"});
  constexpr std::array kKinds{ActionKind::Accept, ActionKind::Reject,     ActionKind::StaySilent,
                              ActionKind::Delay,  ActionKind::Fill,       ActionKind::Hold,
                              ActionKind::Cancel, ActionKind::Disconnect, ActionKind::LogOut};
  if (!kind) return action;
  action.kind = kKinds[*kind];
  switch (action.kind) {
    case ActionKind::Reject:
      if (line.takes("business")) {
        action.reject_by = RejectBy::Business;
      } else if (line.takes("session")) {
        action.reject_by = RejectBy::Session;
      }
      if (line.takes("reason")) action.reason = line.count("a reason", kReasonMax);
      if (line.has_text()) action.text = line.text("a reason").value_or("");
      break;
    case ActionKind::StaySilent:
      line.expect("silent");
      break;
    case ActionKind::Delay:
      action.time = line.time().value_or(Milliseconds{0});
      if (line.takes("to")) action.time_max = line.time().value_or(Milliseconds{0});
      if (!line.failed() && action.time_max != Milliseconds{0} && action.time_max < action.time) {
        line.fail("the second time of a delay is the longer one");
      }
      break;
    case ActionKind::Fill:
      read_fill(line, action);
      break;
    case ActionKind::Cancel:
      if (line.takes("after")) action.time = line.time().value_or(Milliseconds{0});
      break;
    case ActionKind::LogOut:
      line.expect("out");
      if (line.has_text()) action.text = line.text("a reason").value_or("");
      break;
    default:
      break;
  }
  return action;
}

}  // namespace nexusfix::venue
