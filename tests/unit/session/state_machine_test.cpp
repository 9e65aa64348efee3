// The machine behaves like the table of states and events in docs/reference/session.md: this test
// tries every pair, and generates the table.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

constexpr std::string_view kStateNames[] = {"Disconnected",  "AwaitingLogon", "LogonSent",
                                            "LogonReceived", "LoggedOn",      "LogoutSent"};
constexpr std::size_t kStates = std::size(kStateNames);
static_assert(kStates == static_cast<std::size_t>(State::LogoutSent) + 1);

std::string_view name_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"A", "Logon"},         {"5", "Logout"},
      {"0", "Heartbeat"},     {"1", "TestRequest"},
      {"2", "ResendRequest"}, {"3", "Reject"},
      {"4", "SequenceReset"}, {"j", "BusinessMessageReject"}};
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "?";
}

// A machine in one state, and its actions in words.
class Trial {
 public:
  explicit Trial(State state, Role role = Role::Acceptor)
      : machine_{config_for(state, role), {.next_inbound = 3}} {
    if (state == State::Disconnected) return;
    connect();
    if (state == State::LogonReceived || state == State::LoggedOn || state == State::LogoutSent) {
      receive("35=A|34=3|98=0|108=30");
    }
    if (state == State::LogoutSent) log_out();
    EXPECT_EQ(machine_.state(), state);
    words_.clear();
  }

  void connect() {
    machine_.on_connected(now_);
    perform();
  }
  void receive(std::string_view fields) {
    bytes_.push_back(message_to(machine_.config(), now_, fields));
    message_ = parser_.parse(bytes_.back()).value();  // the machine reads it until perform() ends
    machine_.on_message(message_, now_);
    perform();
  }
  void garbled(wire::GarbledReason reason) {
    machine_.on_garbled(reason, now_);
    perform();
  }
  void wait() {
    if (machine_.next_deadline() != kNever) now_.mono = machine_.next_deadline();
    machine_.on_time(now_);
    perform();
  }
  void pass(MonoTime::duration duration) {
    now_.mono += duration;
    now_.wall += duration;
    machine_.on_time(now_);
    perform();
  }
  // The events that led to this state do not count.
  void forget() { words_.clear(); }
  void log_out() {
    machine_.on_logout_command({}, now_);
    perform();
  }
  void end() {
    machine_.on_session_end({}, now_);
    perform();
  }
  void decide(LogonDecision::Kind kind) {
    machine_.on_logon_decision(logon_id_, {.kind = kind}, now_);
    perform();
  }
  void disconnect() {
    machine_.on_disconnected(now_);
    perform();
  }
  // A MsgSeqNum: the expected one, or that plus `more`.
  [[nodiscard]] std::string number(std::int64_t more = 0) const {
    const bool waits = machine_.state() == State::LogonReceived;
    const auto next =
        static_cast<std::int64_t>(machine_.sequence_numbers().next_inbound) + (waits ? 1 : 0);
    return "|34=" + std::to_string(next + more);
  }

  bool rejects = false;  // the application rejects delivered messages

  // The result of the event.
  [[nodiscard]] std::string outcome_of(const std::function<void(Trial&)>& event) {
    const Numbers before = machine_.sequence_numbers();
    const State state = machine_.state();
    event(*this);
    const std::uint64_t begin = was_reset_ ? 1 : before.next_inbound;
    if (machine_.sequence_numbers().next_inbound > begin) say("counted");
    if (machine_.state() != state) {
      words_ += words_.empty() ? "" : " ";
      (words_ += "→ ") += kStateNames[static_cast<std::size_t>(machine_.state())];
    }
    return words_.empty() ? "–" : words_;
  }

 private:
  static SessionConfig config_for(State state, Role role) {
    const bool is_initiator = state == State::LogonSent || role == Role::Initiator;
    SessionConfig config = is_initiator ? initiator_config() : acceptor_config();
    config.logon.authenticates = state == State::LogonReceived;
    return config;
  }
  void say(std::string_view word) { (words_ += words_.empty() ? "" : ", ") += word; }

  void perform() {
    while (const std::optional<Action> action = machine_.next_action(scratch_)) {
      std::visit([this](const auto& one) { take(one); }, *action);
    }
  }
  void take(const Transmit& action) { say(name_of_type(action.msg_type)); }
  void take(const Retransmit&) { say("gap fill"); }
  void take(const Deliver&) {
    say("deliver");
    detail::DeliveryDecision decision;
    if (rejects) decision = {.kind = detail::DeliveryDecision::Kind::RejectBusiness, .reason = 3};
    machine_.on_delivered(decision, now_);
  }
  void take(const BufferOutOfOrder&) { say("buffer"); }
  void take(const DiscardOutOfOrder&) {}
  void take(const Administrative&) {}
  void take(const AskResend&) { machine_.on_resend_decision({}, now_); }
  void take(const Replay&) { machine_.on_replay_done(now_); }
  void take(const Reset&) {
    say("reset");
    was_reset_ = true;
  }
  void take(const Release&) {}
  void take(const Authenticate& action) {
    say("ask the owner");
    logon_id_ = action.logon_id;
  }
  void take(const LoggedOn&) { say("logged on"); }
  void take(const LoggedOut&) { say("logged out"); }
  void take(const Disconnect&) { say("disconnect"); }
  void take(const Notice&) {}

  Now now_ = test_start();
  StateMachine machine_;
  wire::Parser parser_;
  wire::MessageView message_;
  std::deque<std::string> bytes_;
  std::array<char, StateMachine::kScratchBytes> scratch_{};
  std::uint64_t logon_id_ = 0;
  bool was_reset_ = false;
  std::string words_;
};

struct Event {
  std::string_view name;
  std::function<void(Trial&)> happen;
};

Event message(std::string_view name, std::string_view type, std::string_view rest = {},
              std::int64_t more = 0) {
  return {name, [type, rest, more](Trial& trial) {
            trial.receive("35=" + std::string{type} + trial.number(more) + std::string{rest});
          }};
}

std::vector<Event> messages() {
  return {
      message("valid Logon", "A", "|98=0|108=30"),
      {"valid Logon, 141=Y", [](Trial& trial) { trial.receive("35=A|34=1|98=0|108=30|141=Y"); }},
      message("invalid Logon", "A", "|98=1|108=30"),
      message("Logon, 141=Y, MsgSeqNum other than 1", "A", "|98=0|108=30|141=Y"),
      message("Logon, MsgSeqNum too high", "A", "|98=0|108=30", 5),
      message("Logon, MsgSeqNum too low", "A", "|98=0|108=30", -1),
      message("Logout", "5"),
      message("Logout, MsgSeqNum too high", "5", "", 5),
      message("Reject", "3", "|45=1"),
      message("Heartbeat", "0"),
      message("TestRequest", "1", "|112=X"),
      message("TestRequest without 112", "1"),
      message("ResendRequest", "2", "|7=1|16=0"),
      message("ResendRequest, MsgSeqNum too high", "2", "|7=1|16=0", 5),
      message("ResendRequest beyond what was sent", "2", "|7=99|16=0"),
      message("ResendRequest without 7", "2", "|16=0"),
      message("ResendRequest without 16", "2", "|7=1"),
      message("GapFill", "4", "|36=9|123=Y"),
      message("GapFill that leads back", "4", "|36=1|123=Y"),
      message("GapFill without 36", "4", "|123=Y"),
      message("GapFill, MsgSeqNum too high", "4", "|36=20|123=Y", 5),
      message("GapFill, MsgSeqNum too low", "4", "|36=9|123=Y", -1),
      message("GapFill, MsgSeqNum too low, PossDup", "4", "|36=9|123=Y|43=Y", -1),
      message("SequenceReset, 123 neither Y nor N", "4", "|36=9|123=X"),
      message("SequenceReset-Reset", "4", "|36=9"),
      {"SequenceReset-Reset to the expected MsgSeqNum",
       [](Trial& trial) {
         const std::string number = trial.number();
         trial.receive("35=4" + number + "|36=" + number.substr(number.find('=') + 1));
       }},
      message("SequenceReset-Reset that leads back", "4", "|36=1"),
      message("SequenceReset, jump too far", "4", "|36=9000000000"),
      message("application message", "D"),
      {"application message that the application rejects",
       [](Trial& trial) {
         trial.rejects = true;
         trial.receive("35=D" + trial.number());
       }},
      message("PossDup without 122", "D", "|43=Y"),
      message("PossDup, 122 after 52", "D", "|43=Y|122=20240115-10:30:01.000"),
      message("application message, MsgSeqNum too high", "D", "", 5),
      message("MsgSeqNum too low", "0", "", -1),
      message("MsgSeqNum too low, PossDup", "0", "|43=Y|122=20240115-10:29:00", -1),
      {"MsgSeqNum missing", [](Trial& trial) { trial.receive("35=0"); }},
      message("malformed field", "0", "|x=1"),
      message("wrong BeginString", "0", "|8=FIX.4.2"),
      message("wrong CompID", "0", "|49=OTHER"),
      message("SendingTime too far", "0", "|52=20230115-10:30:00"),
  };
}

std::vector<Event> events() {
  std::vector<Event> all = messages();
  const std::vector<Event> others{
      {"garbled", [](Trial& trial) { trial.garbled(wire::GarbledReason::CheckSumWrong); }},
      {"garbled, stream lost",
       [](Trial& trial) { trial.garbled(wire::GarbledReason::BodyLengthTooLarge); }},
      {"deadline", [](Trial& trial) { trial.wait(); }},
      {"silence for 1.2 HeartBtInt", [](Trial& trial) { trial.pass(36s); }},
      {"no answer to our TestRequest",
       [](Trial& trial) {
         trial.pass(36s);
         trial.forget();
         trial.pass(36s);
       }},
      {"a gap that does not shrink",
       [](Trial& trial) {
         trial.receive("35=0" + trial.number(5));
         trial.forget();
         trial.pass(30s);
       }},
      {"Logon accepted by the application",
       [](Trial& trial) { trial.decide(LogonDecision::Kind::Accept); }},
      {"Logon refused by the application",
       [](Trial& trial) { trial.decide(LogonDecision::Kind::Refuse); }},
      {"logout command", [](Trial& trial) { trial.log_out(); }},
      {"end of the session's time", [](Trial& trial) { trial.end(); }},
      {"disconnected", [](Trial& trial) { trial.disconnect(); }},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::string table() {
  std::string text = "| event |";
  for (const std::string_view state : kStateNames) text.append(" ").append(state).append(" |");
  text += "\n|---|---|---|---|---|---|---|\n";
  for (const Event& event : events()) {
    text.append("| ").append(event.name).append(" |");
    for (std::size_t state = 0; state < kStates; ++state) {
      Trial trial{static_cast<State>(state)};
      text.append(" ").append(trial.outcome_of(event.happen)).append(" |");
    }
    text += '\n';
  }
  return text;
}

TEST(Table, of_the_documents_is_the_behaviour_in_every_state) {
  // docs/reference/session.md, "States". If the machine is right, copy the output of
  // NEXUSFIX_PRINT_TABLE=1 into the document.
  if (std::getenv("NEXUSFIX_PRINT_TABLE") != nullptr) std::puts(table().c_str());
  std::ifstream file{NEXUSFIX_SESSION_DOCUMENT};
  ASSERT_TRUE(file.is_open());
  std::ostringstream document;
  document << file.rdbuf();
  const std::string text = document.str();
  const std::size_t begin = text.find("| event | Disconnected |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find("\n\n", begin);
  EXPECT_EQ(text.substr(begin, end + 1 - begin), table());
}

TEST(Table, is_the_same_for_both_roles_after_the_logon) {
  for (const State state : {State::LoggedOn, State::LogoutSent}) {
    for (const Event& event : events()) {
      Trial acceptor{state};
      Trial initiator{state, Role::Initiator};
      EXPECT_EQ(initiator.outcome_of(event.happen), acceptor.outcome_of(event.happen))
          << event.name;
    }
  }
}

TEST(Table, a_machine_connects_only_from_disconnected_in_both_roles) {
  Trial acceptor{State::Disconnected};
  EXPECT_EQ(acceptor.outcome_of([](Trial& trial) { trial.connect(); }), "→ AwaitingLogon");
  Side initiator{initiator_config()};
  initiator.connect();
  EXPECT_EQ(initiator.state(), State::LogonSent);
  EXPECT_EQ(initiator.sent().size(), 1U);
}

}  // namespace
}  // namespace nexusfix::session::test
