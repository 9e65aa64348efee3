// What a client gets once: a message may come from the log, and live.
#include "gateway/client/attached_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace nexusfix::gateway {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kSession = "FIX.4.4:ME->YOU";
constexpr std::string_view kReport =
    "8=FIX.4.4\x01"
    "9=5\x01"
    "35=8\x01"
    "10=171\x01";

// A log with one received message a record: MsgSeqNum 1 is the record that ends at 1.
class NumberedLog final : public store::LogFollower {
 public:
  std::expected<bool, std::string> next(Visitor visit) override {
    ++cursor_.position;
    visit({.session = kSession,
           .is_received = true,
           .msg_seq_num = cursor_.position,
           .time = {},
           .bytes = kReport});
    return true;
  }
  const store::JournalCursor& cursor() const noexcept override { return cursor_; }
  store::LogPosition end_of_log() override { return cursor_.position; }
  std::optional<store::StoreEvent> next_event() override { return std::nullopt; }
  std::expected<std::unique_ptr<LogFollower>, std::string> fork() const override {
    return std::unexpected{"it has one reader"};
  }

 private:
  store::JournalCursor cursor_{.log_id = 1, .segment = 1};
};

// Keeps what the client gets: "3" is message 3, "journal 3" the same from the log.
class KeepingLink final : public ClientLink {
 public:
  explicit KeepingLink(std::vector<std::string>& got) : got_{got} {}
  std::span<const char> read() override { return {}; }
  bool write(std::span<const char> bytes) override {
    const FrameHeader header = read_frame(bytes)->header;
    if (header.kind == FrameKind::CaughtUp) got_.emplace_back("caught up");
    if (header.kind != FrameKind::Message) return true;
    const bool is_old = header.flags == kFlagFromJournal;
    got_.push_back((is_old ? "journal " : "") + std::to_string(header.msg_seq_num));
    return true;
  }
  void flush() override {}
  bool has_unsent() const noexcept override { return false; }
  std::string_view fault() const noexcept override { return {}; }
  bool is_protocol_fault() const noexcept override { return false; }
  int descriptor() const noexcept override { return -1; }

 private:
  std::vector<std::string>& got_;
};

class AttachedClientTest : public ::testing::Test {
 protected:
  AttachedClientTest() { rights_.front().name = "desk"; }

  // The journal has the messages up to this one.
  void admit(std::uint64_t last) { client_.admit(rights_.front(), {{1, last}}, {{1, 0}}, 0); }
  void replay_after(std::uint64_t cursor, std::uint64_t last) {
    client_.replay(std::make_unique<JournalReplay>(ReplayRequest{
        .open_log = [](const store::FollowOptions&) { return std::make_unique<NumberedLog>(); },
        .is_on_loop = true,
        .until = last,
        .begin = {},
        .sessions = {{std::string{kSession}, 0, MessagePlace{1, cursor}, {}}},
        .client = &rights_.front(),
        .clients = rights_}));
  }
  void comes_live(std::uint64_t msg_seq_num) {
    client_.deliver({.place = {1, msg_seq_num}, .bytes = kReport});
  }
  std::vector<std::string> got() {
    client_.release(AttachedClient::Part::All);
    return std::exchange(got_, {});
  }

  std::vector<ClientRights> rights_{1};
  std::vector<std::string> got_;
  AttachedClient client_{std::make_unique<KeepingLink>(got_), "peer", kNever};
};

TEST_F(AttachedClientTest, a_message_that_comes_live_twice_is_delivered_once) {
  admit(4);
  comes_live(5);
  comes_live(5);
  comes_live(4);
  comes_live(6);
  EXPECT_THAT(got(), ElementsAre("5", "6"));
}

TEST_F(AttachedClientTest, what_is_discarded_is_never_delivered) {
  admit(4);
  comes_live(5);
  client_.mark();
  comes_live(6);
  client_.release(AttachedClient::Part::Marked);
  client_.discard_waiting();
  client_.mark();
  comes_live(7);
  EXPECT_THAT(got(), ElementsAre("5", "7"));
}

TEST_F(AttachedClientTest, indexes_of_the_sessions_that_a_client_may_see_have_no_gap) {
  client_.number_sessions({1, 4});
  EXPECT_EQ(client_.index_of(1), 0U);
  EXPECT_EQ(client_.index_of(4), 1U);
  EXPECT_EQ(client_.session_at(0), 1U);
  EXPECT_EQ(client_.session_at(1), 4U);
  EXPECT_EQ(client_.session_at(2), std::nullopt);
}

TEST_F(AttachedClientTest,
       a_message_that_comes_live_while_the_log_is_read_there_is_delivered_once) {
  admit(3);
  replay_after(1, 3);
  comes_live(3);
  EXPECT_FALSE(client_.go_on_replaying());
  comes_live(3);
  comes_live(4);
  EXPECT_THAT(got(), ElementsAre("journal 2", "journal 3"));
  comes_live(3);
  EXPECT_TRUE(client_.go_on_replaying());
  comes_live(4);
  comes_live(5);
  EXPECT_THAT(got(), ElementsAre("caught up", "4", "5"));
}

}  // namespace
}  // namespace nexusfix::gateway
