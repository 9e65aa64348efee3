// The client in C++: what it makes of the gateway's answers.
#include "gateway/attach/gateway_client.hpp"

#include <chrono>
#include <functional>
#include <future>
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

constexpr std::chrono::seconds kLong{300};  // for a hang
constexpr std::chrono::nanoseconds kNow{0};
constexpr std::string_view kWelcome = "gateway=1\nrole=trader\n";

// A gateway that answers one Hello.
class GatewayClientTest : public ::testing::Test {
 protected:
  GatewayClientTest() {
    auto door = SocketDoor::open(path_, 0600);
    EXPECT_TRUE(door) << door.error();
    door_ = std::make_unique<SocketDoor>(std::move(*door));
  }
  ~GatewayClientTest() override {
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

  std::expected<std::unique_ptr<GatewayClient>, AttachError> attach(bool by_memory) {
    return GatewayClient::attach(
        {.socket_path = path_, .hello = {.name = "desk", .token = "t"}, .by_memory = by_memory});
  }

  TestFolder folder_;
  std::string path_ = folder_.path() + "/gateway.sock";
  std::unique_ptr<SocketDoor> door_;
  std::thread gateway_;
};

// Answers with a Welcome that has a new ring, and returns the gateway's side of it.
std::unique_ptr<RingLink> welcome_by_ring(const std::string& folder,
                                          std::unique_ptr<ClientLink> socket) {
  auto ring = make_ring({.directory = folder}, *socket);
  EXPECT_TRUE(ring) << ring.error().text;
  const WelcomeText welcome{
      .gateway = "1", .role = "trader", .ring = {(*ring)->key(), (*ring)->path()}, .sessions = {}};
  auto link = std::make_unique<RingLink>(std::move(*ring), std::move(socket));
  EXPECT_TRUE(
      link->write(frame_of({.kind = FrameKind::Welcome, .number = 7}, write_welcome(welcome))));
  link->flush();
  return link;
}

std::span<const char> next_of(ClientLink& link) {
  std::span<const char> frame;
  while (link.fault().empty() && (frame = link.read()).empty()) continue;
  return frame;
}

// What both doors do.
void exchange_frames(GatewayClient& client) {
  EXPECT_EQ(client.last_number(), 7U);
  EXPECT_EQ(client.welcome().role, "trader");
  ASSERT_EQ(client.send({.kind = FrameKind::Send, .number = 8}, "35=D"), Sent::Yes);
  Frame frame;
  ASSERT_EQ(client.receive(frame, kLong), Received::Frame);
  EXPECT_EQ(frame.header.number, 8U);
  EXPECT_EQ(frame.body, "35=D");
  EXPECT_EQ(client.receive(frame, kNow), Received::Timeout);
  EXPECT_EQ(client.send({.kind = FrameKind::Send}, std::string(kFrameBytesMax, 'x')),
            Sent::TooLong);
}

TEST_F(GatewayClientTest, attaches_by_the_welcome_and_exchanges_frames_in_memory) {
  serve([this](std::unique_ptr<ClientLink> socket, const HelloText& hello) {
    EXPECT_EQ(hello.name, "desk");
    EXPECT_EQ(hello.ring_version, 1U);
    const auto link = welcome_by_ring(folder_.path(), std::move(socket));
    ASSERT_TRUE(link->write(next_of(*link)));
    link->flush();
    const auto last = read_frame(next_of(*link));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->header.kind, FrameKind::Closed);
    EXPECT_EQ(last->header.code, static_cast<std::uint32_t>(CloseCode::ClientEnds));
    EXPECT_TRUE(next_of(*link).empty());
    EXPECT_EQ(link->fault(), "the client has closed its connection");
  });
  auto client = attach(true);
  ASSERT_TRUE(client) << client.error().text;
  exchange_frames(**client);
}

TEST_F(GatewayClientTest, exchanges_frames_by_the_socket) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText& hello) {
    EXPECT_EQ(hello.ring_version, 0U);
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Welcome, .number = 7}, kWelcome)));
    link->flush();
    ASSERT_TRUE(link->write(next_of(*link)));
    link->flush();
    EXPECT_EQ(read_frame(next_of(*link))->header.kind, FrameKind::Closed);
  });
  auto client = attach(false);
  ASSERT_TRUE(client) << client.error().text;
  exchange_frames(**client);
}

TEST_F(GatewayClientTest, says_why_the_gateway_refused_it) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText&) {
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Closed, .code = 2}, "unknown name")));
    link->flush();
  });
  const auto client = attach(true);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().fault, AttachFault::Refused);
  EXPECT_EQ(client.error().code, 2U);
  EXPECT_EQ(client.error().text, "unknown name");
}

TEST_F(GatewayClientTest, says_that_a_gateway_has_no_shared_memory_or_is_not_there) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText&) {
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Welcome}, kWelcome)));
    link->flush();
  });
  const auto client = attach(true);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().text, "the gateway has no shared memory");
  const auto absent = GatewayClient::attach({.socket_path = path_ + ".none"});
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().text, HasSubstr("No such file"));
}

TEST_F(GatewayClientTest, refuses_memory_of_another_layout_version) {
  serve([this](std::unique_ptr<ClientLink> socket, const HelloText&) {
    auto ring = GatewayRing::create({.directory = folder_.path()});
    ASSERT_TRUE(ring) << ring.error().text;
    const auto file = RingFile::open((*ring)->path());
    ASSERT_TRUE(file) << file.error().text;
    (*file)->header().version = kRingVersion + 1;
    const WelcomeText welcome{.gateway = "1",
                              .role = "trader",
                              .ring = {(*ring)->key(), (*ring)->path()},
                              .sessions = {}};
    ASSERT_TRUE(socket->write(frame_of({.kind = FrameKind::Welcome}, write_welcome(welcome))));
    socket->flush();
    while (socket->fault().empty()) EXPECT_TRUE(socket->read().empty());
  });
  const auto client = attach(true);
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().text, HasSubstr("has layout version 2, and this client knows 1"));
}

TEST_F(GatewayClientTest, waits_no_longer_than_its_timeout_for_a_gateway_that_says_nothing) {
  std::promise<void> over;
  serve([&](std::unique_ptr<ClientLink>, const HelloText&) { over.get_future().wait(); });
  const auto client = GatewayClient::attach({.socket_path = path_,
                                             .hello = {.name = "desk", .token = "t"},
                                             .timeout = std::chrono::milliseconds{20}});
  over.set_value();
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().fault, AttachFault::Timeout);
}

TEST_F(GatewayClientTest, refuses_an_answer_that_is_no_frame) {
  serve([](std::unique_ptr<ClientLink> link, const HelloText&) {
    const std::string text = "HTTP/1.1 400 Bad Request";
    ASSERT_TRUE(link->write({text.data(), text.size()}));
    link->flush();
  });
  const auto client = attach(false);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().text, "the gateway sent a frame of an impossible length");
}

TEST_F(GatewayClientTest, ends_at_a_torn_record_and_returns_what_was_before_it) {
  std::promise<void> is_torn;
  serve([&](std::unique_ptr<ClientLink> socket, const HelloText&) {
    auto ring = GatewayRing::create({.directory = folder_.path()});
    ASSERT_TRUE(ring) << ring.error().text;
    const auto file = RingFile::open((*ring)->path());
    ASSERT_TRUE(file) << file.error().text;
    const WelcomeText welcome{.gateway = "1",
                              .role = "trader",
                              .ring = {(*ring)->key(), (*ring)->path()},
                              .sessions = {}};
    ASSERT_TRUE(socket->write(frame_of({.kind = FrameKind::Welcome}, write_welcome(welcome))));
    socket->flush();
    const auto caught_up = frame_of({.kind = FrameKind::CaughtUp}, {});
    ASSERT_EQ((*ring)->write({caught_up.data(), caught_up.size()}), Written::Yes);
    const RingPlace place = place_in(**file, Direction::ToClient);
    record_word(place, record_bytes(caught_up.size())).store(word_of(40, 8));
    is_torn.set_value();
    while (socket->fault().empty()) EXPECT_TRUE(socket->read().empty());
  });
  auto client = attach(true);
  ASSERT_TRUE(client) << client.error().text;
  is_torn.get_future().wait();
  Frame frame;
  ASSERT_EQ((*client)->receive(frame, kLong), Received::Frame);
  EXPECT_EQ(frame.header.kind, FrameKind::CaughtUp);
  EXPECT_EQ((*client)->receive(frame, kLong), Received::Closed);
  EXPECT_THAT((*client)->end(), HasSubstr("torn record"));
  EXPECT_EQ((*client)->send({.kind = FrameKind::Send}, "35=D"), Sent::Closed);
}

TEST_F(GatewayClientTest, returns_what_a_gateway_that_has_ended_wrote_before) {
  serve([this](std::unique_ptr<ClientLink> socket, const HelloText&) {
    const auto link = welcome_by_ring(folder_.path(), std::move(socket));
    ASSERT_TRUE(link->write(next_of(*link)));
    link->flush();
  });
  auto client = attach(true);
  ASSERT_TRUE(client) << client.error().text;
  ASSERT_EQ((*client)->send({.kind = FrameKind::Send, .number = 8}, "35=D"), Sent::Yes);
  gateway_.join();
  Frame frame;
  ASSERT_EQ((*client)->receive(frame, kLong), Received::Frame);
  EXPECT_EQ(frame.header.number, 8U);
  EXPECT_EQ((*client)->receive(frame, kLong), Received::Closed);
}

TEST_F(GatewayClientTest, wakes_a_caller_that_waits_for_its_descriptor) {
  for (const bool by_memory : {true, false}) {
    std::promise<void> sleeps;
    serve([&](std::unique_ptr<ClientLink> socket, const HelloText&) {
      if (by_memory) {
        socket = welcome_by_ring(folder_.path(), std::move(socket));
      } else {
        ASSERT_TRUE(socket->write(frame_of({.kind = FrameKind::Welcome}, kWelcome)));
        socket->flush();
      }
      sleeps.get_future().wait();
      ASSERT_TRUE(socket->write(frame_of({.kind = FrameKind::CaughtUp}, {})));
      socket->flush();
      EXPECT_EQ(read_frame(next_of(*socket))->header.kind, FrameKind::Closed);
    });
    auto client = attach(by_memory);
    ASSERT_TRUE(client) << client.error().text;
    EXPECT_FALSE((*client)->has_frame());
    sleeps.set_value();
    pollfd waits{(*client)->descriptor(), POLLIN, 0};
    ASSERT_EQ(::poll(&waits, 1, -1), 1);
    Frame frame;
    EXPECT_EQ((*client)->receive(frame, kNow), Received::Frame);
    EXPECT_EQ(frame.header.kind, FrameKind::CaughtUp);
    EXPECT_FALSE((*client)->has_frame());
    client->reset();
    gateway_.join();
  }
}

TEST_F(GatewayClientTest, is_full_while_the_gateway_does_not_read_and_loses_nothing) {
  std::promise<void> is_full;
  serve([&](std::unique_ptr<ClientLink> link, const HelloText&) {
    ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Welcome}, kWelcome)));
    link->flush();
    is_full.get_future().wait();
    std::uint64_t number = 0;
    for (;;) {
      const auto frame = read_frame(next_of(*link));
      ASSERT_TRUE(frame);
      if (frame->header.kind == FrameKind::Closed) break;
      ASSERT_EQ(frame->header.number, ++number);
      const bool is_last = frame->header.code == 1;
      if (is_last) {
        ASSERT_TRUE(link->write(frame_of({.kind = FrameKind::Accepted, .number = number}, {})));
        link->flush();
      }
    }
  });
  auto client = attach(false);
  ASSERT_TRUE(client) << client.error().text;
  const std::string text(100'000, 'x');
  std::uint64_t number = 0;
  while ((*client)->send({.kind = FrameKind::Send, .number = number + 1}, text) == Sent::Yes)
    ++number;
  EXPECT_TRUE((*client)->has_unsent());
  is_full.set_value();
  Frame frame;
  const FrameHeader last{.kind = FrameKind::Send, .code = 1, .number = number + 1};
  while ((*client)->send(last, text) == Sent::Full)
    ASSERT_EQ((*client)->receive(frame, std::chrono::milliseconds{1}), Received::Timeout);
  ASSERT_EQ((*client)->receive(frame, kLong), Received::Frame);
  EXPECT_EQ(frame.header.number, number + 1);
}

}  // namespace
}  // namespace nexusfix::gateway
