#include "engine/service/operator/command_task.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/service/floors.hpp"
#include "engine/service/operator/control_protocol.hpp"

namespace nexusfix::engine {
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
      std::string& text = one.is_right ? done : refused;
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
