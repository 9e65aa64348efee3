#include <filesystem>
#include <stdexcept>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

TEST_F(AcceptorTest, order_is_answered_and_both_numbers_are_stored) {
  open();
  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=1|49=VENUE|"));
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages()[1], "|35=8|34=2|49=VENUE|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|11=A1|150=0|39=0|"));

  const auto key = acceptor->store().open_session("FIX.4.4:VENUE->TRADER", clock.now().wall);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(acceptor->store().session(*key).next_inbound, 3U);
  EXPECT_EQ(acceptor->store().session(*key).next_outbound, 3U);
  EXPECT_EQ(acceptor->store().durable(), acceptor->store().appended());
}

TEST_F(AcceptorTest, stream_split_at_every_byte_gives_the_same_messages) {
  open();
  const std::string stream =
      logon("TRADER", 1) + order("TRADER", 2, "A1") + order("TRADER", 3, "A2");
  RawPeer& peer = connect();
  for (const char byte : stream) {
    peer.send({&byte, 1});
    ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
  }
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"A1", "A2"}));
}

TEST_F(AcceptorTest, several_messages_in_one_read_are_all_answered) {
  open();
  RawPeer& peer = log_on("TRADER");
  std::string burst;
  for (std::uint64_t n = 0; n < 500; ++n) burst += order("TRADER", 2 + n, std::to_string(n));
  peer.send(burst);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 501; })) << log.all();
  EXPECT_EQ(venue.orders.size(), 500U);
}

TEST_F(AcceptorTest, long_message_over_many_reads_arrives_whole) {
  open();
  RawPeer& peer = log_on("TRADER");
  const std::string text(700'000, 'x');
  peer.send(from("TRADER", "D", 2, "11=LONG|58=" + text + "|") + order("TRADER", 3, "SHORT"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  peer.send(order("TRADER", 4, "LATER"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 4; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"LONG", "SHORT", "LATER"}));
  EXPECT_EQ(acceptor->statistics().loops[0].garbled, 0U);
}

TEST_F(AcceptorTest, numbers_continue_after_the_process_died) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  reopen();
  ASSERT_EQ(venue.recovered.size(), 1U);
  EXPECT_NE(venue.recovered[0].find("|11=A1|"), std::string::npos);
  RawPeer& again = log_on("TRADER", 3);
  EXPECT_TRUE(contains(again.messages()[0], "|35=A|34=3|"));
}

TEST_F(AcceptorTest, message_sent_while_logged_out_is_resent_after_the_next_logon) {
  open();
  auto* session = acceptor->find_session("FIX.4.4:VENUE->TRADER");
  ASSERT_NE(session, nullptr);
  EchoVenue::answer(*session, "WHILE-AWAY");
  EXPECT_EQ(session->numbers().next_outbound, 2U);

  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=2|"));
  peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=8|34=1|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|11=WHILE-AWAY|"));
  EXPECT_TRUE(contains(peer.messages()[2], "|35=4|34=2|43=Y|"));
}

TEST_F(AcceptorTest, resend_after_restart_comes_from_the_store_byte_for_byte) {
  open();
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t n = 2; n < 1'002; ++n) peer.send(order("TRADER", n, std::to_string(n)));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1'001; }));
  reopen();
  RawPeer& again = log_on("TRADER", 1'002);
  again.send(from("TRADER", "2", 1'003, "7=2|16=1001|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 1'001; })) << log.all();
  for (std::size_t i = 1; i <= 1'000; ++i) {
    const std::string expected = "|35=8|34=" + std::to_string(i + 1) + "|43=Y|";
    ASSERT_TRUE(contains(again.messages()[i], expected)) << bar(again.messages()[i]);
    ASSERT_TRUE(contains(again.messages()[i], "|11=" + std::to_string(i + 1) + "|150=0|39=0|"));
  }
}

TEST_F(AcceptorTest, message_sent_during_a_resend_is_sent_after_it) {
  open();
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t n = 2; n < 1'002; ++n) peer.send(order("TRADER", n, std::to_string(n)));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1'001; }));
  // A resend of more than one slice, and an order in the same read.
  peer.send(from("TRADER", "2", 1'002, "7=2|16=0|") + order("TRADER", 1'003, "MEANWHILE"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2'002; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[2'000], "|34=1001|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[2'001], "|11=MEANWHILE|"));
  EXPECT_TRUE(contains(peer.messages()[2'001], "|34=1002|49="));
}

TEST_F(AcceptorTest, message_sent_after_our_logout_waits_for_the_next_logon) {
  open();
  RawPeer& peer = log_on("TRADER");
  Session& session = acceptor->session(0);
  session.log_out();
  EchoVenue::answer(session, "TOO-LATE");
  EXPECT_EQ(session.numbers().next_outbound, 4U);
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  ASSERT_EQ(peer.messages().size(), 2U);
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|34=2|"));
}

TEST_F(AcceptorTest, messages_after_a_gap_wait_until_it_is_filled) {
  // TC 2b: one ResendRequest is sent; the early message is kept and processed after the missing
  // ones.
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 4, "third"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages()[1], "|35=2|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|7=2|16=3|"));
  EXPECT_TRUE(venue.orders.empty());
  peer.send(order("TRADER", 2, "first") + order("TRADER", 3, "second"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 3; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(AcceptorTest, throwing_callback_is_rolled_back_and_answered) {
  open();
  venue.before_answer = [this](Session& session, const MessageView& message) {
    if (message[11] != "BAD") return;
    EchoVenue::answer(session, "HALF-DONE");
    EchoVenue::answer(*acceptor->find_session("FIX.4.2:VENUE->OTHER"), "HALF-DONE");
    throw std::runtime_error{"out of luck"};
  };
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "BAD") + order("TRADER", 3, "GOOD"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=j|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[2], "|11=GOOD|"));
  EXPECT_TRUE(log.has("out of luck"));
  // The other session received nothing, and its MsgSeqNum is free again.
  other.send(order("OTHER", 2, "O1"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; }));
  EXPECT_TRUE(contains(other.messages()[1], "|34=2|"));
  EXPECT_TRUE(contains(other.messages()[1], "|11=O1|"));
}

TEST_F(AcceptorTest, unhandled_message_type_gets_a_business_reject) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "F", 2, "11=A1|41=A0|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages()[1], "|35=j|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|372=F|380=3|"));
}

TEST_F(AcceptorTest, one_callback_sends_to_two_sessions_in_one_record) {
  open();
  venue.before_answer = [this](Session&, const MessageView&) {
    EchoVenue::answer(*acceptor->find_session("FIX.4.2:VENUE->OTHER"), "TO-OTHER");
  };
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; }));
  EXPECT_TRUE(contains(other.messages()[1], "|11=TO-OTHER|"));
}

TEST_F(AcceptorTest, stop_logs_out_all_sessions_and_ends) {
  open();
  RawPeer& peer = log_on("TRADER");
  acceptor->stop();
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|"));
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_FALSE(acceptor->poll(std::chrono::nanoseconds{0}));
  EXPECT_EQ(venue.logouts, 1);
}

TEST_F(AcceptorTest, stop_closes_connections_that_have_not_logged_on) {
  open();
  RawPeer& peer = connect();
  peer.send("8=FIX");
  ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
  acceptor->stop();
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(run_until([&] { return !acceptor->poll(std::chrono::nanoseconds{0}); }));
}

TEST_F(AcceptorTest, stop_ends_in_bounded_time_with_a_silent_counterparty) {
  open();
  log_on("TRADER");
  acceptor->stop();
  acceptor->poll(std::chrono::nanoseconds{0});
  clock.advance(std::chrono::seconds{10});
  EXPECT_TRUE(run_until([&] { return !acceptor->poll(std::chrono::nanoseconds{0}); }));
}

// Copies the journal within the callback: the state that a process leaves if it is killed there.
class InboundDeliveryTest : public AcceptorTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // The next expected inbound MsgSeqNum in the copy of the journal.
  std::uint64_t expected_after_death() {
    TemporaryFolder copy;
    venue.before_answer = [&](Session&, const MessageView&) {
      std::filesystem::create_directory(copy.path() + "/store");
      for (const auto& one : std::filesystem::directory_iterator{folder.path() + "/store"}) {
        if (!one.is_regular_file()) continue;  // the control socket
        std::filesystem::copy_file(one.path(),
                                   copy.path() + "/store/" + one.path().filename().string());
      }
    };
    open();
    RawPeer& peer = log_on("TRADER");
    peer.send(order("TRADER", 2, "A"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{3, 3}));
    PosixDisk disk;
    auto left = store::inspect_journal(disk, copy.path() + "/store");
    if (!left) ADD_FAILURE() << left.error().text;
    return left ? left->store->session(0).next_inbound : 0;
  }
};

TEST_P(InboundDeliveryTest, at_least_once_records_a_message_after_its_callback) {
  extra = std::string{"JournalDurability="} + GetParam();
  EXPECT_EQ(expected_after_death(), 2U);
}

TEST_P(InboundDeliveryTest, at_most_once_records_a_message_before_its_callback) {
  extra = std::string{"InboundDelivery=AtMostOnce\nJournalDurability="} + GetParam();
  EXPECT_EQ(expected_after_death(), 3U);
}

TEST_F(AcceptorTest, message_in_doubt_is_named_after_a_kill_and_not_after_a_stop) {
  namespace fs = std::filesystem;
  extra = "InboundDelivery=AtMostOnce";
  const std::string store = folder.path() + "/store";
  const std::string killed = folder.path() + "/killed";  // what a kill within the callback leaves
  venue.before_answer = [&](Session&, const MessageView&) {
    fs::create_directory(killed);
    for (const auto& one : fs::directory_iterator{store}) {
      if (!one.is_regular_file()) continue;  // the control socket
      fs::copy_file(one.path(), killed + "/" + one.path().filename().string());
    }
  };
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  reopen();  // its store was closed in order
  EXPECT_FALSE(log.has(EventId::InboundInDoubt)) << log.all();
  acceptor.reset();
  fs::remove_all(store);
  fs::rename(killed, store);
  open();
  EXPECT_TRUE(log.has(EventId::InboundInDoubt, "FIX.4.4:VENUE->TRADER MsgSeqNum 2 may not have"))
      << log.all();
  EXPECT_FALSE(log.has(EventId::InboundInDoubt, "OTHER")) << log.all();
}

INSTANTIATE_TEST_SUITE_P(Modes, InboundDeliveryTest,
                         ::testing::Values("none", "process", "group", "sync"),
                         [](const auto& mode) { return std::string{mode.param}; });

}  // namespace
}  // namespace nexusfix::testing
