#include "venue/rules/parse_rules.hpp"

#include <array>
#include <fmt/format.h>
#include <ranges>
#include <utility>

#include "base/api/utf8.hpp"
#include "venue/rules/rule_line.hpp"
#include "venue/rules/rule_reader.hpp"

namespace nexusfix::venue {
namespace {

class RulesParser {
 public:
  std::expected<Rules, std::vector<RulesError>> parse(std::string_view text) {
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
  using Reader = void (RulesParser::*)(RuleLine&);

  void read(RuleLine& line, unsigned number) {
    const auto kind =
        line.one_of({"if", "instrument", "instruments", "halt", "auction", "self-trade", "drop",
                     "market", "cancel", "quote", "allocation"});
    constexpr std::array<Reader, 11> kReaders{
        &RulesParser::read_rule,      &RulesParser::read_instrument, &RulesParser::read_only,
        &RulesParser::read_halt,      &RulesParser::read_auction,    &RulesParser::read_self_trade,
        &RulesParser::read_drop_copy, &RulesParser::read_market,     &RulesParser::read_disconnect,
        &RulesParser::read_quote,     &RulesParser::read_allocation};
    number_ = number;
    if (kind) (this->*kReaders[*kind])(line);
    line.expect_end();
  }

  void read_rule(RuleLine& line) {
    rules_.rules.push_back(reader_.read(line));
    rules_.rules.back().line = number_;
  }

  void read_instrument(RuleLine& line) {
    Instrument one;
    one.symbol = read_symbol(line);
    while (!line.failed() && !line.at_end()) {
      const auto what = line.one_of({"tick", "lot", "price", "type", "currency"});
      if (!what) break;
      if (*what == 0) one.tick = line.units("a tick").value_or(0);
      if (*what == 1) one.lot = line.units("a lot").value_or(0);
      if (*what == 2) one.price = line.units("a price");
      if (*what == 3) one.type = line.value("a SecurityType").value_or("");
      if (*what == 4) one.currency = line.value("a currency").value_or("");
    }
    if (rules_.instrument(one.symbol) != nullptr && !line.failed()) {
      line.fail("the instrument '" + one.symbol + "' has a line already");
    }
    rules_.instruments.push_back(std::move(one));
  }

  static std::string read_symbol(RuleLine& line) {
    auto symbol = line.value("a symbol").value_or("");
    if (symbol.size() > kSymbolBytesMax) line.fail("a symbol has up to 64 bytes");
    return symbol;
  }

  void read_only(RuleLine& line) {
    line.expect("only");
    rules_.only_instruments = true;
  }

  void read_halt(RuleLine& line) {
    for (std::string& one : line.list("a symbol")) rules_.halted.push_back(std::move(one));
  }

  // auction SYMBOL open [for TIME] | auction SYMBOL uncross
  void read_auction(RuleLine& line) {
    Auction one{.symbol = read_symbol(line), .time = {}};
    const auto phase = line.one_of({"open", "uncross"});
    if (phase == 0U && line.takes("for")) one.time = line.time();
    if (!line.failed() && rules_.auction(one.symbol) != nullptr) {
      line.fail("the auction of '" + one.symbol + "' has a line already");
    }
    if (phase == 0U) rules_.auctions.push_back(std::move(one));
  }

  // self-trade allow | self-trade cancel newest|oldest|both, [symbol S] [session C]
  void read_self_trade(RuleLine& line) {
    SelfTradeRule rule;
    if (line.one_of({"allow", "cancel"}) == 1U) {
      const auto which = line.one_of({"newest", "oldest", "both"});
      constexpr std::array kPolicies{SelfTrade::CancelNewest, SelfTrade::CancelOldest,
                                     SelfTrade::CancelBoth};
      if (which) rule.policy = kPolicies[*which];
    }
    while (!line.failed() && !line.at_end()) {
      const auto what = line.one_of({"symbol", "session"});
      if (what == 0U) rule.symbol = read_symbol(line);
      if (what == 1U) rule.session = line.value("a CompID").value_or("");
    }
    rules_.self_trade.push_back(std::move(rule));
  }

  void read_drop_copy(RuleLine& line) {
    line.expect("copy");
    line.expect("to");
    DropCopy copy;
    copy.to = line.value("a CompID").value_or("");
    if (line.takes("of")) copy.of = line.list("a CompID");
    rules_.drop_copies.push_back(std::move(copy));
  }

  void read_market(RuleLine& line) {
    line.expect("data");
    line.expect("every");
    rules_.market_data_interval = line.time().value_or(Milliseconds{0});
  }

  void read_disconnect(RuleLine& line) {
    line.expect("on");
    line.expect("disconnect");
    if (line.at_end()) {
      rules_.cancels_on_disconnect = true;
      return;
    }
    line.expect("of");
    for (std::string& one : line.list("a CompID")) {
      rules_.cancels_on_disconnect_of.push_back(std::move(one));
    }
  }

  void read_quote(RuleLine& line) {
    QuotePolicy policy;
    line.expect("spread");
    policy.spread = line.units("a spread").value_or(0);
    line.expect("size");
    policy.size = line.units("a size").value_or(0);
    rules_.quotes = policy;
  }

  void read_allocation(RuleLine& line) {
    line.expect("reports");
    rules_.reports_allocations = true;
  }

  RuleReader reader_;
  Rules rules_;
  unsigned number_ = 0;
  std::vector<RulesError> errors_;
};

}  // namespace

std::expected<Rules, std::vector<RulesError>> parse_rules(std::string_view text) {
  return RulesParser{}.parse(text);
}

std::string to_string(const std::vector<RulesError>& errors, std::string_view file) {
  std::string text;
  constexpr std::size_t kShownMax = 100;
  for (const RulesError& one : errors | std::views::take(kShownMax)) {
    text += fmt::format("{}{}:{}:{}: {}", text.empty() ? "" : "\n", file, one.line, one.column,
                        one.text);
  }
  if (errors.size() > kShownMax) {
    const std::size_t more = errors.size() - kShownMax;
    text += fmt::format("\n{}: {} more fault{}", file, more, more == 1 ? "" : "s");
  }
  return text;
}

}  // namespace nexusfix::venue
