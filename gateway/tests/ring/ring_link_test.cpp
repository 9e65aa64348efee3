// A client in shared memory, as the gateway's loop sees it.
#include "gateway/door/ring_link.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "gateway/door/socket_link.hpp"
#include "gateway/protocol/frame.hpp"
#include "gateway/ring/client_ring.hpp"
#include "gateway/tests/ring/test_folder.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;
using testing::TestFolder;

std::string frame_with(std::string_view body, FrameKind kind = FrameKind::Message) {
  std::vector<char> frame;
  append_frame(frame, {.kind = kind}, body);
  return {frame.data(), frame.size()};
}
std::string text(std::span<const char> frame) { return {frame.data(), frame.size()}; }

class RingLinkTest : public ::testing::Test {
 protected:
  RingLinkTest() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets_.data()), 0);
    auto ring = GatewayRing::create({.directory = folder_.path(),
                                     .to_gateway_bytes = 4096,
                                     .to_client_bytes = 4096,
                                     .frame_bytes_max = 2040});
    EXPECT_TRUE(ring) << ring.error().text;
    auto client = ClientRing::attach((*ring)->path(), (*ring)->key(), sockets_[1]);
    EXPECT_TRUE(client) << client.error().text;
    client_ = std::move(*client);
    auto socket = std::make_unique<SocketLink>(sockets_[0]);
    link_ = std::make_unique<RingLink>(std::move(*ring), std::move(socket));
  }
  ~RingLinkTest() override {
    if (sockets_[1] >= 0) ::close(sockets_[1]);
  }
  [[nodiscard]] std::string received_by_socket() const {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(sockets_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  // Reads as a loop that spins: until there is a frame or a fault.
  [[nodiscard]] std::string spin() const {
    for (;;) {
      const std::span<const char> frame = link_->read();
      if (!frame.empty() || !link_->fault().empty()) return text(frame);
    }
  }

  TestFolder folder_;
  std::array<int, 2> sockets_{};
  std::unique_ptr<ClientRing> client_;
  std::unique_ptr<RingLink> link_;
};

TEST_F(RingLinkTest, the_welcome_goes_by_the_socket_and_later_frames_by_the_ring) {
  ASSERT_TRUE(link_->write(frame_with("welcome", FrameKind::Welcome)));
  ASSERT_TRUE(link_->write(frame_with("a report")));
  link_->flush();
  EXPECT_EQ(received_by_socket(), frame_with("welcome", FrameKind::Welcome));
  EXPECT_EQ(client_->next(), frame_with("a report"));
  EXPECT_EQ(client_->next(), "");
  EXPECT_FALSE(link_->has_unsent());
}

TEST_F(RingLinkTest, frames_of_the_client_are_read) {
  EXPECT_TRUE(link_->read().empty());
  ASSERT_EQ(client_->send(frame_with("an order")), Written::Yes);
  EXPECT_EQ(text(link_->read()), frame_with("an order"));
  EXPECT_TRUE(link_->fault().empty());
}

TEST_F(RingLinkTest, a_full_ring_takes_nothing_until_the_client_has_read) {
  const std::string frame = frame_with(std::string(960, 'x'));
  std::size_t written = 0;
  while (link_->write(frame)) ++written;
  EXPECT_EQ(written, 4U);  // of 1,008 bytes with the record's word
  for (std::size_t i = 0; i < written; ++i) EXPECT_EQ(client_->next(), frame);
  EXPECT_EQ(client_->next(), "");
  EXPECT_TRUE(link_->write(frame));
  EXPECT_TRUE(link_->fault().empty());
}

TEST_F(RingLinkTest, a_client_that_waits_by_its_socket_gets_one_byte) {
  auto raw = RingFile::open(client_->path());
  ASSERT_TRUE(raw) << raw.error().text;
  (*raw)->header().to_client.sleeps = static_cast<std::uint32_t>(Sleeps::Socket);
  ASSERT_TRUE(link_->write(frame_with("a report")));
  link_->flush();
  EXPECT_EQ(received_by_socket(), std::string(1, '\0'));
  ASSERT_TRUE(link_->write(frame_with("a report")));
  link_->flush();
  EXPECT_EQ(received_by_socket(), "");
}

TEST_F(RingLinkTest, a_client_that_waits_by_its_socket_is_not_woken_without_a_frame) {
  ASSERT_TRUE(client_->begin_sleep());
  ASSERT_TRUE(link_->write(frame_with("welcome", FrameKind::Welcome)));
  link_->flush();
  EXPECT_EQ(received_by_socket(), frame_with("welcome", FrameKind::Welcome));
  link_->flush();
  EXPECT_EQ(received_by_socket(), "");
  ASSERT_TRUE(link_->write(frame_with("a report")));
  link_->flush();
  EXPECT_EQ(received_by_socket(), std::string(1, '\0'));
}

TEST_F(RingLinkTest, a_loop_that_sleeps_is_woken_by_the_descriptor) {
  ASSERT_TRUE(link_->begin_sleep());
  ASSERT_EQ(client_->send(frame_with("an order")), Written::Yes);
  char byte = 1;
  ASSERT_EQ(::recv(link_->descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT), 1);
  EXPECT_FALSE(link_->begin_sleep());
  EXPECT_EQ(text(link_->read()), frame_with("an order"));
  ASSERT_TRUE(link_->begin_sleep());
  EXPECT_TRUE(link_->read().empty());
  EXPECT_EQ(::recv(link_->descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT), -1)
      << "a byte that stays would wake the loop in each turn";
}

TEST_F(RingLinkTest, the_end_of_the_client_is_seen_after_its_frames) {
  ASSERT_EQ(client_->send(frame_with("the last order")), Written::Yes);
  EXPECT_FALSE(link_->has_ended());
  ::close(std::exchange(sockets_[1], -1));
  EXPECT_TRUE(link_->has_ended());
  ASSERT_EQ(text(link_->read()), frame_with("the last order"));
  EXPECT_EQ(spin(), "");
  EXPECT_EQ(link_->fault(), "the client has closed its connection");
  EXPECT_FALSE(link_->is_protocol_fault());
}

TEST_F(RingLinkTest, a_loop_that_sleeps_reads_the_last_frames_of_a_client_that_has_ended) {
  ASSERT_TRUE(link_->begin_sleep());
  ASSERT_EQ(client_->send(frame_with("an order")), Written::Yes);
  ASSERT_EQ(client_->send(frame_with("the last order")), Written::Yes);
  ::close(std::exchange(sockets_[1], -1));
  EXPECT_EQ(text(link_->read()), frame_with("an order"));
  EXPECT_EQ(text(link_->read()), frame_with("the last order"));
  EXPECT_TRUE(link_->read().empty());
  EXPECT_EQ(link_->fault(), "the client has closed its connection");
}

TEST_F(RingLinkTest, a_frame_whose_length_is_not_that_of_its_record_is_a_fault) {
  std::string frame = frame_with("an order");
  ++frame[0];
  ASSERT_EQ(client_->send(frame), Written::Yes);
  EXPECT_TRUE(link_->read().empty());
  EXPECT_TRUE(link_->is_protocol_fault());
  ASSERT_EQ(client_->send(frame_with("an order")), Written::Yes);
  EXPECT_TRUE(link_->read().empty()) << "after a fault nothing is read";
}

TEST_F(RingLinkTest, damaged_memory_is_a_fault_with_a_reason_and_nothing_waits_for_it) {
  auto raw = RingFile::open(client_->path());
  ASSERT_TRUE(raw) << raw.error().text;
  (*raw)->bytes()[4096] = 5;
  (*raw)->bytes()[4100] = 1;
  EXPECT_TRUE(link_->read().empty());
  EXPECT_THAT(std::string{link_->fault()}, HasSubstr("a torn record"));
  EXPECT_TRUE(link_->is_protocol_fault());
  ASSERT_TRUE(link_->write(frame_with("why", FrameKind::Closed)));
  link_->flush();
  EXPECT_FALSE(link_->has_unsent());
  EXPECT_EQ(client_->fault(), RingFault::Mark);
}

}  // namespace
}  // namespace nexusfix::gateway
