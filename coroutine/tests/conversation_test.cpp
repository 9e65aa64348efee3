// Coroutines that await the messages of their session: <nexusfix/coroutine.hpp>.
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/coroutine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/counted_new.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;
using fix44::ExecutionReport;
using fix44::OrderCancelReject;

// Counts the local objects of coroutines.
struct Local {
  explicit Local(int& counter) : alive{counter} { ++alive; }
  ~Local() { --alive; }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  int& alive;
};

void send_news(Session& session, std::string_view text) {
  wire::Encoder news = session.begin("B");
  news.field(58, text);
  ASSERT_TRUE(session.finish(news).has_value());
}

struct Desk : Conversations<Desk> {
  std::vector<std::string> seen;
  std::function<void(Session&)> after_logon;
  int alive = 0;

  void on_logon(Session& session) {
    if (after_logon) after_logon(session);
  }
  void on_logout(Session&) { seen.emplace_back("on_logout"); }
  void on_message(Session&, const ExecutionReport& report) {
    seen.push_back("on_message " + std::string{report.cl_ord_id().value_or("")});
  }
  void on_message(Session&, const OrderCancelReject&) { seen.emplace_back("on_message reject"); }

  template <class Result>
  void note(std::string_view name, const Result& result) {
    seen.push_back(std::string{name} + " " +
                   (result ? std::string{result->cl_ord_id().value_or("")}
                           : std::string{to_string(result.end())}));
  }
  // Notes the result of each of its waits.
  Conversation record_all(Session&, std::string name,
                          std::optional<std::chrono::nanoseconds> timeout = {}) {
    const Local local{alive};
    while (true) {
      const auto report =
          timeout ? co_await next<ExecutionReport>(*timeout) : co_await next<ExecutionReport>();
      note(name, report);
      if (report.end() == WaitEnd::NoTimer) co_return;
    }
  }
  Conversation record_one(Session&, std::string name) {
    const Local local{alive};
    note(name, co_await next<ExecutionReport>());
  }
  Conversation record_own(Session&, std::string id) {
    const auto is_own = [&](const auto& report) { return report.cl_ord_id() == id; };
    note("own", co_await next<ExecutionReport>(is_own));
    note("own", co_await next<ExecutionReport>(1s, is_own));
  }
  Conversation throw_after_one(Session& session, std::string text) {
    const Local local{alive};
    const auto report = co_await next<ExecutionReport>();
    send_news(session, "undone");
    throw std::runtime_error{text};
  }
};

class ConversationTest : public AcceptorTest {
 protected:
  void open_desk() { under_test(config(), "desk.cfg").open(acceptor, desk); }
  void open_and_log_on() {
    open_desk();
    peer = &log_on("TRADER");
  }
  [[nodiscard]] Session& session() { return acceptor->session(0); }
  static std::string report_fields(std::string_view id) {
    return "37=O1|11=" + std::string{id} + "|17=E1|150=0|39=0|55=AAPL|54=1|151=100|14=0|6=0|";
  }
  // Waits until it is processed.
  void send(std::string_view msg_type, const std::string& body) {
    peer->send(from("TRADER", msg_type, ++last_, body));
    ASSERT_TRUE(run_until([&] { return session().numbers().next_inbound == last_ + 1; }))
        << log.all();
  }
  void send_report(std::string_view id) { send("8", report_fields(id)); }
  void pass(std::chrono::nanoseconds time) {
    clock.advance(time);
    turn(2);
  }
  void disconnect() {
    peer->close();
    ASSERT_TRUE(run_until([&] { return !session().is_logged_on(); })) << log.all();
  }
  void log_on_again() {
    peer = &connect();
    peer->send(logon("TRADER", ++last_));
    ASSERT_TRUE(run_until([&] { return session().is_logged_on(); })) << log.all();
  }

  using Seen = std::vector<std::string>;
  Desk desk;
  RawPeer* peer = nullptr;

 private:
  std::uint64_t last_ = 1;  // the MsgSeqNum of the peer's last message
};

TEST_F(ConversationTest, awaited_message_resumes_the_coroutine_within_its_callback) {
  struct Sender {
    static Conversation trade(Session& session, Desk& desk) {
      send_news(session, "first");
      const auto report = co_await Desk::next<ExecutionReport>();
      desk.note("got", report);
      send_news(session, "second");
    }
  };
  open_and_log_on();
  Sender::trade(session(), desk).start();
  EXPECT_TRUE(desk.seen.empty());
  send_report("A1");
  EXPECT_EQ(desk.seen, Seen{"got A1"});
  ASSERT_TRUE(run_until([&] { return peer->messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer->messages()[1], "|58=first|"));
  EXPECT_TRUE(contains(peer->messages()[2], "|34=3|"));
  EXPECT_TRUE(contains(peer->messages()[2], "|58=second|"));
}

TEST_F(ConversationTest, message_that_no_conversation_awaits_goes_to_on_message) {
  open_and_log_on();
  send_report("A1");
  desk.record_one(session(), "one").start();
  send("9", "37=O1|11=A2|41=A1|39=0|434=1|");
  send_report("A3");
  send_report("A4");
  EXPECT_EQ(desk.seen, (Seen{"on_message A1", "on_message reject", "one A3", "on_message A4"}));
  EXPECT_EQ(desk.alive, 0);
}

TEST_F(ConversationTest, conversation_that_waits_longest_gets_the_message) {
  open_and_log_on();
  desk.record_all(session(), "first").start();
  desk.record_all(session(), "second").start();
  for (const char* id : {"A", "B", "C"}) send_report(id);
  EXPECT_EQ(desk.seen, (Seen{"first A", "second B", "first C"}));
}

TEST_F(ConversationTest, conversations_of_one_session_get_their_own_messages) {
  open_and_log_on();
  desk.record_own(session(), "A1").start();
  desk.record_own(session(), "A2").start();
  for (const char* id : {"A2", "A3", "A1", "A2"}) send_report(id);
  EXPECT_EQ(desk.seen, (Seen{"own A2", "on_message A3", "own A1", "own A2"}));
  pass(1s);
  EXPECT_EQ(desk.seen.back(), "own timed out") << "the first one still waited";
}

TEST_F(ConversationTest, message_and_its_views_live_as_long_as_the_result) {
  struct Keeper {
    static Conversation keep(Session&, Desk& desk) {
      const auto first = co_await Desk::next<ExecutionReport>();
      const std::string_view id = first->cl_ord_id()->value;
      const auto second = co_await Desk::next<ExecutionReport>();
      for (int i = 0; i < 10; ++i) desk.note("more", co_await Desk::next<ExecutionReport>());
      desk.seen.assign({std::string{id}, std::string{second->cl_ord_id()->value},
                        std::string{(*first).symbol().value}});
    }
  };
  open_and_log_on();
  Keeper::keep(session(), desk).start();
  for (int i = 0; i < 12; ++i) send_report("AN-ID-OF-MORE-THAN-A-FEW-BYTES-" + std::to_string(i));
  EXPECT_EQ(desk.seen,
            (Seen{"AN-ID-OF-MORE-THAN-A-FEW-BYTES-0", "AN-ID-OF-MORE-THAN-A-FEW-BYTES-1", "AAPL"}));
}

TEST_F(ConversationTest, wait_for_several_types_ends_with_the_first_message_of_any) {
  struct Reader {
    static Conversation read(Session&, Desk& desk) {
      for (int i = 0; i < 2; ++i) {
        const auto reply = co_await Desk::next<ExecutionReport, OrderCancelReject>(5s);
        if (const auto* const report = reply.get<ExecutionReport>()) {
          desk.seen.push_back("report " + std::string{report->cl_ord_id()->value});
        } else if (const auto* const reject = reply.get<OrderCancelReject>()) {
          desk.seen.push_back("reject " + std::string{reject->cl_ord_id().value});
        }
      }
    }
  };
  open_and_log_on();
  Reader::read(session(), desk).start();
  send("9", "37=O1|11=A2|41=A1|39=0|434=1|");
  send_report("A3");
  EXPECT_EQ(desk.seen, (Seen{"reject A2", "report A3"}));
}

TEST_F(ConversationTest, wait_times_out_at_its_time_and_not_before) {
  open_and_log_on();
  desk.record_all(session(), "w", 5s).start();
  pass(5s - 1ns);
  EXPECT_TRUE(desk.seen.empty());
  pass(1ns);
  EXPECT_EQ(desk.seen, Seen{"w timed out"});
  pass(4s);
  send_report("A1");
  pass(4s);
  EXPECT_EQ(desk.seen, (Seen{"w timed out", "w A1"})) << "a message cancels the timer of its wait";
  pass(1s);
  EXPECT_EQ(desk.seen.back(), "w timed out");
}

TEST_F(ConversationTest, cancelled_wait_ends_in_the_next_turn_and_gets_no_message) {
  open_and_log_on();
  ConversationHandle one = desk.record_all(session(), "one", 1h).start();
  peer->send(from("TRADER", "8", 2, report_fields("A1")));
  peer->poll();
  ASSERT_TRUE(peer->all_sent());
  EXPECT_TRUE(one.cancel());
  EXPECT_TRUE(one.cancel()) << "the wait is about to end";
  EXPECT_TRUE(desk.seen.empty()) << "not within the call";
  ASSERT_TRUE(run_until([&] { return desk.seen.size() == 2; }));
  EXPECT_EQ(desk.seen, (Seen{"on_message A1", "one cancelled"})) << "events come before timers";
  EXPECT_TRUE(one.is_running());
  pass(1h);
  EXPECT_EQ(desk.seen.back(), "one timed out") << "its further waits are not affected";
}

TEST_F(ConversationTest, cancel_of_a_running_conversation_ends_its_next_wait) {
  struct Own {
    static Conversation cancel(Session&, Desk& desk, ConversationHandle& handle) {
      const auto report = co_await Desk::next<ExecutionReport>();
      EXPECT_TRUE(handle.cancel());
      desk.note("a", co_await Desk::next<ExecutionReport>());
      desk.note("b", co_await Desk::next<ExecutionReport>());
    }
  };
  open_and_log_on();
  ConversationHandle handle;
  handle = Own::cancel(session(), desk, handle).start();
  send_report("A1");
  EXPECT_EQ(desk.seen, Seen{"a cancelled"});
  send_report("A2");
  EXPECT_EQ(desk.seen.back(), "b A2");
  EXPECT_FALSE(handle.is_running());
  EXPECT_FALSE(handle.cancel());
}

TEST_F(ConversationTest, end_of_the_connection_ends_all_waits_before_on_logout) {
  open_and_log_on();
  desk.record_all(session(), "one").start();
  desk.record_all(session(), "two", 1h).start();
  disconnect();
  EXPECT_EQ(desk.seen, (Seen{"one logged out", "two logged out", "on_logout"}));
  log_on_again();
  send_report("A1");
  EXPECT_EQ(desk.seen.back(), "one A1") << "a later wait outlives the connection";
}

TEST_F(ConversationTest, cancelled_wait_ends_as_cancelled_also_at_a_logout) {
  open_and_log_on();
  ConversationHandle one = desk.record_all(session(), "one").start();
  EXPECT_TRUE(one.cancel());
  session().remove("closed");  // cancels its timers
  peer->send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
  EXPECT_EQ(desk.seen, (Seen{"one cancelled", "on_logout"}));
  EXPECT_FALSE(one.is_running());
  EXPECT_EQ(desk.alive, 0);
}

TEST_F(ConversationTest, removed_session_ends_its_conversations) {
  open_and_log_on();
  ConversationHandle with_timer = desk.record_all(session(), "one", 1h).start();
  ConversationHandle without = desk.record_all(session(), "two").start();
  session().remove("closed");
  peer->send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
  EXPECT_EQ(desk.seen,
            (Seen{"one logged out", "one no timer could be set", "two logged out", "on_logout"}));
  EXPECT_EQ(desk.alive, 0);
  EXPECT_FALSE(with_timer.is_running());
  EXPECT_FALSE(without.is_running());
  EXPECT_FALSE(without.cancel());
}

TEST_F(ConversationTest,
       session_that_is_not_logged_on_destroys_its_conversations_without_a_resume) {
  open_desk();
  ConversationHandle one = desk.record_all(session(), "one", 1h).start();
  EXPECT_EQ(desk.alive, 1);
  session().remove("closed");
  turn(2);
  EXPECT_EQ(acceptor->session_count(), 1U);
  EXPECT_EQ(desk.alive, 0);
  EXPECT_FALSE(one.is_running());
  EXPECT_TRUE(desk.seen.empty());
}

TEST_F(ConversationTest, end_of_the_engine_destroys_conversations_without_a_resume) {
  open_and_log_on();
  ConversationHandle one = desk.record_all(session(), "one", 1h).start();
  ConversationHandle two = desk.record_all(session(), "two").start();
  EXPECT_TRUE(two.cancel());
  EXPECT_EQ(desk.alive, 2);
  acceptor.reset();
  EXPECT_EQ(desk.alive, 0);
  EXPECT_TRUE(desk.seen.empty());
  EXPECT_FALSE(one.is_running());
  EXPECT_FALSE(two.cancel());
}

TEST_F(ConversationTest, conversation_ends_before_the_data_of_its_session) {
  struct Book {
    int orders = 0;
  };
  struct LastLook {
    Book& book;
    int& orders;
    ~LastLook() { orders = book.orders; }
  };
  struct Looker {
    static Conversation look(Session& session, int& orders) {
      const LastLook last{*session.data<Book>(), orders};
      const auto report = co_await Desk::next<ExecutionReport>();
    }
  };
  open_desk();
  session().attach<Book>(7);
  int orders = 0;
  Looker::look(session(), orders).start();
  acceptor.reset();
  EXPECT_EQ(orders, 7);
}

TEST_F(ConversationTest, conversations_of_an_ending_engine_cannot_cancel_each_other) {
  struct Cancelling {
    ConversationHandle& other;
    bool& is_cancelled;
    ~Cancelling() { is_cancelled = other.cancel(); }
  };
  struct Last {
    static Conversation wait(Session&, ConversationHandle& other, bool& is_cancelled) {
      const Cancelling local{other, is_cancelled};
      const auto report = co_await Desk::next<ExecutionReport>();
    }
  };
  open_desk();
  bool is_cancelled = true;
  ConversationHandle one = desk.record_all(session(), "one").start();
  Last::wait(session(), one, is_cancelled).start();
  acceptor.reset();
  EXPECT_FALSE(is_cancelled);
}

TEST_F(ConversationTest, conversation_that_is_not_started_is_destroyed) {
  open_desk();
  static_cast<void>(desk.record_all(session(), "one"));
  Conversation moved = desk.record_all(session(), "two");
  EXPECT_EQ(desk.alive, 0) << "none of it has run";
  Conversation target{std::move(moved)};
  EXPECT_TRUE(target.start().is_running());
  EXPECT_EQ(desk.alive, 1);
  EXPECT_FALSE(target.start().is_running()) << "it was started before";
}

TEST_F(ConversationTest, handle_can_be_moved_and_dropped) {
  open_and_log_on();
  ConversationHandle one = desk.record_all(session(), "one").start();
  ConversationHandle two = desk.record_all(session(), "two").start();
  ConversationHandle moved{std::move(one)};
  two = std::move(moved);
  EXPECT_TRUE(two.cancel());
  turn(2);
  EXPECT_EQ(desk.seen, Seen{"one cancelled"});
  EXPECT_EQ(desk.alive, 2) << "the dropped one goes on";
}

TEST_F(ConversationTest, exception_ends_the_coroutine_and_undoes_the_callback) {
  open_and_log_on();
  ConversationHandle one = desk.throw_after_one(session(), "no price").start();
  desk.record_all(session(), "other").start();
  send_report("A1");
  ASSERT_TRUE(run_until([&] { return peer->messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer->messages()[1], "|35=j|")) << bar(peer->messages()[1]);
  EXPECT_TRUE(contains(peer->messages()[1], "|34=2|")) << "the other message is undone";
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no price")) << log.all();
  EXPECT_FALSE(one.is_running());
  EXPECT_EQ(desk.alive, 1);
  send_report("A2");
  EXPECT_EQ(desk.seen, Seen{"other A2"});
}

TEST_F(ConversationTest, conversation_of_a_logon_is_a_part_of_its_callback) {
  open_desk();
  desk.after_logon = [&](Session& s) {
    desk.record_one(s, "one").start();
    send_news(s, "undone");
    throw std::runtime_error{"no account"};
  };
  peer = &log_on("TRADER");
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no account")) << log.all();
  EXPECT_EQ(session().numbers().next_outbound, 2U);
  EXPECT_EQ(desk.alive, 1) << "a started conversation is no message: it goes on";
}

TEST_F(ConversationTest, exception_before_the_first_wait_is_that_of_start) {
  struct Throwing {
    static Conversation start(Session&, Desk& desk) {
      const Local local{desk.alive};
      throw std::runtime_error{"no limit"};
      co_return;
    }
  };
  open_desk();
  EXPECT_THROW(Throwing::start(session(), desk).start(), std::runtime_error);
  EXPECT_EQ(desk.alive, 0);
}

TEST_F(ConversationTest, exception_after_a_timeout_is_that_of_a_timer) {
  struct Throwing {
    static Conversation wait(Session&, Desk& desk) {
      const Local local{desk.alive};
      const auto report = co_await Desk::next<ExecutionReport>(1s);
      desk.seen.emplace_back(report->cl_ord_id().value_or(""));  // without a test
    }
  };
  open_and_log_on();
  Throwing::wait(session(), desk).start();
  pass(1s);
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "the wait has ended: timed out")) << log.all();
  EXPECT_EQ(desk.alive, 0);
  EXPECT_TRUE(desk.seen.empty());
}

TEST_F(ConversationTest, exceptions_at_a_logout_let_the_others_end_and_are_reported) {
  open_and_log_on();
  desk.throw_after_one(session(), "no price").start();
  desk.record_one(session(), "other").start();
  desk.throw_after_one(session(), "no size").start();
  disconnect();
  EXPECT_EQ(desk.seen, (Seen{"other logged out", "on_logout"}));
  EXPECT_EQ(desk.alive, 0);
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "2 functions threw, the first of them: no price"))
      << log.all();
}

TEST_F(ConversationTest, conversation_starts_another_one) {
  struct Parent {
    static Conversation run(Session& session, Desk& desk) {
      const auto report = co_await Desk::next<ExecutionReport>();
      desk.record_one(session, "child").start();
      desk.note("parent", co_await Desk::next<ExecutionReport>());
    }
  };
  open_and_log_on();
  Parent::run(session(), desk).start();
  for (const char* id : {"A", "B", "C"}) send_report(id);
  EXPECT_EQ(desk.seen, (Seen{"child B", "parent C"}));
}

TEST_F(ConversationTest, predicate_that_throws_leaves_the_wait) {
  struct Choosy {
    static Conversation choose(Session&, Desk& desk) {
      int calls = 0;
      const auto where = [&](const auto&) -> bool {
        if (++calls == 1) throw std::runtime_error{"no choice"};
        return true;
      };
      desk.note("choosy", co_await Desk::next<ExecutionReport>(where));
    }
  };
  open_and_log_on();
  Choosy::choose(session(), desk).start();
  send_report("A1");
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no choice")) << log.all();
  send_report("A2");
  EXPECT_EQ(desk.seen, Seen{"choosy A2"});
}

TEST_F(ConversationTest, waits_allocate_nothing_in_steady_state) {
  struct Counter {
    static Conversation count(Session&, int& messages) {
      while (const auto report = co_await Desk::next<ExecutionReport>(1s)) ++messages;
    }
  };
  open_desk();
  int messages = 0;
  Counter::count(session(), messages).start();
  const engine::Callbacks callbacks = engine::make_callbacks(desk);
  const std::string bytes = from("TRADER", "8", 2, report_fields("A1"));
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view.has_value());
  const auto receive = [&](int count) {
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(callbacks.on_message(&desk, session(), *view).accepts());
    }
  };
  receive(10);
  const std::size_t before = test::allocations;
  receive(1'000);
  EXPECT_EQ(test::allocations, before);
  EXPECT_EQ(messages, 1'010);
}

TEST_F(ConversationTest, without_memory_for_the_copy_the_message_fails_and_the_wait_stays) {
  open_desk();
  desk.record_all(session(), "one").start();
  const engine::Callbacks callbacks = engine::make_callbacks(desk);
  const std::string bytes = from("TRADER", "8", 2, report_fields("A1"));
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view.has_value());
  test::failing_allocation = test::allocations + 1;
  EXPECT_THROW(static_cast<void>(callbacks.on_message(&desk, session(), *view)), std::bad_alloc);
  test::failing_allocation = 0;
  EXPECT_TRUE(callbacks.on_message(&desk, session(), *view).accepts());
  EXPECT_EQ(desk.seen, Seen{"one A1"});
}

}  // namespace
}  // namespace nexusfix::testing
