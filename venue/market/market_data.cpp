#include "venue/market/market_data.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/fix44/tags.hpp>

#include "venue/orders/order_fields.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

// MDReqRejReason (281).
constexpr unsigned kUnknownSymbolOfRequest = 0;
constexpr unsigned kDuplicateRequest = 1;
constexpr unsigned kInsufficientBandwidth = 2;
constexpr unsigned kUnsupportedSubscription = 4;
constexpr unsigned kUnsupportedDepth = 5;
constexpr unsigned kUnsupportedUpdate = 6;
constexpr unsigned kUnsupportedEntry = 8;

constexpr char kTrade = '2';
constexpr std::size_t kSymbolsMax = 1'000;
constexpr std::size_t kSubscriptionsMax = 1'000;  // of a session
constexpr unsigned kLevelsMax = 1'000;            // of a side
constexpr std::size_t kTradesMax = 1'000;         // in one update: the last ones

bool is_same_level(const MarketEntry& one, const MarketEntry& other) noexcept {
  return one.type == other.type && one.price == other.price;
}

const MarketEntry* find_level(const std::vector<MarketEntry>& levels, const MarketEntry& level) {
  const auto found = std::ranges::find_if(
      levels, [&](const MarketEntry& one) { return is_same_level(one, level); });
  return found == levels.end() ? nullptr : &*found;
}

void write_entry(wire::Encoder& message, const MarketEntry& entry) {
  message.field(tag::MDEntryPx, to_decimal(entry.price))
      .field(tag::MDEntrySize, to_decimal(entry.quantity));
  if (entry.orders != 0) message.field(tag::NumberOfOrders, entry.orders);
}

}  // namespace

std::vector<MarketChange> changes_of(const std::vector<MarketEntry>& before,
                                     const std::vector<MarketEntry>& after) {
  std::vector<MarketChange> changes;
  for (const MarketEntry& old : before) {
    if (find_level(after, old) == nullptr) changes.push_back({'2', old});
  }
  for (const MarketEntry& level : after) {
    const MarketEntry* const old = find_level(before, level);
    if (old == nullptr) {
      changes.push_back({'0', level});
    } else if (*old != level) {
      changes.push_back({'1', level});
    }
  }
  return changes;
}

std::optional<MarketData::Refused> MarketData::read(const wire::MessageView& message,
                                                    Subscription& subscription) const {
  const Rules& rules = exchange_.rules();
  for (const wire::FieldView field : message) {
    if (field.tag == tag::MDEntryType) {
      subscription.has_bids |= field.value == "0";
      subscription.has_offers |= field.value == "1";
      subscription.has_trades |= field.value == "2";
      if (field.value != "0" && field.value != "1" && field.value != "2") {
        return Refused{kUnsupportedEntry, "MDEntryType must be 0 (bid), 1 (offer) or 2 (trade)"};
      }
    } else if (field.tag == tag::Symbol) {
      if (field.value.size() > kSymbolBytesMax) {
        return Refused{kUnknownSymbolOfRequest, "Symbol is longer than 64 bytes"};
      }
      if (rules.only_instruments && rules.instrument(field.value) == nullptr) {
        return Refused{kUnknownSymbolOfRequest, fmt::format("unknown symbol {}", field.value)};
      }
      subscription.symbols.push_back({.symbol = std::string{field.value}});
    }
  }
  if (subscription.symbols.empty() || subscription.symbols.size() > kSymbolsMax) {
    return Refused{kUnknownSymbolOfRequest, fmt::format("1 to {} symbols", kSymbolsMax)};
  }
  if (!subscription.has_bids && !subscription.has_offers && !subscription.has_trades) {
    return Refused{kUnsupportedEntry, "NoMDEntryTypes is needed"};
  }
  const std::string_view update = message[tag::MDUpdateType].value_or("1");
  if (update != "0" && update != "1") {
    return Refused{kUnsupportedUpdate, "MDUpdateType must be 0 (full) or 1 (incremental)"};
  }
  subscription.is_whole_each_time = update == "0";
  const std::string_view depth = message[tag::MarketDepth].value_or("0");
  const char* const end = depth.data() + depth.size();
  const auto [stop, fault] = std::from_chars(depth.data(), end, subscription.depth);
  if (fault != std::errc{} || stop != end) {
    return Refused{kUnsupportedDepth, "MarketDepth must be 0 (all) or a number of levels"};
  }
  return std::nullopt;
}

MessageReply MarketData::request(Session& session, const wire::MessageView& message) {
  if (const auto why = session.send_obstacle()) {
    return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
  }
  const std::string_view md_req_id = message[tag::MDReqID].value_or("");
  const std::string_view type = message[tag::SubscriptionRequestType].value_or("");
  const auto is_it = [&](const Subscription& one) {
    return one.session == &session && one.md_req_id == md_req_id;
  };
  const bool is_known = std::ranges::any_of(subscriptions_, is_it);
  if (type == "2") {
    std::erase_if(subscriptions_, is_it);
    if (!is_known) {
      reject(session, md_req_id, kUnsupportedSubscription, "no subscription has this MDReqID");
    }
    return engine::accept();
  }
  Subscription subscription{.number = ++last_number_, .session = &session};
  subscription.md_req_id = md_req_id;
  std::optional<Refused> refused;
  if (is_known) refused = Refused{kDuplicateRequest, "MDReqID is in use"};
  const auto count = std::ranges::count(subscriptions_, &session, &Subscription::session);
  if (type == "1" && static_cast<std::size_t>(count) >= kSubscriptionsMax) {
    refused = Refused{kInsufficientBandwidth, "the session has 1,000 subscriptions"};
  }
  if (type != "0" && type != "1") {
    refused = Refused{kUnsupportedSubscription,
                      "SubscriptionRequestType must be 0 (snapshot), 1 (and updates) or 2 (end)"};
  }
  if (!refused) refused = read(message, subscription);
  if (refused) {
    reject(session, md_req_id, refused->reason, refused->text);
    return engine::accept();
  }
  for (Watched& one : subscription.symbols) {
    one.levels = levels_of(subscription, one.symbol);
    send_snapshot(subscription, one);
  }
  if (type == "1") subscriptions_.push_back(std::move(subscription));
  return engine::accept();
}

void MarketData::reject(Session& session, std::string_view md_req_id, unsigned reason,
                        std::string_view text) {
  wire::Encoder message = session.begin("Y");
  message.field(tag::MDReqID, md_req_id).field(tag::MDReqRejReason, reason).field(tag::Text, text);
  finish(session, message);
}

std::vector<MarketEntry> MarketData::levels_of(const Subscription& subscription,
                                               std::string_view symbol) const {
  std::vector<MarketEntry> levels;
  for (const BookSide side : {BookSide::Buy, BookSide::Sell}) {
    const bool is_wanted = side == BookSide::Buy ? subscription.has_bids : subscription.has_offers;
    if (!is_wanted) continue;
    unsigned count = 0;
    exchange_.book.visit_levels(symbol, side, [&](Units price, Units quantity, std::size_t orders) {
      levels.push_back({side == BookSide::Buy ? '0' : '1', price, quantity, orders});
      return ++count != subscription.depth && count != kLevelsMax;
    });
  }
  return levels;
}

void MarketData::send_snapshot(const Subscription& subscription, const Watched& watched) {
  std::vector<MarketEntry> entries = watched.levels;
  if (subscription.has_trades) {
    if (!watched.trades.empty()) {
      entries.insert(entries.end(), watched.trades.begin(), watched.trades.end());
    } else if (const auto last = last_trades_.find(watched.symbol); last != last_trades_.end()) {
      entries.push_back(last->second);
    }
  }
  Session& session = *subscription.session;
  wire::Encoder message = session.begin("W");
  message.field(tag::MDReqID, std::string_view{subscription.md_req_id})
      .field(tag::Symbol, std::string_view{watched.symbol})
      .group(tag::NoMDEntries, entries, [](wire::Encoder& out, const MarketEntry& entry) {
        out.field(tag::MDEntryType, entry.type);
        write_entry(out, entry);
      });
  finish(session, message);
}

void MarketData::send_changes(const Subscription& subscription, const Watched& watched,
                              const std::vector<MarketChange>& changes) {
  Session& session = *subscription.session;
  wire::Encoder message = session.begin("X");
  message.field(tag::MDReqID, std::string_view{subscription.md_req_id})
      .group(tag::NoMDEntries, changes, [&](wire::Encoder& out, const MarketChange& change) {
        out.field(tag::MDUpdateAction, change.action)
            .field(tag::MDEntryType, change.entry.type)
            .field(tag::Symbol, std::string_view{watched.symbol});
        write_entry(out, change.entry);
      });
  finish(session, message);
}

void MarketData::on_disconnect(const Session& session) {
  std::erase_if(subscriptions_, [&](const Subscription& one) { return one.session == &session; });
}

void MarketData::on_execution(const Execution& execution) {
  const std::string_view symbol = exchange_.book.symbol(exchange_.book.order(execution.order));
  const bool is_trade = execution.kind == ExecutionKind::Trade && !execution.is_other_side;
  const MarketEntry trade{kTrade, execution.last_price, execution.last_quantity, 0};
  if (is_trade) {
    const auto found = last_trades_.find(symbol);
    if (found == last_trades_.end()) {
      last_trades_.emplace(symbol, trade);
    } else {
      found->second = trade;
    }
  }
  for (Subscription& one : subscriptions_) {
    for (Watched& watched : one.symbols) {
      if (watched.symbol != symbol) continue;
      if (is_trade && one.has_trades) {
        if (watched.trades.size() == kTradesMax) watched.trades.erase(watched.trades.begin());
        watched.trades.push_back(trade);
      }
      schedule(one);
    }
  }
}

// After the event, so that all that it does is one update.
void MarketData::schedule(Subscription& subscription) {
  if (subscription.is_scheduled) return;
  subscription.is_scheduled = true;
  subscription.session->call_after(
      exchange_.rules().market_data_interval,
      [this, number = subscription.number](Session&) { publish(number); });
}

void MarketData::publish(std::uint64_t number) {
  const auto found = std::ranges::find(subscriptions_, number, &Subscription::number);
  if (found == subscriptions_.end()) return;
  found->is_scheduled = false;
  if (!found->session->is_logged_on() || found->session->send_obstacle()) return;
  for (Watched& watched : found->symbols) {
    std::vector<MarketEntry> levels = levels_of(*found, watched.symbol);
    std::vector<MarketChange> changes = changes_of(watched.levels, levels);
    for (const MarketEntry& trade : watched.trades) changes.push_back({'0', trade});
    if (changes.empty()) continue;
    watched.levels = std::move(levels);
    if (found->is_whole_each_time) {
      send_snapshot(*found, watched);
    } else {
      send_changes(*found, watched, changes);
    }
    watched.trades.clear();
  }
}

}  // namespace nexusfix::venue
