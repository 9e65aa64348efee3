// A market-data publisher: it answers a MarketDataRequest with a snapshot, then it sends each
// change. The market comes from standard input, on another thread than the engine's. A line is
// `AAPL bid 150.25 300`: symbol, bid or offer, price, and the new size at this price, 0 for none.
// The program ends at the end of its input. A client that reads too slowly gets no changes, and new
// snapshots when it has caught up.
//
// Usage: example_09_market_data 09_market_data.cfg
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <semaphore>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/market_data_incremental_refresh.hpp>
#include <nexusfix/fix44/market_data_request.hpp>
#include <nexusfix/fix44/market_data_request_reject.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/wire/convert.hpp>

namespace fix44 = nexusfix::fix44;
using fix44::MDEntryType;
using fix44::MDReqRejReason;
using fix44::MDUpdateAction;
using nexusfix::Decimal;
using nexusfix::entry;
using nexusfix::group;
using nexusfix::MessageReply;
using nexusfix::Session;

namespace {

// The current size at one price.
struct Level {
  MDEntryType type = MDEntryType::Bid;
  Decimal price;
  Decimal size;
};

// The best price comes first on each side.
struct Book {
  std::map<Decimal, Decimal, std::greater<>> bids;
  std::map<Decimal, Decimal> offers;

  // Returns how the level changed, or nothing if it did not change.
  std::optional<MDUpdateAction> set(const Level& level) {
    return level.type == MDEntryType::Bid ? set(bids, level) : set(offers, level);
  }

 private:
  template <class Side>
  static std::optional<MDUpdateAction> set(Side& side, const Level& level) {
    const auto found = side.find(level.price);
    if (level.size.is_zero()) {
      if (found == side.end()) return std::nullopt;
      side.erase(found);
      return MDUpdateAction::Delete;
    }
    if (found == side.end()) {
      side.emplace(level.price, level.size);
      return MDUpdateAction::New;
    }
    if (std::exchange(found->second, level.size) == level.size) return std::nullopt;
    return MDUpdateAction::Change;
  }
};

class Publisher {
 public:
  MessageReply on_message(Session& session, const fix44::MarketDataRequest& request) {
    const std::string id{request.md_req_id().value};
    const auto kind = request.subscription_request_type();
    const auto same = std::ranges::find_if(
        subscriptions_, [&](const auto& one) { return one.session == &session && one.id == id; });
    if (kind == fix44::SubscriptionRequestType::DisablePreviousSnapshotPlusUpdateRequest) {
      if (same == subscriptions_.end()) {
        return reject(session, id, std::nullopt, "there is no such subscription");
      }
      subscriptions_.erase(same);
      return nexusfix::accept();
    }
    if (same != subscriptions_.end()) {
      return reject(session, id, MDReqRejReason::DuplicateMdreqid, "it is subscribed already");
    }
    Subscription wanted{.session = &session, .id = id};
    if (const auto fault = read(request, wanted)) {
      return reject(session, id, fault->reason, fault->text);
    }
    for (const std::string& symbol : wanted.symbols) send_snapshot(wanted, symbol);
    if (kind == fix44::SubscriptionRequestType::SnapshotPlusUpdates) {
      subscriptions_.push_back(std::move(wanted));
    }
    return nexusfix::accept();
  }

  // A subscription ends with its session. The client subscribes again after its next Logon.
  void on_logout(Session& session) {
    std::erase_if(subscriptions_, [&](const auto& one) { return one.session == &session; });
  }

  // The client has caught up.
  void on_writable(Session& session) {
    for (Subscription& one : subscriptions_) {
      if (one.session != &session || !std::exchange(one.is_stale, false)) continue;
      for (const std::string& symbol : one.symbols) send_snapshot(one, symbol);
    }
  }

  void set_level(const std::string& symbol, const Level& level) {
    const auto action = books_[symbol].set(level);
    if (!action) return;
    std::optional<fix44::MDEntrySize> size;
    if (*action != MDUpdateAction::Delete) size = fix44::MDEntrySize{level.size};
    using Entry = fix44::MarketDataIncrementalRefresh::NoMDEntries;
    for (Subscription& one : subscriptions_) {
      if (!one.symbols.contains(symbol) || !one.types.contains(level.type)) continue;
      one.is_stale |= !one.session->is_writable();
      if (one.is_stale) continue;
      log(one,
          one.session->send<fix44::MarketDataIncrementalRefresh>(
              fix44::MDReqID{one.id}, group<Entry>(entry(*action, level.type, fix44::Symbol{symbol},
                                                         fix44::MDEntryPx{level.price}, size))));
    }
  }

 private:
  struct Subscription {
    Session* session = nullptr;
    std::string id{};  // MDReqID
    std::set<std::string> symbols{};
    std::set<MDEntryType> types{};
    bool is_stale = false;  // changes were left out
  };
  struct Fault {
    MDReqRejReason reason = MDReqRejReason::UnknownSymbol;
    std::string_view text;
  };

  // Reads the request into wanted. Returns a fault if the publisher does not support the request.
  std::optional<Fault> read(const fix44::MarketDataRequest& request, Subscription& wanted) const {
    if (request.market_depth().value != 0) {
      return Fault{MDReqRejReason::UnsupportedMarketdepth, "the full book only: MarketDepth=0"};
    }
    if (request.md_update_type_or(fix44::MDUpdateType::IncrementalRefresh) !=
        fix44::MDUpdateType::IncrementalRefresh) {
      return Fault{MDReqRejReason::UnsupportedMdupdatetype, "changes only: MDUpdateType=1"};
    }
    for (const auto one : request.no_md_entry_types()) {
      const auto type = one.md_entry_type();
      if (!type || (*type != MDEntryType::Bid && *type != MDEntryType::Offer)) {
        return Fault{MDReqRejReason::UnsupportedMdentrytype, "bids (0) and offers (1) only"};
      }
      wanted.types.insert(*type);
    }
    for (const auto one : request.no_related_sym()) {
      const std::string symbol{one.symbol().value};
      if (!books_.contains(symbol)) {
        return Fault{MDReqRejReason::UnknownSymbol, "there is no market in a symbol"};
      }
      wanted.symbols.insert(symbol);
    }
    return std::nullopt;
  }

  void send_snapshot(const Subscription& to, const std::string& symbol) {
    const Book& book = books_.at(symbol);
    std::vector<Level> levels;
    const auto add = [&](MDEntryType type, const auto& side) {
      if (!to.types.contains(type)) return;
      for (const auto& [price, size] : side) levels.push_back({type, price, size});
    };
    add(MDEntryType::Bid, book.bids);
    add(MDEntryType::Offer, book.offers);
    using Entry = fix44::MarketDataSnapshotFullRefresh::NoMDEntries;
    const auto entries = group<Entry>(levels, [](const Level& level) {
      return entry(level.type, fix44::MDEntryPx{level.price}, fix44::MDEntrySize{level.size});
    });
    log(to, to.session->send<fix44::MarketDataSnapshotFullRefresh>(fix44::MDReqID{to.id},
                                                                   fix44::Symbol{symbol}, entries));
  }

  static MessageReply reject(Session& session, std::string_view id,
                             std::optional<MDReqRejReason> reason, std::string_view text) {
    const auto sent =
        session.send<fix44::MarketDataRequestReject>(fix44::MDReqID{id}, reason, fix44::Text{text});
    return sent ? nexusfix::accept() : nexusfix::business_reject(0, 0, sent.error().what(), id);
  }

  static void log(const Subscription& to, const nexusfix::SendResult& sent) {
    if (sent) return;
    std::fprintf(stderr, "%s, %s: %s\n", std::string{to.session->name()}.c_str(), to.id.c_str(),
                 sent.error().what().c_str());
  }

  std::map<std::string, Book> books_;  // by Symbol
  std::vector<Subscription> subscriptions_;
};

// `AAPL bid 150.25 300`
std::optional<std::pair<std::string, Level>> read_line(const std::string& line) {
  std::istringstream words{line};
  std::string symbol;
  std::string side;
  std::string price;
  std::string size;
  words >> symbol >> side >> price >> size;
  const auto price_value = nexusfix::wire::to_decimal(price);
  const auto size_value = nexusfix::wire::to_decimal(size);
  if ((side != "bid" && side != "offer") || !price_value || !size_value ||
      size_value->mantissa() < 0)
    return std::nullopt;
  return std::pair{symbol, Level{side == "bid" ? MDEntryType::Bid : MDEntryType::Offer,
                                 *price_value, *size_value}};
}

}  // namespace

int main(int argc, char** argv) {
  Publisher publisher;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "09_market_data.cfg", publisher);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  // The engine calls the publisher on a thread of its own. This thread reads the input, and posts
  // each line to the engine's thread. A task needs a session; any session will do.
  const auto any = engine->session(0).handle();
  auto remote = engine->remote();
  // The lines that may wait for the engine. A task has its result before its place in the queue is
  // free: so it is one less than the places.
  std::counting_semaphore room{std::ptrdiff_t{nexusfix::Remote::kCapacity} - 1};
  engine->start();
  for (std::string line; std::getline(std::cin, line);) {
    const auto level = read_line(line);
    if (!level) {
      std::fprintf(stderr, "not understood: %s\n", line.c_str());
      continue;
    }
    const auto publish = [&publisher, level = *level](Session&) {
      publisher.set_level(level.first, level.second);
    };
    room.acquire();
    const auto posted =
        remote.post(any, publish, [&room](const nexusfix::PostResult&) { room.release(); });
    if (!posted) break;  // the engine has ended
  }
  engine->stop();
  return engine->join();
}
