// Collects the messages of the orders that have an identifier, and computes their lives.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "logs/order/order_chain.hpp"
#include "logs/order/order_report.hpp"
#include "logs/source/log_message.hpp"

namespace nexusfix::logs {

// The caller passes all messages in the order of time, and again while needs_another_pass():
//
//   do {
//     stories.begin_pass();
//     for (const LogMessage& message : log) stories.take(message);
//   } while (stories.needs_another_pass());
//   for (const OrderStory& story : stories.finish()) ...
//
// Memory is bounded: see is_full(). One thread.
class OrderStories {
 public:
  // id: a ClOrdID, OrigClOrdID, OrderID, ExecID or ExecRefID.
  explicit OrderStories(std::string id) : chains_{std::move(id)} {}

  void begin_pass();
  // A message that came before, with the same bytes, is the one of the other side's log.
  void take(const LogMessage& message);
  // The pass found an identifier that an earlier message may have, too. At most 100 passes.
  [[nodiscard]] bool needs_another_pass() const noexcept;
  // The orders have more messages than fit: the later ones are left out.
  [[nodiscard]] bool is_full() const noexcept { return is_full_ || chains_.is_full(); }
  // The orders by session, then by time, each with its messages and its state. Empty: no order has
  // the identifier. Call it once, after the last pass.
  [[nodiscard]] std::vector<OrderStory> finish();

 private:
  struct ComesBefore {
    bool operator()(const LinkedOrder* a, const LinkedOrder* b) const noexcept {
      return std::tie(a->session, a->number) < std::tie(b->session, b->number);
    }
  };

  OrderChains chains_;
  MessageFields fields_;
  std::map<const LinkedOrder*, std::vector<OrderEvent>, ComesBefore> events_;
  // The places of messages, by their bytes: the logs of both sides have each one.
  std::unordered_map<std::string, std::pair<const LinkedOrder*, std::size_t>> copies_;
  std::size_t event_bytes_ = 0;
  int passes_ = 0;
  bool is_full_ = false;
};

}  // namespace nexusfix::logs
