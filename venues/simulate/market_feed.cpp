#include "venues/simulate/market_feed.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::venues {
namespace {

constexpr wire::Tag kMdEntries = 268;
constexpr wire::Tag kMdEntryType = 269;
constexpr wire::Tag kMdEntryPx = 270;
constexpr wire::Tag kMdEntrySize = 271;
constexpr wire::Tag kMdUpdateAction = 279;
constexpr wire::Tag kMarketDepth = 264;
constexpr wire::Tag kMdReqId = 262;
constexpr wire::Tag kSubscriptionType = 263;
constexpr std::string_view kUnsubscribe = "2";
constexpr std::string_view kSnapshotOnly = "0";

std::vector<std::string> symbols_of(const wire::MessageView& request, wire::Tag symbol_tag) {
  std::vector<std::string> symbols;
  for (const wire::FieldView field : request) {
    if (field.tag == symbol_tag) symbols.emplace_back(field.value);
  }
  return symbols;
}

}  // namespace

void MarketFeed::request(engine::Session& session, const wire::MessageView& request,
                         const FeedForm& form) {
  const std::string id{request[kMdReqId].value_or("")};
  const std::string_view kind = request[kSubscriptionType].value_or(kSnapshotOnly);
  if (kind == kUnsubscribe) {
    std::erase_if(subscriptions_,
                  [&](const Subscription& one) { return one.session == &session && one.id == id; });
    return;
  }
  for (const std::string& symbol : symbols_of(request, market_.symbol_tag())) {
    Subscription made{.session = &session,
                      .id = id,
                      .symbol = symbol,
                      .form = &form,
                      .depth = request.get<std::uint64_t>(kMarketDepth).value_or(0)};
    made.bids = levels_for(made, venue::BookSide::Buy);
    made.offers = levels_for(made, venue::BookSide::Sell);
    send_snapshot(made);
    if (kind != kSnapshotOnly) subscriptions_.push_back(std::move(made));
  }
}

void MarketFeed::changed(std::string_view symbol) {
  for (Subscription& one : subscriptions_) {
    if (one.symbol != symbol) continue;
    std::vector<Change> changes;
    Levels bids = levels_for(one, venue::BookSide::Buy);
    Levels offers = levels_for(one, venue::BookSide::Sell);
    compare(one.bids, bids, '0', changes);
    compare(one.offers, offers, '1', changes);
    one.bids = std::move(bids);
    one.offers = std::move(offers);
    if (changes.empty()) continue;
    if (one.form->full_refresh) {
      send_snapshot(one);
    } else {
      send_changes(one, changes);
    }
  }
}

void MarketFeed::leave(const engine::Session& session) {
  std::erase_if(subscriptions_, [&](const Subscription& one) { return one.session == &session; });
}

Levels MarketFeed::levels_for(const Subscription& to, venue::BookSide side) const {
  Levels levels = market_.levels(to.symbol, side);
  if (to.depth != 0 && levels.size() > to.depth) levels.resize(to.depth);
  return levels;
}

void MarketFeed::send_snapshot(const Subscription& to) {
  wire::Encoder encoder = to.session->begin("W");
  encoder.field(kMdReqId, std::string_view{to.id})
      .field(market_.symbol_tag(), std::string_view{to.symbol});
  const TemplateValues values{.count = ++updates_, .now = to.session->now()};
  write_fields(encoder, expand_template(to.form->snapshot_fields, values));
  encoder.field(kMdEntries, to.bids.size() + to.offers.size());
  bool is_first = true;
  const auto write = [&](char type, const Levels& levels) {
    for (const auto& [price, quantity] : levels) {
      encoder.field(kMdEntryType, type).field(kMdEntryPx, price).field(kMdEntrySize, quantity);
      if (std::exchange(is_first, false)) {
        write_fields(encoder, expand_template(to.form->first_entry, values));
      }
    }
  };
  write('0', to.bids);
  write('1', to.offers);
  static_cast<void>(to.session->finish(encoder));
}

void MarketFeed::send_changes(const Subscription& to, const std::vector<Change>& changes) const {
  wire::Encoder encoder = to.session->begin("X");
  encoder.field(kMdReqId, std::string_view{to.id}).field(kMdEntries, changes.size());
  for (const Change& change : changes) {
    encoder.field(kMdUpdateAction, change.action)
        .field(kMdEntryType, change.type)
        .field(market_.symbol_tag(), std::string_view{to.symbol})
        .field(kMdEntryPx, change.price);
    if (change.action != '2') encoder.field(kMdEntrySize, change.quantity);
  }
  static_cast<void>(to.session->finish(encoder));
}

void MarketFeed::compare(const Levels& before, const Levels& now, char type,
                         std::vector<Change>& changes) {
  const auto find = [](const Levels& levels, Decimal price) {
    return std::ranges::find(levels, price, &Levels::value_type::first);
  };
  for (const auto& [price, quantity] : before) {
    if (find(now, price) == now.end()) changes.push_back({'2', type, price, quantity});
  }
  for (const auto& [price, quantity] : now) {
    const auto old = find(before, price);
    if (old == before.end()) {
      changes.push_back({'0', type, price, quantity});
    } else if (old->second != quantity) {
      changes.push_back({'1', type, price, quantity});
    }
  }
}

}  // namespace nexusfix::venues
