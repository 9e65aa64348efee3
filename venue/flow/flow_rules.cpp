#include "venue/flow/flow_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/api/utf8.hpp"
#include "venue/rules/rule_line.hpp"
#include "venue/rules/rule_reader.hpp"

namespace nexusfix::flow {
namespace {

using venue::Action;
using venue::ActionKind;
using venue::Rule;
using venue::RuleLine;

constexpr unsigned kWhole = 1'000;

class FlowParser {
 public:
  std::expected<FlowRules, std::vector<venue::RulesError>> parse(std::string_view text) {
    text = without_byte_order_mark(text);
    unsigned number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      RuleLine line{text.substr(0, end), ++number};
      if (!line.at_end() && !line.failed()) read(line, number);
      if (line.error()) errors_.push_back(*line.error());
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (errors_.empty()) return std::move(rules_);
    return std::unexpected{std::move(errors_)};
  }

 private:
  using Reader = void (FlowParser::*)(RuleLine&);

  void read(RuleLine& line, unsigned number) {
    constexpr std::array<Reader, 10> kReaders{&FlowParser::read_orders,  &FlowParser::read_rate,
                                              &FlowParser::read_symbols, &FlowParser::read_buy,
                                              &FlowParser::read_size,    &FlowParser::read_price,
                                              &FlowParser::read_market,  &FlowParser::read_later,
                                              &FlowParser::read_replace, &FlowParser::read_rule};
    const auto kind = line.one_of(
        {"orders", "rate", "symbols", "buy", "size", "price", "market", "cancel", "replace", "if"});
    if (kind) (this->*kReaders[*kind])(line);
    if (kind && *kind + 1 == kReaders.size()) rules_.rules.back().line = number;
    line.expect_end();
  }

  void read_orders(RuleLine& line) {
    constexpr unsigned kOrdersMax = 100'000'000;
    rules_.orders = line.count("a number of orders", kOrdersMax).value_or(0);
  }

  void read_rate(RuleLine& line) {
    constexpr unsigned kRateMax = 100'000;
    rules_.rate = line.count("orders a second", kRateMax).value_or(1);
    if (rules_.rate == 0) line.fail("a rate is at least 1 order a second");
    rules_.is_rate_random = line.takes("random");
  }

  // symbols A 70%, B 30% | symbols A, B
  void read_symbols(RuleLine& line) {
    std::vector<Symbol> all;
    unsigned sum = 0;
    bool has_shares = false;
    do {
      Symbol one{.name = line.value("a symbol").value_or("")};
      if (line.peek().ends_with('%')) {
        one.permille = line.permille().value_or(0);
        sum += one.permille;
        has_shares = true;
      }
      all.push_back(std::move(one));
    } while (line.takes(","));
    if (has_shares && sum != kWhole && !line.failed()) line.fail("the shares are 100% together");
    if (!has_shares) {
      for (Symbol& one : all) one.permille = kWhole / static_cast<unsigned>(all.size());
    }
    rules_.symbols = std::move(all);
  }

  void read_buy(RuleLine& line) { rules_.buy_permille = line.permille().value_or(0); }
  void read_market(RuleLine& line) { rules_.market_permille = line.permille().value_or(0); }
  void read_size(RuleLine& line) { rules_.size = read_range(line); }
  void read_price(RuleLine& line) { rules_.price = read_range(line); }
  void read_later(RuleLine& line) { rules_.cancel = read_share(line); }
  void read_replace(RuleLine& line) { rules_.replace = read_share(line); }

  // 100 | 100 to 1000 | 100 to 1000 step 50
  static Range read_range(RuleLine& line) {
    Range range;
    range.min = range.max = line.units("a number").value_or(0);
    range.step = venue::kUnitsPerOne;
    if (line.takes("to")) range.max = line.units("a number").value_or(range.min);
    if (line.takes("step")) range.step = line.units("a step").value_or(1);
    if (!line.failed() && range.max < range.min) line.fail("the second number is the larger one");
    return range;
  }

  // 20% after 100ms [to 500ms]
  static Later read_share(RuleLine& line) {
    Later later;
    later.permille = line.permille().value_or(0);
    line.expect("after");
    later.min = later.max = line.time().value_or(Milliseconds{0});
    if (line.takes("to")) later.max = line.time().value_or(later.min);
    if (!line.failed() && later.max < later.min) line.fail("the second time is the longer one");
    return later;
  }

  void read_rule(RuleLine& line) {
    Rule rule = reader_.read(line);
    for (const Action& one : rule.actions) {
      const bool is_known = one.kind == ActionKind::Accept || one.kind == ActionKind::Cancel ||
                            one.kind == ActionKind::Disconnect || one.kind == ActionKind::LogOut ||
                            one.kind == ActionKind::Reject;
      if (!is_known && !line.failed()) {
        line.fail("a trader can accept, reject, cancel, disconnect and log out");
      }
    }
    rule.names_msg_type = true;  // each message of the venue
    rules_.rules.push_back(std::move(rule));
  }

  venue::RuleReader reader_;
  FlowRules rules_;
  std::vector<venue::RulesError> errors_;
};

}  // namespace

Units Range::pick(Random& random) const noexcept {
  const auto steps = static_cast<std::uint64_t>((max - min) / step) + 1;
  return min + static_cast<Units>(random.next() % steps) * step;
}

bool Later::happens(Random& random) const noexcept {
  return permille != 0 && random.next() % kWhole < permille;
}

Milliseconds Later::pick(Random& random) const noexcept {
  const auto span = static_cast<std::uint64_t>((max - min).count()) + 1;
  return min + Milliseconds{random.next() % span};
}

const std::string& FlowRules::pick_symbol(Random& random) const noexcept {
  std::uint64_t at = random.next() % kWhole;
  for (const Symbol& one : symbols) {
    if (at < one.permille) return one.name;
    at -= one.permille;
  }
  return symbols.back().name;
}

std::expected<FlowRules, std::vector<venue::RulesError>> parse_flow_rules(std::string_view text) {
  return FlowParser{}.parse(text);
}

}  // namespace nexusfix::flow
