// The applications of both sides: counterparties send orders, and the cluster answers each one with
// a report, in the callback: a COMMIT has both or none.
#pragma once

#include <set>

#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/session.hpp>

#include "history_checker.hpp"

namespace nexusfix::simulator::cluster {

class ClusterApplication {
 public:
  explicit ClusterApplication(HistoryChecker& checker) : checker_{checker} {}
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);
  void on_recovered(const engine::RecoveredMessage& message);
  // Messages that the present process has found in the log.
  [[nodiscard]] const std::set<HistoryChecker::Recovered>& recovered() const noexcept {
    return recovered_;
  }
  // has_loss: the log has lost messages. As in the venue, an order that was sent before is refused.
  void begin(bool has_loss) {
    recovered_.clear();
    refuses_repeated_ = has_loss;
  }

 private:
  HistoryChecker& checker_;
  std::set<HistoryChecker::Recovered> recovered_;
  bool refuses_repeated_ = false;
};

class PeerApplication {
 public:
  explicit PeerApplication(HistoryChecker& checker) : checker_{checker} {}
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);
  void on_recovered(const engine::RecoveredMessage&) {}

 private:
  HistoryChecker& checker_;
};

// On a counterparty's session. The engine may refuse it: then it was not sent.
void send_order(HistoryChecker& checker, engine::Session& session, std::size_t index);
// A message of the cluster that answers nothing.
void send_news(engine::Session& session, std::uint64_t number);

}  // namespace nexusfix::simulator::cluster
