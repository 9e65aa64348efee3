// Sessions whose names were equal in earlier versions: each is separate, and an old store
// continues.
#include <filesystem>
#include <utility>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SessionNamesTest : public AcceptorTest {
 protected:
  static std::string session(const std::string& sender, const std::string& target,
                             const std::string& more = {}) {
    return "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=" + sender + "\nTargetCompID=" + target +
           "\n" + more;
  }
  [[nodiscard]] std::string message(const std::string& sender, const std::string& target,
                                    std::uint64_t number, const std::string& msg_type,
                                    const std::string& body) {
    return fix("FIX.4.4", "35=" + msg_type + "|49=" + sender + "|56=" + target +
                              "|34=" + std::to_string(number) + "|52=" + time_text() + "|" + body);
  }
  // Sender and target as the counterparty writes them. Null if the Logon was refused.
  RawPeer* log_on_as(const std::string& sender, const std::string& target,
                     const std::string& ids = {}, std::uint64_t number = 1) {
    RawPeer& peer = connect();
    peer.send(message(sender, target, number, "A", ids + "98=0|108=30|"));
    EXPECT_TRUE(run_until([&] { return peer.closed() || !peer.messages().empty(); })) << log.all();
    return peer.messages().empty() ? nullptr : &peer;
  }
  void expect_own_report(RawPeer& peer, const std::string& sender, const std::string& target,
                         const std::string& id, const std::string& ids = {}) {
    const std::size_t before = peer.messages().size();
    peer.send(
        message(sender, target, 2, "D", ids + "11=" + id + "|55=AAPL|54=1|38=100|40=2|44=10.5|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == before + 1; })) << log.all();
    EXPECT_TRUE(contains(peer.messages().back(), "|11=" + id + "|")) << bar(peer.messages().back());
  }
  // Writes the store of an earlier version: a session of this name that sent one message.
  void store_former(const std::string& name) {
    PosixDisk disk;
    auto opened = store::open_journal(
        disk, {.folder = folder.path() + "/store", .segment_bytes = kSegmentBytes},
        clock.now().wall);
    ASSERT_TRUE(opened) << opened.error().text;
    store::Store& store = *opened->store;
    const auto key = store.open_session(name, clock.now().wall);
    ASSERT_TRUE(key);
    store::Transaction transaction;
    transaction.outbound_message(*key, 1, message("VENUE", "X", 1, "8", "11=OLD|"));
    ASSERT_TRUE(store.append(transaction, clock.now().wall));
    ASSERT_TRUE(store.close());
  }
};

TEST_F(SessionNamesTest, sessions_that_differ_in_the_place_of_the_arrow_are_separate) {
  for (const std::string check : {"", "CheckCompID=N\n"}) {
    extra = check;
    sessions = session("VENUE", "A->B") + session("VENUE->A", "B");
    open();
    EXPECT_NE(acceptor->session(0).name(), acceptor->session(1).name());
    RawPeer* const first = log_on_as("A->B", "VENUE");
    RawPeer* const second = log_on_as("B", "VENUE->A");
    ASSERT_TRUE(first != nullptr && second != nullptr) << log.all();
    expect_own_report(*first, "A->B", "VENUE", "ONE");
    expect_own_report(*second, "B", "VENUE->A", "TWO");
    EXPECT_EQ(acceptor->session(0).numbers().next_outbound, 3U);
    EXPECT_EQ(acceptor->session(1).numbers().next_outbound, 3U);
    acceptor.reset();
    peers.clear();
    std::filesystem::remove_all(folder.path() + "/store");
  }
}

TEST_F(SessionNamesTest, slash_in_a_comp_id_does_not_begin_a_sub_id) {
  sessions = session("VENUE", "A/B") + session("VENUE", "A", "TargetSubID=B\n");
  open();
  RawPeer* const first = log_on_as("A/B", "VENUE");
  RawPeer* const second = log_on_as("A", "VENUE", "50=B|");
  ASSERT_TRUE(first != nullptr && second != nullptr) << log.all();
  expect_own_report(*first, "A/B", "VENUE", "ONE");
  expect_own_report(*second, "A", "VENUE", "TWO", "50=B|");
}

TEST_F(SessionNamesTest, session_in_the_store_of_an_earlier_version_continues) {
  store_former("FIX.4.4:VENUE->A/B");
  sessions = session("VENUE", "A/B");
  open();
  EXPECT_EQ(venue.recovered.size(), 1U);
  RawPeer* const peer = log_on_as("A/B", "VENUE");
  ASSERT_NE(peer, nullptr) << log.all();
  EXPECT_TRUE(contains(peer->messages()[0], "|34=2|")) << bar(peer->messages()[0]);
  EXPECT_EQ(acceptor->store().session_count(), 1U);
  EXPECT_EQ(acceptor->store().session_name(0), "FIX.4.4:VENUE->A%2FB");
  EXPECT_TRUE(log.has(EventId::FormerNameAdopted, "the store has of FIX.4.4:VENUE->A/B"))
      << log.all();
  reopen();
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, 3U);
}

TEST_F(SessionNamesTest, ambiguous_former_name_is_refused_and_others_are_served) {
  store_former("FIX.4.4:VENUE->A/B");
  const std::string slash = session("VENUE", "A/B");
  const std::string sub_id = session("VENUE", "A", "TargetSubID=B\n");
  const std::string plain = session("VENUE", "TRADER");
  sessions = slash + sub_id + plain;
  open();
  EXPECT_EQ(log_on_as("A/B", "VENUE"), nullptr);
  EXPECT_EQ(log_on_as("A", "VENUE", "50=B|"), nullptr);
  EXPECT_NE(log_on_as("TRADER", "VENUE"), nullptr) << log.all();
  EXPECT_TRUE(log.has("which of them has these sequence numbers")) << log.all();
  EXPECT_TRUE(log.has("FIX.4.4:VENUE->A%2FB and FIX.4.4:VENUE->A/B")) << log.all();
  // This is the remedy that the event names.
  sessions = slash + plain;
  reopen();
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, 2U);
  sessions = slash + sub_id + plain;
  reopen();
  EXPECT_NE(log_on_as("A/B", "VENUE"), nullptr) << log.all();
  RawPeer* const other = log_on_as("A", "VENUE", "50=B|");
  ASSERT_NE(other, nullptr) << log.all();
  EXPECT_TRUE(contains(other->messages()[0], "|34=1|")) << "it is a new one";
}

TEST_F(SessionNamesTest, former_name_that_is_another_session_now_is_not_adopted) {
  store_former("FIX.4.4:VENUE->A%3AB");  // of VENUE and A:B
  sessions = session("VENUE", "*", "AcceptorTemplate=Y\n");
  open();
  EXPECT_EQ(log_on_as("A%3AB", "VENUE"), nullptr);
  EXPECT_TRUE(log.has("as another session is called now")) << log.all();
  RawPeer* const other = log_on_as("A%B", "VENUE");
  ASSERT_NE(other, nullptr) << log.all();
  EXPECT_EQ(acceptor->store().session_name(0), "FIX.4.4:VENUE->A%3AB");
}

TEST_F(SessionNamesTest, session_added_to_a_running_engine_continues) {
  store_former("FIX.4.4:VENUE->A/B");
  sessions = session("VENUE", "TRADER");
  open();
  auto more = config::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
      "Store=memory\nNonStopSession=Y\nUseDataDictionary=N\n" +
          session("VENUE", "A/B"),
      "more.cfg");
  ASSERT_TRUE(more.has_value());
  ASSERT_TRUE(acceptor->add_sessions(std::move(*more)));
  RawPeer* const peer = log_on_as("A/B", "VENUE");
  ASSERT_NE(peer, nullptr) << log.all();
  EXPECT_TRUE(contains(peer->messages()[0], "|34=2|")) << bar(peer->messages()[0]);
}

}  // namespace
}  // namespace nexusfix::testing
