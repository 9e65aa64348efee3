// Messages from other threads, in every state of a session.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include <nexusfix/fix44/new_order_single.hpp>

#include "engine/ground/shared/remote_directory.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::LogonWait;
using PostOutcome = engine::PostResult::Outcome;
using engine::PostResult;
using engine::Remote;
using RemoteFailure = engine::RemoteError::Failure;
using namespace std::chrono_literals;
using Order = fix44::NewOrderSingle::Draft;

constexpr std::string_view kTrader = "FIX.4.4:TRADER->VENUE";

Order order_of(std::string_view id) {
  Order order;
  EXPECT_TRUE(order.set(fix44::ClOrdID{id}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                        fix44::TransactTime{WallTime{}}, fix44::OrdType::Market,
                        fix44::OrderQty{100}));
  return order;
}

class RemoteTest : public InitiatorTest {
 protected:
  void open_both() {
    open();
    open_trader(acceptor->accept_port());
    auto made = initiator->remote(kTrader);
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
  void turns(int count) {
    turn_until([&] { return count-- == 0; });
  }
  // on_result keeps all results here.
  [[nodiscard]] auto keep() {
    return [this](const PostResult& result) { results.push_back(result); };
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

TEST_F(RemoteTest, a_session_is_found_by_its_identity) {
  open_both();
  const session::SessionId id = initiator->sessions().begin()->id();
  EXPECT_EQ(initiator->find_session(id), initiator->find_session(kTrader));
  EXPECT_EQ(initiator->remote(id)->session_name(), kTrader);
  session::SessionId other = id;
  other.qualifier = "2";
  EXPECT_EQ(initiator->find_session(other), nullptr);
  const auto none = initiator->remote(other);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().what().find("FIX.4.4:TRADER->VENUE:2"), std::string::npos);
}

TEST_F(RemoteTest, draft_is_sent_and_its_result_has_the_number) {
  log_on_both();
  const auto token = remote->send(order_of("R1"), keep());
  ASSERT_TRUE(token.has_value()) << token.error().what();
  ASSERT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"R1"}; }));
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].token, *token);
  EXPECT_EQ(results[0].outcome, PostOutcome::Done);
  ASSERT_TRUE(results[0].sent.has_value());
  EXPECT_EQ(results[0].sent->msg_seq_num, 2U);
  EXPECT_EQ(remote->refused(), 0U);
}

TEST_F(RemoteTest, session_that_does_not_exist_is_an_error_with_the_nearest_name) {
  open_both();
  const auto near = initiator->remote("FIX.4.4:TRADR->VENUE");
  ASSERT_FALSE(near.has_value());
  EXPECT_EQ(near.error().what(),
            "the engine has no session FIX.4.4:TRADR->VENUE; did you mean FIX.4.4:TRADER->VENUE?");
  EXPECT_FALSE(initiator->remote("desk 7").has_value());
}

TEST_F(RemoteTest, session_is_found_by_its_comp_ids) {
  open_both();
  const auto made = initiator->remote("TRADER->VENUE");
  ASSERT_TRUE(made.has_value()) << made.error().what();
  EXPECT_EQ(made->session_name(), kTrader);
}

TEST(RemoteDirectory, finds_a_session_by_its_qualifier_or_comp_ids_if_no_other_one_has_them) {
  engine::RemoteDirectory directory;
  std::uint32_t key = 0;
  for (const std::string_view name :
       {"FIX.4.2:A->B", "FIX.4.4:A->B", "FIX.4.4:A->C:desk%3A7", "FIX.4.4:A->C:spare",
        "FIX.4.4:A/S->D", "FIX.4.4:E->F:spare", "FIXT.1.1:G->H:1", "FIXT.1.1:G->H:2"}) {
    directory.add(name, {.loop = 0, .key = ++key});
  }
  const auto found = [&](std::string_view name) {
    const auto session = directory.find(name);
    return session ? std::string{(*session)->name()} : session.error();
  };
  EXPECT_EQ(found("desk:7"), "FIX.4.4:A->C:desk%3A7");
  EXPECT_EQ(found("A->C:spare"), "FIX.4.4:A->C:spare");
  EXPECT_EQ(found("A/S->D"), "FIX.4.4:A/S->D");
  EXPECT_EQ(found("E->F"), "FIX.4.4:E->F:spare");
  EXPECT_EQ(found("A->B"),
            "A->B is the name of several sessions: FIX.4.2:A->B, FIX.4.4:A->B; give one of these "
            "names");
  EXPECT_EQ(found("spare"),
            "spare is the name of several sessions: FIX.4.4:A->C:spare, FIX.4.4:E->F:spare; give "
            "one of these names");
  EXPECT_EQ(found("G->H"),
            "G->H is the name of several sessions: FIXT.1.1:G->H:1, FIXT.1.1:G->H:2; give one of "
            "these names");
  // No part of a name, and no CompID alone: a session that is added later could have it, too.
  EXPECT_THAT(found("A"), ::testing::HasSubstr("the engine has no session A; "));
  EXPECT_THAT(found(""), ::testing::HasSubstr("the engine has no session "));
  EXPECT_THAT(found("some other name"),
              ::testing::HasSubstr("the engine has no session some other name; its sessions are "
                                   "FIX.4.2:A->B, FIX.4.4:A->B, "));
  for (std::uint32_t i = 0; i < 5; ++i) {
    directory.add("FIX.4.4:T->V:" + std::to_string(i), {.loop = 0, .key = ++key});
  }
  EXPECT_THAT(found("some other name"), ::testing::EndsWith("FIX.4.4:T->V:3 and 3 more"));
}

TEST_F(RemoteTest, draft_without_a_required_field_is_an_error_of_the_call) {
  log_on_both();
  Order order = order_of("R1");
  ASSERT_TRUE(order.erase<fix44::Side>());
  const auto token = remote->send(order, keep());
  ASSERT_FALSE(token.has_value());
  EXPECT_EQ(token.error().failure, RemoteFailure::Invalid);
  EXPECT_EQ(token.error().what(), "Side (54): the required field is missing");
  turns(3);
  EXPECT_TRUE(results.empty());
}

// Only what the loop has not taken counts.
TEST_F(RemoteTest, full_queue_has_room_again_when_the_loop_has_taken_messages) {
  log_on_both();
  const Order order = order_of("R");
  for (int lap = 0; lap < 3; ++lap) {
    for (std::size_t i = 0; i < Remote::kCapacity; ++i) ASSERT_TRUE(remote->send(order));
    const auto full = remote->send(order, keep());
    ASSERT_FALSE(full.has_value());
    EXPECT_EQ(full.error().failure, RemoteFailure::Full);
    EXPECT_EQ(full.error().what(),
              "1024 messages of this remote wait for the event loop: send more slowly");
    const std::size_t all = static_cast<std::size_t>(lap + 1) * Remote::kCapacity;
    ASSERT_TRUE(turn_until([&] { return venue.orders.size() == all; })) << venue.orders.size();
  }
  EXPECT_TRUE(results.empty()) << "a message that was not accepted has no result";
}

// The loop must serve its connections between the messages of a thread that sends all the time.
TEST_F(RemoteTest, turn_takes_a_bounded_number_of_messages_of_all_remotes) {
  log_on_both();
  Remote other = *initiator->remote(kTrader);
  const Order order = order_of("R");
  for (std::size_t i = 0; i < Remote::kCapacity; ++i) {
    ASSERT_TRUE(remote->send(order, keep()));
    ASSERT_TRUE(other.send(order, keep()));
  }
  for (std::size_t turn = 1; turn < 10; ++turn) {
    initiator->poll(0ns);
    EXPECT_LE(results.size(), 16 * turn);
    EXPECT_GE(results.size(), turn);
  }
  EXPECT_EQ(std::ranges::count_if(results, [](const auto& one) { return one.token == 1; }), 2)
      << "both have their turn";
}

TEST_F(RemoteTest, refused_message_calls_on_result_with_the_reason) {
  schedule += "\nSendWhileLoggedOut=N";
  open_both();
  ASSERT_TRUE(remote->send(order_of("EARLY"), keep()));
  initiator->poll(0ns);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome, PostOutcome::Refused);
  ASSERT_TRUE(results[0].refusal.has_value());
  EXPECT_EQ(results[0].refusal->failure, engine::SendFailure::NotLoggedOn);
  EXPECT_EQ(remote->refused(), 1U);
  EXPECT_FALSE(trader_log.has("what a remote has sent")) << "the application knows";
}

TEST_F(RemoteTest, refused_message_without_on_result_is_an_event_and_is_counted) {
  schedule += "\nSendWhileLoggedOut=N";
  open_both();
  constexpr unsigned kMessages = 100;
  for (unsigned i = 0; i < kMessages; ++i) ASSERT_TRUE(remote->send(order_of("EARLY")));
  for (unsigned turn = 0; turn < kMessages && remote->refused() < kMessages; ++turn) {
    initiator->poll(0ns);
  }
  EXPECT_EQ(remote->refused(), kMessages);
  EXPECT_TRUE(
      trader_log.has("what a remote has sent is not carried out: the session is not "
                     "logged on"))
      << trader_log.all();
  const auto lines = std::ranges::count(trader_log.ids, EventId::RemoteRefused);
  EXPECT_GE(lines, 1);
  EXPECT_LT(lines, kMessages) << "a flood of refusals is no flood of lines";
}

TEST_F(RemoteTest, exception_of_on_result_is_logged_and_the_next_message_is_sent) {
  log_on_both();
  ASSERT_TRUE(
      remote->send(order_of("R1"), [](const PostResult&) { throw std::runtime_error{"x7"}; }));
  ASSERT_TRUE(remote->send(order_of("R2"), keep()));
  ASSERT_TRUE(turn_until([&] { return results.size() == 1; }));
  EXPECT_TRUE(trader_log.has("on_result of a remote threw: x7"));
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"R1", "R2"}; }));
}

TEST_F(RemoteTest, on_result_may_send_and_its_captures_are_destroyed_after_the_call) {
  log_on_both();
  const auto witness = std::make_shared<int>(0);
  ASSERT_TRUE(remote->send(order_of("R1"), [this, witness](const PostResult&) {
    ++*witness;
    EXPECT_TRUE(remote->send(order_of("R2"), keep()));
  }));
  ASSERT_TRUE(turn_until([&] { return results.size() == 1; }));
  EXPECT_EQ(*witness, 1);
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_TRUE(turn_until([&] { return venue.orders.size() == 2; }));
}

TEST(RemoteText, each_failure_of_a_send_has_a_text_of_its_own) {
  EXPECT_EQ(to_string(RemoteFailure::Stopped), "the engine has ended");
  EXPECT_TRUE(to_string(engine::SendFailure::NotLoggedOn).starts_with("the session is not logged"));
  EXPECT_EQ(to_string(engine::SendFailure::Encode), "a value cannot be sent");
  std::set<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(RemoteFailure::Stopped); ++i) {
    texts.insert(to_string(static_cast<RemoteFailure>(i)));
  }
  EXPECT_EQ(texts.size(), std::size_t{1} + static_cast<std::size_t>(RemoteFailure::Stopped));
  texts.clear();
  for (int i = 0; i <= static_cast<int>(engine::SendFailure::RateLimited); ++i) {
    texts.insert(to_string(static_cast<engine::SendFailure>(i)));
  }
  EXPECT_EQ(texts.size(),
            std::size_t{1} + static_cast<std::size_t>(engine::SendFailure::RateLimited));
  const engine::RemoteError error{.failure = RemoteFailure::Stopped};
  EXPECT_EQ(to_string(error), error.what());
}

TEST_F(RemoteTest, removed_session_ends_its_messages_with_no_session) {
  log_on_both();
  ASSERT_TRUE(remote->log_out("end of day"));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  Session& session = initiator->session(0);
  session.remove("not needed");
  turns(5);
  EXPECT_FALSE(remote->is_logged_on());
  EXPECT_EQ(remote->wait_logged_on(0ns), LogonWait::NoSession);
  const auto late = remote->send(order_of("LATE"), keep());
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().failure, RemoteFailure::NoSession);
  EXPECT_FALSE(initiator->remote(kTrader).has_value());
}

TEST_F(RemoteTest, message_that_waits_while_its_session_is_removed_has_a_result) {
  open_both();
  initiator->session(0).remove("not needed");
  // The session is destroyed at the end of the turn, before the loop takes the second message.
  const Order order = order_of("R");
  for (std::size_t i = 0; i < Remote::kCapacity; ++i) ASSERT_TRUE(remote->send(order, keep()));
  ASSERT_TRUE(turn_until([&] { return results.size() == Remote::kCapacity; }));
  EXPECT_EQ(results.back().outcome, PostOutcome::NoSession);
  EXPECT_EQ(remote->refused(),
            static_cast<std::uint64_t>(std::ranges::count_if(
                results, [](const auto& one) { return one.outcome != PostOutcome::Done; })));
}

TEST_F(RemoteTest, remote_follows_a_session_that_is_added_again) {
  log_on_both();
  ASSERT_TRUE(remote->log_out());
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  initiator->session(0).remove("moved");
  turns(5);
  ASSERT_FALSE(remote->send(order_of("R0")).has_value());
  auto settings = config::parse_settings(trader_config(acceptor->accept_port()), "again.cfg");
  ASSERT_TRUE(settings.has_value());
  const auto added = initiator->add_sessions(std::move(*settings));
  ASSERT_TRUE(added.has_value()) << added.error().what();
  ASSERT_TRUE(turn_until([&] { return remote->is_logged_on(); })) << trader_log.all();
  ASSERT_TRUE(remote->send(order_of("R1"), keep()));
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"R1"}; }));
}

TEST_F(RemoteTest, pending_messages_of_an_ended_engine_end_with_stopped) {
  open_both();
  ASSERT_TRUE(remote->send(order_of("R1"), keep()));
  ASSERT_TRUE(remote->send(order_of("R2")));
  initiator.reset();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome, PostOutcome::Stopped);
  EXPECT_EQ(remote->refused(), 2U);
  EXPECT_TRUE(trader_log.has("1 messages and tasks of remotes are not carried out"));
  const auto late = remote->send(order_of("R3"), keep());
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().failure, RemoteFailure::Stopped);
  EXPECT_EQ(remote->wait_logged_on(1h), LogonWait::Stopped);
  EXPECT_EQ(results.size(), 1U);
}

TEST_F(RemoteTest, result_of_an_ended_engine_cannot_send_another_message) {
  open_both();
  ASSERT_TRUE(remote->send(order_of("R1"), [this](const PostResult& result) {
    results.push_back(result);
    const auto again = remote->send(order_of("R2"), keep());
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().failure, RemoteFailure::Stopped);
  }));
  initiator.reset();
  EXPECT_EQ(results.size(), 1U);
}

TEST_F(RemoteTest, messages_of_a_destroyed_remote_are_sent) {
  log_on_both();
  ASSERT_TRUE(remote->send(order_of("LAST"), keep()));
  remote.reset();
  EXPECT_TRUE(turn_until([&] { return venue.orders == std::vector<std::string>{"LAST"}; }));
  EXPECT_EQ(results.size(), 1U);
}

TEST_F(RemoteTest, operator_logs_out_and_on_again_and_the_engine_waits_meanwhile) {
  log_on_both();
  EXPECT_TRUE(remote->is_logged_on());
  ASSERT_TRUE(remote->log_out("lunch"));
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  EXPECT_FALSE(remote->is_logged_on());
  EXPECT_TRUE(log.has("lunch"));
  turns(20);
  EXPECT_TRUE(running) << "a remote may want the session back";
  ASSERT_TRUE(remote->log_on());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 2; }));
  EXPECT_TRUE(remote->is_logged_on());
  remote.reset();
  initiator->session(0).log_out();
  EXPECT_TRUE(turn_until([&] { return !running; })) << "no remote is left that could want it";
}

TEST_F(RemoteTest, thread_of_the_loop_does_not_wait_for_itself) {
  open_both();
  EXPECT_EQ(remote->wait_logged_on(-1ns), LogonWait::TimedOut);
  initiator->poll(0ns);
  EXPECT_EQ(remote->wait_logged_on(1h), LogonWait::WithinLoop);
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; }));
  EXPECT_EQ(remote->wait_logged_on(1h), LogonWait::LoggedOn);
}

TEST_F(RemoteTest, large_draft_and_small_ones_arrive_unchanged) {
  log_on_both();
  for (int lap = 0; lap < 3; ++lap) {
    Order order = order_of("L" + std::to_string(lap));
    ASSERT_TRUE(order.set(fix44::Text{std::string(lap == 1 ? 20'000 : 20, 'x')}));
    ASSERT_TRUE(remote->send(order));
    ASSERT_TRUE(order.set(fix44::ClOrdID{"CHANGED"})) << "the remote has a copy";
  }
  EXPECT_TRUE(
      turn_until([&] { return venue.orders == std::vector<std::string>{"L0", "L1", "L2"}; }));
}

// Real threads and a sleeping loop from here on: only the posts wake it.
TEST_F(RemoteTest, waiting_thread_is_woken_by_the_logon) {
  open_both();
  initiator->start();
  LogonWait end = LogonWait::TimedOut;
  std::thread waiting{[&] { end = remote->wait_logged_on(5min); }};
  EXPECT_TRUE(run_until([&] { return remote->is_logged_on(); })) << trader_log.all();
  waiting.join();
  EXPECT_EQ(end, LogonWait::LoggedOn);
  stop_and_join();
}

TEST_F(RemoteTest, waiting_threads_are_woken_by_the_end_of_the_engine) {
  open_both();
  acceptor.reset();  // No counterparty: the session never logs on.
  initiator->start();
  std::atomic<int> stopped{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, mine = *remote] {
      if (mine.wait_logged_on(5min) == LogonWait::Stopped) stopped.fetch_add(1);
    });
  }
  initiator->stop();
  EXPECT_EQ(initiator->join(), 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stopped.load(), 3);
}

// One remote for all of them, and one for each.
TEST_F(RemoteTest, many_threads_send_and_each_message_is_sent_once_in_the_order_of_its_thread) {
  constexpr int kThreads = 4;
  constexpr int kOrders = 400;
  log_on_both();
  std::vector<Remote> remotes{*remote, *remote};
  while (remotes.size() < kThreads) remotes.push_back(*initiator->remote(kTrader));
  initiator->start();
  std::atomic<int> done{0};
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Remote& own = remotes[static_cast<std::size_t>(thread)];
      for (int i = 0; i < kOrders;) {
        const Order order = order_of(std::to_string(thread) + "-" + std::to_string(i));
        const auto accepted = own.send(order, [&](const PostResult& result) {
          answered.fetch_add(result.outcome == PostOutcome::Done ? 1 : 0);
        });
        if (accepted) {
          ++i;
        } else {
          EXPECT_EQ(accepted.error().failure, RemoteFailure::Full);
          std::this_thread::yield();
        }
      }
      done.fetch_add(1);
    });
  }
  constexpr std::size_t kAll = static_cast<std::size_t>(kThreads) * kOrders;
  EXPECT_TRUE(run_until([&] { return done.load() == kThreads && venue.orders.size() == kAll; }))
      << venue.orders.size() << trader_log.all();
  for (std::thread& thread : threads) thread.join();
  stop_and_join();
  EXPECT_EQ(answered.load(), static_cast<int>(kAll));
  std::map<std::string, std::vector<int>> by_thread;
  for (const std::string& id : venue.orders) {
    by_thread[id.substr(0, 1)].push_back(std::stoi(id.substr(2)));
  }
  EXPECT_EQ(by_thread.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [thread, numbers] : by_thread) {
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
  }
}

// Accepted and answered are the same number, also for messages that cross the end of the engine.
TEST_F(RemoteTest, each_message_that_a_stopping_engine_accepts_has_one_result) {
  open();
  for (int round = 0; round < 20; ++round) {
    open_trader(acceptor->accept_port());
    Remote own = *initiator->remote(kTrader);
    initiator->start();
    std::uint64_t accepted = 0;
    std::atomic<std::uint64_t> answered{0};
    std::thread producer{[&] {
      const Order order = order_of("R");
      while (true) {
        const auto token = own.send(order, [&](const PostResult&) { answered.fetch_add(1); });
        if (token) {
          ++accepted;
        } else if (token.error().failure == RemoteFailure::Stopped) {
          break;
        }
      }
    }};
    stop_and_join();
    producer.join();
    EXPECT_EQ(answered.load(), accepted) << "on the loop's thread, before it has ended";
    initiator.reset();
  }
}

// Names are looked up, and sessions come and go, while threads send.
TEST_F(RemoteTest, sessions_are_added_and_removed_while_threads_use_them) {
  open();
  open_trader(acceptor->accept_port());
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> answered{0};
  std::uint64_t accepted = 0;
  std::thread producer{[&] {
    const Order order = order_of("R");
    while (!is_over.load()) {
      auto own = initiator->remote(kTrader);
      if (!own) continue;
      for (int i = 0; i < 50; ++i) {
        if (own->send(order, [&](const PostResult&) { answered.fetch_add(1); })) ++accepted;
      }
      static_cast<void>(own->wait_logged_on(1ms));
    }
  }};
  for (int round = 0; round < 30; ++round) {
    turns(3);
    if (Session* const session = initiator->find_session(kTrader)) session->remove("again");
    turns(3);
    auto settings = config::parse_settings(trader_config(acceptor->accept_port()), "again.cfg");
    ASSERT_TRUE(settings.has_value());
    static_cast<void>(initiator->add_sessions(std::move(*settings)));
  }
  is_over.store(true);
  producer.join();
  ASSERT_TRUE(turn_until([&] { return answered.load() == accepted; }))
      << answered.load() << " of " << accepted;
}

// Also those that other layers give to an application.
TEST(ReasonTest, a_stream_prints_the_text_of_to_string) {
  std::ostringstream out;
  out << LogonWait::TimedOut << ", " << PostOutcome::Stopped << ", " << RemoteFailure::Full << ", "
      << engine::SendFailure::Vetoed << ", " << session::DisconnectReason::Operator << ", "
      << wire::FieldErrorCode::Malformed << ", " << wire::EncodeErrorCode::BufferFull;
  std::string expected{to_string(LogonWait::TimedOut)};
  for (const std::string_view text :
       {to_string(PostOutcome::Stopped), to_string(RemoteFailure::Full),
        to_string(engine::SendFailure::Vetoed), to_string(session::DisconnectReason::Operator),
        to_string(wire::FieldErrorCode::Malformed), to_string(wire::EncodeErrorCode::BufferFull)}) {
    expected.append(", ").append(text);
  }
  EXPECT_EQ(out.str(), expected);
}

}  // namespace
}  // namespace nexusfix::testing
