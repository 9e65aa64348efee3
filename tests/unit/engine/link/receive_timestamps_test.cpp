// ReceiveTimestamps: who says when a message came.
#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "support/network/fake_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;

class ReceiveTimestampsTest : public AcceptorTest {
 protected:
  // With the system's clock, which is the kernel's. The counterparties' clock is another one.
  void open_with(const std::string& key) {
    extra = key + "CheckLatency=N";
    EngineOptions all = options();
    all.clock = &system;
    venue.before_answer = [this](Session& session, const MessageView&) {
      times.push_back({session.received_at(), session.now()});
    };
    EngineUnderTest{config::parse_settings(config(), "venue.cfg"), all}.open(acceptor, venue);
  }
  void trade(std::size_t orders) {
    RawPeer& peer = log_on("TRADER");
    for (std::size_t i = 0; i < orders; ++i) {
      peer.send(order("TRADER", 2 + i, "A"));
      ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2 + i; })) << log.all();
    }
  }
  [[nodiscard]] std::uint64_t count_of_stamped() {
    return acceptor->statistics().loops.front().wire_to_callback.count();
  }

  struct Times {
    WallTime received;
    WallTime now;
  };
  SystemClock system;
  std::vector<Times> times;
};

TEST_F(ReceiveTimestampsTest, message_has_the_time_of_the_kernel) {
  open_with("ReceiveTimestamps=software\n");
  const WallTime before = system.now().wall;
  trade(20);
  ASSERT_EQ(times.size(), 20U);
  // The kernel begins to stamp packets a moment after the first socket has asked.
  for (const Times& one : std::span{times}.last(10)) {
    EXPECT_GE(one.received, before - 1us);
    EXPECT_LT(one.received, one.now);
  }
  EXPECT_FALSE(log.has(EventId::ReceiveTimestampsMissing)) << log.all();
  EXPECT_GE(count_of_stamped(), 1U);
  EXPECT_LE(count_of_stamped(), 2U) << "one message in 17 is timed";
}

TEST_F(ReceiveTimestampsTest, message_without_the_key_has_the_time_of_its_event) {
  open_with("");
  trade(2);
  ASSERT_EQ(times.size(), 2U);
  for (const Times& one : times) EXPECT_EQ(one.received, one.now);
  EXPECT_EQ(count_of_stamped(), 0U);
}

TEST_F(ReceiveTimestampsTest, device_without_a_clock_is_an_event_and_the_kernel_s_time_is_used) {
  open_with("ReceiveTimestamps=hardware\n");
  trade(20);
  EXPECT_TRUE(log.has(EventId::ReceiveTimestampsMissing, "the kernel's are used")) << log.all();
  ASSERT_EQ(times.size(), 20U);
  EXPECT_LT(times.back().received, times.back().now);
  expect_still_serving();
}

TEST_F(ReceiveTimestampsTest, network_without_times_is_an_event_and_the_session_goes_on) {
  transport::FakeInternet internet;
  transport::FakeNetwork own{internet, "10.0.0.1"};
  transport::FakeNetwork far{internet, "10.0.0.2"};
  extra = "ReceiveTimestamps=software";
  EngineOptions all = options();
  all.network = &own;
  venue.before_answer = [this](Session& session, const MessageView&) {
    times.push_back({session.received_at(), session.now()});
  };
  EngineUnderTest{config::parse_settings(config(5'001), "venue.cfg"), all}.open(acceptor, venue);
  const auto socket = far.connect({"127.0.0.1", 5'001});
  ASSERT_TRUE(socket.has_value()) << socket.error().text;
  std::array<transport::Ready, 8> ready;
  const auto send = [&](const std::string& bytes, std::size_t orders) {
    for (int i = 0; i < 20 && (i < 5 || times.size() < orders); ++i) {
      static_cast<void>(far.wait(ready, 0ns));
      if (i == 3) {
        EXPECT_EQ(far.send(*socket, bytes).bytes, bytes.size());
      }
      acceptor->poll(1ms);
    }
  };
  send(logon("TRADER", 1), 0);
  for (std::uint64_t i = 0; i < 20; ++i) send(order("TRADER", 2 + i, "A"), i + 1);
  const auto is_of_stamps = [](EventId id) { return id == EventId::ReceiveTimestampsMissing; };
  EXPECT_EQ(std::ranges::count_if(log.ids, is_of_stamps), 1) << log.all();
  EXPECT_TRUE(log.has(EventId::ReceiveTimestampsMissing, "no times of the kernel")) << log.all();
  ASSERT_EQ(times.size(), 20U) << log.all();
  for (const Times& one : times) EXPECT_EQ(one.received, one.now);
  acceptor.reset();
}

}  // namespace
}  // namespace nexusfix::testing
