// JournalInbound=Y: what was received is in the record of its effect.
#include <gmock/gmock.h>

#include <nexusfix/store.hpp>

#include "store/api/journal.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using store::Store;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kSecret = "qWz7Kx9PvJt3";

// Decides each Logon later.
struct LateVenue : EchoVenue {
  std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest& request) {
    id = request.id;
    return std::nullopt;
  }
  std::uint64_t id = 0;
};

class JournalInbound : public AcceptorTest {
 protected:
  JournalInbound() { extra = "JournalInbound=Y"; }

  // "in A 1", "out 8 2", "left 3", of all sessions, as the log has it now.
  std::vector<std::string> log_now() {
    std::vector<std::string> found;
    each([&](const Store::LogMessage& one, const std::string& text) {
      if (one.kind == Store::LogKind::Left) {
        found.push_back("left " + std::to_string(one.msg_seq_num));
        return;
      }
      const auto field = [&](const std::string& tag) {
        const std::size_t at = text.find('|' + tag + '=') + tag.size() + 2;
        return text.substr(at, text.find('|', at) - at);
      };
      found.push_back((one.kind == Store::LogKind::Sent ? "out " : "in ") + field("35") + ' ' +
                      field("34"));
    });
    return found;
  }
  std::vector<std::string> received() {
    std::vector<std::string> found;
    each([&](const Store::LogMessage& one, const std::string& text) {
      if (one.kind == Store::LogKind::Received) found.push_back(text);
    });
    return found;
  }
  void trade(RawPeer& peer, std::uint64_t msg_seq_num, std::string_view cl_ord_id) {
    const std::size_t count = peer.messages().size();
    peer.send(order("TRADER", msg_seq_num, cl_ord_id));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == count + 1; })) << log.all();
  }
  // Ends the engine as an end of the program does.
  void stop() {
    acceptor.reset();
    peers.clear();
  }

 private:
  template <class Visit>
  void each(Visit visit) {
    PosixDisk disk;
    const auto opened = store::inspect_journal(disk, folder.path() + "/store");
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    const auto scanned =
        opened->store->scan_all([&](const Store::LogMessage& one) { visit(one, bar(one.bytes)); });
    ASSERT_TRUE(scanned.has_value()) << scanned.error().text;
  }
};

TEST_F(JournalInbound, records_each_message_after_what_it_caused) {
  open();
  RawPeer& peer = log_on("TRADER");
  trade(peer, 2, "ORDER-2");
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out 8 2", "in D 2"));
  EXPECT_THAT(received().back(), HasSubstr("|11=ORDER-2|"));
}

TEST_F(JournalInbound, without_the_key_the_journal_has_nothing_of_it) {
  extra = "";
  open();
  RawPeer& peer = log_on("TRADER");
  trade(peer, 2, "ORDER-2");
  stop();
  EXPECT_THAT(log_now(), ElementsAre("out 8 2"));
}

TEST_F(JournalInbound, rejected_message_is_recorded_and_a_garbled_or_repeated_one_is_not) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "ZZ", 2));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  std::string garbled = order("TRADER", 3, "GARBLED");
  garbled[garbled.size() - 2] = garbled[garbled.size() - 2] == '0' ? '1' : '0';
  peer.send(garbled);
  peer.send(from("TRADER", "D", 2, "43=Y|122=" + time_text() + "|11=AGAIN|"));
  trade(peer, 3, "ORDER-3");
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out j 2", "in ZZ 2", "out 8 3", "in D 3"));
}

TEST_F(JournalInbound, early_message_is_recorded_once_when_its_turn_comes) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 3, "EARLY"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  peer.send(order("TRADER", 2, "ORDER-2"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << log.all();
  stop();
  const std::vector<std::string> all = received();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[1], HasSubstr("|11=ORDER-2|"));
  EXPECT_THAT(all[2], HasSubstr("|11=EARLY|"));
}

TEST_F(JournalInbound, passwords_are_masked) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "553=user|554=" + std::string{kSecret} + "|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  peer.send(from("TRADER", "BE", 2, "923=1|924=3|553=user|925=" + std::string{kSecret} + "|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  stop();
  const std::vector<std::string> all = received();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0], HasSubstr("|553=user|554=***|"));
  EXPECT_THAT(all[1], HasSubstr("|925=***|"));
  PosixDisk disk;
  const auto file =
      read_file(disk, folder.path() + "/store/0000000001.journal", std::uint64_t{1} << 30U);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->find(kSecret), std::string::npos);
}

TEST_F(JournalInbound, configured_tags_are_masked_unless_the_store_may_have_them) {
  extra = "JournalInbound=Y\nLogMaskedTags=1\nStoreMaskedTags=N";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "D", 2, "1=ACCOUNT|11=A|"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  EXPECT_THAT(received().back(), HasSubstr("|1=***|11=A|"));
  extra = "JournalInbound=Y\nLogMaskedTags=1\nStoreMaskedTags=Y";
  reopen();
  RawPeer& again = connect();
  again.send(logon("TRADER", 3));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 1; })) << log.all();
  again.send(from("TRADER", "D", 4, "1=ACCOUNT|11=B|"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << log.all();
  EXPECT_THAT(received().back(), HasSubstr("|1=ACCOUNT|11=B|"));
}

TEST_F(JournalInbound, at_most_once_records_the_message_before_its_delivery) {
  extra = "JournalInbound=Y\nInboundDelivery=AtMostOnce";
  open();
  std::vector<std::string> seen;
  venue.before_answer = [&](Session&, const MessageView&) { seen = received(); };
  RawPeer& peer = log_on("TRADER");
  trade(peer, 2, "ORDER-2");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_THAT(seen.back(), HasSubstr("|11=ORDER-2|"));
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "in D 2", "out 8 2"));
}

// A gap fill raises the expected MsgSeqNum by more than one, and is the message of that record.
TEST_F(JournalInbound, gap_fill_is_recorded) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "4", 2, "43=N|123=Y|36=10|"));
  trade(peer, 10, "ORDER-10");
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "in 4 2", "out 8 2", "in D 10"));
}

TEST_F(JournalInbound, heartbeat_shows_that_what_came_before_has_left) {
  open();
  RawPeer& peer = log_on("TRADER");
  trade(peer, 2, "ORDER-2");
  peer.send(from("TRADER", "0", 3));
  ASSERT_TRUE(run_until([&] { return log_now().back() == "left 3"; }));
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out 8 2", "in D 2", "in 0 3", "left 3"));
}

TEST_F(JournalInbound, end_of_a_connection_shows_what_has_left_and_later_messages_have_not) {
  open();
  RawPeer& peer = log_on("TRADER");
  trade(peer, 2, "ORDER-2");
  peer.close();
  ASSERT_TRUE(run_until([&] { return venue.logouts == 1; }));
  EchoVenue::answer(acceptor->session(0), "LATER");
  turn(3);
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out 8 2", "in D 2", "left 3", "out 8 3"));
}

TEST_F(JournalInbound, logon_that_waits_for_its_decision_is_recorded_when_it_is_accepted) {
  LateVenue late;
  under_test().open(acceptor, late);
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "554=" + std::string{kSecret} + "|") +
            order("TRADER", 2, "ORDER-2"));
  turn(20);
  EXPECT_THAT(log_now(), IsEmpty());
  acceptor->session(0).answer_logon(late.id, {});
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out 8 2", "in D 2"));
  EXPECT_THAT(received().front(), HasSubstr("|554=***|"));
}

// Our Logon that resets has left, and is not answered.
class JournalInboundDuringReset : public JournalInbound {
 protected:
  RawPeer& ask() {
    open();
    RawPeer& peer = log_on("TRADER");
    EXPECT_TRUE(acceptor->session(0).reset_in_session().has_value());
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    peer.send(from("TRADER", "0", 2, "112=RESET|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
    return peer;
  }
};

TEST_F(JournalInboundDuringReset, executed_order_with_an_old_number_is_recorded_before_a_crash) {
  RawPeer& peer = ask();
  peer.send(order("TRADER", 3, "FLYING") + order("TRADER", 3, "TWICE"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  turn(20);
  stop();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"FLYING"}));
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out A 1", "out 8 2", "in D 3"));
  open();
  EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{1, 3})) << "the answer is awaited";
}

TEST_F(JournalInboundDuringReset, answer_is_recorded_before_a_crash) {
  RawPeer& peer = ask();
  peer.send(logon("TRADER", 1, "141=Y|") + order("TRADER", 2, "NEW"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out A 1", "in A 1", "out 8 2", "in D 2"));
  open();
  EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{3, 3}));
}

TEST_F(JournalInboundDuringReset, message_that_shows_the_reset_is_recorded_before_a_crash) {
  RawPeer& peer = ask();
  peer.send(order("TRADER", 1, "NEW"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  stop();
  EXPECT_THAT(log_now(), ElementsAre("in A 1", "out A 1", "out 8 2", "in D 1"));
  open();
  EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 2U);
}

TEST_F(JournalInbound, is_refused_with_another_store) {
  extra = "JournalInbound=Y\nStore=memory";
  const auto settings = config::parse_settings(config(), "venue.cfg");
  ASSERT_FALSE(settings.has_value());
  EXPECT_THAT(settings.error().front().what(),
              HasSubstr("JournalInbound=Y: Store=journal or Store=postgresql was"));
}

}  // namespace
}  // namespace nexusfix::testing
