// A second client says the name of one that is attached.
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/api/settings.hpp"
#include "gateway/gateway.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::gateway {
namespace {

// After its Hello it has one frame after the other, and never an end.
class EndlessLink final : public ClientLink {
 public:
  explicit EndlessLink(std::vector<char> hello) : frame_{std::move(hello)} {}
  std::span<const char> read() override {
    if (std::exchange(has_said_hello_, true)) {
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

 private:
  std::vector<char> frame_;
  bool has_said_hello_ = false;
};

TEST(SecondClientTest, a_client_that_sends_without_end_does_not_stop_the_loop) {
  const testing::TemporaryFolder folder;
  testing::RecordingLog log;
  SystemClock clock;
  GatewayOptions options{.clients = {}, .open_log = {}, .version = "1", .events = &log};
  options.clock = &clock;
  options.clients.clients.emplace_back();
  options.clients.clients.back().name = "desk";
  options.clients.clients.back().token = "0123456789abcdef";
  Gateway gateway{std::move(options)};
  auto settings = config::parse_settings(
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
      "HeartBtInt=30\nJournalInbound=Y\nFileStorePath=" +
          folder.path() + "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ME\nTargetCompID=YOU\n",
      "desk.cfg");
  ASSERT_TRUE(settings);
  auto engine = engine::Engine::open(std::move(*settings), gateway, {.log = &log});
  ASSERT_TRUE(engine) << engine.error().what();
  ASSERT_TRUE(gateway.attach(*engine));

  std::vector<char> hello;
  append_frame(hello, {.kind = FrameKind::Hello},
               write_hello({.name = "desk", .token = "0123456789abcdef"}));
  gateway.add(std::make_unique<EndlessLink>(hello), "first");
  EXPECT_TRUE(gateway.serve());
  gateway.add(std::make_unique<EndlessLink>(hello), "second");
  EXPECT_TRUE(gateway.serve());
  EXPECT_FALSE(gateway.flush());
  EXPECT_EQ(gateway.client_count(), 1U);
  EXPECT_TRUE(log.has("another connection has the name desk"));
  gateway.stop();
}

}  // namespace
}  // namespace nexusfix::gateway
