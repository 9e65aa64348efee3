// Programs that attach without end, or that send without end.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/api/settings.hpp"
#include "gateway/gateway.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::gateway {
namespace {

// A client of which every read() has a frame: the first one, and then Sends without end.
class EndlessLink final : public ClientLink {
 public:
  EndlessLink(std::vector<char> first, int& reads, bool may_have_ended)
      : frame_{std::move(first)}, reads_{reads}, may_have_ended_{may_have_ended} {}
  std::span<const char> read() override {
    ++reads_;
    if (std::exchange(has_begun_, true)) {
      frame_.clear();
      append_frame(frame_, {.kind = FrameKind::Send, .session = 7, .number = 1}, {});
    }
    return frame_;
  }
  bool write(std::span<const char>) override { return true; }
  void flush() override {}
  bool has_unsent() const noexcept override { return false; }
  std::string_view fault() const noexcept override { return {}; }
  bool is_protocol_fault() const noexcept override { return false; }
  int descriptor() const noexcept override { return -1; }
  bool has_ended() override { return may_have_ended_; }

 private:
  std::vector<char> frame_;
  int& reads_;
  bool may_have_ended_;
  bool has_begun_ = false;
};

class HostileClientsTest : public ::testing::Test {
 protected:
  HostileClientsTest() : gateway_{options()} {
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
        "HeartBtInt=30\nJournalInbound=Y\nFileStorePath=" +
            folder_.path() +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ME\nTargetCompID=YOU\n",
        "desk.cfg");
    auto opened = engine::Engine::open(std::move(*settings), gateway_, {.log = &log_});
    EXPECT_TRUE(opened) << opened.error().what();
    engine_.emplace(std::move(*opened));
    EXPECT_TRUE(gateway_.attach(*engine_));
  }

  GatewayOptions options() {
    GatewayOptions made{.clients = {}, .open_log = {}, .version = "1"};
    made.events = &log_;
    made.clock = &clock_;
    made.clients.clients.emplace_back();
    made.clients.clients.back().name = "desk";
    made.clients.clients.back().token = "0123456789abcdef";
    return made;
  }
  void add(const std::string& token, const std::string& peer, bool may_have_ended = true) {
    std::vector<char> hello;
    append_frame(hello, {.kind = FrameKind::Hello}, write_hello({.name = "desk", .token = token}));
    gateway_.add(std::make_unique<EndlessLink>(std::move(hello), reads_, may_have_ended), peer);
  }
  // As the loop that serves the engine and its clients, until this number of them is left.
  void serve_until(std::size_t clients) {
    do {
      gateway_.serve();
      ASSERT_TRUE(engine_->poll(std::chrono::milliseconds{1}));
      gateway_.flush();
    } while (gateway_.client_count() > clients);
  }
  void flood(int connections, std::size_t clients) {
    for (int i = 0; i < connections; ++i) {
      add("a wrong token", "peer");
      serve_until(clients);
    }
  }
  [[nodiscard]] std::ptrdiff_t cuts() const {
    return std::ranges::count(log_.ids, EventId::GatewayCut);
  }

  const testing::TemporaryFolder folder_;
  testing::RecordingLog log_;
  testing::ManualClock clock_;
  int reads_ = 0;  // of all links
  Gateway gateway_;
  std::optional<engine::Engine> engine_;
};

TEST_F(HostileClientsTest, a_client_that_sends_without_end_does_not_hold_a_second_hello) {
  add("0123456789abcdef", "first");
  serve_until(1);
  add("0123456789abcdef", "second");
  serve_until(1);
  EXPECT_TRUE(log_.has("another connection has the name desk"));
  gateway_.stop();
}

TEST_F(HostileClientsTest, a_second_hello_reads_nothing_of_a_client_that_is_there) {
  add("0123456789abcdef", "first", false);
  serve_until(1);
  reads_ = 0;
  gateway_.serve();
  const int reads_of_a_turn = std::exchange(reads_, 0);
  add("0123456789abcdef", "second");
  gateway_.serve();
  EXPECT_EQ(reads_, reads_of_a_turn + 1);  // the Hello
  serve_until(1);
  EXPECT_TRUE(log_.has("another connection has the name desk"));
  gateway_.stop();
}

TEST_F(HostileClientsTest, connections_of_no_client_do_not_fill_the_log) {
  flood(100, 0);
  EXPECT_EQ(cuts(), 20);
  EXPECT_FALSE(log_.has(EventId::EventsSuppressed));
  clock_.advance(std::chrono::seconds{1});
  flood(30, 0);
  EXPECT_EQ(cuts(), 40);
  EXPECT_TRUE(log_.has(EventId::EventsSuppressed, " 80 more connections"));
  gateway_.stop();
  EXPECT_TRUE(log_.has(EventId::EventsSuppressed, " 10 more connections"));
}

TEST_F(HostileClientsTest, what_happens_to_a_client_is_logged_in_a_flood_too) {
  add("0123456789abcdef", "the desk");
  serve_until(1);
  flood(100, 1);
  add("0123456789abcdef", "the other desk");
  serve_until(1);
  EXPECT_TRUE(log_.has("client the other desk: another connection has the name desk"));
  gateway_.stop();
  EXPECT_TRUE(log_.has("client desk (the desk): the gateway stops"));
}

}  // namespace
}  // namespace nexusfix::gateway
