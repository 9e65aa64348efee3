// Files that a running engine reads again, and that do not answer: sessions continue to trade, and
// the engine stops when asked.
#include <algorithm>
#include <fstream>

#include "support/disks/hanging_disk.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class HungFilesTest : public AcceptorTest {
 protected:
  static constexpr const char* kNewcomer =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEWCOMER\n";

  void TearDown() override {
    disk.let_go();
    AcceptorTest::TearDown();
  }
  void open_file() {
    write();
    EngineUnderTest opening = under_test_of_file(path());
    // The clock jumps by a second at a time, so the loop is late and would otherwise admit no
    // Logon.
    opening.settings.threads.logon_lateness_max = std::chrono::milliseconds{0};
    opening.options.disk = &disk;
    opening.open(acceptor, venue);
  }
  // Begins a reload that waits for a file that does not answer.
  void begin_reload_that_hangs(const std::string& file) {
    disk.hang(file);
    acceptor->request_reload();
    ASSERT_TRUE(run_until([&] { return disk.held() == 1; })) << log.all();
  }
  void expect_trade(RawPeer& peer, std::uint64_t number) {
    const std::size_t count = peer.messages().size();
    const std::string id = "ID" + std::to_string(number);
    peer.send(order("TRADER", number, id));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() > count; })) << log.all();
    EXPECT_TRUE(contains(peer.messages().back(), "|11=" + id + "|"));
  }
  // Lets this time pass while nothing comes from the disk.
  void wait_in_vain(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock.advance(std::chrono::seconds{1});
      turn(2);
    }
  }

  HangingDisk disk;
};

TEST_F(HungFilesTest, sessions_trade_while_the_configuration_file_hangs) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  begin_reload_that_hangs(path());
  expect_trade(peer, 2);
  wait_in_vain(8);
  EXPECT_FALSE(log.has("was read again")) << log.all();
  sessions += kNewcomer;
  write();
  disk.let_go();
  EXPECT_TRUE(run_until([&] { return log.has(" was read again: 1 session added"); })) << log.all();
  expect_trade(peer, 3);
}

TEST_F(HungFilesTest, reload_ends_with_the_name_of_the_file_and_the_next_one_succeeds) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  begin_reload_that_hangs(path());
  wait_in_vain(12);
  EXPECT_TRUE(log.has(path() + " was read again and rejected; nothing has changed")) << log.all();
  EXPECT_TRUE(log.has("the file system does not answer: no answer for " + path() + " after 10 s"))
      << log.all();
  expect_trade(peer, 2);
  sessions += kNewcomer;
  write();
  disk.let_go();
  acceptor->request_reload();
  EXPECT_TRUE(run_until([&] { return log.has(" was read again: 1 session added"); })) << log.all();
}

TEST_F(HungFilesTest, loop_does_not_wait_for_the_dictionary_of_an_added_session) {
  const std::string dictionary_path = folder.path() + "/own.xml";
  std::ofstream{dictionary_path} << "<fix type='FIX' major='4' minor='4'><header/><trailer/>"
                                    "<messages/><components/><fields/></fix>\n";
  open_file();
  RawPeer& peer = log_on("TRADER");
  sessions +=
      std::string{kNewcomer} + "UseDataDictionary=Y\nDataDictionary=" + dictionary_path + "\n";
  write();
  begin_reload_that_hangs(dictionary_path);
  expect_trade(peer, 2);
  wait_in_vain(12);
  EXPECT_TRUE(log.has(dictionary_path + " after 10 s")) << log.all();
}

TEST_F(HungFilesTest, engine_stops_while_a_reload_waits) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  begin_reload_that_hangs(path());
  acceptor->stop();
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|"));
  peer.send(from("TRADER", "5", 2));
  bool goes_on = true;
  EXPECT_TRUE(run_until([&] {
    goes_on = goes_on && acceptor->poll(std::chrono::nanoseconds{0});
    return !goes_on;
  })) << log.all();
  EXPECT_EQ(disk.held(), 1U);
}

TEST_F(HungFilesTest, requests_during_a_reload_cause_one_more_reload) {
  open_file();
  begin_reload_that_hangs(path());
  for (int i = 0; i < 5; ++i) {
    acceptor->request_reload();
    turn(2);
  }
  disk.let_go();
  const auto reloads = [&] {
    return std::ranges::count_if(
        log.lines, [](const std::string& line) { return line.contains(" was read again: 0 "); });
  };
  EXPECT_TRUE(run_until([&] { return reloads() == 2; })) << log.all();
  turn(50);
  EXPECT_EQ(reloads(), 2) << log.all();
}

TEST_F(HungFilesTest, number_of_stuck_threads_is_bounded) {
  open_file();
  disk.hang(path());
  for (unsigned i = 1; i <= 6; ++i) {
    acceptor->request_reload();
    turn(2);
    ASSERT_TRUE(run_until([&] { return disk.held() == std::min(i, 4U); })) << log.all();
    wait_in_vain(12);
  }
  EXPECT_EQ(disk.held(), 4U);
  EXPECT_TRUE(log.has("too many threads wait for a file system that does not answer")) << log.all();
  disk.let_go();
  ASSERT_TRUE(run_until([&] { return disk.held() == 0; }));
  expect_still_serving();
}

TEST_F(HungFilesTest, reload_call_is_refused_while_another_reload_waits) {
  open_file();
  begin_reload_that_hangs(path());
  const auto done = acceptor->reload();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().what(), "the configuration is being read again already: try again");
}

}  // namespace
}  // namespace nexusfix::testing
