#include "venue/rules/rules.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <nexusfix/wire/convert.hpp>

namespace nexusfix::venue {
namespace {

bool is_like(std::string_view text, std::string_view pattern) noexcept {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (is_like(text.substr(at), pattern.substr(star + 1))) return true;
  }
  return false;
}

bool is_equal(std::string_view text, std::string_view wanted) noexcept {
  if (text == wanted) return true;
  const auto one = wire::to_decimal(text);
  const auto other = wire::to_decimal(wanted);
  return one && other && *one == *other;
}

bool is_ordered(Test test, std::string_view text, std::string_view wanted) noexcept {
  const auto one = wire::to_decimal(text);
  const auto other = wire::to_decimal(wanted);
  if (!one || !other) return false;
  switch (test) {
    case Test::Less:
      return *one < *other;
    case Test::LessOrEqual:
      return *one <= *other;
    case Test::Greater:
      return *one > *other;
    default:
      return *one >= *other;
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::ranges::find(names, name) != names.end();
}

std::string text_of(Units units) {
  char text[wire::kDecimalBytesMax];
  return {text, wire::from_decimal(to_decimal(units), text)};
}

}  // namespace

bool Condition::holds(const wire::MessageView& message, Random& random) const {
  constexpr unsigned kPermille = 1000;
  if (test == Test::Chance) return random.next() % kPermille < permille;
  const std::optional<std::string_view> value = message[tag];
  switch (test) {
    case Test::Has:
      return value.has_value();
    case Test::HasNot:
      return !value;
    case Test::Equal:
    case Test::NotEqual: {
      const bool is_one = value && std::ranges::any_of(values, [&](const std::string& wanted) {
                            return is_equal(*value, wanted);
                          });
      return is_one == (test == Test::Equal);
    }
    case Test::Like:
      return value && std::ranges::any_of(values, [&](const std::string& pattern) {
               return is_like(*value, pattern);
             });
    default:
      return value && is_ordered(test, *value, values.front());
  }
}

const Action* Rule::action(ActionKind kind) const noexcept {
  const auto found = std::ranges::find(actions, kind, &Action::kind);
  return found == actions.end() ? nullptr : &*found;
}

std::string Instrument::fault(Units price_of_order, Units quantity, bool has_price) const {
  if (has_price && tick != 0 && price_of_order % tick != 0) {
    return fmt::format("Price {} is no multiple of the tick {} of {}", text_of(price_of_order),
                       text_of(tick), symbol);
  }
  if (lot != 0 && quantity % lot != 0) {
    return fmt::format("OrderQty {} is no multiple of the lot {} of {}", text_of(quantity),
                       text_of(lot), symbol);
  }
  return {};
}

const Rule* Rules::first(const wire::MessageView& message, Random& random) const {
  const bool is_new_order = message.msg_type() == "D" || message.msg_type() == "AB";
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
    return (rule.names_msg_type || is_new_order) &&
           std::ranges::all_of(rule.conditions, [&](const Condition& condition) {
             return condition.holds(message, random);
           });
  });
  return found == rules.end() ? nullptr : &*found;
}

const Instrument* Rules::instrument(std::string_view symbol) const noexcept {
  const auto found = std::ranges::find(instruments, symbol, &Instrument::symbol);
  return found == instruments.end() ? nullptr : &*found;
}

bool Rules::is_halted(std::string_view symbol) const noexcept { return contains(halted, symbol); }

const Auction* Rules::auction(std::string_view symbol) const noexcept {
  const auto found = std::ranges::find(auctions, symbol, &Auction::symbol);
  return found == auctions.end() ? nullptr : &*found;
}

SelfTrade Rules::self_trade_policy(std::string_view symbol,
                                   std::string_view comp_id) const noexcept {
  SelfTrade policy = SelfTrade::Allow;
  for (const SelfTradeRule& rule : self_trade) {
    const bool fits = (rule.symbol.empty() || rule.symbol == symbol) &&
                      (rule.session.empty() || rule.session == comp_id);
    if (fits) policy = rule.policy;
  }
  return policy;
}

std::vector<std::string> Rules::sessions() const {
  std::vector<std::string> all = cancels_on_disconnect_of;
  for (const SelfTradeRule& one : self_trade) {
    if (!one.session.empty()) all.push_back(one.session);
  }
  for (const DropCopy& one : drop_copies) {
    all.push_back(one.to);
    all.insert(all.end(), one.of.begin(), one.of.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool Rules::cancels_on_disconnect_for(std::string_view comp_id) const noexcept {
  return cancels_on_disconnect || contains(cancels_on_disconnect_of, comp_id);
}

}  // namespace nexusfix::venue
