// A trader that follows rules: it sends orders at a rate, replaces and cancels a share of them, and
// answers reports. At its end it cancels what is open.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "venue/flow/flow_rules.hpp"

namespace nexusfix::flow {

struct FlowCounts {
  std::uint64_t sent = 0;  // orders, over all runs on the journal
  std::uint64_t accepted = 0;
  std::uint64_t fills = 0;  // reports of trades, of parts, too
  std::uint64_t filled = 0;
  std::uint64_t canceled = 0;
  std::uint64_t rejected = 0;
  std::uint64_t replaced = 0;
  std::uint64_t refused = 0;  // OrderCancelReject, BusinessMessageReject, Reject
};

// The thread of the event loop.
class FlowTrader {
 public:
  // random must outlive it.
  FlowTrader(FlowRules rules, Random& random) : rules_{std::move(rules)}, random_{random} {}
  FlowTrader(const FlowTrader&) = delete;
  FlowTrader& operator=(const FlowTrader&) = delete;

  // Callbacks of the engine.
  void on_recovered(const engine::RecoveredMessage& recovered);
  void on_logon(engine::Session& session);
  void on_not_sent(engine::Session& session, const engine::NotSentMessage& message);
  void on_message(engine::Session& session, const wire::MessageView& message);

  // All orders were sent, and none is open any more; or a rule has ended the run.
  [[nodiscard]] bool finished() const noexcept;
  [[nodiscard]] const FlowCounts& counts() const noexcept { return counts_; }
  // Why the run has failed: the text of a rule with `reject`. Empty: it has not.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  // The orders that are open now.
  [[nodiscard]] std::size_t open_count() const noexcept { return open_.size(); }

 private:
  struct Open {
    std::string symbol{};
    char side = '1';
    Units quantity = 0;
    Units price = 0;  // 0: a market order
    bool is_accepted = false;
    bool is_changing = false;  // a cancel or a replacement waits for its answer
  };
  using Orders = std::map<std::string, Open, std::less<>>;  // by the current ClOrdID

  [[nodiscard]] std::string next_id();
  void schedule(engine::Session& session);
  void send_order(engine::Session& session);
  void send_change(engine::Session& session, std::string_view cl_ord_id, bool is_cancel);
  void change_later(engine::Session& session, std::string cl_ord_id, Milliseconds time,
                    bool is_cancel);
  void cancel_all(engine::Session& session);
  void on_report(engine::Session& session, const wire::MessageView& report);
  void react(engine::Session& session, const wire::MessageView& message);
  void on_refused(const engine::SendError& error);
  void end(std::string_view why);

  FlowRules rules_;
  Random& random_;
  FlowCounts counts_;
  std::uint64_t last_id_ = 0;
  Orders open_;
  bool is_scheduled_ = false;
  bool has_ended_ = false;
  std::string failure_;
};

}  // namespace nexusfix::flow
