// ResendServer without an EventLoop: stored messages are sent again, in slices and at a rate.
#include "engine/session/sending/resend_server.hpp"

#include <chrono>
#include <string>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

class ResendServerComponent : public testing::FloorsTest {
 protected:
  // Logged on, with orders that were answered as MsgSeqNum 2 to count + 1.
  transport::SocketId log_on_and_answer(std::uint64_t count) {
    open();
    const transport::SocketId peer = log_on(entry()).peer;
    for (std::uint64_t i = 0; i < count; ++i) receive_order(entry(), 2 + i, std::to_string(i));
    EXPECT_EQ(count_of(sent_to(peer), "|35=8|"), count);
    next_inbound_ = 2 + count;
    return peer;
  }
  void request(std::uint64_t begin, std::uint64_t end) {
    receive(entry(), "2", next_inbound_++,
            "7=" + std::to_string(begin) + "|16=" + std::to_string(end) + "|");
  }
  std::uint64_t next_inbound_ = 2;
};

TEST_F(ResendServerComponent, stored_messages_are_sent_again_and_others_are_gap_filled) {
  const auto peer = log_on_and_answer(2);
  request(1, 0);
  EXPECT_TRUE(entry().resend.is_in_progress());
  EXPECT_TRUE(loop().work.has(Work::Resends));
  EXPECT_EQ(sent_to(peer), "") << "the resend is work of the turn, not of the event";
  sessions().resends.serve_replays();
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|35=4|34=1|") && sent.contains("|36=2|")) << sent;
  EXPECT_EQ(count_of(sent, "|43=Y|"), 3U) << sent;
  EXPECT_EQ(count_of(sent, "|35=8|"), 2U) << sent;
  EXPECT_FALSE(entry().resend.is_in_progress());
}

TEST_F(ResendServerComponent, new_message_waits_for_the_end_of_the_resend) {
  const auto peer = log_on_and_answer(1);
  request(2, 2);
  testing::EchoVenue::answer(entry().session, "NEW");
  EXPECT_EQ(sent_to(peer), "");
  EXPECT_FALSE(entry().resend.queued().empty());
  sessions().resends.serve_replays();
  const std::string sent = sent_to(peer);
  EXPECT_LT(sent.find("|43=Y|"), sent.find("|11=NEW|")) << sent;
  EXPECT_NE(sent.find("|11=NEW|"), std::string::npos) << sent;
}

TEST_F(ResendServerComponent, turn_serves_one_slice) {
  const auto peer = log_on_and_answer(300);
  request(2, 301);
  sessions().resends.serve_replays();
  EXPECT_EQ(count_of(sent_to(peer), "|43=Y|"), 256U);
  EXPECT_TRUE(loop().work.has(Work::Resends));
  sessions().resends.serve_replays();
  EXPECT_EQ(count_of(sent_to(peer), "|43=Y|"), 44U);
  EXPECT_FALSE(entry().resend.is_in_progress());
}

TEST_F(ResendServerComponent, rate_pauses_a_resend_until_the_next_second) {
  extra = "MaxResendsPerSecond=2";
  const auto peer = log_on_and_answer(3);
  request(2, 4);
  sessions().resends.serve_replays();
  EXPECT_EQ(count_of(sent_to(peer), "|43=Y|"), 2U);
  sessions().resends.serve_replays();
  EXPECT_EQ(sent_to(peer), "");
  EXPECT_EQ(entry().resend.resumes_at(), clock.now().mono + 1s);
  pass(1s);
  loop().work.set(Work::Resends);
  sessions().resends.serve_replays();
  EXPECT_EQ(count_of(sent_to(peer), "|43=Y|"), 1U);
}

TEST_F(ResendServerComponent, application_may_refuse_a_request) {
  callbacks.on_resend_request = [](void*, Session&, const ResendRequest&) {
    return ResendAnswer::reject("too old");
  };
  const auto peer = log_on_and_answer(1);
  request(1, 2);
  EXPECT_FALSE(entry().resend.is_in_progress());
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|35=3|") && sent.contains("|58=too old|")) << sent;
}

TEST_F(ResendServerComponent, end_of_the_connection_ends_the_resend) {
  log_on_and_answer(1);
  request(2, 2);
  sessions().disconnector.close(*entry().connection());
  EXPECT_FALSE(entry().resend.is_in_progress());
  sessions().resends.serve_replays();
  EXPECT_FALSE(loop().work.has(Work::Resends));
}

TEST_F(ResendServerComponent, stored_message_is_shown_and_an_unknown_one_is_not) {
  log_on_and_answer(1);
  std::string shown;
  const auto visit = [&](std::uint64_t, std::string_view bytes) {
    shown += testing::bar(bytes);
    return false;
  };
  sessions().resends.show_stored(entry(), 2, visit);
  EXPECT_TRUE(shown.contains("|11=0|")) << shown;
  shown.clear();
  sessions().resends.show_stored(entry(), 9, visit);
  EXPECT_EQ(shown, "");
}

}  // namespace
}  // namespace nexusfix::engine
