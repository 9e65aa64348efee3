// A client's number and its message are one record of the store: Session::finish() with a counter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/engine.hpp>
#include <nexusfix/store.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::gateway {
namespace {

struct NoApplication {
  static engine::MessageReply on_message(engine::Session&, const wire::MessageView&) {
    return engine::accept();
  }
};

// A session that never connects: what it sends is stored.
class GatewayCounterTest : public ::testing::Test {
 protected:
  GatewayCounterTest() { open(); }

  void open() {
    engine_.reset();
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
        "HeartBtInt=30\nFileStorePath=" +
            folder_.path() +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ME\nTargetCompID=YOU\n",
        "desk.cfg");
    ASSERT_TRUE(settings);
    auto opened = engine::Engine::open(std::move(*settings), application_, {.log = &log_});
    ASSERT_TRUE(opened) << opened.error().what();
    engine_.emplace(std::move(*opened));
    const auto key = engine_->store().open_session("gateway client a", WallTime{});
    ASSERT_TRUE(key);
    counter_ = *key;
  }
  engine::SendResult send(std::string_view cl_ord_id, std::uint64_t count) {
    auto encoder = engine_->session(0).begin("D");
    encoder.field(11, cl_ord_id);
    return engine_->session(0).finish(encoder, counter_, count);
  }
  [[nodiscard]] std::uint64_t count() {
    return engine_->store().session(counter_).next_inbound - 1;
  }
  [[nodiscard]] std::uint64_t last_sent() {
    return engine_->session(0).numbers().next_outbound - 1;
  }

  testing::TemporaryFolder folder_;
  testing::RecordingLog log_;
  NoApplication application_;
  std::optional<engine::Engine> engine_;
  store::SessionKey counter_ = 0;
};

TEST_F(GatewayCounterTest, count_and_message_are_there_after_a_restart) {
  const store::LogPosition before = engine_->store().appended();
  ASSERT_TRUE(send("A1", 7));
  EXPECT_EQ(count(), 7U);
  EXPECT_GT(engine_->store().appended(), before);
  ASSERT_TRUE(send("A2", 9));
  open();
  EXPECT_EQ(count(), 9U);
  EXPECT_EQ(last_sent(), 2U);
  EXPECT_EQ(engine_->store().session(0).next_outbound, 3U);
}

TEST_F(GatewayCounterTest, a_message_that_is_not_sent_is_not_counted) {
  ASSERT_TRUE(send("A1", 7));
  const store::LogPosition before = engine_->store().appended();
  EXPECT_FALSE(send("", 8));
  EXPECT_EQ(count(), 7U);
  EXPECT_EQ(last_sent(), 1U);
  EXPECT_EQ(engine_->store().appended(), before);
  // It leaves nothing for the next record.
  auto encoder = engine_->session(0).begin("D");
  encoder.field(11, std::string_view{"A2"});
  ASSERT_TRUE(engine_->session(0).finish(encoder));
  EXPECT_EQ(count(), 7U);
  ASSERT_TRUE(send("A3", 8));
  EXPECT_EQ(count(), 8U);
  EXPECT_EQ(last_sent(), 3U);
}

}  // namespace
}  // namespace nexusfix::gateway
