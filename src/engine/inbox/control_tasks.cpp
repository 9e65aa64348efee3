#include "engine/inbox/control_tasks.hpp"

#include <optional>
#include <utility>

#include "engine/loop/event_loop.hpp"
#include "engine/statistics/session_state.hpp"

namespace nexusfix::engine {
namespace {

// The base of all: takes the order once, and answers it in any case.
class ControlTask : public LoopTask {
 public:
  explicit ControlTask(std::shared_ptr<ControlOrder> order) : order_{std::move(order)} {}

 protected:
  // False: the caller waits no more, and nothing must happen.
  [[nodiscard]] bool take() noexcept {
    auto waiting = ControlOrder::State::Waiting;
    if (order_->state.compare_exchange_strong(waiting, ControlOrder::State::Taken)) return true;
    order_.reset();
    return false;
  }
  void reply(std::string_view text) noexcept {
    order_->reply(text);
    order_.reset();
  }

  std::shared_ptr<ControlOrder> order_;  // null: it is answered
};

// The first run sets the sequence numbers; it runs again until they are durable in the log.
class SetNumbersTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~SetNumbersTask() override {
    if (!order_) return;
    order_->reply(set_at_ ? "they are set, but the engine has ended, or has no memory, before it "
                            "knew that the disk has them: look at them with nexusfix journal show"
                          : "the engine has ended, or has no memory: nothing was set");
  }
  void run(EventLoop& event_loop) override {
    if (!set_at_) {
      if (!take()) return;
      std::string refusal = set(event_loop, std::get<LiveNumbers>(order_->request));
      if (!refusal.empty()) return reply(refusal);
      event_loop.wake();  // The disk may have them at the end of this turn.
    }
    if (event_loop.store().durable() >= *set_at_) return reply(kDone);
    if (order_->state.load() == ControlOrder::State::Aborted) return order_.reset();
  }
  [[nodiscard]] bool comes_back() const noexcept override { return order_ != nullptr; }

 private:
  [[nodiscard]] std::string set(EventLoop& event_loop, const LiveNumbers& request) {
    SessionEntry* const entry = event_loop.registry().find_entry(request.session);
    if (entry == nullptr) return std::string{kNoSession} + request.session + " from here";
    const session::Numbers now = entry->machine.sequence_numbers();
    if (now != request.expected) {
      return "they have moved meanwhile: the next ones are in " + std::to_string(now.next_inbound) +
             ", out " + std::to_string(now.next_outbound);
    }
    auto done = event_loop.control().set_next_numbers(*entry, request.wanted, request.reason);
    if (!done) return std::move(done.error());
    set_at_ = event_loop.store().appended();
    return {};
  }

  std::optional<store::LogPosition> set_at_;
};

[[nodiscard]] SessionStatus status_of(const SessionEntry& entry, bool store_has_failed) {
  const SessionCounters& counters = *entry.counters;
  const SessionState state = store_has_failed ? SessionState::StoreFailed : state_of(entry).state;
  return {.name = entry.name,
          .is_initiator = entry.settings.session.role == session::Role::Initiator,
          .state = std::string{to_string(state)},
          .since = counters.since.if_set(),
          .next = entry.machine.sequence_numbers(),
          .messages_in = counters.in.messages.read(),
          .messages_out = counters.out.messages.read(),
          .received_at = counters.in.last_at.if_set(),
          .unsent_bytes = entry.session.unsent_bytes()};
}

class StatusTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~StatusTask() override {
    if (order_) order_->reply("the engine has ended, or has no memory");
  }
  void run(EventLoop& event_loop) override {
    if (!take()) return;
    const auto& entries = event_loop.registry().entries();
    const StatusRequest request = std::get<StatusRequest>(order_->request);
    std::string rows;
    rows.reserve(ControlOrder::kPageBytesMax);
    std::size_t at = request.first;
    for (std::size_t read = 0; at < entries.size() && read < ControlOrder::kRowsMax; ++at, ++read) {
      const std::size_t before = rows.size();
      append_row(rows, status_of(*entries[at], event_loop.store_has_failed()));
      if (rows.size() <= kRowBytesMax) continue;
      if (read > 0) rows.resize(before);
      if (read == 0) ++at;
      break;
    }
    const bool is_last = at >= entries.size();
    std::string page;
    page.reserve(ControlOrder::kPageBytesMax);
    append_head(page, order_->engine,
                is_last ? StatusRequest{request.loop + 1, 0} : StatusRequest{request.loop, at});
    reply(page += rows);
  }

 private:
  // With the head, a page is not longer than kPageBytesMax.
  static constexpr std::size_t kRowBytesMax = ControlOrder::kPageBytesMax - 256;
};

// A command to one session, or to the whole engine.
class CommandTask final : public ControlTask {
 public:
  CommandTask(std::shared_ptr<ControlOrder> order, const WholeEngine& engine)
      : ControlTask{std::move(order)}, engine_{engine} {}
  ~CommandTask() override {
    if (order_) order_->reply("the engine has ended, or has no memory: nothing was done");
  }
  void run(EventLoop& event_loop) override {
    if (!take()) return;
    const OperatorCommand& command = std::get<OperatorCommand>(order_->request);
    const std::string refusal = needs_session(command.act) ? on_session(event_loop, command)
                                                           : on_engine(event_loop, command);
    reply(refusal.empty() ? kDone : std::string_view{refusal});
  }

 private:
  [[nodiscard]] static std::string on_session(EventLoop& event_loop,
                                              const OperatorCommand& command) {
    SessionEntry* const entry = event_loop.registry().find_entry(command.session);
    if (entry == nullptr) return std::string{kNoSession} + command.session;
    const bool is_initiator = entry->settings.session.role == session::Role::Initiator;
    const bool is_connected = entry->connection != nullptr;
    if (command.act == OperatorAct::LogOn && !is_initiator) {
      return "the session is an acceptor: its counterparty logs on";
    }
    if (command.act == OperatorAct::LogOut && !is_initiator && !is_connected) {
      return "the session is not connected";
    }
    if (command.act == OperatorAct::Disconnect && !is_connected) {
      return "the session is not connected";
    }
    event_loop.report().session(EventId::OperatorCommand, *entry,
                                {"operator: ", to_string(command.act), ": ", command.reason});
    SessionControl& control = event_loop.control();
    switch (command.act) {
      case OperatorAct::LogOut:
        control.log_out(*entry, command.text);
        break;
      case OperatorAct::LogOn:
        control.log_on(*entry);
        break;
      case OperatorAct::Disconnect:
        control.disconnect(*entry, "disconnected by an operator: " + command.reason);
        break;
      case OperatorAct::Reset:
        control.reset(*entry, command.text);
        break;
      default:
        break;
    }
    return {};
  }

  [[nodiscard]] std::string on_engine(EventLoop& event_loop, const OperatorCommand& command) const {
    if (command.act == OperatorAct::ReloadCertificates && engine_.tls == nullptr) {
      return "no session of the engine has TLS";
    }
    event_loop.report().engine(EventId::OperatorCommand,
                               {"operator: ", to_string(command.act), ": ", command.reason});
    switch (command.act) {
      case OperatorAct::Reload:
        engine_.loops.front()->reloader().request_reload();
        break;
      case OperatorAct::RotateLogs:
        for (EventLoop* const loop : engine_.loops) loop->logs().reopen();
        break;
      case OperatorAct::ReloadCertificates:
        engine_.tls->want_reload();
        engine_.loops.front()->wake();
        break;
      case OperatorAct::Stop:
        for (EventLoop* const loop : engine_.loops) loop->request_stop();
        break;
      default:
        break;
    }
    return {};
  }

  const WholeEngine& engine_;
};

}  // namespace

void ControlOrder::reply(std::string_view text) noexcept {
  answer.assign(text.substr(0, answer.capacity()));
  state.store(State::Answered, std::memory_order_release);  // Pairs with Control's wait.
  const std::uint64_t one = 1;
  static_cast<void>(!::write(answered, &one, sizeof one));
}

std::unique_ptr<LoopTask> make_control_task(std::shared_ptr<ControlOrder> order,
                                            const WholeEngine& engine) {
  if (std::holds_alternative<LiveNumbers>(order->request)) {
    return std::make_unique<SetNumbersTask>(std::move(order));
  }
  if (std::holds_alternative<StatusRequest>(order->request)) {
    return std::make_unique<StatusTask>(std::move(order));
  }
  return std::make_unique<CommandTask>(std::move(order), engine);
}

}  // namespace nexusfix::engine
