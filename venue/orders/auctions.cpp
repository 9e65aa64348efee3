#include "venue/orders/auctions.hpp"

#include <algorithm>

namespace nexusfix::venue {

bool Auctions::is_open(std::string_view symbol) const noexcept {
  return std::ranges::any_of(
      auctions_, [&](const Open& one) { return one.symbol == symbol && !one.has_ended; });
}

void Auctions::follow_rules() {
  if (exchange_.engine == nullptr || exchange_.engine->session_count() == 0) return;
  const Rules& rules = exchange_.rules();
  std::erase_if(auctions_, [&](const Open& one) { return rules.auction(one.symbol) == nullptr; });
  for (const Auction& auction : rules.auctions) {
    const bool is_known =
        std::ranges::find(auctions_, auction.symbol, &Open::symbol) != auctions_.end();
    if (!is_known) open(auction);
  }
  std::vector<std::string> symbols;
  exchange_.book.visit_symbols([&](std::string_view symbol) { symbols.emplace_back(symbol); });
  for (const std::string& symbol : symbols) {
    if (!is_open(symbol)) uncross(symbol);
  }
}

void Auctions::open(const Auction& auction) {
  const std::uint64_t number = ++last_number_;
  auctions_.push_back({.symbol = auction.symbol, .number = number});
  if (!auction.time) return;
  exchange_.engine->session(0).call_after(*auction.time,
                                          [this, number](engine::Session&) { end(number); });
}

void Auctions::end(std::uint64_t number) {
  const auto found = std::ranges::find(auctions_, number, &Open::number);
  if (found == auctions_.end()) return;
  found->has_ended = true;
  uncross(found->symbol);
}

void Auctions::uncross(std::string_view symbol) {
  if (!exchange_.book.is_crossed(symbol) || !exchange_.failure().empty()) return;
  bool can_report = true;
  for (const BookSide side : {BookSide::Buy, BookSide::Sell}) {
    exchange_.book.visit_resting(
        symbol, side, [&](OrderIndex index) { can_report &= exchange_.can_report(index); });
  }
  if (!can_report) {
    // A session is ending. Until it has ended, no report of it would be stored.
    constexpr Milliseconds kTryAgain{100};
    exchange_.engine->session(0).call_after(kTryAgain,
                                            [this, name = std::string{symbol}](engine::Session&) {
                                              if (!is_open(name)) uncross(name);
                                            });
    return;
  }
  const Units reference = exchange_.last_price(symbol).value_or(0);
  exchange_.change([&](auto sink) { exchange_.book.uncross(symbol, reference, sink); });
}

}  // namespace nexusfix::venue
