// Another process follows the messages of a running engine.
#include "control/api/running_engine.hpp"
#include "unit/engine/service/control_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::LiveMessages;
using engine::MessageTail;
using observe::MessageKind;

class MessageTailTest : public ControlTest {
 protected:
  MessageTail begin(const std::string& session = {}) {
    auto tail = while_serving([&] { return MessageTail::open(store_folder(), session); });
    EXPECT_TRUE(tail.has_value()) << tail.error().text;
    return *std::move(tail);
  }
  LiveMessages next(MessageTail& tail) {
    auto got = while_serving([&] { return tail.next(); });
    EXPECT_TRUE(got.has_value()) << got.error().text;
    return got.value_or(LiveMessages{});
  }
};

TEST_F(MessageTailTest, tail_has_the_messages_of_both_directions_and_masks_passwords) {
  open();
  MessageTail tail = begin();
  EXPECT_TRUE(next(tail).messages.empty());
  RawPeer& peer = connect();
  peer.send(from("TRADER", "A", 1, "98=0|108=30|554=secret|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; }));
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  const LiveMessages got = next(tail);
  ASSERT_EQ(got.messages.size(), 4U);
  EXPECT_EQ(got.lost, 0U);
  EXPECT_EQ(got.messages[0].kind, MessageKind::Received);
  EXPECT_TRUE(contains(got.messages[0].bytes, "|554=***|")) << bar(got.messages[0].bytes);
  EXPECT_EQ(got.messages[1].kind, MessageKind::Sent);
  EXPECT_EQ(got.messages[1].bytes, peer.messages()[0]);
  EXPECT_EQ(got.messages[3].bytes, peer.messages()[1]);
  EXPECT_EQ(got.messages[3].session, kTrader);
  EXPECT_EQ(got.messages[3].time, clock.now().wall);
}

TEST_F(MessageTailTest, tail_of_one_session_has_no_other_messages) {
  open();
  MessageTail tail = begin("FIX.4.2:VENUE->OTHER");
  log_on("TRADER");
  log_on("OTHER");
  const LiveMessages got = next(tail);
  ASSERT_EQ(got.messages.size(), 2U);
  EXPECT_EQ(got.messages[0].session, "FIX.4.2:VENUE->OTHER");
  const auto unknown = while_serving([&] { return MessageTail::open(store_folder(), "NONE"); });
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().text, "the engine serves no session NONE");
}

TEST_F(MessageTailTest, slow_readers_lose_counted_messages_and_the_session_goes_on) {
  open();
  std::vector<MessageTail> tails;
  for (int i = 0; i < 20; ++i) tails.push_back(begin());
  RawPeer& trader = log_on("TRADER");
  constexpr int kSent = 300;
  for (int i = 0; i < kSent; ++i) {
    EchoVenue::send_text(acceptor->session(0), 10'000);
    turn(1);
  }
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 1U + kSent; }));
  std::uint64_t seen = 0;
  std::uint64_t lost = 0;
  for (;;) {
    const LiveMessages got = next(tails[7]);
    seen += got.messages.size();
    lost += got.lost;
    if (got.messages.empty()) break;
  }
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(seen + lost, 2U + kSent) << "Logon, its answer, and the messages";
  expect_still_serving();
}

TEST_F(MessageTailTest, readers_above_the_limit_are_refused) {
  open();
  std::vector<MessageTail> tails;
  for (std::size_t i = 0; i < MessageTail::kReadersMax; ++i) tails.push_back(begin());
  const auto more = while_serving([&] { return MessageTail::open(store_folder(), {}); });
  ASSERT_FALSE(more.has_value());
  EXPECT_TRUE(contains(more.error().text, "has 32 readers")) << more.error().text;
}

}  // namespace
}  // namespace nexusfix::testing
