// The fake keeps the contract of Network, so that a test with it holds for the real one.
#include "support/network/fake_network.hpp"

#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <string_view>

namespace nexusfix::transport {
namespace {

class FakeNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const SocketId listener = venue_.listen({"", 0}).value();
    port_ = venue_.local_port(listener);
    near_ = trader_.connect({"venue", port_}).value();
    EXPECT_EQ(wait(trader_).at(0).kind, Ready::Kind::Connected);
    const auto ready = wait(venue_);
    ASSERT_EQ(ready.at(0).kind, Ready::Kind::Accepted);
    far_ = ready.at(0).accepted;
  }

  static std::vector<Ready> wait(FakeNetwork& network, std::size_t room = 8) {
    std::vector<Ready> events(room);
    events.resize(network.wait(events, std::nullopt));
    return events;
  }

  std::string receive(FakeNetwork& network, SocketId socket, IoResult::Status* status = nullptr) {
    std::array<char, 64> buffer{};
    const IoResult result = network.receive(socket, buffer);
    if (status != nullptr) *status = result.status;
    return {buffer.data(), result.bytes};
  }

  FakeInternet internet_{16};
  FakeNetwork venue_{internet_, "10.0.0.1"};
  FakeNetwork trader_{internet_, "10.0.0.2"};
  std::uint16_t port_ = 0;
  SocketId near_ = 0;
  SocketId far_ = 0;
};

TEST_F(FakeNetworkTest, both_ends_know_each_other) {
  EXPECT_EQ(trader_.peer_name(near_), "venue:" + std::to_string(port_));
  EXPECT_EQ(venue_.peer_name(far_), "10.0.0.2:" + std::to_string(trader_.local_port(near_)));
  EXPECT_TRUE(wait(venue_).empty());
}

TEST_F(FakeNetworkTest, bytes_arrive_in_the_chunks_that_a_test_chooses) {
  EXPECT_EQ(trader_.send(near_, std::string_view{"abcde"}).bytes, 5U);
  internet_.limits.receive_bytes_max = 2;
  EXPECT_EQ(receive(venue_, far_), "ab");
  EXPECT_EQ(wait(venue_).at(0).kind, Ready::Kind::Readable);
  EXPECT_EQ(receive(venue_, far_), "cd");
  EXPECT_EQ(receive(venue_, far_), "e");
  IoResult::Status status = IoResult::Status::Ok;
  EXPECT_EQ(receive(venue_, far_, &status), "");
  EXPECT_EQ(status, IoResult::Status::WouldBlock);
  EXPECT_TRUE(wait(venue_).empty());
}

TEST_F(FakeNetworkTest, bytes_for_a_paused_socket_wait_until_it_is_resumed) {
  venue_.pause(far_, true);
  EXPECT_EQ(trader_.send(near_, std::string_view{"abc"}).bytes, 3U);
  EXPECT_TRUE(wait(venue_).empty());
  venue_.pause(far_, false);
  EXPECT_EQ(wait(venue_).at(0).kind, Ready::Kind::Readable);
  EXPECT_EQ(receive(venue_, far_), "abc");
}

TEST_F(FakeNetworkTest, a_partial_send_is_followed_by_writable_and_the_ring_wraps) {
  internet_.limits.send_bytes_max = 3;
  EXPECT_EQ(trader_.send(near_, std::string_view{"abcde"}).bytes, 3U);
  EXPECT_EQ(wait(trader_).at(0).kind, Ready::Kind::Writable);
  EXPECT_EQ(trader_.send(near_, std::string_view{"de"}).bytes, 2U);
  EXPECT_TRUE(wait(trader_).empty());
  EXPECT_EQ(receive(venue_, far_), "abcde");
  internet_.limits = {};
  EXPECT_EQ(trader_.send(near_, std::string_view{"0123456789ABCDEFGH"}).bytes, 16U);
  EXPECT_TRUE(wait(trader_).empty());  // full
  EXPECT_EQ(trader_.send(near_, std::string_view{"GH"}).status, IoResult::Status::WouldBlock);
  EXPECT_EQ(receive(venue_, far_), "0123456789ABCDEF");
  EXPECT_EQ(wait(trader_).at(0).kind, Ready::Kind::Writable);
}

TEST_F(FakeNetworkTest, held_bytes_arrive_when_the_test_says_so_and_the_end_after_them) {
  internet_.limits.hold = true;
  EXPECT_EQ(trader_.send(near_, std::string_view{"abc"}).bytes, 3U);
  trader_.close(near_);
  EXPECT_TRUE(wait(venue_).empty());
  internet_.deliver(2);
  EXPECT_EQ(receive(venue_, far_), "ab");
  IoResult::Status status = IoResult::Status::Ok;
  EXPECT_EQ(receive(venue_, far_, &status), "");
  EXPECT_EQ(status, IoResult::Status::WouldBlock);
  internet_.deliver();
  EXPECT_EQ(receive(venue_, far_), "c");
  EXPECT_EQ(receive(venue_, far_, &status), "");
  EXPECT_EQ(status, IoResult::Status::Closed);
}

TEST_F(FakeNetworkTest, a_broken_connection_is_seen_by_both_after_the_bytes_that_had_arrived) {
  EXPECT_EQ(trader_.send(near_, std::string_view{"abc"}).bytes, 3U);
  trader_.break_connection(near_, ECONNRESET);
  EXPECT_EQ(receive(venue_, far_), "abc");
  IoResult::Status status = IoResult::Status::Ok;
  receive(venue_, far_, &status);
  EXPECT_EQ(status, IoResult::Status::Failed);
  EXPECT_EQ(wait(venue_).at(0).kind, Ready::Kind::Failed);
  EXPECT_EQ(venue_.last_error(far_),
            "receive from " + venue_.peer_name(far_) + ": Connection reset by peer");
  EXPECT_EQ(trader_.send(near_, std::string_view{"x"}).error_number, ECONNRESET);
}

TEST_F(FakeNetworkTest, an_absent_listener_a_refusal_and_silence_are_distinguished) {
  const SocketId absent = trader_.connect({"venue", 1}).value();
  EXPECT_EQ(wait(trader_).at(0).kind, Ready::Kind::Failed);
  EXPECT_EQ(trader_.last_error(absent), "connect venue:1: Connection refused");
  trader_.close(absent);
  internet_.refuse(port_, ETIMEDOUT);
  const SocketId refused = trader_.connect({"venue", port_}).value();
  EXPECT_EQ(trader_.last_error(refused),
            "connect venue:" + std::to_string(port_) + ": Connection timed out");
  trader_.close(refused);
  internet_.refuse(port_, 0);
  internet_.swallow(port_, true);
  ASSERT_TRUE(trader_.connect({"venue", port_}).has_value());
  EXPECT_TRUE(wait(trader_).empty());
  EXPECT_TRUE(wait(venue_).empty());
}

TEST_F(FakeNetworkTest, sockets_are_reported_in_turn_when_there_is_little_room) {
  const SocketId second = trader_.connect({"venue", port_}).value();
  wait(trader_);
  const SocketId far = wait(venue_).at(0).accepted;
  EXPECT_EQ(trader_.send(near_, std::string_view{"a"}).bytes, 1U);
  EXPECT_EQ(trader_.send(second, std::string_view{"b"}).bytes, 1U);
  EXPECT_EQ(wait(venue_, 1).at(0).socket, far_);
  EXPECT_EQ(wait(venue_, 1).at(0).socket, far);
  EXPECT_EQ(wait(venue_, 1).at(0).socket, far_);
}

TEST_F(FakeNetworkTest, a_killed_process_ends_its_connections_and_frees_its_port) {
  EXPECT_EQ(venue_.listen({"", port_}).error().error_number, EADDRINUSE);
  ASSERT_TRUE(trader_.connect({"venue", port_}).has_value());  // not accepted yet
  venue_.close_all();
  IoResult::Status status = IoResult::Status::Ok;
  receive(trader_, near_, &status);
  EXPECT_EQ(status, IoResult::Status::Closed);
  EXPECT_EQ(trader_.send(near_, std::string_view{"x"}).status, IoResult::Status::Failed);
  EXPECT_EQ(venue_.open_sockets(), 0U);
  EXPECT_TRUE(venue_.listen({"", port_}).has_value());
}

TEST_F(FakeNetworkTest, closed_ids_are_unknown) {
  venue_.close(far_);
  EXPECT_EQ(venue_.send(far_, std::string_view{"x"}).error_number, EBADF);
  EXPECT_EQ(venue_.peer_name(far_), "");
  venue_.close(far_);
}

TEST_F(FakeNetworkTest, both_ends_may_be_in_one_network) {
  const SocketId near = venue_.connect({"venue", port_}).value();
  const auto ready = wait(venue_);
  ASSERT_EQ(ready.size(), 2U);
  EXPECT_EQ(venue_.send(near, std::string_view{"self"}).bytes, 4U);
  EXPECT_EQ(receive(venue_, ready.at(1).accepted), "self");
}

}  // namespace
}  // namespace nexusfix::transport
