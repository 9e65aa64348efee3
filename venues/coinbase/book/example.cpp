// Coinbase Exchange, market data: subscribes to the orders of BTC-USD, keeps its book, and prints
// the best prices after each change. Usage: venue_example_coinbase_book market-data.cfg [COUNT];
// logs out after COUNT changes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/group_view.hpp>

namespace tag = nexusfix::fix44::tag;
namespace wire = nexusfix::wire;
using nexusfix::Decimal;
using nexusfix::MessageView;
using nexusfix::Session;

namespace {

constexpr wire::Tag kRptSeq = 83;
constexpr const wire::GroupShape& kSnapshot = wire::kGroupShape<268, 269, 278, 270, 271>;
constexpr const wire::GroupShape& kUpdate =
    wire::kGroupShape<268, 279, 269, 278, 83, 55, 270, 271, 60, 40, 11, 37, 58, 5797, 29004>;

struct Order {
  char side = '0';  // 0: bid, 1: offer
  Decimal price{};
  std::string text{};  // of price, as received
};

class Desk {
 public:
  explicit Desk(long wanted) : wanted_{wanted} {}

  void on_logon(Session& session) { subscribe(session); }

  void on_message(Session& session, const MessageView& message) {
    const std::string_view type = message.msg_type();
    if (type == "W") return take_snapshot(message);
    if (type == "X") return take_update(session, message);
    if (type == "f") {  // SecurityStatus: it counts, too
      if (is_next(session, message.get<std::uint64_t>(kRptSeq).value_or(0))) print("status");
      return;
    }
    const std::string text{message[tag::Text].value_or("")};
    std::printf("message 35=%s %s\n", std::string{type}.c_str(), text.c_str());
    std::fflush(stdout);
  }

 private:
  void subscribe(Session& session) {
    orders_.clear();
    is_whole_ = false;
    request_id_ = "book-" + std::to_string(++requests_);
    send_request(session, request_id_, '1');
  }

  static void send_request(Session& session, const std::string& id, char kind) {
    auto request = session.begin("V");
    request.field(tag::MDReqID, id)
        .field(tag::SubscriptionRequestType, kind)
        .field(tag::NoRelatedSym, 1)
        .field(tag::Symbol, "BTC-USD");
    const auto sent = session.finish(request);
    if (!sent) std::printf("not sent: %s\n", sent.error().what().c_str());
  }

  // The orders of a snapshot may come in several messages: LastFragment (893) ends it.
  void take_snapshot(const MessageView& message) {
    if (message[tag::MDReqID] != request_id_) return;
    for (const auto entry : message.group(kSnapshot)) {
      const std::string id{entry[tag::MDEntryID].value_or("")};
      orders_[id] = order_of(entry);
    }
    rpt_seq_ = message.get<std::uint64_t>(kRptSeq).value_or(0);
    is_whole_ = message[tag::LastFragment] == "Y";
    if (is_whole_) print("snapshot");
  }

  void take_update(Session& session, const MessageView& message) {
    if (message[tag::MDReqID] != request_id_) return;
    for (const auto entry : message.group(kUpdate)) {
      if (!is_next(session, entry.get<std::uint64_t>(kRptSeq).value_or(0))) return;
      apply(entry);
    }
    print("update");
    if (++count_ == wanted_) session.log_out("done");
  }

  // Whether an update follows the last one. The snapshot has those that are not higher. After a gap
  // the book is requested again.
  bool is_next(Session& session, std::uint64_t rpt_seq) {
    if (!is_whole_ || rpt_seq <= rpt_seq_) return false;
    if (rpt_seq != rpt_seq_ + 1) {
      std::printf("updates are missing before RptSeq %llu\n",
                  static_cast<unsigned long long>(rpt_seq));
      send_request(session, request_id_, '2');
      subscribe(session);
      return false;
    }
    rpt_seq_ = rpt_seq;
    return true;
  }

  // Without MDEntryID it acknowledges an order that is not in the book yet.
  template <class Entry>
  void apply(const Entry& entry) {
    const auto id = entry[tag::MDEntryID];
    if (!id || entry[tag::MDEntryType] == "2") return;  // 2: a trade
    const std::string key{*id};
    const auto action = entry[tag::MDUpdateAction];
    if (action == "2") {
      orders_.erase(key);
    } else if (action == "0" || orders_.contains(key)) {
      orders_[key] = order_of(entry);
    }
  }

  template <class Entry>
  static Order order_of(const Entry& entry) {
    return {.side = entry[tag::MDEntryType].value_or("0").front(),
            .price = entry.template get<Decimal>(tag::MDEntryPx).value_or(Decimal{}),
            .text = std::string{entry[tag::MDEntryPx].value_or("")}};
  }

  void print(const char* what) const {
    const Order* bid = nullptr;
    const Order* offer = nullptr;
    for (const auto& [id, order] : orders_) {
      const Order*& best = order.side == '0' ? bid : offer;
      const bool is_better = best == nullptr || (order.side == '0' ? order.price > best->price
                                                                   : order.price < best->price);
      if (is_better) best = &order;
    }
    std::printf("%s %llu: %zu orders", what, static_cast<unsigned long long>(rpt_seq_),
                orders_.size());
    if (bid != nullptr) std::printf(", bid %s", bid->text.c_str());
    if (offer != nullptr) std::printf(", offer %s", offer->text.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }

  std::map<std::string, Order> orders_;  // by OrderID
  std::string request_id_;
  std::uint64_t rpt_seq_ = 0;
  bool is_whole_ = false;
  long requests_ = 0;
  long wanted_;
  long count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Desk desk{argc > 2 ? std::atol(argv[2]) : 0};
  return nexusfix::run(argc > 1 ? argv[1] : "market-data.cfg", desk);
}
