// The client in C++: what it makes of the gateway's answers.
#include "gateway/attach/ring_client.hpp"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "gateway/door/ring_link.hpp"
#include "gateway/door/socket_door.hpp"
#include "gateway/tests/ring/test_folder.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;
using testing::TestFolder;

std::vector<char> frame_of(const FrameHeader& header, std::string_view body) {
  std::vector<char> bytes;
  append_frame(bytes, header, body);
  return bytes;
}

// A gateway that answers one Hello.
class RingClientTest : public ::testing::Test {
 protected:
  RingClientTest() {
    auto door = SocketDoor::open(path_, 0600);
    EXPECT_TRUE(door) << door.error();
    door_ = std::make_unique<SocketDoor>(std::move(*door));
  }
  ~RingClientTest() override {
    if (gateway_.joinable()) gateway_.join();
  }
  // answer: is called with the link and the Hello, on a thread of its own.
  void serve(std::function<void(std::unique_ptr<ClientLink>, const HelloText&)> answer) {
    gateway_ = std::thread{[this, answer = std::move(answer)] {
      pollfd waits{door_->descriptor(), POLLIN, 0};
      ASSERT_EQ(::poll(&waits, 1, -1), 1);
      std::unique_ptr<ClientLink> link = door_->accept().link;
      ASSERT_NE(link, nullptr);
      std::span<const char> bytes;
      while ((bytes = link->read()).empty()) ASSERT_TRUE(link->fault().empty());
      const auto hello = read_hello(read_frame(bytes)->body);
      ASSERT_TRUE(hello) << hello.error();
      answer(std::move(link), *hello);
    }};
  }

  TestFolder folder_;
  std::string path_ = folder_.path() + "/gateway.sock";
  std::unique_ptr<SocketDoor> door_;
  std::thread gateway_;
};

TEST_F(RingClientTest, attaches_by_the_welcome_and_exchanges_frames) {
  serve([this](std::unique_ptr<ClientLink> socket, const HelloText& hello) {
    EXPECT_EQ(hello.name, "desk");
    EXPECT_EQ(hello.ring_version, 1U);
    auto ring = make_ring({.directory = folder_.path()}, *socket);
    ASSERT_TRUE(ring) << ring.error().text;
    const WelcomeText welcome{.gateway = "1",
                              .role = "trader",
                              .ring = {(*ring)->key(), (*ring)->path()},
                              .sessions = {}};
    RingLink link{std::move(*ring), std::move(socket)};
    ASSERT_TRUE(
        link.write(frame_of({.kind = FrameKind::Welcome, .number = 7}, write_welcome(welcome))));
    link.flush();
    std::span<const char> order;
    while ((order = link.read()).empty()) ASSERT_TRUE(link.fault().empty());
    ASSERT_TRUE(link.write(order));
    link.flush();
    while (link.fault().empty()) EXPECT_TRUE(link.read().empty());
    EXPECT_EQ(link.fault(), "the client has closed its connection");
  });
  auto client = RingClient::attach(path_, {.name = "desk", .token = "t"});
  ASSERT_TRUE(client) << client.error();
  EXPECT_EQ((*client)->last_number(), 7U);
  EXPECT_EQ((*client)->welcome().role, "trader");
  const std::vector<char> order = frame_of({.kind = FrameKind::Send, .number = 8}, "35=D");
  ASSERT_EQ((*client)->ring().send({order.data(), order.size()}), Written::Yes);
  ASSERT_EQ((*client)->ring().wait(std::chrono::seconds{60}), Waited::Frame);
  EXPECT_EQ((*client)->ring().next(), std::string_view(order.data(), order.size()));
}

TEST_F(RingClientTest, says_why_the_gateway_refused_it) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText&) {
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Closed, .code = 2}, "unknown name")));
    link->flush();
  });
  const auto client = RingClient::attach(path_, {.name = "desk", .token = "t"});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error(), "the gateway refused the client with code 2: unknown name");
}

TEST_F(RingClientTest, says_that_a_gateway_has_no_shared_memory_or_is_not_there) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText&) {
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Welcome}, "gateway=1\nrole=trader\n")));
    link->flush();
  });
  const auto client = RingClient::attach(path_, {.name = "desk", .token = "t"});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error(), "the gateway has no shared memory");
  const auto absent = RingClient::attach(path_ + ".none", {.name = "desk", .token = "t"});
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace nexusfix::gateway
