// SessionActions without an EventLoop: what each action of a state machine does.
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/session/sessions.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class SessionActionsComponent : public testing::FloorsTest {
 protected:
  // on_logon_request() decides later.
  void decide_later() {
    callbacks.on_logon_request = [](void*, Session&, const LogonRequest&) {
      return std::optional<LogonAnswer>{};
    };
  }
  void perform(const session::Action& action) { sessions().actions.perform(entry(), action); }
};

TEST_F(SessionActionsComponent, logon_waits_for_its_decision_and_is_answered_once) {
  decide_later();
  open();
  const auto [connection, peer] = bind(entry());
  receive(entry(), "A", 1, "98=0|108=30|");
  EXPECT_EQ(sent_to(peer), "");
  EXPECT_EQ(venue.logons, 0);
  sessions().actions.answer_logon(entry(), 99, LogonAnswer::accept());
  EXPECT_EQ(sent_to(peer), "") << "the decision on another Logon";
  sessions().actions.answer_logon(entry(), 1, LogonAnswer::accept());
  EXPECT_TRUE(sent_to(peer).contains("|35=A|34=1|"));
  EXPECT_EQ(venue.logons, 1);
  EXPECT_TRUE(loop().work.has(Work::Decided));
  EXPECT_EQ(sessions().actions.next_decided(), &entry());
  while (sessions().actions.next_decided() != nullptr) {
  }
  EXPECT_FALSE(loop().work.has(Work::Decided));
}

TEST_F(SessionActionsComponent, refused_logon_has_the_text_of_the_application) {
  decide_later();
  open();
  const auto [connection, peer] = bind(entry());
  receive(entry(), "A", 1, "98=0|108=30|");
  sessions().actions.answer_logon(entry(), 1, LogonAnswer::refuse("not before nine"));
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|35=5|") && sent.contains("|58=not before nine|")) << sent;
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(venue.logons, 0);
}

TEST_F(SessionActionsComponent, callback_that_throws_admits_no_one) {
  callbacks.on_logon_request = [](void*, Session&,
                                  const LogonRequest&) -> std::optional<LogonAnswer> {
    throw std::runtime_error{"no database"};
  };
  open();
  const auto [connection, peer] = bind(entry());
  receive(entry(), "A", 1, "98=0|108=30|");
  EXPECT_TRUE(sent_to(peer).contains("|58=Logon cannot be examined|"));
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no database")) << log.all();
  EXPECT_EQ(entry().machine.state(), session::State::Disconnected);
}

TEST_F(SessionActionsComponent, throttled_message_is_rejected_and_not_delivered) {
  extra = "ThrottleMessages=1\nThrottleInterval=1\nThrottleAction=Reject";
  open();
  const auto [connection, peer] = log_on(entry());
  receive_order(entry(), 2, "A");
  receive_order(entry(), 3, "B");
  EXPECT_EQ(venue.orders, std::vector<std::string>{"A"});
  EXPECT_TRUE(sent_to(peer).contains("|58=Throttle limit exceeded|"));
  pass(std::chrono::seconds{1});
  receive_order(entry(), 4, "C");
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"A", "C"}));
}

TEST_F(SessionActionsComponent, too_low_a_number_halts_an_initiator_and_ends_its_connection) {
  sessions_text = session_text("EXCHANGE", kInitiator);
  open();
  ASSERT_TRUE(far.listen({"", kPort}).has_value());
  floors().policy.connector.connect(entry());
  ASSERT_NE(entry().connection(), nullptr);
  entry().connection()->on_connected();
  perform(session::Disconnect{.reason = session::DisconnectReason::MsgSeqNumTooLow});
  EXPECT_TRUE(entry().connect_policy.is_halted());
  EXPECT_TRUE(log.has(EventId::InitiatorHalted)) << log.all();
  EXPECT_TRUE(entry().connection()->is_draining());
}

TEST_F(SessionActionsComponent, reset_discards_what_belongs_to_the_old_numbers) {
  open();
  log_on(entry());
  receive_order(entry(), 3, "HELD");
  ASSERT_GT(entry().out_of_order.bytes(), 0U);
  entry().acceptor.halt.begin();
  perform(session::Reset{});
  EXPECT_EQ(entry().out_of_order.bytes(), 0U);
  EXPECT_TRUE(log.has(EventId::HeldMessagesDiscarded, "the sequence numbers are reset"))
      << log.all();
  EXPECT_FALSE(entry().acceptor.halt.accepts_only_reset()) << "both sides agree again";
  sessions().transactor.append_record();
  EXPECT_EQ(sessions().registry.stored_numbers(entry()),
            (session::Numbers{.next_inbound = 1, .next_outbound = 1}));
}

}  // namespace
}  // namespace nexusfix::engine
