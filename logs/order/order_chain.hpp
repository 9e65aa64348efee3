// The identifiers of an order: ClOrdID, OrigClOrdID, OrderID, ExecID and ExecRefID, linked by the
// messages that have several of them.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {

struct LinkedOrder;

struct OrderIdentifier {
  LinkedOrder* order = nullptr;  // the last one with it so far
  bool is_known = false;         // an order that is looked for has it: kept for the next pass
};

struct LinkedOrder {
  std::string_view session;  // "TRADER and VENUE"
  std::size_t number = 0;    // in the order of the first messages
  bool is_wanted = false;    // a message so far has the identifier that is looked for
  bool has_new_order = false;
  std::string day;                  // of the first message: "20240115"
  LinkedOrder* previous = nullptr;  // that had its ClOrdID when it began
  std::vector<OrderIdentifier*> not_known{};
};

// What a set of orders may have.
struct ChainLimits {
  std::size_t identifiers = 200'000;  // of a session; and orders
  std::size_t links = 1'000'000;      // of identifiers and orders that may not be wanted
};

// All orders are wanted, and one pass finds their messages.
struct EveryOrder {
  ChainLimits limits{.identifiers = 8'000'000};
};

// The orders that have an identifier. Those of different sessions are different: a ClOrdID is
// unique only there. A session is a pair of CompIDs, in any direction. A ClOrdID is unique only
// within a trading day, too: a NewOrderSingle that is no resend begins another order with it, and
// the messages after it are about that one.
class OrderChains {
 public:
  explicit OrderChains(std::string id) : wanted_{std::move(id)} {}
  explicit OrderChains(EveryOrder every) : wants_every_{true}, limits_{every.limits} {}

  // Before the messages are read, for the first time or again. Ends the life of the orders.
  void begin_pass();
  // The order of a message, or nothing. The order may turn out to be wanted later, or not at all.
  // Learns the other identifiers of wanted orders. An earlier message may have them, too: read all
  // messages again until has_grown() stays false.
  [[nodiscard]] const LinkedOrder* take(const MessageFields& fields);
  // In this pass.
  [[nodiscard]] bool has_grown() const noexcept { return has_grown_; }
  [[nodiscard]] bool is_full() const noexcept { return is_full_; }

 private:
  struct Key {
    wire::Tag tag;
    std::string text;  // a letter for the kind, and the value
  };
  using Identifiers = std::unordered_map<std::string, OrderIdentifier>;

  [[nodiscard]] LinkedOrder* find_order(const MessageFields& fields);
  [[nodiscard]] LinkedOrder* find_rejected(const MessageFields& fields);
  [[nodiscard]] LinkedOrder* begun_by(const MessageFields& fields, std::string_view session,
                                      Identifiers& known);
  [[nodiscard]] LinkedOrder* linked_by(const MessageFields& fields, std::string_view session,
                                       const Identifiers& known);
  [[nodiscard]] LinkedOrder* begin(const MessageFields& fields, std::string_view session);
  void find_keys(const MessageFields& fields);
  void link(LinkedOrder& order, Identifiers& known);

  std::string wanted_;
  bool wants_every_ = false;
  ChainLimits limits_;
  std::map<std::string, Identifiers, std::less<>> sessions_;
  std::deque<LinkedOrder> orders_;  // of this pass
  // The orders of messages that are the last ones with their numbers so far.
  std::unordered_map<std::string, LinkedOrder*> numbers_;
  // By NewOrderSingle: its number and SendingTime, the same in the logs of both sides.
  std::unordered_map<std::string, LinkedOrder*> new_orders_;
  std::vector<Key> keys_;    // of the present message
  std::size_t links_ = 0;    // in this pass
  bool has_wanted_ = false;  // a key of the present message is the identifier
  bool has_grown_ = false;
  bool is_full_ = false;
};

}  // namespace nexusfix::logs
