// What a client gets from a log whose record has messages of several sessions, as a database has
// them.
#include "gateway/replay/journal_replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/protocol/frame.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::ElementsAre;

struct Logged {
  std::string session;
  bool is_received = true;
  std::uint64_t msg_seq_num = 0;
  std::string bytes;
};

// One record, which ends at 1.
class OneRecordLog final : public store::LogFollower {
 public:
  explicit OneRecordLog(std::vector<Logged> record) : record_{std::move(record)} {}
  std::expected<bool, std::string> next(Visitor visit) override {
    if (std::exchange(cursor_.position, 1) == 1) return false;
    for (const Logged& one : record_) {
      visit({.session = one.session,
             .is_received = one.is_received,
             .msg_seq_num = one.msg_seq_num,
             .time = {},
             .bytes = one.bytes});
    }
    return true;
  }
  const store::JournalCursor& cursor() const noexcept override { return cursor_; }
  store::LogPosition end_of_log() override { return 1; }
  std::optional<store::StoreEvent> next_event() override { return std::nullopt; }
  std::expected<std::unique_ptr<LogFollower>, std::string> fork() const override {
    return std::unexpected{"it has one reader"};
  }

 private:
  std::vector<Logged> record_;
  store::JournalCursor cursor_{.log_id = 1, .segment = 1};
};

// "A 5" for each message that a trader gets who has nothing yet.
std::vector<std::string> replayed(const std::vector<Logged>& record) {
  const std::vector<ClientRights> clients(1);
  JournalReplay replay{
      {.open_log =
           [&](const store::FollowOptions&) { return std::make_unique<OneRecordLog>(record); },
       .is_on_loop = true,
       .until = 1,
       .begin = {},
       .sessions = {{"A", 0, MessagePlace{1, 0}, {}}, {"B", 1, MessagePlace{1, 0}, {}}},
       .client = &clients.front(),
       .clients = clients}};
  const std::vector<char> bytes = replay.consume(1U << 20U);
  std::vector<std::string> got;
  for (std::span<const char> rest{bytes}; !rest.empty();) {
    const std::size_t size = frame_bytes(rest).value_or(rest.size());
    const FrameHeader header = read_frame(rest.first(size))->header;
    got.push_back((header.session == 0 ? "A " : "B ") + std::to_string(header.msg_seq_num));
    rest = rest.subspan(size);
  }
  EXPECT_TRUE(replay.has_ended());
  EXPECT_EQ(replay.error(), "");
  return got;
}

TEST(JournalReplay,
     a_message_that_was_rejected_is_left_out_and_its_namesake_of_another_session_not) {
  const std::string report = testing::fix("FIX.4.4", "35=8|");
  const std::string reject = testing::fix("FIX.4.4", "35=j|45=5|");
  EXPECT_THAT(replayed({{"A", true, 4, report},
                        {"A", false, 9, reject},
                        {"B", true, 5, report},
                        {"A", true, 5, report},
                        {"A", true, 6, report}}),
              ElementsAre("A 4", "B 5", "A 6"));
}

}  // namespace
}  // namespace nexusfix::gateway
