// Who may log on, as tables: facts, and what decide() makes of them.
#include "engine/policy/admission.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class AdmissionRules : public testing::FloorsTest {
 protected:
  [[nodiscard]] SessionSettings with(std::string_view keys) const {
    return settings_of(session_text("TRADER", keys)).sessions.front();
  }
};

TEST_F(AdmissionRules, address_is_one_of_the_allowed_ones_or_all_are) {
  struct Row {
    std::string_view allowed;  // empty: the key is not set
    std::string_view peer;
    bool may_come;
  };
  for (const Row& row : {
           Row{"", "10.1.2.3:50000", true},
           Row{"", "[2001:db8::1]:50000", true},
           Row{"10.1.2.3", "10.1.2.3:50000", true},
           Row{"10.1.2.3", "10.1.2.4:50000", false},
           Row{"10.1.2.3", "10.1.2.33:50000", false},
           Row{"10.1.2.0/24", "10.1.2.255:1", true},
           Row{"10.1.2.0/24", "10.1.3.0:1", false},
           Row{"10.9.9.9,10.1.2.3", "10.1.2.3:1", true},
           Row{"2001:db8::/32", "[2001:db8::1]:1", true},
           Row{"2001:db8::/32", "[2001:db9::1]:1", false},
       }) {
    const std::string key = "AllowedRemoteAddresses=" + std::string{row.allowed} + "\n";
    EXPECT_EQ(may_come_from(with(row.allowed.empty() ? "" : key), row.peer), row.may_come)
        << row.allowed << " " << row.peer;
  }
}

TEST(AdmissionRule, user_is_the_comp_id_or_one_of_the_allowed_usernames) {
  struct Row {
    std::vector<std::string> allowed;
    std::string_view username;
    bool is_users;
  };
  for (const Row& row : {
           Row{{}, "TRADER", true},
           Row{{}, "trader", false},
           Row{{}, "", false},
           Row{{"anna", "bert"}, "bert", true},
           Row{{"anna", "bert"}, "TRADER", true},
           Row{{"anna", "bert"}, "carl", false},
           Row{{"ann*"}, "anna", false},
           Row{{"*"}, "carl", true},
       }) {
    SessionSettings settings;
    settings.credentials.allowed_usernames = row.allowed;
    EXPECT_EQ(is_users_session(settings, "TRADER", row.username), row.is_users) << row.username;
  }
}

// A decision as text, so that a table has it: "refuse <event>: why".
struct DecisionText {
  static std::string id(EventId event) { return std::to_string(static_cast<unsigned>(event)); }
  std::string operator()(const Bind&) const { return "bind"; }
  std::string operator()(const MakeSession&) const { return "make"; }
  std::string operator()(const TakeOver&) const { return "take over"; }
  std::string operator()(Wait wait) const { return wait == Wait::End ? "try again" : "wait"; }
  std::string operator()(const MoveToLoop& move) const {
    return "move to " + std::to_string(move.loop);
  }
  std::string operator()(const WaitForLoop& wait) const {
    return "wait " + std::to_string(wait.time.count()) + " ms";
  }
  std::string operator()(const CheckPassword& check) const {
    return check.is_users_session ? "check" : "check, to fail";
  }
  std::string operator()(const Refuse& refusal) const {
    const std::string before =
        refusal.not_made ? id(*refusal.not_made) + ": " + refusal.not_made_why + " | " : "";
    return before + "refuse " + id(refusal.id) + ": " + refusal.why;
  }
  std::string operator()(const RefuseByLogout& refusal) const {
    return "logout " + id(refusal.id) + ": " + refusal.why + " | " + refusal.text +
           (refusal.session_status ? " " + std::to_string(*refusal.session_status) : "");
  }
};

std::string refuse(EventId id, std::string_view why) {
  return DecisionText{}(Refuse{.id = id, .why = std::string{why}});
}

class Admissions : public testing::FloorsTest {
 protected:
  static constexpr std::string_view kClaim = "8=FIX.4.4 49=TRADER 56=VENUE";

  // Facts of a Logon that is admitted. The keys are those of its session.
  [[nodiscard]] LogonFacts facts_with(std::string_view keys) {
    settings = settings_of(session_text("TRADER", keys)).sessions.front();
    LogonFacts facts{.bytes = 100, .port_bytes_max = 4'096, .peer = "10.0.0.9:50000"};
    facts.identity = {"FIX.4.4", "TRADER", "VENUE"};
    facts.username = "TRADER";
    facts.settings = &settings;
    facts.name = "FIX.4.4:VENUE->TRADER";
    facts.session.emplace();
    return facts;
  }
  [[nodiscard]] std::string decision_on(const LogonFacts& facts) {
    return std::visit(DecisionText{}, decide(facts, clock.now()));
  }

  struct Row {
    std::string_view what;
    std::string_view keys;
    void (*change)(LogonFacts& facts);
    std::string decision;
  };
  void expect(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      LogonFacts facts = facts_with(row.keys);
      row.change(facts);
      EXPECT_EQ(decision_on(facts), row.decision) << row.what;
    }
  }

  SessionSettings settings;
};

constexpr auto kNothing = [](LogonFacts&) {};
constexpr auto kTemplate = [](LogonFacts& facts) { facts.session.reset(); };
constexpr std::string_view kPasswords = "PasswordFile=users.txt\n";
constexpr std::string_view kFar = "AllowedRemoteAddresses=10.9.8.7\n";
constexpr std::string_view kUnknown =
    "no session of this configuration has these CompIDs and this BeginString: ";

TEST_F(Admissions, message_and_port) {
  expect({
      {"a valid Logon", "", kNothing, "bind"},
      {"at the limit of the port", "MaxLogonSize=8192\n", [](auto& f) { f.bytes = 4'096; }, "bind"},
      {"beyond it", "MaxLogonSize=8192\n", [](auto& f) { f.bytes = 4'097; },
       refuse(EventId::LogonTooLong, "more bytes than a Logon may have (MaxLogonSize)")},
      {"no FIX", "", [](auto& f) { f.fault = wire::GarbledReason::CheckSumWrong; },
       refuse(EventId::NotFix, "what came first is no FIX message: " +
                                   std::string{to_string(wire::GarbledReason::CheckSumWrong)})},
      {"no Logon", "", [](auto& f) { f.is_logon = false; },
       refuse(EventId::FirstMessageNotLogon, "the first message is not a Logon")},
      {"no Logon does not wait for a late loop", "",
       [](auto& f) { f.is_logon = false, f.is_late = true; },
       refuse(EventId::FirstMessageNotLogon, "the first message is not a Logon")},
      {"at the limit of the session", "MaxLogonSize=256\n", [](auto& f) { f.bytes = 256; }, "bind"},
      {"beyond it", "MaxLogonSize=256\n", [](auto& f) { f.bytes = 257; },
       refuse(EventId::LogonTooLong,
              std::string{kClaim} + ": more bytes than a Logon may have (MaxLogonSize)")},
  });
}

TEST_F(Admissions, loop) {
  expect({
      {"the loop is late", "", [](auto& f) { f.is_late = true; }, "wait 100 ms"},
      {"its session is on another loop", "",
       [](auto& f) { f.settings = nullptr, f.is_late = true, f.other_loop = 3; }, "move to 3"},
      {"a stranger waits, too", "", [](auto& f) { f.settings = nullptr, f.is_late = true; },
       "wait 100 ms"},
  });
}

TEST_F(Admissions, session_that_this_loop_does_not_have) {
  const std::string unknown = std::string{kUnknown} + std::string{kClaim};
  expect({
      {"unknown", "", [](auto& f) { f.settings = nullptr; },
       refuse(EventId::SessionUnknown, unknown)},
      {"a CompID is missing, a SubID is there", "",
       [](auto& f) {
         f.settings = nullptr;
         f.identity[1] = std::nullopt;
         f.identity[3] = "DESK";
       },
       refuse(EventId::SessionUnknown,
              std::string{kUnknown} + "8=FIX.4.4 49=(missing) 56=VENUE 50=DESK")},
      {"the store refused it", "",
       [](auto& f) {
         f.settings = nullptr;
         f.broken = "FIX.4.4:VENUE->TRADER";
         f.broken_why = "its log is damaged";
       },
       refuse(EventId::SessionUnknown,
              "session FIX.4.4:VENUE->TRADER is not served since the start: its log is damaged")},
      {"a template", "", kTemplate, "make"},
      {"a template for another address", kFar, kTemplate, refuse(EventId::SessionUnknown, unknown)},
      {"a template of another loop", kFar, [](auto& f) { kTemplate(f), f.other_loop = 1; },
       "move to 1"},
      {"a template whose passwords nothing checks", kPasswords, kTemplate,
       refuse(EventId::SessionUnknown, unknown)},
      {"a template, and the password is right", kPasswords,
       [](auto& f) { kTemplate(f), f.password = LogonFacts::Password::Accepted; }, "make"},
  });
  const auto not_made = [&](EventId id, const std::string& why) {
    return DecisionText::id(id) + ": " + why + " | " + refuse(EventId::SessionUnknown, unknown);
  };
  const std::string none = "no session is made for FIX.4.4:VENUE->TRADER: ";
  using Reason = NotMade::Reason;
  expect({
      {"too many of a template", "",
       [](auto& f) { kTemplate(f), f.not_made.emplace(Reason::TooMany); },
       not_made(EventId::TemplateLimitReached,
                none + "DynamicSessionsMax of them have been made since the start")},
      {"too many of an address", "",
       [](auto& f) { kTemplate(f), f.not_made.emplace(Reason::TooManyOfSource); },
       not_made(EventId::TemplateLimitReached,
                none + "half of DynamicSessionsMax has been made for its address since the start")},
      {"the store refuses it", "",
       [](auto& f) { kTemplate(f), f.not_made.emplace(Reason::NotStored, "no room"); },
       not_made(EventId::SessionNotStored, "no room")},
  });
}

TEST_F(Admissions, counterparty) {
  const std::string claim = std::string{kClaim} + ": ";
  using Password = LogonFacts::Password;
  expect({
      {"another address", kFar, kNothing,
       refuse(EventId::SessionAddressRefused,
              "session FIX.4.4:VENUE->TRADER is not allowed from this address")},
      {"a password to check", kPasswords, [](auto& f) { f.can_check_passwords = true; }, "check"},
      {"of another user", kPasswords,
       [](auto& f) { f.can_check_passwords = true, f.username = "anna"; }, "check, to fail"},
      {"from another address it is not checked",
       "AllowedRemoteAddresses=10.9.8.7\nPasswordFile=u\n",
       [](auto& f) { f.can_check_passwords = true; },
       refuse(EventId::SessionAddressRefused,
              "session FIX.4.4:VENUE->TRADER is not allowed from this address")},
      {"nothing checks it", kPasswords, kNothing,
       refuse(EventId::PasswordNotChecked,
              "session FIX.4.4:VENUE->TRADER: its password was not checked")},
      {"it is right", kPasswords, [](auto& f) { f.password = Password::Accepted; }, "bind"},
      {"it is refused", kPasswords,
       [](auto& f) { f.password = Password::Refused, f.password_text = "user TRADER: wrong"; },
       refuse(EventId::PasswordRefused, claim + "user TRADER: wrong")},
  });
}

TEST_F(Admissions, certificate) {
  struct Row {
    std::vector<std::string> shown;
    std::string decision;
  };
  const std::string claim = std::string{kClaim} + ": ";
  for (const Row& row : {
           Row{{"san:a", "san:trader.example"}, "bind"},
           Row{{},
               refuse(EventId::CertificateRefused,
                      claim + "it has shown no certificate, and AllowedCertificates asks for one")},
           Row{{"san:a", "san:b"},
               refuse(EventId::CertificateRefused,
                      claim + "its certificate is none of AllowedCertificates: san:a san:b")},
       }) {
    LogonFacts facts = facts_with("");
    settings.admission.allowed_certificates = {"san:trader.example"};
    facts.certificates = row.shown;
    EXPECT_EQ(decision_on(facts), row.decision);
  }
}

TEST_F(Admissions, session) {
  expect({
      {"it is logged on", "",
       [](auto& f) { f.session->is_connected = true, f.session->connected_from = "10.0.0.8:1"; },
       refuse(EventId::SessionAlreadyLoggedOn,
              "session FIX.4.4:VENUE->TRADER is logged on from elsewhere already: 10.0.0.8:1")},
      {"its Logouts are exchanged", "",
       [](auto& f) { f.session->is_connected = true, f.session->is_to_be_closed = true; },
       "take over"},
      {"disabled", "", [](auto& f) { f.session->is_disabled = true; },
       DecisionText{}(RefuseByLogout{.id = EventId::LogonSessionDisabled,
                                     .why = "an operator has disabled the session",
                                     .text = "Session disabled by the operator"})},
      {"it awaits its operator", "", [](auto& f) { f.session->awaits_operator = true; },
       DecisionText{}(RefuseByLogout{
           .id = EventId::SessionAwaitsOperator,
           .why = "the session waits for an operator to set its sequence numbers (NXF-2009 says "
                  "why)",
           .text = "Session halted: its operator must set the sequence numbers"})},
      {"and resets", "", [](auto& f) { f.session->awaits_operator = true, f.resets = true; },
       "bind"},
  });
}

TEST_F(Admissions, closed_session_says_when_it_opens) {
  schedule = "StartTime=11:00:00\nEndTime=12:00:00\nTimeZone=UTC";
  const std::string until = " until 2024-01-15 11:00:00 UTC";
  expect({{"closed", "", [](auto& f) { f.session->is_open = false; },
           DecisionText{}(RefuseByLogout{.id = EventId::LogonOutsideSchedule,
                                         .why = "the session is closed by its schedule" + until,
                                         .text = "Session closed by its schedule" + until,
                                         .session_status = 7})}});
}

TEST(AdmissionAlarm, connection_without_a_session_waits_until_its_time_is_over) {
  using enum LinkState;
  struct Row {
    WaitFacts facts;
    std::string decision;
  };
  for (const Row& row : std::vector<Row>{
           {{.state = AwaitingLogon}, "wait"},
           {{.state = CheckingPassword}, "wait"},
           {{.state = Deferred}, "wait"},
           {{.state = Deferred, .is_due = true}, "try again"},
           {{.state = Deferred, .is_due = true, .is_late = true}, "wait 100 ms"},
           {{.state = Deferred, .is_due = true, .is_turn_full = true}, "wait 10 ms"},
           {{.state = AwaitingLogon, .is_over = true, .protection = ", TLSv1.3"},
            refuse(EventId::LogonTimedOut, "no Logon came in time, TLSv1.3")},
           {{.state = CheckingPassword, .is_over = true, .is_due = true},
            refuse(EventId::PasswordCheckTimedOut,
                   "its Logon has waited for LogonTimeout, and its password is not checked yet")},
           {{.state = Deferred, .is_over = true, .is_due = true, .is_late = true},
            refuse(EventId::LogonTimedOutLoopLate,
                   "its Logon has waited for LogonTimeout, and the event loop is still late")},
       }) {
    EXPECT_EQ(std::visit(DecisionText{}, decide(row.facts)), row.decision);
  }
}

}  // namespace
}  // namespace nexusfix::engine
