// Transactor without an EventLoop: one event is one record, and a failure undoes all of it.
#include "engine/session/transactor.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/medium_store.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using testing::EchoVenue;

class TransactorComponent : public testing::FloorsTest {
 protected:
  TransactorComponent() {
    store = "Store=program";
    dependencies.store_factory = &place;
  }
  testing::MediumPlace place;
};

TEST_F(TransactorComponent, message_its_replies_and_its_progress_are_one_record) {
  open();
  const auto [connection, peer] = log_on(entry());
  venue.before_answer = [](Session& session, const MessageView&) {
    EchoVenue::answer(session, "MORE");
  };
  const int before = place.medium.writes;
  receive_order(entry(), 2, "A");
  EXPECT_EQ(place.medium.writes, before + 1);
  EXPECT_EQ(received_by(peer), "") << "the record is not durable";
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|11=MORE|") && sent.contains("|11=A|")) << sent;
  EXPECT_EQ(sessions().registry.stored_numbers(entry()),
            (session::Numbers{.next_inbound = 3, .next_outbound = 4}));
  EXPECT_TRUE(sessions().transactor.is_idle());
}

TEST_F(TransactorComponent, callback_that_throws_takes_back_what_it_has_sent) {
  open();
  const auto [connection, peer] = log_on(entry());
  venue.before_answer = [](Session& session, const MessageView&) {
    EchoVenue::answer(session, "UNDONE");
    throw std::runtime_error{"no price"};
  };
  receive_order(entry(), 2, "A");
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no price")) << log.all();
  const std::string sent = sent_to(peer);
  EXPECT_FALSE(sent.contains("UNDONE")) << sent;
  EXPECT_TRUE(sent.contains("|35=j|34=2|")) << "the rejection has its MsgSeqNum: " << sent;
}

// The undo of a message that waited is not that of the next message, of another session.
TEST_F(TransactorComponent, callback_that_throws_after_a_message_of_another_session_has_waited) {
  sessions_text = session_text("TRADER") + session_text("LIMITED", "OutboundMessages=1\n");
  open();
  const auto [connection, peer] = log_on(entry(0));
  log_on(entry(1));
  receive_order(entry(0), 2, "ITS-QUEUE-HAS-ROOM-FROM-HERE-ON");
  EXPECT_TRUE(sent_to(peer).contains("|35=8|34=2|"));
  wire::Encoder news = entry(1).session.begin("B");
  news.field(58, "waits");
  EXPECT_TRUE(entry(1).session.finish(news)->is_queued);
  venue.before_answer = [](Session& session, const MessageView&) {
    EchoVenue::answer(session, "UNDONE");
    throw std::runtime_error{"no price"};
  };
  receive_order(entry(0), 3, "A");
  const std::string sent = sent_to(peer);
  EXPECT_FALSE(sent.contains("UNDONE")) << sent;
  EXPECT_TRUE(sent.contains("|35=j|34=3|")) << sent;
  EXPECT_EQ(entry(1).outbound_limit->waiting.size(), 1U);
}

TEST_F(TransactorComponent, command_to_another_session_runs_after_the_callback_in_one_record) {
  open();
  log_on(entry(0));
  const auto [other, other_peer] = log_on(entry(1));
  venue.before_answer = [&](Session&, const MessageView&) {
    entry(1).session.log_out("the trader asked for it");
    EXPECT_EQ(entry(1).machine.state(), session::State::LoggedOn) << "not within the callback";
  };
  const int before = place.medium.writes;
  receive_order(entry(0), 2, "A");
  EXPECT_EQ(place.medium.writes, before + 1);
  EXPECT_TRUE(sent_to(other_peer).contains("|58=the trader asked for it|"));
}

TEST_F(TransactorComponent, event_without_memory_is_undone_and_ends_its_session) {
  open();
  const auto [connection, peer] = log_on(entry());
  const int before = place.medium.writes;
  sessions().transactor.transact(entry(), [&](session::StateMachine&) {
    EchoVenue::answer(entry().session, "UNDONE");
    throw std::bad_alloc{};
  });
  EXPECT_EQ(place.medium.writes, before);
  EXPECT_TRUE(entry().abort.is_pending());
  EXPECT_EQ(next_outbound(), 2U) << "that of the store";
  EXPECT_EQ(connection->outbound().size(), 0U);
  EXPECT_TRUE(sessions().transactor.is_idle());
  receive_order(entry(), 2, "LATE");
  EXPECT_TRUE(venue.orders.empty()) << "it is disconnected at the end of the turn";
}

TEST_F(TransactorComponent, failed_append_is_reported_once_and_ends_all_events) {
  open();
  log_on(entry());
  place.medium.on_write = testing::Medium::Fault::Error;
  receive_order(entry(), 2, "A");
  ASSERT_EQ(made->store_failures.size(), 1U);
  EXPECT_TRUE(io().commit.has_failed());
  receive_order(entry(), 3, "B");
  EXPECT_EQ(venue.orders, std::vector<std::string>{"A"});
  EXPECT_EQ(made->store_failures.size(), 1U);
}

TEST_F(TransactorComponent, observer_may_not_send_and_its_exception_is_returned) {
  open();
  log_on(entry());
  std::optional<SendFailure> failure;
  const std::exception_ptr thrown = sessions().transactor.observe([&] {
    wire::Encoder encoder = entry().session.begin("8");
    failure = entry().session.finish(encoder).error().failure;
    throw 7;
  });
  EXPECT_EQ(failure, SendFailure::WithinSending);
  ASSERT_TRUE(thrown);
  EXPECT_EQ(what_of(thrown), "something that is no std::exception");
  EXPECT_TRUE(sessions().transactor.is_idle());
}

}  // namespace
}  // namespace nexusfix::engine
