// When the disk refuses, nothing that is not stored leaves, and nobody is told that all is well.
#include <cerrno>

#include "acceptor_fixture.hpp"
#include "support/fake_disk.hpp"

namespace nexusfix::testing {
namespace {

class StoreFailureTest : public AcceptorTest {
 protected:
  void open_on(FakeDisk& disk) {
    auto settings = engine::parse_settings(config(), "venue.cfg");
    ASSERT_TRUE(settings.has_value());
    EngineOptions all = options();
    all.disk = &disk;
    auto opened = Engine::open(std::move(*settings), venue, all);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    acceptor.emplace(std::move(*opened));
  }

  FakeDisk disk;
};

TEST_F(StoreFailureTest, full_disk_cuts_every_session_before_the_answer_leaves) {
  open_on(disk);
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, ENOSPC);
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return peer.closed() && other.closed(); }));
  EXPECT_EQ(peer.messages().size(), 1U) << "only the Logon";
  EXPECT_EQ(other.messages().size(), 1U);
  EXPECT_TRUE(log.has("the store failed")) << log.all();
  EXPECT_TRUE(log.has("No space left")) << log.all();
  EXPECT_FALSE(acceptor->poll(std::chrono::nanoseconds{0}));
  EXPECT_EQ(acceptor->run(), 1);
}

TEST_F(StoreFailureTest, send_after_the_store_failed_is_refused_with_the_reason) {
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, EIO);
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  Session& session = acceptor->session(0);
  wire::Encoder report = session.begin("8");
  report.field(11, "A2");
  const auto sent = session.finish(report);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().failure, engine::SendFailure::StoreStopped);
}

TEST_F(StoreFailureTest, what_was_not_stored_is_done_again_after_a_restart) {
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, EIO);
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_EQ(venue.orders.size(), 1U);
  acceptor.reset();
  peers.clear();
  venue = {};
  disk.process_death();
  open_on(disk);
  EXPECT_TRUE(venue.recovered.empty());
  // The order's number is not used up: the counterparty is asked for it again.
  RawPeer& again = connect();
  again.send(logon("TRADER", 3));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|35=2|"));
  EXPECT_TRUE(contains(again.messages()[1], "|7=2|16=0|"));
}

}  // namespace
}  // namespace nexusfix::testing
