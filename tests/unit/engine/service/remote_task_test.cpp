// Tasks from other threads for sessions, in every state of a session.
#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include <nexusfix/fix44/new_order_single.hpp>

#include "support/network/fake_network.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using PostOutcome = engine::PostResult::Outcome;
using engine::PostResult;
using engine::Remote;
using RemoteFailure = engine::RemoteError::Failure;
using engine::SendResult;
using engine::SessionHandle;

SendResult send_order(Session& session, std::string_view cl_ord_id) {
  wire::Encoder order = session.begin("D");
  order.field(11, cl_ord_id).field(55, "AAPL").field(54, '1').field(38, 100).field(40, '1');
  return session.finish(order);
}

class RemoteTaskTest : public InitiatorTest {
 protected:
  void open_both() {
    open();
    open_trader(acceptor->accept_port());
    auto made = initiator->remote("TRADER->VENUE");
    ASSERT_TRUE(made.has_value()) << made.error().what();
    remote.emplace(std::move(*made));
  }
  void log_on_both() {
    open_both();
    ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  }
  void TearDown() override {
    initiator.reset();
    InitiatorTest::TearDown();
  }
  // on_result keeps all results here.
  [[nodiscard]] auto keep() {
    return [this](const PostResult& result) { results.push_back(result); };
  }
  template <class Task>
  auto post(Task task) {
    return remote->post(std::move(task), keep());
  }
  PostResult result_of(std::size_t awaited = 1) {
    EXPECT_TRUE(turn_until([&] { return results.size() == awaited; }));
    const std::vector<PostResult> all = std::exchange(results, {});
    return all.empty() ? PostResult{} : all.back();
  }

  // The acceptor answers the Logout meanwhile: the clock is manual, so no timeout ends the wait.
  void stop_and_join() {
    std::atomic<bool> has_ended{false};
    initiator->stop();
    std::thread joining{[&] {
      EXPECT_EQ(initiator->join(), 0);
      has_ended.store(true);
    }};
    EXPECT_TRUE(run_until([&] { return has_ended.load(); })) << trader_log.all();
    joining.join();
  }

  std::optional<Remote> remote;
  std::vector<PostResult> results;
};

TEST_F(RemoteTaskTest, statistics_have_the_tasks_that_are_left_and_since_when) {
  log_on_both();
  constexpr std::size_t kTasks = 40;  // more than a turn of the loop runs
  for (std::size_t i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(post([](Session&) { return SendResult{1}; }).has_value());
  }
  initiator->poll(std::chrono::milliseconds{0});
  const auto busy = initiator->statistics().loops[0];
  EXPECT_EQ(busy.waiting_tasks + busy.posted_tasks, kTasks);
  EXPECT_GT(busy.waiting_tasks, 0U);
  EXPECT_TRUE(busy.tasks_wait_since.has_value());
  static_cast<void>(result_of(kTasks));
  const auto idle = initiator->statistics().loops[0];
  EXPECT_EQ(idle.waiting_tasks, 0U);
  EXPECT_FALSE(idle.tasks_wait_since.has_value());
}

TEST_F(RemoteTaskTest, posted_message_is_sent_and_its_number_is_returned) {
  log_on_both();
  const auto token = post([](Session& s) { return send_order(s, "P1"); });
  ASSERT_TRUE(token.has_value());
  const PostResult result = result_of();
  EXPECT_EQ(result.token, *token);
  EXPECT_EQ(result.outcome, PostOutcome::Done);
  ASSERT_TRUE(result.sent.has_value());
  EXPECT_EQ(result.sent->msg_seq_num, 2U);
  EXPECT_TRUE(result.sent->is_transmitted);
  EXPECT_EQ(remote->refused(), 0U);
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"P1"}; }));
}

// The task owns the draft, and the thread may forget it.
TEST_F(RemoteTaskTest, a_draft_is_posted_and_sent_twice_as_two_messages) {
  log_on_both();
  fix44::NewOrderSingle::Draft order;
  ASSERT_TRUE(order.set(fix44::ClOrdID{"DRAFT"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                        fix44::TransactTime{WallTime{}}, fix44::OrdType::Market,
                        fix44::OrderQty{100}));
  ASSERT_TRUE(post([draft = std::move(order)](Session& s) {
    EXPECT_TRUE(s.send(draft));
    return s.send(draft);
  }));
  const PostResult result = result_of();
  ASSERT_TRUE(result.sent.has_value());
  EXPECT_EQ(result.sent->msg_seq_num, 3U);
  EXPECT_TRUE(
      turn_until([&] { return venue.orders == std::vector<std::string>{"DRAFT", "DRAFT"}; }));
}

TEST_F(RemoteTaskTest, message_posted_before_the_logon_is_stored_and_delivered) {
  open_both();
  ASSERT_TRUE(post([](Session& s) { return send_order(s, "EARLY"); }));
  initiator->poll(std::chrono::nanoseconds{0});
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0].sent.has_value());
  EXPECT_FALSE(results[0].sent->is_transmitted);
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"EARLY"}; }));
}

TEST_F(RemoteTaskTest, refused_message_is_returned_with_its_reason) {
  log_on_both();
  ASSERT_TRUE(post([](Session& s) {
    wire::Encoder order = s.begin("D");
    order.field(58, "");
    return s.finish(order);
  }));
  const PostResult result = result_of();
  EXPECT_EQ(result.outcome, PostOutcome::Refused);
  EXPECT_NE(result.text.find("the value is empty"), std::string::npos) << result.text;
  EXPECT_FALSE(result.sent.has_value());
}

TEST_F(RemoteTaskTest, throwing_task_does_not_stop_the_next_one) {
  log_on_both();
  ASSERT_TRUE(post([](Session&) { throw std::runtime_error{"no limit left"}; }));
  ASSERT_TRUE(post([](Session& s) { return send_order(s, "NEXT"); }));
  ASSERT_TRUE(turn_until([&] { return results.size() == 2; }));
  EXPECT_EQ(results[0].outcome, PostOutcome::Threw);
  EXPECT_EQ(results[0].text, "no limit left");
  EXPECT_EQ(results[1].outcome, PostOutcome::Done);
  EXPECT_TRUE(trader_log.has("a posted task threw: no limit left"));
}

TEST_F(RemoteTaskTest, message_begun_by_one_task_cannot_be_finished_by_another) {
  log_on_both();
  std::optional<wire::Encoder> kept;
  ASSERT_TRUE(post([&](Session& s) { kept.emplace(s.begin("D")); }));
  ASSERT_TRUE(post([&](Session& s) {
    kept->field(11, "LATE");
    return s.finish(*kept);
  }));
  EXPECT_EQ(result_of(2).outcome, PostOutcome::Refused);
}

TEST_F(RemoteTaskTest, unknown_session_gives_the_result_or_the_error_no_session) {
  log_on_both();
  ASSERT_TRUE(remote->post({.loop = 0, .key = 77}, [](Session&) { FAIL(); }, keep()));
  EXPECT_EQ(result_of().outcome, PostOutcome::NoSession);
  const auto no_loop = remote->post({.loop = 9, .key = 0}, [](Session&) { FAIL(); });
  ASSERT_FALSE(no_loop.has_value());
  EXPECT_EQ(no_loop.error().failure, RemoteFailure::NoSession);
}

TEST_F(RemoteTaskTest, remote_without_a_session_reaches_all_by_their_handles) {
  log_on_both();
  const Remote all = initiator->remote();
  Remote own = all;
  std::string name;
  ASSERT_TRUE(own.post(initiator->session(0).handle(), [&](Session& s) { name = s.name(); }));
  EXPECT_TRUE(turn_until([&] { return name == initiator->session(0).name(); }));
  const auto nowhere = own.post([](Session&) { FAIL(); });
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().failure, RemoteFailure::NoSession);
  EXPECT_EQ(own.log_out().error().failure, RemoteFailure::NoSession);
  EXPECT_EQ(own.wait_logged_on(std::chrono::hours{1}), engine::LogonWait::NoSession);
  EXPECT_FALSE(own.is_logged_on());
  EXPECT_EQ(own.session_name(), "");
}

TEST_F(RemoteTaskTest, messages_and_tasks_are_carried_out_in_the_order_of_their_calls) {
  log_on_both();
  fix44::NewOrderSingle::Draft order;
  const auto named = [&](std::string_view id) -> const fix44::NewOrderSingle::Draft& {
    EXPECT_TRUE(order.set(fix44::ClOrdID{id}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                          fix44::TransactTime{WallTime{}}, fix44::OrdType::Market,
                          fix44::OrderQty{100}));
    return order;
  };
  ASSERT_TRUE(remote->send(named("1")));
  ASSERT_TRUE(remote->post([](Session& s) { return send_order(s, "2"); }));
  ASSERT_TRUE(
      remote->post(initiator->session(0).handle(), [](Session& s) { return send_order(s, "3"); }));
  ASSERT_TRUE(remote->send(named("4")));
  EXPECT_TRUE(
      turn_until([&] { return venue.orders == std::vector<std::string>{"1", "2", "3", "4"}; }));
}

TEST_F(RemoteTaskTest, refused_task_without_on_result_is_an_event_and_is_counted) {
  log_on_both();
  ASSERT_TRUE(remote->post(
      [](Session&) -> std::expected<void, std::string> { return std::unexpected{"no limit"}; }));
  ASSERT_TRUE(turn_until([&] { return remote->refused() == 1; }));
  EXPECT_TRUE(trader_log.has("what a remote has sent is not carried out: no limit"));
  ASSERT_TRUE(remote->post([](Session&) { throw std::runtime_error{"no price"}; }));
  ASSERT_TRUE(turn_until([&] { return remote->refused() == 2; }));
  EXPECT_TRUE(trader_log.has("a posted task threw: no price"));
  EXPECT_FALSE(trader_log.has("not carried out: no price")) << "one event is enough";
}

TEST_F(RemoteTaskTest, engine_waits_while_the_operator_logs_out_and_on_again) {
  log_on_both();
  ASSERT_TRUE(post([](Session& s) { s.log_out("lunch"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  for (int i = 0; i < 20; ++i) turn_until([&] { return true; });
  EXPECT_TRUE(running) << "there is a remote that may want the session back";
  ASSERT_TRUE(post([](Session& s) { s.log_on(); }));
  EXPECT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all();
  remote.reset();
  initiator->session(0).log_out();
  EXPECT_TRUE(turn_until([&] { return !running; })) << "no remote is left that could want it";
}

TEST_F(RemoteTaskTest, disconnect_sends_no_logout_and_the_initiator_reconnects) {
  log_on_both();
  ASSERT_TRUE(post([](Session& s) { s.disconnect("stale prices"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  EXPECT_TRUE(trader_log.has("disconnected by the application: stale prices"));
  EXPECT_FALSE(log.has("received a Logout"));
  ASSERT_TRUE(turn_until([&] {
    clock.advance(std::chrono::milliseconds{100});
    return trader.logons == 2;
  }));
  EXPECT_TRUE(turn_until([&] { return numbers_agree(); }));
}

TEST_F(RemoteTaskTest, reset_logs_out_and_begins_at_one_again) {
  log_on_both();
  ASSERT_TRUE(post([](Session& s) { return send_order(s, "P1"); }));
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 1; }));
  acceptor->session(0).reset("agreed by phone");
  ASSERT_TRUE(post([](Session& s) { s.reset("agreed by phone"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all() << log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 2U);
  EXPECT_EQ(initiator->session(0).numbers().next_inbound, 2U);
}

TEST_F(RemoteTaskTest, next_numbers_are_set_only_without_a_connection) {
  log_on_both();
  const auto set = [](Session& s) {
    return s.set_next_numbers({.next_inbound = 5, .next_outbound = 9}, "by desk 7");
  };
  ASSERT_TRUE(post(set));
  PostResult result = result_of();
  EXPECT_EQ(result.outcome, PostOutcome::Refused);
  EXPECT_NE(result.text.find("log it out first"), std::string::npos);
  ASSERT_TRUE(post([](Session& s) { s.log_out(); }));
  static_cast<void>(result_of());
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  turn_until([turns = 0]() mutable { return ++turns > 5; });
  ASSERT_TRUE(post(set));
  EXPECT_EQ(result_of().outcome, PostOutcome::Done);
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 9U);
}

TEST_F(RemoteTaskTest, posts_above_the_capacity_are_refused_until_the_loop_has_run_some) {
  log_on_both();
  for (std::size_t i = 0; i < Remote::kCapacity; ++i) ASSERT_TRUE(post([](Session&) {}));
  const auto full = post([](Session&) { FAIL(); });
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().failure, RemoteFailure::Full);
  static_cast<void>(result_of(Remote::kCapacity));
  EXPECT_TRUE(post([](Session&) {}));
}

// A copy that throws leaves its slot free.
TEST_F(RemoteTaskTest, task_whose_copy_throws_is_not_posted) {
  struct Task {
    Task() = default;
    Task(const Task&) { throw std::runtime_error{"no copy"}; }
    void operator()(Session&) const { FAIL(); }
  };
  log_on_both();
  const Task task;
  EXPECT_THROW(static_cast<void>(remote->post(task)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(remote->post(task)), std::runtime_error);
  ASSERT_TRUE(post([](Session& s) { return send_order(s, "NEXT"); }));
  EXPECT_EQ(result_of().token, 1U);
}

TEST_F(RemoteTaskTest, pending_task_of_an_ended_engine_is_answered_and_destroyed) {
  open_both();
  const auto witness = std::make_shared<int>(0);
  ASSERT_TRUE(post([witness](Session&) { ++*witness; }));
  initiator.reset();
  EXPECT_EQ(witness.use_count(), 1) << "the task is destroyed";
  EXPECT_EQ(*witness, 0);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome, PostOutcome::Stopped);
  const auto late = post([](Session&) {});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().failure, RemoteFailure::Stopped);
}

TEST_F(RemoteTaskTest, tasks_of_a_destroyed_remote_are_done) {
  log_on_both();
  ASSERT_TRUE(post([](Session& s) { return send_order(s, "LAST"); }));
  remote.reset();
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"LAST"}; }));
}

TEST_F(RemoteTaskTest, post_makes_the_next_turn_due) {
  log_on_both();
  while (initiator->next_deadline() == MonoTime::min()) initiator->poll({});
  ASSERT_TRUE(post([](Session&) {}));
  EXPECT_EQ(initiator->next_deadline(), MonoTime::min());
}

// A poll() that waits comes after some that do not wait.
TEST_F(RemoteTaskTest, spinning_engine_is_woken_by_a_post_when_it_waits) {
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  EngineUnderTest opening = under_test(config(5001), "venue.cfg");
  opening.options.network = &network;
  opening.options.busy_spin = true;
  auto opened = opening.try_open(venue);
  ASSERT_TRUE(opened.has_value()) << opened.error().what();
  Remote own = opened->remote();
  unsigned wakes = 0;
  unsigned done = 0;
  network.while_waiting = [&] {
    EXPECT_TRUE(own.post(opened->session(0).handle(), [&](Session&) { ++done; }));
    wakes += network.wakes();
  };
  for (const int milliseconds : {0, 0, 1, 0, 1}) {
    EXPECT_TRUE(opened->poll(std::chrono::milliseconds{milliseconds}));
  }
  EXPECT_EQ(wakes, 2U);
  EXPECT_EQ(done, 2U);
}

// Real threads and a sleeping loop: only the posts wake it.
TEST_F(RemoteTaskTest, several_threads_trade_and_each_result_arrives_once) {
  constexpr int kThreads = 3;
  constexpr int kOrders = 300;
  log_on_both();
  const SessionHandle session = initiator->session(0).handle();
  initiator->start();
  std::atomic<int> done{0};
  std::vector<std::uint64_t> numbers[kThreads];  // the loop's thread
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Remote own = initiator->remote();
      const auto keep_number = [&, thread](const PostResult& result) {
        if (result.sent) numbers[thread].push_back(result.sent->msg_seq_num);
      };
      for (int i = 0; i < kOrders; ++i) {
        const std::string id = std::to_string(thread) + "-" + std::to_string(i);
        EXPECT_TRUE(own.post(session, [id](Session& s) { return send_order(s, id); }, keep_number));
        if (i % 7 == 0) std::this_thread::yield();
      }
      done.fetch_add(1);
    });
  }
  EXPECT_TRUE(run_until([&] {
    return done.load() == kThreads &&
           venue.orders.size() == static_cast<std::size_t>(kThreads * kOrders);
  })) << venue.orders.size()
      << trader_log.all() << log.all();
  for (std::thread& thread : threads) thread.join();
  stop_and_join();
  std::vector<std::uint64_t> all;
  for (const auto& some : numbers) {
    EXPECT_TRUE(std::ranges::is_sorted(some)) << "in the order in which they were posted";
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kOrders));
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

// A post to an engine that ends still gets a result: Stopped or Done.
TEST_F(RemoteTaskTest, each_post_to_a_stopping_engine_has_a_result) {
  open();
  for (int round = 0; round < 20; ++round) {
    open_trader(acceptor->accept_port());
    const SessionHandle session = initiator->session(0).handle();
    Remote own = initiator->remote();
    initiator->start();
    std::uint64_t posted = 0;
    std::atomic<std::uint64_t> answered{0};
    std::thread producer{[&] {
      while (true) {
        const auto token =
            own.post(session, [](Session&) {}, [&](const PostResult&) { answered.fetch_add(1); });
        if (token) ++posted;
        if (!token && token.error().failure == RemoteFailure::Stopped) break;
      }
    }};
    stop_and_join();
    producer.join();
    EXPECT_EQ(answered.load(), posted) << "on the loop's thread, before it has ended";
    initiator.reset();
  }
}

}  // namespace
}  // namespace nexusfix::testing
