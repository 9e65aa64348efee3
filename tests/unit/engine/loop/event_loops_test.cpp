// Several event loops, each with its own sessions, and one port.
#include <algorithm>
#include <array>
#include <functional>

#include <nexusfix/fix44/news.hpp>

#include "unit/engine/support/event_loops_fixture.hpp"

namespace nexusfix::testing {
namespace {

TEST_F(EventLoopsTest, each_counterparty_reaches_its_session_through_one_port) {
  open_loops();
  EXPECT_EQ(acceptor->loop_count(), 2U);
  EXPECT_EQ(acceptor->session_count(), static_cast<std::size_t>(kSessions));
  std::set<std::uint32_t> used;
  for (int i = 0; i < kSessions; ++i) {
    used.insert(acceptor->session(static_cast<std::size_t>(i)).handle().loop);
  }
  ASSERT_EQ(used.size(), 2U) << "the names are spread over both";
  acceptor->start();
  for (int i = 0; i < kSessions; ++i) {
    // The order comes with the Logon: the bytes after the Logon migrate to the loop, too.
    connect().send(logon(who(i), 1) + order(who(i), 2, who(i)));
  }
  EXPECT_TRUE(wait_until([&] {
    return std::ranges::all_of(peers,
                               [](const auto& peer) { return peer->messages().size() == 2; });
  }));
  stop_and_join();
  EXPECT_EQ(loop_venue.orders.size(), static_cast<std::size_t>(kSessions));
  std::set<std::thread::id> all;
  for (const auto& [session, threads] : loop_venue.threads) {
    EXPECT_EQ(threads.size(), 1U) << session << " lives on one thread";
    all.insert(threads.begin(), threads.end());
  }
  EXPECT_EQ(all.size(), 2U);
}

TEST_F(EventLoopsTest, range_goes_over_the_sessions_of_all_loops) {
  sessions = session_text(0, "EventLoop=1\n") + session_text(1, "EventLoop=1\n");
  open_loops();
  EXPECT_EQ(std::ranges::distance(acceptor->sessions(0)), 0) << "a loop without sessions";
  EXPECT_EQ(std::ranges::distance(acceptor->sessions(1)), 2);
  std::vector<Session*> all;
  for (Session& session : acceptor->sessions()) all.push_back(&session);
  EXPECT_EQ(all, (std::vector<Session*>{&acceptor->session(0), &acceptor->session(1)}));
}

TEST_F(EventLoopsTest, timers_run_on_the_thread_of_their_session) {
  open_loops();
  std::atomic<int> ran{0};
  for (Session& session : acceptor->sessions()) {
    session.call_after(std::chrono::seconds{1}, [this, &ran](Session& s) {
      const std::lock_guard lock{loop_venue.mutex};
      loop_venue.threads[std::string{s.name()}].insert(std::this_thread::get_id());
      ++ran;
    });
  }
  clock.advance(std::chrono::seconds{1});
  acceptor->start();
  for (int i = 0; i < kSessions; ++i) connect().send(logon(who(i), 1) + order(who(i), 2, who(i)));
  EXPECT_TRUE(wait_until([&] { return ran == kSessions; }));
  EXPECT_TRUE(wait_until([&] { return loop_venue.order_count() == std::size_t{kSessions}; }));
  stop_and_join();
  for (const auto& [session, threads] : loop_venue.threads)
    EXPECT_EQ(threads.size(), 1U) << session;
}

TEST_F(EventLoopsTest, statistics_are_read_by_another_thread_while_the_loops_run) {
  open_loops();
  std::atomic<bool> ends{false};
  std::uint64_t reads = 0;
  std::array<engine::LoopStatistics, 2> seen;
  std::thread reader{[&] {
    for (; !ends; ++reads) {
      for (std::uint32_t loop = 0; loop < 2; ++loop) {
        const engine::LoopStatistics now = acceptor->statistics().loops[loop];
        EXPECT_GE(now.messages_in, seen[loop].messages_in) << "a count does not go back";
        EXPECT_GE(now.messages_out, seen[loop].messages_out);
        EXPECT_GE(now.garbled, seen[loop].garbled);
        EXPECT_GE(now.connections_refused, seen[loop].connections_refused);
        seen[loop] = now;
      }
      EXPECT_EQ(acceptor->statistics().sessions.size(), std::size_t{kSessions});
    }
  }};
  acceptor->start();
  for (int i = 0; i < kSessions; ++i) connect().send(logon(who(i), 1) + order(who(i), 2, who(i)));
  EXPECT_TRUE(wait_until([&] {
    return std::ranges::all_of(peers,
                               [](const auto& peer) { return peer->messages().size() == 2; });
  }));
  peers.front()->send("8=FIX.4.4\0019=5\00135=0\00110=000\001");
  connect().send("GET / HTTP/1.1\r\n\r\n");
  const auto sum = [&](std::uint64_t engine::LoopStatistics::* count) {
    return acceptor->statistics().loops[0].*count + acceptor->statistics().loops[1].*count;
  };
  EXPECT_TRUE(wait_until([&] { return sum(&engine::LoopStatistics::garbled) >= 2; }));
  EXPECT_TRUE(wait_until([&] { return sum(&engine::LoopStatistics::connections_refused) >= 1; }));
  EXPECT_GE(sum(&engine::LoopStatistics::messages_in), 2U * kSessions);
  EXPECT_GE(sum(&engine::LoopStatistics::messages_out), 2U * kSessions);
  ends = true;
  reader.join();
  EXPECT_GT(reads, 0U);
  stop_and_join();
}

TEST_F(EventLoopsTest, logon_size_limit_of_a_session_on_another_loop_applies) {
  sessions = session_text(0, "EventLoop=0\n") + session_text(1, "EventLoop=1\nMaxLogonSize=9000\n");
  open_loops();
  acceptor->start();
  RawPeer& peer = connect();
  peer.send(logon(who(1), 1, "58=" + std::string(8'000, 'x') + "|"));
  EXPECT_TRUE(wait_until([&] { return peer.messages().size() == 1; }));
  RawPeer& refused = connect();
  refused.send(logon(who(0), 1, "58=" + std::string(8'000, 'x') + "|"));
  EXPECT_TRUE(wait_until([&] { return refused.closed(); }));
  stop_and_join();
  EXPECT_TRUE(log.has("49=TRADER0 56=VENUE: more bytes than a Logon may have")) << log.all();
}

TEST_F(EventLoopsTest, session_in_the_store_of_an_earlier_version_stays_on_its_loop) {
  PosixDisk disk;
  for (const std::string name : {"A/B", "C/D"}) {
    auto opened =
        store::open_journal(disk,
                            {.folder = folder.path() + (name == "A/B" ? "/store" : "/store/loop-1"),
                             .segment_bytes = kSegmentBytes},
                            clock.now().wall);
    ASSERT_TRUE(opened) << opened.error().text;
    ASSERT_TRUE(opened->store->open_session("FIX.4.4:VENUE->" + name, clock.now().wall));
    ASSERT_TRUE(opened->store->close());
  }
  const std::string session = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=";
  sessions = session + "A/B\n" + session + "C/D\n";
  open_loops();
  EXPECT_EQ(acceptor->find_session("FIX.4.4:VENUE->A%2FB")->handle().loop, 0U);
  EXPECT_EQ(acceptor->find_session("FIX.4.4:VENUE->C%2FD")->handle().loop, 1U);
}

TEST_F(EventLoopsTest, unknown_client_and_second_logon_are_refused) {
  open_loops();
  acceptor->start();
  RawPeer& unknown = connect();
  unknown.send(logon("STRANGER", 1));
  for (int i = 0; i < kSessions; ++i) connect().send(logon(who(i), 1));
  EXPECT_TRUE(wait_until([&] {
    return std::ranges::count_if(peers, [](const auto& one) { return !one->messages().empty(); }) ==
           kSessions;
  }));
  EXPECT_TRUE(wait_until([&] { return unknown.closed(); }));
  std::vector<RawPeer*> twice;
  for (int i = 0; i < kSessions; ++i) {
    twice.push_back(&connect());
    twice.back()->send(logon(who(i), 2));
  }
  EXPECT_TRUE(wait_until(
      [&] { return std::ranges::all_of(twice, [](RawPeer* one) { return one->closed(); }); }));
  for (const RawPeer* one : twice) EXPECT_TRUE(one->messages().empty());
  stop_and_join();
}

TEST_F(EventLoopsTest, session_stays_on_the_loop_that_stores_it) {
  open_loops();
  std::map<std::string, std::uint32_t> before;
  for (std::size_t i = 0; i < acceptor->session_count(); ++i) {
    before.emplace(acceptor->session(i).name(), acceptor->session(i).handle().loop);
  }
  acceptor.reset();
  extra = "EventLoops=3";
  open_loops();
  for (std::size_t i = 0; i < acceptor->session_count(); ++i) {
    EXPECT_EQ(before.at(std::string{acceptor->session(i).name()}),
              acceptor->session(i).handle().loop);
  }
  acceptor.reset();
  extra = "EventLoops=1";
  EXPECT_NE(
      under_test().refusal(loop_venue).find("its sessions would be forgotten. Set EventLoops="),
      std::string::npos);
}

TEST_F(EventLoopsTest, configured_loop_is_kept_and_a_change_is_an_error) {
  sessions = session_text(0, "EventLoop=1\n") + session_text(1, "EventLoop=1\n");
  open_loops();
  EXPECT_EQ(acceptor->session(0).handle().loop, 1U);
  EXPECT_EQ(acceptor->session(1).handle().loop, 1U);
  acceptor.reset();
  sessions = session_text(0, "EventLoop=0\n");
  EXPECT_NE(under_test().refusal(loop_venue).find("EventLoop=0, and it is stored in loop 1"),
            std::string::npos);
}

TEST_F(EventLoopsTest, missing_loop_is_an_error_of_the_file) {
  sessions = session_text(0, "EventLoop=2\n");
  const auto settings = config::parse_settings(config(), "venue.cfg");
  ASSERT_FALSE(settings.has_value());
  EXPECT_NE(settings.error().front().what().find("there are 2 EventLoops, counted from 0"),
            std::string::npos);
}

TEST_F(EventLoopsTest, loop_disconnects_its_larger_connection_when_another_loop_needs_room) {
  extra = "EventLoops=2\nMaxBufferedBytes=1048576\nCheckLatency=N";
  sessions = session_text(0, "EventLoop=0\n") + session_text(1, "EventLoop=1\n");
  open_loops();
  const auto run_all_until = [&](const std::function<bool()>& condition) {
    for (int turn = 0; turn < 5'000; ++turn) {
      if (condition()) return true;
      for (const std::uint32_t loop : {0U, 1U}) {
        acceptor->poll(std::chrono::milliseconds{turn < 50 ? 0 : 1}, loop);
      }
      for (const auto& peer : peers) peer->poll();
    }
    return condition();
  };
  const auto log_on_and_hoard = [&](int i, std::size_t count) -> RawPeer& {
    RawPeer& peer = connect();
    peer.send(logon(who(i), 1));
    EXPECT_TRUE(run_all_until([&] { return !peer.messages().empty(); })) << log.all();
    // Messages after a gap.
    for (std::size_t n = 0; n < count; ++n) {
      peer.send(from(who(i), "B", 100 + n, "58=" + std::string(10'000, 'x') + "|"));
    }
    EXPECT_TRUE(run_all_until([&] { return peer.all_sent(); }));
    int turns = 50;
    run_all_until([&] { return turns-- == 0; });
    return peer;
  };
  RawPeer& large = log_on_and_hoard(0, 60);
  EXPECT_FALSE(log.has("(MaxBufferedBytes)")) << log.all();
  const RawPeer& growing = log_on_and_hoard(1, 36);
  EXPECT_TRUE(run_all_until([&] { return large.closed(); })) << log.all();
  EXPECT_TRUE(log.has("all together may have 1048576 (MaxBufferedBytes)")) << log.all();
  EXPECT_FALSE(growing.closed()) << log.all();
}

TEST_F(EventLoopsTest, tasks_reach_sessions_of_every_loop) {
  open_loops();
  std::vector<engine::SessionHandle> handles;
  for (std::size_t i = 0; i < acceptor->session_count(); ++i) {
    handles.push_back(acceptor->session(i).handle());
  }
  engine::Remote remote = acceptor->remote();
  std::atomic<int> done{0};
  std::atomic<int> answered{0};
  acceptor->start();
  for (const engine::SessionHandle handle : handles) {
    const auto send = [](Session& session) {
      wire::Encoder news = session.begin("B");
      news.field(58, "to all");
      return session.finish(news);
    };
    ASSERT_TRUE(remote.post(handle, send, [&](const engine::PostResult& result) {
      if (result.sent && result.sent->msg_seq_num == 1) ++done;
      ++answered;
    }));
  }
  EXPECT_TRUE(wait_until([&] { return answered == kSessions; }));
  EXPECT_EQ(done, kSessions);
  stop_and_join();
}

// Remotes are made while the loops run, and a callback of one loop sends through another one.
TEST_F(EventLoopsTest, remotes_of_several_threads_reach_the_sessions_of_all_loops) {
  constexpr int kMessages = 300;
  open_loops();
  acceptor->start();
  fix44::News::Draft news;
  ASSERT_TRUE(news.set(fix44::Headline{"to all"}));
  ASSERT_TRUE(news.group<fix44::News::LinesOfText>().add(fix44::Text{"text"}));
  std::mutex mutex;
  std::map<std::string, std::vector<std::uint64_t>> numbers;  // by session
  std::map<std::string, std::set<std::thread::id>> loops;
  std::atomic<int> waits_within_loop{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kSessions; ++i) {
    threads.emplace_back([&, name = "FIX.4.4:VENUE->" + who(i),
                          next = "FIX.4.4:VENUE->" + who((i + 1) % kSessions)] {
      auto remote = acceptor->remote(name);
      const auto other = acceptor->remote(next);
      ASSERT_TRUE(remote && other);
      for (int sent = 0; sent < kMessages;) {
        const auto accepted = remote->send(news, [&, name](const engine::PostResult& result) {
          if (other->wait_logged_on(std::chrono::hours{1}) == engine::LogonWait::WithinLoop) {
            waits_within_loop.fetch_add(1);
          }
          const std::lock_guard lock{mutex};
          if (result.sent) numbers[name].push_back(result.sent->msg_seq_num);
          loops[name].insert(std::this_thread::get_id());
        });
        if (accepted) ++sent;
      }
      const auto is_done = [&] {
        const std::lock_guard lock{mutex};
        return numbers[name].size() == kMessages;
      };
      while (!is_done()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop_and_join();
  EXPECT_EQ(waits_within_loop.load(), kSessions * kMessages);
  ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kSessions));
  for (const auto& [name, some] : numbers) {
    EXPECT_TRUE(std::ranges::is_sorted(some));
    EXPECT_EQ(some.back(), static_cast<std::uint64_t>(kMessages));
    EXPECT_EQ(loops[name].size(), 1U) << "the session's thread";
  }
}

TEST_F(EventLoopsTest, loops_can_be_driven_by_threads_of_the_user) {
  open_loops();
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (std::uint32_t loop = 0; loop < acceptor->loop_count(); ++loop) {
    threads.emplace_back([&, loop] {
      while (!is_over.load()) acceptor->poll(std::chrono::milliseconds{1}, loop);
    });
  }
  for (int i = 0; i < kSessions; ++i) {
    connect().send(logon(who(i), 1) + order(who(i), 2, who(i)));
  }
  EXPECT_TRUE(wait_until([&] { return loop_venue.order_count() == kSessions; }));
  is_over.store(true);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nexusfix::testing
