// An acceptor with several event loops, each with its own sessions, and one port.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {

// Callbacks come from the threads of all loops.
struct LoopVenue {
  std::mutex mutex;
  std::set<std::string> orders;
  std::map<std::string, std::set<std::thread::id>> threads;  // by session
  std::function<void()> before_answer;

  MessageReply on_message(Session& session, const MessageView& message) {
    const std::string id{message[11].value_or("")};
    if (before_answer) before_answer();
    EchoVenue::answer(session, id);
    const std::lock_guard lock{mutex};
    orders.insert(id);
    threads[std::string{session.name()}].insert(std::this_thread::get_id());
    return accept();
  }
  std::size_t order_count() {
    const std::lock_guard lock{mutex};
    return orders.size();
  }
};

// The log is written by the threads of all loops; the test reads it after they have ended.
class EventLoopsTest : public AcceptorTest {
 protected:
  static constexpr int kSessions = 8;

  EventLoopsTest() {
    extra = "EventLoops=2";
    sessions.clear();
    for (int i = 0; i < kSessions; ++i) sessions += session_text(i);
  }
  static std::string who(int i) { return "TRADER" + std::to_string(i); }
  static std::string session_text(int i, const std::string& more = {}) {
    return "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=" + who(i) + "\n" +
           more;
  }
  void open_loops() { under_test().open(acceptor, loop_venue); }
  // Polls the counterparties; the loops run on their own threads.
  bool wait_until(const std::function<bool()>& condition) {
    for (int turn = 0; turn < 10'000; ++turn) {
      if (condition()) return true;
      for (const auto& peer : peers) peer->poll();
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return condition();
  }
  // The clock is manual and would end no wait for a Logout, so the counterparties disconnect first.
  void stop_and_join() {
    peers.clear();
    acceptor->stop();
    EXPECT_EQ(acceptor->join(), 0);
  }

  LoopVenue loop_venue;
};

}  // namespace nexusfix::testing
