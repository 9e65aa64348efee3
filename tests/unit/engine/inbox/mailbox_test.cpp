// Tasks from other threads for sessions, in every state of a session.
#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include <nexusfix/fix44/new_order_single.hpp>

#include "support/network/fake_network.hpp"
#include "unit/engine/connection/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::Mailbox;
using engine::PostError;
using engine::PostOutcome;
using engine::PostResult;
using engine::SendResult;
using engine::SessionHandle;

SendResult send_order(Session& session, std::string_view cl_ord_id) {
  wire::Encoder order = session.begin("D");
  order.field(11, cl_ord_id).field(55, "AAPL").field(54, '1').field(38, 100).field(40, '1');
  return session.finish(order);
}

class MailboxTest : public InitiatorTest {
 protected:
  void open_both() {
    open();
    open_trader(acceptor->accept_port());
    handle = initiator->session(0).handle();
    mailbox.emplace(initiator->open_mailbox());
  }
  void log_on_both() {
    open_both();
    ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  }
  void TearDown() override {
    initiator.reset();
    InitiatorTest::TearDown();
  }
  // The results that have arrived so far.
  std::vector<PostResult> collected() {
    std::vector<PostResult> results;
    mailbox->collect([&](const PostResult& result) { results.push_back(result); });
    return results;
  }
  PostResult result_of(std::size_t awaited = 1) {
    std::vector<PostResult> results;
    EXPECT_TRUE(turn_until([&] {
      mailbox->collect([&](const PostResult& result) { results.push_back(result); });
      return results.size() == awaited;
    }));
    return results.empty() ? PostResult{} : results.back();
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

  SessionHandle handle;
  std::optional<Mailbox> mailbox;
};

TEST_F(MailboxTest, statistics_have_the_tasks_that_are_left_and_since_when) {
  log_on_both();
  constexpr std::size_t kTasks = 40;  // more than a turn of the loop runs
  for (std::size_t i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(mailbox->post(handle, [](Session&) { return SendResult{1}; }).has_value());
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

TEST_F(MailboxTest, posted_message_is_sent_and_its_number_is_returned) {
  log_on_both();
  const auto token = mailbox->post(handle, [](Session& s) { return send_order(s, "P1"); });
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(mailbox->awaited(), 1U);
  const PostResult result = result_of();
  EXPECT_EQ(result.token, *token);
  EXPECT_EQ(result.outcome, PostOutcome::Done);
  ASSERT_TRUE(result.sent.has_value());
  EXPECT_EQ(result.sent->msg_seq_num, 2U);
  EXPECT_TRUE(result.sent->is_transmitted);
  EXPECT_EQ(mailbox->awaited(), 0U);
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"P1"}; }));
}

// The task owns the draft, and the thread may forget it.
TEST_F(MailboxTest, a_draft_is_posted_and_sent_twice_as_two_messages) {
  log_on_both();
  fix44::NewOrderSingle::Draft order;
  ASSERT_TRUE(order.set(fix44::ClOrdID{"DRAFT"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                        fix44::TransactTime{WallTime{}}, fix44::OrdType::Market,
                        fix44::OrderQty{100}));
  ASSERT_TRUE(mailbox->post(handle, [draft = std::move(order)](Session& s) {
    EXPECT_TRUE(s.send(draft));
    return s.send(draft);
  }));
  const PostResult result = result_of();
  ASSERT_TRUE(result.sent.has_value());
  EXPECT_EQ(result.sent->msg_seq_num, 3U);
  EXPECT_TRUE(
      turn_until([&] { return venue.orders == std::vector<std::string>{"DRAFT", "DRAFT"}; }));
}

TEST_F(MailboxTest, message_posted_before_the_logon_is_stored_and_delivered) {
  open_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { return send_order(s, "EARLY"); }));
  initiator->poll(std::chrono::nanoseconds{0});
  const std::vector<PostResult> results = collected();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0].sent.has_value());
  EXPECT_FALSE(results[0].sent->is_transmitted);
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"EARLY"}; }));
}

TEST_F(MailboxTest, refused_message_is_returned_with_its_reason) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) {
    wire::Encoder order = s.begin("D");
    order.field(58, "");
    return s.finish(order);
  }));
  const PostResult result = result_of();
  EXPECT_EQ(result.outcome, PostOutcome::Refused);
  EXPECT_NE(result.text.find("the value is empty"), std::string::npos) << result.text;
  EXPECT_FALSE(result.sent.has_value());
}

TEST_F(MailboxTest, throwing_task_does_not_stop_the_next_one) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session&) { throw std::runtime_error{"no limit left"}; }));
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { return send_order(s, "NEXT"); }));
  std::vector<PostResult> results;
  ASSERT_TRUE(turn_until([&] {
    for (PostResult& one : collected()) results.push_back(std::move(one));
    return results.size() == 2;
  }));
  EXPECT_EQ(results[0].outcome, PostOutcome::Threw);
  EXPECT_EQ(results[0].text, "no limit left");
  EXPECT_EQ(results[1].outcome, PostOutcome::Done);
  EXPECT_TRUE(trader_log.has("a posted task threw: no limit left"));
}

TEST_F(MailboxTest, message_begun_by_one_task_cannot_be_finished_by_another) {
  log_on_both();
  std::optional<wire::Encoder> kept;
  ASSERT_TRUE(mailbox->post(handle, [&](Session& s) { kept.emplace(s.begin("D")); }));
  ASSERT_TRUE(mailbox->post(handle, [&](Session& s) {
    kept->field(11, "LATE");
    return s.finish(*kept);
  }));
  EXPECT_EQ(result_of(2).outcome, PostOutcome::Refused);
}

TEST_F(MailboxTest, unknown_session_gives_the_result_no_session) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(SessionHandle{.loop = 0, .key = 77}, [](Session&) { FAIL(); }));
  ASSERT_TRUE(mailbox->post(SessionHandle{.loop = 9, .key = 0}, [](Session&) { FAIL(); }));
  EXPECT_EQ(result_of(2).outcome, PostOutcome::NoSession);
}

TEST_F(MailboxTest, engine_waits_while_the_operator_logs_out_and_on_again) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { s.log_out("lunch"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  for (int i = 0; i < 20; ++i) turn_until([&] { return true; });
  EXPECT_TRUE(running) << "a mailbox is open that may want the session back";
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { s.log_on(); }));
  EXPECT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all();
  mailbox.reset();
  initiator->session(0).log_out();
  EXPECT_TRUE(turn_until([&] { return !running; })) << "no mailbox is left that could want it";
}

TEST_F(MailboxTest, disconnect_sends_no_logout_and_the_initiator_reconnects) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { s.disconnect("stale prices"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  EXPECT_TRUE(trader_log.has("disconnected by the application: stale prices"));
  EXPECT_FALSE(log.has("received a Logout"));
  ASSERT_TRUE(turn_until([&] {
    clock.advance(std::chrono::milliseconds{100});
    return trader.logons == 2;
  }));
  EXPECT_TRUE(turn_until([&] { return numbers_agree(); }));
}

TEST_F(MailboxTest, reset_logs_out_and_begins_at_one_again) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { return send_order(s, "P1"); }));
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 1; }));
  acceptor->session(0).reset("agreed by phone");
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { s.reset("agreed by phone"); }));
  ASSERT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all() << log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 2U);
  EXPECT_EQ(initiator->session(0).numbers().next_inbound, 2U);
}

TEST_F(MailboxTest, next_numbers_are_set_only_without_a_connection) {
  log_on_both();
  const auto set = [](Session& s) {
    return s.set_next_numbers({.next_inbound = 5, .next_outbound = 9}, "by desk 7");
  };
  ASSERT_TRUE(mailbox->post(handle, set));
  PostResult result = result_of();
  EXPECT_EQ(result.outcome, PostOutcome::Refused);
  EXPECT_NE(result.text.find("log it out first"), std::string::npos);
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { s.log_out(); }));
  static_cast<void>(result_of());
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  turn_until([turns = 0]() mutable { return ++turns > 5; });
  ASSERT_TRUE(mailbox->post(handle, set));
  EXPECT_EQ(result_of().outcome, PostOutcome::Done);
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 9U);
}

TEST_F(MailboxTest, posts_above_the_capacity_are_refused_until_results_are_collected) {
  log_on_both();
  for (std::size_t i = 0; i < Mailbox::kCapacity; ++i) {
    ASSERT_TRUE(mailbox->post(handle, [](Session&) {}));
  }
  const auto full = mailbox->post(handle, [](Session&) { FAIL(); });
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error(), PostError::Full);
  static_cast<void>(result_of(Mailbox::kCapacity));
  EXPECT_TRUE(mailbox->post(handle, [](Session&) {}));
}

TEST_F(MailboxTest, pending_task_of_an_ended_engine_is_answered_and_destroyed) {
  open_both();
  const auto witness = std::make_shared<int>(0);
  ASSERT_TRUE(mailbox->post(handle, [witness](Session&) { ++*witness; }));
  initiator.reset();
  EXPECT_EQ(witness.use_count(), 1) << "the task is destroyed";
  EXPECT_EQ(*witness, 0);
  const std::vector<PostResult> results = collected();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome, PostOutcome::Stopped);
  const auto late = mailbox->post(handle, [](Session&) {});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error(), PostError::Stopped);
}

TEST_F(MailboxTest, tasks_of_a_destroyed_mailbox_are_done) {
  log_on_both();
  ASSERT_TRUE(mailbox->post(handle, [](Session& s) { return send_order(s, "LAST"); }));
  mailbox.reset();
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"LAST"}; }));
}

TEST_F(MailboxTest, post_makes_the_next_turn_due) {
  log_on_both();
  while (initiator->next_deadline() == MonoTime::min()) initiator->poll({});
  ASSERT_TRUE(mailbox->post(handle, [](Session&) {}));
  EXPECT_EQ(initiator->next_deadline(), MonoTime::min());
}

// A poll() that waits comes after some that do not wait.
TEST_F(MailboxTest, spinning_engine_is_woken_by_a_post_when_it_waits) {
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  auto settings = config::parse_settings(config(5001), "venue.cfg");
  ASSERT_TRUE(settings.has_value());
  EngineOptions spinning = options();
  spinning.network = &network;
  spinning.busy_spin = true;
  auto opened = Engine::open(std::move(*settings), venue, spinning);
  ASSERT_TRUE(opened.has_value()) << opened.error().what();
  Mailbox own = opened->open_mailbox();
  unsigned wakes = 0;
  network.while_waiting = [&] {
    EXPECT_TRUE(own.post(opened->session(0).handle(), [](Session&) {}));
    wakes += network.wakes();
  };
  for (const int milliseconds : {0, 0, 1, 0, 1}) {
    EXPECT_TRUE(opened->poll(std::chrono::milliseconds{milliseconds}));
  }
  EXPECT_EQ(wakes, 2U);
  EXPECT_EQ(own.collect([](const PostResult&) {}), 2U);
}

// Real threads and a sleeping loop: only the posts wake it.
TEST_F(MailboxTest, several_threads_trade_and_each_result_arrives_once) {
  constexpr int kThreads = 3;
  constexpr int kOrders = 300;
  log_on_both();
  const SessionHandle session = handle;
  std::vector<Mailbox> mailboxes;
  for (int i = 0; i < kThreads; ++i) mailboxes.push_back(initiator->open_mailbox());
  initiator->start();
  std::atomic<int> done{0};
  std::vector<std::uint64_t> numbers[kThreads];
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Mailbox& own = mailboxes[static_cast<std::size_t>(thread)];
      const auto note = [&](const PostResult& result) {
        if (result.sent) numbers[thread].push_back(result.sent->msg_seq_num);
      };
      for (int i = 0; i < kOrders; ++i) {
        const std::string id = std::to_string(thread) + "-" + std::to_string(i);
        EXPECT_TRUE(own.post(session, [id](Session& s) { return send_order(s, id); }));
        if (i % 7 == 0) static_cast<void>(own.wait(std::chrono::minutes{5}));
        own.collect(note);
      }
      while (own.awaited() > 0 && own.wait(std::chrono::minutes{5})) own.collect(note);
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
TEST_F(MailboxTest, each_post_to_a_stopping_engine_has_a_result) {
  open();
  for (int round = 0; round < 20; ++round) {
    open_trader(acceptor->accept_port());
    const SessionHandle session = initiator->session(0).handle();
    Mailbox own = initiator->open_mailbox();
    initiator->start();
    std::uint64_t posted = 0;
    std::uint64_t answered = 0;
    std::thread producer{[&] {
      while (true) {
        const auto token = own.post(session, [](Session&) {});
        if (token) ++posted;
        answered += own.collect([](const PostResult&) {});
        if (!token && token.error() == PostError::Stopped) break;
      }
    }};
    stop_and_join();
    producer.join();
    initiator.reset();
    answered += own.collect([](const PostResult&) {});
    EXPECT_EQ(answered, posted);
  }
}

}  // namespace
}  // namespace nexusfix::testing
