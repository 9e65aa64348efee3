#include "venues/simulate/market_feed.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "venues/simulate/order_tags.hpp"

namespace nexusfix::venues {
namespace {

constexpr wire::Tag kRptSeq = 83;
constexpr wire::Tag kMdReqId = 262;
constexpr wire::Tag kSubscriptionType = 263;
constexpr wire::Tag kMarketDepth = 264;
constexpr wire::Tag kMdEntries = 268;
constexpr wire::Tag kMdEntryType = 269;
constexpr wire::Tag kMdEntryPx = 270;
constexpr wire::Tag kMdEntrySize = 271;
constexpr wire::Tag kMdEntryId = 278;
constexpr wire::Tag kMdUpdateAction = 279;
constexpr wire::Tag kMdReqRejReason = 281;
constexpr std::string_view kUnsubscribe = "2";
constexpr std::string_view kSnapshotOnly = "0";
constexpr char kDuplicateId = '1';
constexpr char kNew = '0';
constexpr char kChange = '1';
constexpr char kDelete = '2';
constexpr char kBid = '0';
constexpr char kOffer = '1';

std::vector<std::string> symbols_of(const wire::MessageView& request, wire::Tag symbol_tag) {
  std::vector<std::string> symbols;
  for (const wire::FieldView field : request) {
    if (field.tag == symbol_tag) symbols.emplace_back(field.value);
  }
  return symbols;
}

// What a subscriber sees of one side: orders, or the sums of each price,
// without OrderID.
RestingOrders view_of(const RestingOrders& orders, const FeedForm& form, std::size_t depth) {
  if (form.by_order) return orders;
  RestingOrders levels;
  for (const RestingOrder& order : orders) {
    if (!levels.empty() && levels.back().price == order.price) {
      levels.back().quantity += order.quantity;
      continue;
    }
    if (depth != 0 && levels.size() == depth) break;
    levels.push_back({.price = order.price, .quantity = order.quantity});
  }
  return levels;
}

void send_duplicate(engine::Session& session, std::string_view id) {
  wire::Encoder encoder = session.begin("Y");
  encoder.field(kMdReqId, id)
      .field(kMdReqRejReason, kDuplicateId)
      .field(order_tag::Text, "Duplicate MDReqID");
  static_cast<void>(session.finish(encoder));
}

}  // namespace

void MarketFeed::request(engine::Session& session, const wire::MessageView& request,
                         const FeedForm& form) {
  const std::string id{request[kMdReqId].value_or("")};
  const std::string_view kind = request[kSubscriptionType].value_or(kSnapshotOnly);
  if (kind == kUnsubscribe) return unsubscribe(session, request, form);
  const bool is_known = std::ranges::any_of(subscriptions_, [&](const Subscription& one) {
    return one.session == &session && one.id == id;
  });
  if (is_known) return send_duplicate(session, id);
  for (const std::string& symbol : symbols_of(request, market_.symbol_tag())) {
    // By order, a second request for a symbol gets no second snapshot.
    if (form.by_order && has_subscribed(session, symbol)) continue;
    Subscription made{.session = &session,
                      .id = id,
                      .symbol = symbol,
                      .form = &form,
                      .depth = request.get<std::uint64_t>(kMarketDepth).value_or(0)};
    send_snapshot(made, book_of(symbol));
    if (kind != kSnapshotOnly) subscriptions_.push_back(std::move(made));
  }
}

void MarketFeed::changed(std::string_view symbol) {
  const auto found = books_.find(symbol);
  if (found == books_.end()) return;
  Book before = std::move(found->second);
  Book& now = found->second;
  now = {.bids = market_.orders(symbol, venue::BookSide::Buy),
         .offers = market_.orders(symbol, venue::BookSide::Sell)};
  std::vector<Change> orders;
  compare(before.bids, now.bids, kBid, orders);
  compare(before.offers, now.offers, kOffer, orders);
  now.rpt_seq = before.rpt_seq + orders.size();
  for (const Subscription& one : subscriptions_) {
    if (one.symbol != symbol) continue;
    if (one.form->by_order) {
      std::uint64_t rpt_seq = before.rpt_seq;
      for (const Change& change : orders) send_order(one, change, ++rpt_seq);
      continue;
    }
    const std::vector<Change> levels = changes_for(one, before, now);
    if (levels.empty()) continue;
    if (one.form->full_refresh) {
      send_snapshot(one, now);
    } else {
      send_levels(one, levels);
    }
  }
}

void MarketFeed::leave(const engine::Session& session) {
  std::erase_if(subscriptions_, [&](const Subscription& one) { return one.session == &session; });
}

MarketFeed::Book& MarketFeed::book_of(std::string_view symbol) {
  const auto [place, is_new] = books_.try_emplace(std::string{symbol});
  if (is_new) {
    place->second = {.bids = market_.orders(symbol, venue::BookSide::Buy),
                     .offers = market_.orders(symbol, venue::BookSide::Sell)};
  } else {
    changed(symbol);
  }
  return place->second;
}

bool MarketFeed::has_subscribed(const engine::Session& session, std::string_view symbol) const {
  return std::ranges::any_of(subscriptions_, [&](const Subscription& one) {
    return one.session == &session && one.symbol == symbol;
  });
}

// By its MDReqID; by order, also by its symbols.
void MarketFeed::unsubscribe(const engine::Session& session, const wire::MessageView& request,
                             const FeedForm& form) {
  const std::string_view id = text_of(request, kMdReqId);
  const auto symbols = symbols_of(request, market_.symbol_tag());
  std::erase_if(subscriptions_, [&](const Subscription& one) {
    const bool is_named = form.by_order && std::ranges::find(symbols, one.symbol) != symbols.end();
    return one.session == &session && (one.id == id || is_named);
  });
}

void MarketFeed::send_snapshot(const Subscription& to, const Book& book) {
  const RestingOrders bids = view_of(book.bids, *to.form, to.depth);
  const RestingOrders offers = view_of(book.offers, *to.form, to.depth);
  wire::Encoder encoder = to.session->begin("W");
  encoder.field(kMdReqId, std::string_view{to.id});
  if (to.form->by_order) encoder.field(kRptSeq, book.rpt_seq);
  encoder.field(market_.symbol_tag(), std::string_view{to.symbol});
  const TemplateValues values{.count = ++updates_, .now = to.session->now()};
  write_fields(encoder, expand_template(to.form->snapshot_fields, values));
  encoder.field(kMdEntries, bids.size() + offers.size());
  bool is_first = true;
  const auto write = [&](char type, const RestingOrders& entries) {
    for (const RestingOrder& entry : entries) {
      encoder.field(kMdEntryType, type);
      if (to.form->by_order) encoder.field(kMdEntryId, std::string_view{entry.id});
      encoder.field(kMdEntryPx, venue::to_decimal(entry.price))
          .field(kMdEntrySize, venue::to_decimal(entry.quantity));
      if (std::exchange(is_first, false)) {
        write_fields(encoder, expand_template(to.form->first_entry, values));
      }
    }
  };
  write(kBid, bids);
  write(kOffer, offers);
  static_cast<void>(to.session->finish(encoder));
}

std::vector<MarketFeed::Change> MarketFeed::changes_for(const Subscription& to, const Book& before,
                                                        const Book& now) {
  std::vector<Change> changes;
  const auto seen = [&](const RestingOrders& orders) {
    return view_of(orders, *to.form, to.depth);
  };
  compare(seen(before.bids), seen(now.bids), kBid, changes);
  compare(seen(before.offers), seen(now.offers), kOffer, changes);
  return changes;
}

void MarketFeed::send_levels(const Subscription& to, const std::vector<Change>& changes) const {
  wire::Encoder encoder = to.session->begin("X");
  encoder.field(kMdReqId, std::string_view{to.id}).field(kMdEntries, changes.size());
  for (const Change& change : changes) {
    encoder.field(kMdUpdateAction, change.action)
        .field(kMdEntryType, change.type)
        .field(market_.symbol_tag(), std::string_view{to.symbol})
        .field(kMdEntryPx, venue::to_decimal(change.entry.price));
    if (change.action == kDelete) continue;
    encoder.field(kMdEntrySize, venue::to_decimal(change.entry.quantity));
  }
  static_cast<void>(to.session->finish(encoder));
}

void MarketFeed::send_order(const Subscription& to, const Change& change,
                            std::uint64_t rpt_seq) const {
  const bool is_filled = change.action == kDelete && market_.is_filled(change.entry.id);
  wire::Encoder encoder = to.session->begin("X");
  encoder.field(kMdReqId, std::string_view{to.id})
      .field(kMdEntries, 1)
      .field(kMdUpdateAction, change.action)
      .field(kMdEntryType, change.type)
      .field(kMdEntryId, std::string_view{change.entry.id})
      .field(kRptSeq, rpt_seq)
      .field(market_.symbol_tag(), std::string_view{to.symbol})
      .field(kMdEntryPx, venue::to_decimal(change.entry.price))
      .field(kMdEntrySize, venue::to_decimal(is_filled ? 0 : change.entry.quantity))
      .field(order_tag::TransactTime, to.session->now(), wire::TimePrecision::Micros);
  if (change.action == kDelete) {
    encoder.field(order_tag::Text, is_filled ? "FILLED" : "CANCELED");
  } else if (change.action == kChange && !change.is_traded) {
    encoder.field(order_tag::Text, "CHANGE_REASON_MODIFY_ORDER");
  }
  static_cast<void>(to.session->finish(encoder));
}

void MarketFeed::compare(const RestingOrders& before, const RestingOrders& now, char type,
                         std::vector<Change>& changes) {
  // Levels have no OrderID: the price names one.
  const auto find = [](const RestingOrders& orders, const RestingOrder& wanted) {
    return std::ranges::find_if(orders, [&](const RestingOrder& one) {
      return one.id == wanted.id && (!one.id.empty() || one.price == wanted.price);
    });
  };
  for (const RestingOrder& one : before) {
    if (find(now, one) == now.end()) changes.push_back({kDelete, type, one});
  }
  for (const RestingOrder& one : now) {
    const auto old = find(before, one);
    if (old == before.end()) {
      changes.push_back({kNew, type, one});
    } else if (old->quantity != one.quantity || old->price != one.price) {
      changes.push_back({kChange, type, one, old->filled != one.filled});
    }
  }
}

}  // namespace nexusfix::venues
