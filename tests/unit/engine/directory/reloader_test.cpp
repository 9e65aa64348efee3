// Reloader without an EventLoop: a changed file is applied as a whole, or not at all.
#include "engine/directory/reload/reloader.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/directory/directory.hpp"
#include "engine/directory/reload/reload_job.hpp"
#include "engine/ground/shared/loop_directory.hpp"
#include "support/network/fake_network.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class ReloaderComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] ReloadResult reload() { return floors().directory.reloader.reload(); }
  [[nodiscard]] static std::string name_of(std::string_view who) {
    return "FIX.4.4:VENUE->" + std::string{who};
  }
};

TEST_F(ReloaderComponent, sessions_of_the_file_come_and_go) {
  open_with_file();
  write_file(session_text("TRADER") + session_text("NEW"));
  const auto done = reload();
  ASSERT_TRUE(done.has_value()) << done.error().text;
  EXPECT_EQ(done->added, std::vector<std::string>{name_of("NEW")});
  EXPECT_EQ(done->removed, std::vector<std::string>{name_of("OTHER")});
  EXPECT_NE(sessions().registry.find_acceptor(name_of("NEW")), nullptr);
  EXPECT_EQ(sessions().registry.find_acceptor(name_of("OTHER")), nullptr);
  EXPECT_NE(sessions().registry.find(name_of("OTHER")), nullptr) << "a program may hold it";
  write_file(session_text("TRADER") + session_text("OTHER"));
  ASSERT_TRUE(reload().has_value());
  EXPECT_NE(sessions().registry.find_acceptor(name_of("OTHER")), nullptr);
}

TEST_F(ReloaderComponent, changed_key_of_a_session_that_stays_takes_effect) {
  open_with_file();
  log_on(entry());
  write_file(session_text("TRADER", "MaxQueuedBytes=70000\n") + session_text("OTHER"));
  const auto done = reload();
  ASSERT_TRUE(done.has_value()) << done.error().text;
  EXPECT_EQ(done->changed, std::vector<std::string>{name_of("TRADER")});
  EXPECT_EQ(entry().settings().limits.queued_bytes_max, 70'000U);
}

TEST_F(ReloaderComponent, rejected_file_changes_nothing) {
  open_with_file();
  disk.set_contents(kFile, "[SESSION]\nConnectionType=neither\n");
  const auto refused = reload();
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().text.contains("venue.cfg:2: ConnectionType")) << refused.error().text;
  EXPECT_EQ(sessions().registry.entries().size(), 2U);
  EXPECT_FALSE(floors().directory.reloader.is_under_way());
  ASSERT_TRUE(far.listen({"", 5003}).has_value());
  write_file(session_text("NEW") + session_text("LATE", "SocketAcceptPort=5003\n"));
  const auto taken = reload();
  ASSERT_FALSE(taken.has_value());
  EXPECT_TRUE(taken.error().text.contains("SocketAcceptPort=5003")) << taken.error().text;
  EXPECT_EQ(sessions().registry.entries().size(), 2U);
  EXPECT_NE(sessions().registry.find_acceptor(name_of("OTHER")), nullptr);
}

TEST_F(ReloaderComponent, unchanged_file_is_no_change) {
  open_with_file();
  const auto done = reload();
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->added.empty() && done->removed.empty() && done->changed.empty());
}

TEST_F(ReloaderComponent, reload_needs_a_file_and_a_loop_that_goes_on) {
  open();
  EXPECT_EQ(reload().error().text, "the engine was not opened with a file");
  log_on(entry());
  std::string within;
  venue.before_answer = [&](Session&, const MessageView&) { within = reload().error().text; };
  receive_order(entry(), 2, "A");
  EXPECT_EQ(within, "not from within a callback");
  loop().work.begin_stop();
  EXPECT_EQ(reload().error().text, "the engine is stopping");
}

TEST_F(ReloaderComponent, request_of_a_signal_is_served_beside_the_loops_work_and_reported) {
  open_with_file();
  write_file(session_text("TRADER"));
  floors().directory.reloader.request_reload();
  EXPECT_TRUE(floors().directory.reloader.is_requested());
  EXPECT_EQ(network.wakes(), 1U);
  floors().directory.reloader.reload_as_requested();
  EXPECT_FALSE(floors().directory.reloader.is_requested());
  EXPECT_TRUE(log.has(EventId::ConfigurationReloaded, "0 sessions added, 1 removed, 0 changed"))
      << log.all();
}

TEST(ReloadRoundComponent, answers_with_an_error_if_a_loop_has_ended) {
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  LoopDirectory directory;
  directory.add_loop(0, network);
  directory.add_loop(1, network);
  directory.remove_loop(1);
  const auto order = std::make_shared<ReloadOrder>();
  auto result = order->result();
  ReloadRound::begin(directory, std::vector<FreshShare>(2), order);
  EXPECT_EQ(result.wait_for(std::chrono::seconds{0}), std::future_status::timeout)
      << "the other loop has not prepared its part";
  directory.remove_loop(0);
  ASSERT_EQ(result.wait_for(std::chrono::seconds{0}), std::future_status::ready);
  const ReloadResult done = result.get();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().text, "a loop ended\na loop ended");
}

}  // namespace
}  // namespace nexusfix::engine
