#include "engine/service/operator/control_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/api/control_protocol.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/service/floors.hpp"

namespace nexusfix::engine {
namespace {

// The first run sets the sequence numbers; it runs again until they are durable in the log.
class SetNumbersTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~SetNumbersTask() override {
    if (!order_) return;
    order_->refuse(set_at_ ? "they are set, but the engine has ended, or has no memory, before it "
                             "knew that the disk has them: look at them with nexusfix journal show"
                           : "the engine has ended, or has no memory: nothing was done");
  }
  void run(Floors& floors) override {
    if (!set_at_) {
      if (!take()) return;
      if (auto refused = set(floors, std::get<LiveNumbers>(order_->request))) {
        return reply(*std::move(refused));
      }
      floors.loop.network->wake();  // The disk may have them at the end of this turn.
    }
    if (floors.io.commit.store().durable() >= *set_at_) return reply(CarriedOut{});
    if (order_->state.load() == ControlOrder::State::Aborted) return order_.reset();
  }
  [[nodiscard]] bool comes_back() const noexcept override { return order_ != nullptr; }

 private:
  [[nodiscard]] std::optional<Refusal> set(Floors& floors, const LiveNumbers& request) {
    SessionEntry* const entry = floors.sessions.registry.find_entry(request.session);
    if (entry == nullptr || is_gone(*entry)) {
      Refusal none = lacks_session(request.session);
      none.text += " from here";
      return none;
    }
    const session::Numbers now = entry->machine.sequence_numbers();
    if (now != request.expected) {
      return Refusal{"they have moved meanwhile: the next ones are in " +
                     std::to_string(now.next_inbound) + ", out " +
                     std::to_string(now.next_outbound)};
    }
    auto done = floors.sessions.control.set_next_numbers(*entry, request.wanted, request.reason);
    if (!done) return Refusal{std::move(done.error())};
    set_at_ = floors.io.commit.store().appended();
    return std::nullopt;
  }

  std::optional<store::LogPosition> set_at_;
};

[[nodiscard]] SessionStatistics status_of(const SessionEntry& entry, bool store_has_failed) {
  SessionStatistics status = entry.counters->read_totals();
  status.state = store_has_failed ? SessionState::StoreFailed : state_of(entry).state;
  status.next = entry.machine.sequence_numbers();
  status.unsent_bytes = entry.session.unsent_bytes();
  return status;
}

class StatusTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~StatusTask() override {
    if (order_) order_->refuse("the engine has ended, or has no memory");
  }
  void run(Floors& floors) override {
    if (!take()) return;
    const auto& entries = floors.sessions.registry.entries();
    const StatusRequest request = std::get<StatusRequest>(order_->request);
    StatusPage page{.status = std::move(order_->engine), .next = {request.loop + 1, 0}};
    std::size_t text_bytes = 0;
    for (std::size_t at = request.first; at < entries.size(); ++at) {
      if (at == request.first + ControlOrder::kRowsMax || text_bytes > kTextBytesMax) {
        page.next = {request.loop, at};
        break;
      }
      const SessionEntry& entry = *entries[at];
      if (is_gone(entry)) continue;
      const SessionStatistics& one =
          page.status.sessions.emplace_back(status_of(entry, floors.io.commit.has_failed()));
      text_bytes += one.name.size() + one.why.size();
    }
    reply(std::move(page));
  }

 private:
  // The names and texts of a page, which then fits a line.
  static constexpr std::size_t kTextBytesMax = std::size_t{16} << 10U;
};

class RoundTripTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~RoundTripTask() override {
    if (order_) order_->refuse("the engine has ended, or has no memory");
  }
  void run(Floors& floors) override {
    if (!take()) return;
    const auto& request = std::get<RoundTripRequest>(order_->request);
    const SessionEntry* const entry = floors.sessions.registry.find_entry(request.session);
    if (entry == nullptr || is_gone(*entry)) return reply(lacks_session(request.session));
    const RoundTrips::Trip* const trip = floors.loop.round_trips.find(*entry, request.id);
    if (trip == nullptr) return refuse("the engine knows no such TestRequest any more");
    reply(RoundTripAnswer{trip->took});
  }
};

}  // namespace

bool ControlTask::take() noexcept {
  auto waiting = ControlOrder::State::Waiting;
  if (order_->state.compare_exchange_strong(waiting, ControlOrder::State::Taken)) return true;
  order_.reset();
  return false;
}

void ControlOrder::refuse(std::string_view why) noexcept {
  refusal.text.assign(why.substr(0, kRefusalBytesMax));
  reply(std::move(refusal));
}

void ControlOrder::reply(ControlAnswer all) noexcept {
  answer = std::move(all);
  state.store(State::Answered, std::memory_order_release);  // Pairs with the wait for the answer.
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
  if (std::holds_alternative<RoundTripRequest>(order->request)) {
    return std::make_unique<RoundTripTask>(std::move(order));
  }
  return make_command_task(std::move(order), engine);
}

namespace {

// Why an act on a session is not possible now. Empty: it is.
[[nodiscard]] std::string refusal_of(const SessionEntry& entry, OperatorAct act) {
  const bool is_connected = entry.connection() != nullptr;
  const bool is_logged_on = entry.machine.state() == session::State::LoggedOn;
  const bool is_disabled = entry.schedule_status.is_disabled();
  switch (act) {
    case OperatorAct::LogOn:
      if (!is_initiator(entry)) return "the session is an acceptor: its counterparty logs on";
      return is_disabled ? "the session is disabled: enable it first" : "";
    case OperatorAct::LogOut:
      return is_initiator(entry) || is_connected ? "" : "the session is not connected";
    case OperatorAct::Disconnect:
      return is_connected ? "" : "the session is not connected";
    case OperatorAct::ResetInSession:
    case OperatorAct::TestRequest:
    case OperatorAct::SendGapFill:
      return is_logged_on ? "" : "the session is not logged on";
    case OperatorAct::Enable:
      return is_disabled ? "" : "the session is not disabled";
    case OperatorAct::Disable:
      return is_disabled ? "the session is disabled already" : "";
    default:
      return {};
  }
}

// "1 session added, 0 removed, 2 changed; a key counts only after a restart".
std::string text_of(const Reloaded& done) {
  const auto named = [](const std::vector<std::string>& names, std::string_view what) {
    std::string text = std::to_string(names.size()) + ' ';
    text += what;
    constexpr std::size_t kNamed = 5;
    for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
      (text += i == 0 ? ": " : ", ") += names[i];
    }
    return text += names.size() > kNamed ? ", ..." : "";
  };
  std::string text = "sessions " + named(done.added, "added") + "; " +
                     named(done.removed, "removed") + "; " + named(done.changed, "changed");
  if (!done.pending.empty()) {
    text += "; " + std::to_string(done.pending.size()) +
            " changed keys take effect later (NXF-6015 names them)";
  }
  return text;
}

class ReloadAnswer final : public ReloadOrder::Reader {
 public:
  explicit ReloadAnswer(std::shared_ptr<ControlOrder> order) : order_{std::move(order)} {}
  void read(const ReloadResult& result) override {
    if (result) return order_->reply(CarriedOut{.result = text_of(*result)});
    std::string text = "refused, and nothing has changed: " + result.error().text;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
      text.replace(at, 1, "; ");
    }
    order_->refuse(text);
  }

 private:
  const std::shared_ptr<ControlOrder> order_;
};

class CertificatesAnswer final : public CertificatesJob::Reader {
 public:
  explicit CertificatesAnswer(std::shared_ptr<ControlOrder> order) : order_{std::move(order)} {}
  void read(const std::vector<TlsContexts::Reloaded>& contexts) override {
    std::string done;
    std::string refused;
    for (const TlsContexts::Reloaded& one : contexts) {
      std::string& text = one.is_valid ? done : refused;
      (text += text.empty() ? "" : "; ") += one.text;
    }
    if (refused.empty()) return order_->reply(CarriedOut{.result = "read again: " + done});
    order_->refuse("certificates stay as they were: " + refused);
  }

 private:
  const std::shared_ptr<ControlOrder> order_;
};

// A command to one session, or to the whole engine.
class CommandTask final : public ControlTask {
 public:
  CommandTask(std::shared_ptr<ControlOrder> order, const WholeEngine& engine)
      : ControlTask{std::move(order)}, engine_{engine} {}
  ~CommandTask() override {
    if (order_) order_->refuse("the engine has ended, or has no memory: nothing was done");
  }
  void run(Floors& floors) override {
    if (!take()) return;
    if (const auto* const record = std::get_if<RecordRequest>(&order_->request)) {
      floors.sessions.control.record_act(text_of(record->command),
                                         floors.sessions.registry.entries());
      return reply(CarriedOut{});
    }
    const OperatorCommand& command = std::get<OperatorCommand>(order_->request);
    if (needs_session(command.act)) return reply(on_session(floors, command));
    on_engine(floors, command);
  }

 private:
  // Returns the answer.
  [[nodiscard]] static ControlAnswer on_session(Floors& floors, const OperatorCommand& command) {
    SessionEntry* const entry = floors.sessions.registry.find_entry(command.session);
    if (entry == nullptr || is_gone(*entry)) return lacks_session(command.session);
    SessionControl& control = floors.sessions.control;
    std::string refusal = refusal_of(*entry, command.act);
    if (refusal.empty() && command.act == OperatorAct::SendGapFill) {
      refusal = control.gap_fill_refusal(*entry, command.number);
    }
    if (!refusal.empty()) return Refusal{std::move(refusal)};
    const std::string text = text_of(command);
    floors.loop.report.session(EventId::OperatorCommand, *entry, text);
    control.record_act(*entry, text);
    switch (command.act) {
      case OperatorAct::LogOut:
        control.log_out(*entry, command.text);
        if (is_initiator(*entry)) entry->connect_policy.log_out_by_operator();
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
      case OperatorAct::ResetInSession:
        if (const auto asked = control.reset_in_session(*entry); !asked)
          return Refusal{asked.error()};
        break;
      case OperatorAct::TestRequest:
        return CarriedOut{.test_request = control.send_test_request(*entry)};
      case OperatorAct::SendGapFill:
        control.send_gap_fill(*entry, command.number);
        break;
      case OperatorAct::Enable:
        control.enable(*entry);
        break;
      case OperatorAct::Disable:
        control.disable(*entry, command.text, command.reason);
        break;
      default:
        return Refusal{"a session cannot carry it out"};
    }
    return CarriedOut{};
  }

  // The caller waits until the files are read.
  void reload(Floors& floors) {
    floors.directory.reloader.begin_reload(std::make_shared<ReloadOrder>(
        std::make_unique<ReloadAnswer>(std::exchange(order_, nullptr))));
  }
  void reload_certificates(Floors& floors) {
    floors.directory.certificates.reload(
        std::make_unique<CertificatesAnswer>(std::exchange(order_, nullptr)));
  }

  void on_engine(Floors& floors, const OperatorCommand& command) {
    const std::string text = text_of(command);
    floors.loop.report.engine(EventId::OperatorCommand, text);
    floors.sessions.control.record_act(text, floors.sessions.registry.entries());
    switch (command.act) {
      case OperatorAct::Reload:
        return reload(floors);
      case OperatorAct::RotateLogs:
        for (LoopContext* const loop : engine_.loops) loop->report.logs().reopen();
        break;
      case OperatorAct::ReloadCertificates:
        return reload_certificates(floors);
      case OperatorAct::Stop:
        for (LoopContext* const loop : engine_.loops) loop->stop.ask({});
        break;
      case OperatorAct::Drain:
        for (LoopContext* const loop : engine_.loops) {
          loop->stop.ask(std::chrono::seconds{command.number});
        }
        break;
      default:
        return reply(Refusal{"an engine cannot carry it out"});
    }
    reply(CarriedOut{});
  }

  const WholeEngine& engine_;
};

}  // namespace

std::string text_of(const OperatorCommand& command) {
  std::string text = "operator: ";
  text += to_string(command.act);
  if (command.number != 0) (text += ' ') += std::to_string(command.number);
  if (command.act == OperatorAct::MoveShard) (text += " to node ") += command.text;
  return (text += ": ") += command.reason;
}

std::unique_ptr<LoopTask> make_command_task(std::shared_ptr<ControlOrder> order,
                                            const WholeEngine& engine) {
  return std::make_unique<CommandTask>(std::move(order), engine);
}

}  // namespace nexusfix::engine
