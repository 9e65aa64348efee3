// The two sides of a ring's file: attach, frames, waking, closing; and what the gateway does with
// memory that its client damages.
#include "gateway/ring/gateway_ring.hpp"

#include <array>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "gateway/ring/client_ring.hpp"
#include "gateway/tests/ring/test_folder.hpp"

namespace nexusfix::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::TestFolder;

// A gateway's ring, and its client with the other end of a Unix socket.
class GatewayRingTest : public ::testing::Test {
 protected:
  GatewayRingTest() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets_.data()), 0);
    auto gateway = GatewayRing::create({.directory = folder_.path(),
                                        .to_gateway_bytes = 4096,
                                        .to_client_bytes = 8192,
                                        .frame_bytes_max = 2040});
    EXPECT_TRUE(gateway) << gateway.error().text;
    gateway_ = std::move(*gateway);
    path_ = gateway_->path();
    auto client = ClientRing::attach(path_, gateway_->key(), sockets_[1]);
    EXPECT_TRUE(client) << client.error().text;
    client_ = std::move(*client);
    auto raw = RingFile::open(path_);
    EXPECT_TRUE(raw);
    raw_ = std::move(*raw);
  }
  ~GatewayRingTest() override {
    ::close(sockets_[1]);
    if (sockets_[0] >= 0) ::close(sockets_[0]);
  }
  // The number of bytes that the gateway's end of the socket has.
  [[nodiscard]] ssize_t woken() const {
    std::array<char, 64> bytes{};
    return ::recv(sockets_[0], bytes.data(), bytes.size(), MSG_DONTWAIT);
  }
  // A word of the file, as a hostile client would change it.
  [[nodiscard]] std::uint64_t& word(std::uint64_t offset) {
    return *reinterpret_cast<std::uint64_t*>(raw_->bytes() + offset);
  }

  TestFolder folder_;
  std::array<int, 2> sockets_{};
  std::string path_;
  std::unique_ptr<GatewayRing> gateway_;
  std::unique_ptr<ClientRing> client_;
  std::unique_ptr<RingFile> raw_;
};

TEST_F(GatewayRingTest, frames_go_both_ways) {
  EXPECT_EQ(gateway_->read(), "");
  EXPECT_EQ(client_->next(), "");
  ASSERT_EQ(client_->send("an order"), Written::Yes);
  ASSERT_EQ(client_->send("a cancel"), Written::Yes);
  EXPECT_EQ(gateway_->read(), "an order");
  ASSERT_EQ(gateway_->write("a ", "report"), Written::Yes);
  EXPECT_EQ(gateway_->read(), "a cancel");
  EXPECT_EQ(client_->next(), "a report");
  EXPECT_EQ(client_->next(), "");
  EXPECT_EQ(gateway_->fault(), RingFault::None);
  EXPECT_EQ(client_->fault(), RingFault::None);
}

TEST_F(GatewayRingTest, the_first_frame_removes_the_name) {
  EXPECT_EQ(folder_.files(), 1U);
  ASSERT_EQ(client_->send("hello"), Written::Yes);
  EXPECT_EQ(gateway_->read(), "hello");
  EXPECT_EQ(folder_.files(), 0U);
}

TEST_F(GatewayRingTest, another_key_is_refused) {
  const auto other = ClientRing::attach(path_, gateway_->key() + 1, sockets_[1]);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text, HasSubstr("is the shared memory of another client"));
}

TEST_F(GatewayRingTest, a_gateway_that_sleeps_is_woken_by_one_byte) {
  ASSERT_EQ(client_->send("a"), Written::Yes);
  EXPECT_EQ(woken(), -1);
  EXPECT_FALSE(gateway_->begin_sleep());  // there is a frame
  EXPECT_EQ(gateway_->read(), "a");
  EXPECT_TRUE(gateway_->begin_sleep());
  ASSERT_EQ(client_->send("b"), Written::Yes);
  ASSERT_EQ(client_->send("c"), Written::Yes);
  EXPECT_EQ(woken(), 1);
  gateway_->end_sleep();
  EXPECT_EQ(gateway_->read(), "b");
}

TEST_F(GatewayRingTest, a_client_that_sleeps_is_woken) {
  std::atomic<bool> is_waiting{false};
  std::thread client{[&] {
    is_waiting = true;
    EXPECT_EQ(client_->wait(60s, 0s), Waited::Frame);
    EXPECT_EQ(client_->next(), "wake");
  }};
  while (!is_waiting) std::this_thread::yield();
  while (std::atomic_ref{raw_->header().to_client.sleeps}.load() == 0) std::this_thread::yield();
  ASSERT_EQ(gateway_->write("wake"), Written::Yes);
  EXPECT_FALSE(gateway_->wake_client());
  client.join();
}

TEST_F(GatewayRingTest, a_client_may_wait_by_its_socket) {
  raw_->header().to_client.sleeps = static_cast<std::uint32_t>(Sleeps::Socket);
  ASSERT_EQ(gateway_->write("wake"), Written::Yes);
  EXPECT_TRUE(gateway_->wake_client());
  ASSERT_EQ(gateway_->write("no more"), Written::Yes);
  EXPECT_FALSE(gateway_->wake_client());
}

TEST_F(GatewayRingTest, waiting_ends_at_its_timeout_and_at_the_end_of_the_gateway) {
  EXPECT_EQ(client_->wait(1ms, 0s), Waited::Timeout);
  EXPECT_EQ(client_->wait(0s), Waited::Timeout);
  EXPECT_TRUE(client_->is_gateway_there());
  ASSERT_EQ(gateway_->write("last"), Written::Yes);
  ::close(sockets_[0]);
  sockets_[0] = -1;
  EXPECT_FALSE(client_->is_gateway_there());
  EXPECT_EQ(client_->wait(60s, 0s), Waited::Frame);
  EXPECT_EQ(client_->next(), "last");
  EXPECT_EQ(client_->wait(60s, 0s), Waited::Closed);
}

TEST_F(GatewayRingTest, a_closed_ring_tells_the_client_why) {
  ASSERT_EQ(gateway_->write("last"), Written::Yes);
  std::thread client{[&] {
    EXPECT_EQ(client_->wait(60s, 0s), Waited::Frame);
    EXPECT_EQ(client_->next(), "last");
    EXPECT_EQ(client_->wait(60s, 0s), Waited::Closed);
  }};
  while (std::atomic_ref{raw_->header().to_client.sleeps}.load() == 0) std::this_thread::yield();
  gateway_->close(RingFault::Slow);
  client.join();
  EXPECT_TRUE(client_->is_closed());
  EXPECT_EQ(client_->fault(), RingFault::Slow);
  EXPECT_EQ(gateway_->write("more"), Written::Fault);
  ASSERT_EQ(client_->send("more"), Written::Yes);
  EXPECT_EQ(gateway_->read(), "");
  EXPECT_EQ(folder_.files(), 0U);
}

TEST_F(GatewayRingTest, a_client_that_does_not_read_fills_its_ring_and_nothing_else) {
  const std::string frame(1000, 'x');
  std::size_t written = 0;
  while (gateway_->write(frame) == Written::Yes) ++written;
  EXPECT_EQ(written, 8U);
  EXPECT_EQ(gateway_->write(frame), Written::Full);
  EXPECT_FALSE(gateway_->is_closed());
  while (!client_->next().empty()) {
  }
  EXPECT_EQ(gateway_->write(frame), Written::Yes);
}

TEST_F(GatewayRingTest, a_torn_record_closes_the_ring_with_a_reason) {
  word(4096) = 8ULL << 32U | 5U;
  EXPECT_EQ(gateway_->read(), "");
  EXPECT_EQ(gateway_->fault(), RingFault::Mark);
  EXPECT_EQ(client_->fault(), RingFault::Mark);
  word(4096) = 5U;  // it does not open again
  EXPECT_EQ(gateway_->read(), "");
}

TEST_F(GatewayRingTest, an_impossible_read_position_closes_the_ring) {
  raw_->header().to_client.head = ~std::uint64_t{0};
  const std::string frame(1000, 'x');
  Written written = Written::Yes;
  for (int i = 0; i < 100 && written == Written::Yes; ++i) written = gateway_->write(frame);
  EXPECT_EQ(written, Written::Fault);
  EXPECT_EQ(gateway_->fault(), RingFault::Head);
}

TEST_F(GatewayRingTest, the_header_is_not_read_again) {
  // The client overwrites all of it but the words of the rings.
  std::memset(raw_->bytes(), 0xFF, offsetof(RingHeader, to_gateway));
  ASSERT_EQ(client_->send("an order"), Written::Yes);
  EXPECT_EQ(gateway_->read(), "an order");
  ASSERT_EQ(gateway_->write("a report"), Written::Yes);
  EXPECT_EQ(client_->next(), "a report");
  EXPECT_FALSE(gateway_->is_closed());
}

TEST_F(GatewayRingTest, a_frame_is_the_gateways_own_copy) {
  ASSERT_EQ(client_->send("an order"), Written::Yes);
  const std::string_view frame = gateway_->read();
  std::memset(raw_->bytes() + 4096, 'x', 4096);
  EXPECT_EQ(frame, "an order");
}

TEST_F(GatewayRingTest, a_truncated_file_closes_the_ring) {
  ASSERT_EQ(client_->send("an order"), Written::Yes);
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(gateway_->read(), "");
  EXPECT_EQ(gateway_->fault(), RingFault::Truncated);
}

TEST_F(GatewayRingTest, a_file_that_is_truncated_before_a_write_closes_the_ring) {
  ASSERT_EQ(::truncate(path_.c_str(), 4096), 0);
  EXPECT_EQ(gateway_->write("a report"), Written::Fault);
  EXPECT_EQ(gateway_->fault(), RingFault::Truncated);
  EXPECT_FALSE(gateway_->wake_client());
  gateway_.reset();
}

TEST_F(GatewayRingTest, a_value_that_is_no_way_of_waking_wakes_by_no_way) {
  raw_->header().to_client.sleeps = 77;
  ASSERT_EQ(gateway_->write("a report"), Written::Yes);
  EXPECT_FALSE(gateway_->wake_client());
  EXPECT_FALSE(gateway_->is_closed());
}

}  // namespace
}  // namespace nexusfix::gateway
