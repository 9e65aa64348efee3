#include "venues/simulate/market_feed.hpp"

#include <algorithm>

#include <nexusfix/wire/field.hpp>

#include "venues/simulate/order_tags.hpp"

namespace nexusfix::venues {
namespace {

constexpr wire::Tag kMdEntries = 268;
constexpr wire::Tag kMdEntryType = 269;
constexpr wire::Tag kMdEntryPx = 270;
constexpr wire::Tag kMdEntrySize = 271;
constexpr wire::Tag kMdUpdateAction = 279;
constexpr wire::Tag kMdReqId = 262;
constexpr wire::Tag kSubscriptionType = 263;
constexpr std::string_view kUnsubscribe = "2";
constexpr std::string_view kSnapshotOnly = "0";

std::vector<std::string> symbols_of(const wire::MessageView& request) {
  std::vector<std::string> symbols;
  for (const wire::FieldView field : request) {
    if (field.tag == order_tag::Symbol) symbols.emplace_back(field.value);
  }
  return symbols;
}

}  // namespace

void MarketFeed::request(engine::Session& session, const wire::MessageView& request,
                         const std::string& snapshot_fields) {
  const std::string id{request[kMdReqId].value_or("")};
  const std::string_view kind = request[kSubscriptionType].value_or(kSnapshotOnly);
  if (kind == kUnsubscribe) {
    std::erase_if(subscriptions_,
                  [&](const Subscription& one) { return one.session == &session && one.id == id; });
    return;
  }
  for (const std::string& symbol : symbols_of(request)) {
    Subscription made{.session = &session,
                      .id = id,
                      .symbol = symbol,
                      .bids = market_.levels(symbol, venue::BookSide::Buy),
                      .offers = market_.levels(symbol, venue::BookSide::Sell)};
    send_snapshot(made, snapshot_fields);
    if (kind != kSnapshotOnly) subscriptions_.push_back(std::move(made));
  }
}

void MarketFeed::changed(std::string_view symbol) {
  for (Subscription& one : subscriptions_) {
    if (one.symbol != symbol) continue;
    std::vector<Change> changes;
    Levels bids = market_.levels(symbol, venue::BookSide::Buy);
    Levels offers = market_.levels(symbol, venue::BookSide::Sell);
    compare(one.bids, bids, '0', changes);
    compare(one.offers, offers, '1', changes);
    one.bids = std::move(bids);
    one.offers = std::move(offers);
    if (!changes.empty()) send_changes(one, changes);
  }
}

void MarketFeed::leave(const engine::Session& session) {
  std::erase_if(subscriptions_, [&](const Subscription& one) { return one.session == &session; });
}

void MarketFeed::send_snapshot(const Subscription& to, const std::string& more) {
  wire::Encoder encoder = to.session->begin("W");
  encoder.field(kMdReqId, std::string_view{to.id})
      .field(order_tag::Symbol, std::string_view{to.symbol});
  const TemplateValues values{.count = ++updates_, .now = to.session->now()};
  write_fields(encoder, expand_template(more, values));
  encoder.field(kMdEntries, to.bids.size() + to.offers.size());
  const auto write = [&](char type, const Levels& levels) {
    for (const auto& [price, quantity] : levels) {
      encoder.field(kMdEntryType, type).field(kMdEntryPx, price).field(kMdEntrySize, quantity);
    }
  };
  write('0', to.bids);
  write('1', to.offers);
  static_cast<void>(to.session->finish(encoder));
}

void MarketFeed::send_changes(const Subscription& to, const std::vector<Change>& changes) {
  wire::Encoder encoder = to.session->begin("X");
  encoder.field(kMdReqId, std::string_view{to.id}).field(kMdEntries, changes.size());
  for (const Change& change : changes) {
    encoder.field(kMdUpdateAction, change.action)
        .field(kMdEntryType, change.type)
        .field(order_tag::Symbol, std::string_view{to.symbol})
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
