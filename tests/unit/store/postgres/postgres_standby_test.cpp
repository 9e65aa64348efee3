// A primary with a synchronous standby, both of the test's own: what is durable is on the standby,
// whatever becomes of the wait for it; and the log goes on only where it was.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"
#include "waiting_engine.hpp"

namespace nexusfix::store {
namespace {

using std::chrono::milliseconds;
using testing::CuttingProxy;
using testing::PostgresServer;

constexpr const char* kStandby = "s1";
constexpr const char* kNames = "synchronous_standby_names";

// A primary whose COMMITs wait for its standby.
struct Pair {
  // The process of a COMMIT that waits for the standby.
  pid_t waiting_process() {
    std::string process;
    while (process.empty()) {
      process = primary->sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    }
    return static_cast<pid_t>(std::stoi(process));
  }
  // The wait of this COMMIT ends, and its process sees only that the names are as they were.
  void toggle_behind(pid_t process) {
    ::kill(process, SIGSTOP);
    primary->set("synchronous_standby_names", "");
    primary->set("synchronous_standby_names", "s1");
    ::kill(process, SIGCONT);
  }
  Pair() {
    std::string why;
    primary = PostgresServer::make(PostgresServer::Syncs::No, why);
    standby = primary->make_standby(kStandby);
    primary->set(kNames, kStandby);
    while (primary->sql("SELECT sync_state FROM pg_stat_replication") != "sync") {
    }
  }
  // Waits for a COMMIT that waits for the standby, and ends that wait.
  void end_wait(const std::string& function) {
    const std::string waiting = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while (primary->sql("SELECT count(*)" + waiting) == "0") {
    }
    primary->sql("SELECT " + function + "(pid)" + waiting);
  }
  std::unique_ptr<PostgresServer> primary;
  std::unique_ptr<PostgresServer> standby;
};

class PostgresStandby : public ::testing::Test {
 protected:
  // Tests that promote nothing share one pair.
  static Pair& shared_pair() {
    static Pair pair;
    return pair;
  }
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
  }
  void TearDown() override { store_.reset(); }

  void use(Pair& pair) {
    pair_ = &pair;
    proxy_ = std::make_unique<CuttingProxy>(pair.primary->socket_file());
    options_ = postgres_options(fresh_schema());
    options_.host = proxy_->host();
    options_.on_durable = settler_.wake();
    // What waits here waits for the test.
    options_.connect_timeout = std::chrono::hours{1};
    options_.answer_timeout = std::chrono::hours{1};
    options_.outage_max = std::chrono::hours{1};
  }
  void open() {
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  static std::string text_of(std::uint64_t number) { return "message " + std::to_string(number); }
  void append_next() {
    const std::uint64_t number = store_->session(key_).next_outbound;
    ASSERT_TRUE(append_message(*store_, key_, number, text_of(number)));
    ASSERT_TRUE(store_->flush());
  }
  void expect_messages(std::uint64_t count) {
    const auto found = read_all(*store_, key_);
    ASSERT_EQ(found.size(), count);
    for (std::uint64_t number = 1; number <= count; ++number) {
      ASSERT_EQ(found[number - 1], (KeptMessage{number, text_of(number)}));
    }
  }
  // The primary is gone, and new connections come to the standby, which is promoted.
  void fail_over() {
    pair_->standby->thaw();
    pair_->primary->stop(PostgresServer::Stop::Immediate);
    pair_->standby->promote();
    proxy_->forward_to(pair_->standby->socket_file());
  }
  StoreError failure() {
    for (;;) {
      const std::uint64_t before = settler_.wakes();
      const auto flushed = store_->flush();
      if (!flushed) return flushed.error();
      if (*flushed == store_->appended()) return {.text = "it did not fail"};
      settler_.wait(before);
    }
  }

  Pair* pair_ = nullptr;
  std::unique_ptr<CuttingProxy> proxy_;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

TEST_F(PostgresStandby, a_commit_whose_wait_was_cancelled_is_not_durable) {
  for (const std::string end : {"pg_cancel_backend", "pg_terminate_backend"}) {
    use(shared_pair());
    open();
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
    const LogPosition durable = store_->durable();
    pair_->standby->freeze();
    append_next();
    pair_->end_wait(end);
    EXPECT_NE(wait_for_event(*store_, settler_, "ended and made again"), "") << end;
    EXPECT_EQ(store_->durable(), durable) << end;
    // Nor does it count because the server has it: the claim that reads it waits as well.
    for (int i = 0; i < 3; ++i) {
      pair_->end_wait(end);
      EXPECT_EQ(store_->durable(), durable) << end;
    }
    pair_->standby->thaw();
    ASSERT_TRUE(settler_.settle(*store_));
    expect_messages(2);
    store_.reset();
  }
}

TEST_F(PostgresStandby, a_cancelled_wait_is_noticed_where_the_role_wants_no_warnings) {
  use(shared_pair());
  options_.connection += " options='-c client_min_messages=error'";
  open();
  const LogPosition durable = store_->durable();
  pair_->standby->freeze();
  append_next();
  pair_->end_wait("pg_cancel_backend");
  EXPECT_NE(wait_for_event(*store_, settler_, "did not wait for the synchronous standby"), "");
  EXPECT_EQ(store_->durable(), durable);
  pair_->standby->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
}

TEST_F(PostgresStandby, the_warning_of_a_cancelled_wait_is_reported) {
  use(shared_pair());
  open();
  pair_->standby->freeze();
  append_next();
  pair_->end_wait("pg_cancel_backend");
  const std::string logged = wait_for_event(*store_, settler_, "ended and made again");
  EXPECT_NE(logged.find("a COMMIT did not wait for the synchronous standby"), std::string::npos);
  EXPECT_NE(logged.find("canceling wait for synchronous replication"), std::string::npos) << logged;
  pair_->standby->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
}

TEST_F(PostgresStandby, what_was_durable_is_there_after_a_promotion_whatever_was_cancelled) {
  Pair pair;
  use(pair);
  options_.batches_in_flight_max = 3;
  open();
  SeededRandom random{25};
  std::vector<LogPosition> ends;  // of the messages
  const auto append = [&] {
    append_next();
    ends.push_back(store_->appended());
  };
  for (int round = 0; round < 12; ++round) {
    pair.standby->freeze();
    for (std::uint64_t count = 1 + random.below(20); count > 0; --count) append();
    for (std::uint64_t count = random.below(3); count > 0; --count) {
      pair.end_wait(random.below(2) == 0 ? "pg_cancel_backend" : "pg_terminate_backend");
      append();
    }
    if (round == 11) break;
    pair.standby->thaw();
    if (random.below(2) == 0) {
      ASSERT_TRUE(settler_.settle(*store_));
    }
  }
  pair.end_wait("pg_cancel_backend");
  const LogPosition durable = store_->durable();
  ASSERT_LT(durable, store_->appended());
  store_.reset();
  fail_over();
  std::uint64_t count = 0;
  while (count < ends.size() && ends[count] <= durable) ++count;
  store_ = open_or_fail(options_);
  ASSERT_NE(store_, nullptr);
  EXPECT_GE(store_->session(key_).next_outbound, count + 1);
  EXPECT_GE(store_->appended(), durable);
  expect_messages(store_->session(key_).next_outbound - 1);
}

TEST_F(PostgresStandby, a_store_whose_claim_was_not_replicated_is_not_opened) {
  use(shared_pair());
  pair_->standby->freeze();
  StoreResult<std::unique_ptr<Store>> opened;
  std::thread opener{[&] { opened = open_postgres(options_); }};
  pair_->end_wait("pg_cancel_backend");
  opener.join();
  pair_->standby->thaw();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Server);
  EXPECT_NE(opened.error().text.find("did not wait for the synchronous standby"), std::string::npos)
      << opened.error().text;
  open();
}

TEST_F(PostgresStandby, the_opening_tells_how_far_a_commit_reaches) {
  use(shared_pair());
  open();
  const std::string opened = store_->next_event().value_or(StoreEvent{}).text;
  EXPECT_NE(opened.find("connected to socket " + proxy_->host()), std::string::npos) << opened;
  EXPECT_NE(opened.find(pair_->primary->sql("SELECT system_identifier FROM pg_control_system()")),
            std::string::npos)
      << opened;
  EXPECT_NE(opened.find("timeline 1: a COMMIT is on a standby, too"), std::string::npos) << opened;
  EXPECT_NE(opened.find("synchronous_standby_names='s1'"), std::string::npos) << opened;
  options_.connection += " options='-c synchronous_commit=off'";
  options_.schema = fresh_schema();
  const auto event = open_or_fail(options_)->next_event().value_or(StoreEvent{});
  EXPECT_EQ(event.id, EventId::DatabaseCommitsUnsafe);
  EXPECT_NE(event.text.find("in the memory of the server, which may lose it"), std::string::npos);
}

TEST_F(PostgresStandby, a_standby_that_is_not_waited_for_any_more_is_an_alarm) {
  use(shared_pair());
  open();
  pair_->standby->freeze();
  append_next();
  pair_->primary->set(kNames, "");  // the server ends the wait without a word
  ASSERT_TRUE(settler_.settle(*store_));
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const auto alarm = consume_warning(*store_);
  pair_->primary->set(kNames, kStandby);
  pair_->standby->thaw();
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->id, EventId::DatabaseCommitsWeaker);
  EXPECT_NE(alarm->text.find("ALARM: the server's settings have changed: a COMMIT is on the disk "
                             "of the server alone"),
            std::string::npos)
      << alarm->text;
}

TEST_F(PostgresStandby, settings_that_changed_are_seen_by_the_claim_of_the_next_connection) {
  use(shared_pair());
  open();
  pair_->primary->sql("ALTER ROLE nexusfix SET synchronous_commit = local");
  proxy_->cut_now();
  // Nothing is written: a batch would report them, too.
  std::string alarm;
  while (alarm.empty()) {
    const std::uint64_t before = settler_.wakes();
    while (const auto event = store_->next_event()) {
      if (event->text.find("ALARM") != std::string::npos) alarm = event->text;
    }
    if (alarm.empty()) settler_.wait(before);
  }
  pair_->primary->sql("ALTER ROLE nexusfix RESET synchronous_commit");
  EXPECT_NE(alarm.find("synchronous_commit=local"), std::string::npos) << alarm;
}

// The name of the standby is removed and set again while a COMMIT waits for it.
TEST_F(PostgresStandby, what_no_standby_has_acknowledged_is_not_durable_though_the_names_are_back) {
  use(shared_pair());
  options_.standby = StandbyPolicy::Strict;
  open();
  const LogPosition durable = store_->durable();
  pair_->standby->freeze();
  append_next();
  pair_->toggle_behind(pair_->waiting_process());
  // The next COMMIT waits, so the one before has returned, and its answer is there.
  append_next();
  static_cast<void>(pair_->waiting_process());
  EXPECT_EQ(store_->durable(), durable);
  pair_->standby->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(2);
}

TEST_F(PostgresStandby, a_role_that_may_not_see_the_standby_trusts_no_commit_of_changing_settings) {
  use(shared_pair());
  options_.standby = StandbyPolicy::Strict;
  pair_->primary->sql("DROP ROLE IF EXISTS plain");
  pair_->primary->sql("CREATE ROLE plain LOGIN");
  pair_->primary->sql("GRANT CREATE ON DATABASE postgres TO plain");
  options_.connection = "user=plain dbname=postgres";
  open();
  bool is_reported = false;
  while (const auto event = store_->next_event()) {
    is_reported = is_reported || event->id == EventId::StandbyNotVisible;
  }
  EXPECT_TRUE(is_reported);
  const LogPosition durable = store_->durable();
  pair_->standby->freeze();
  append_next();
  pair_->toggle_behind(pair_->waiting_process());
  EXPECT_NE(wait_for_event(*store_, settler_, "loaded its configuration during a COMMIT"), "");
  EXPECT_EQ(store_->durable(), durable);
  pair_->standby->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(1);
}

// An operator, or a script, that toggles the names while orders flow.
TEST_F(PostgresStandby, a_strict_store_confirms_nothing_that_is_lost_while_the_names_are_toggled) {
  Pair pair;
  use(pair);
  options_.standby = StandbyPolicy::Strict;
  open();
  SeededRandom random{29};
  std::vector<LogPosition> ends;  // of the messages
  for (int round = 0; round < 40; ++round) {
    if (round == 20) pair.standby->freeze();
    pair.primary->sql("ALTER SYSTEM SET synchronous_standby_names = ''");
    pair.primary->sql("SELECT pg_reload_conf()");
    for (std::uint64_t count = 1 + random.below(30); count > 0; --count) {
      append_next();
      ends.push_back(store_->appended());
    }
    pair.primary->sql("ALTER SYSTEM SET synchronous_standby_names = 's1'");
    pair.primary->sql("SELECT pg_reload_conf()");
  }
  const LogPosition durable = store_->durable();
  store_.reset();
  fail_over();
  options_.standby = StandbyPolicy::Available;
  store_ = open_or_fail(options_);
  ASSERT_NE(store_, nullptr);
  EXPECT_GE(store_->appended(), durable);
  const auto confirmed = static_cast<std::uint64_t>(
      std::ranges::count_if(ends, [&](LogPosition end) { return end <= durable; }));
  EXPECT_GE(store_->session(key_).next_outbound, confirmed + 1);
}

TEST_F(PostgresStandby, a_strict_store_is_not_opened_where_no_standby_is_waited_for) {
  use(shared_pair());
  options_.standby = StandbyPolicy::Strict;
  const auto refuse = [&](const std::string& text) {
    const auto opened = open_postgres(options_);
    ASSERT_FALSE(opened) << text;
    EXPECT_NE(opened.error().text.find("a synchronous standby is required"), std::string::npos);
    EXPECT_NE(opened.error().text.find(text), std::string::npos) << opened.error().text;
  };
  options_.host = PostgresServer::shared()->host();
  refuse("synchronous_standby_names=''");
  options_.host = proxy_->host();
  const std::string connection = options_.connection;
  for (const std::string setting : {"local", "off"}) {
    options_.connection = connection + " options='-c synchronous_commit=" + setting + "'";
    refuse("synchronous_commit=" + setting);
  }
  options_.connection = connection;
  open();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
}

TEST_F(PostgresStandby, a_strict_store_confirms_nothing_that_no_standby_was_waited_for) {
  use(shared_pair());
  options_.standby = StandbyPolicy::Strict;
  open();
  const LogPosition durable = store_->durable();
  pair_->standby->freeze();
  append_next();
  while (pair_->primary->sql(
             "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "0") {
  }
  pair_->primary->set(kNames, "");  // ends the wait, and the COMMIT is confirmed
  EXPECT_NE(wait_for_event(*store_, settler_, "a synchronous standby is required"), "");
  EXPECT_EQ(store_->durable(), durable);
  pair_->primary->set(kNames, kStandby);
  pair_->standby->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(1);
}

TEST_F(PostgresStandby, a_promoted_standby_is_reported_and_a_former_primary_is_refused) {
  Pair pair;
  use(pair);
  open();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  proxy_->refuse(true);
  fail_over();
  proxy_->refuse(false);
  append_next();
  const std::string back = wait_for_event(*store_, settler_, "connected again");
  EXPECT_NE(back.find("timeline 2, before on 1: a standby was promoted"), std::string::npos)
      << back;
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(2);
  // The old one comes back, as a server that takes writes: what it says is no confirmation.
  pair.primary->start();
  pair.primary->set(kNames, "");
  store_.reset();
  options_.outage_max = milliseconds{1};
  store_ = open_or_fail(options_);
  proxy_->forward_to(pair.primary->socket_file());
  proxy_->cut_now();
  append_next();
  const std::string text = failure().text;
  EXPECT_NE(text.find("former primary: timeline 1, and the log has reached timeline 2"),
            std::string::npos)
      << text;
}

// Whatever was under way when the primary died: the store reads back what became of it.
TEST_F(PostgresStandby, a_primary_killed_under_load_loses_and_repeats_nothing_that_was_durable) {
  SeededRandom random{52};
  for (int round = 0; round < 3; ++round) {
    Pair pair;
    use(pair);
    open();
    std::uint64_t number = 0;
    std::uint64_t confirmed = 0;
    const auto load = [&](std::uint64_t count) {
      for (; count > 0; --count) {
        ++number;
        ASSERT_TRUE(append_message(*store_, key_, number, text_of(number)));
        if (random.below(4) == 0) {
          ASSERT_TRUE(store_->flush());
        }
      }
    };
    load(200 + random.below(2'000));
    const LogPosition before = store_->durable();
    std::thread killer{[&] { pair.primary->stop(PostgresServer::Stop::Immediate); }};
    load(2'000 + random.below(2'000));
    killer.join();
    confirmed = store_->durable();
    EXPECT_GE(confirmed, before);
    fail_over();
    EXPECT_GE(
        std::stoull(pair.standby->sql("SELECT position FROM " + options_.schema + ".log_state")),
        confirmed)
        << "durable is on the standby";
    load(100);
    ASSERT_TRUE(settler_.settle(*store_));
    expect_messages(number);
    store_.reset();
    options_.host = pair.standby->host();
    open();
    expect_messages(number);
    store_.reset();
  }
}

TEST_F(PostgresStandby, after_a_promotion_the_owner_comes_before_an_engine_that_waits) {
  Pair pair;
  use(pair);
  open();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  options_.takeover_delay = std::chrono::seconds{30};  // a busy machine may take long
  WaitingEngine second{options_, *pair.primary};
  second.watcher.wait_for(is_up_to_date);
  proxy_->refuse(true);
  second.proxy().refuse(true);
  fail_over();
  second.proxy().forward_to(pair.standby->socket_file());
  // The one that waits is back first.
  second.proxy().refuse(false);
  second.watcher.wait_for([](const StandbyState& state) { return !state.is_connected; });
  second.watcher.wait_for([](const StandbyState& state) { return state.is_connected; });
  proxy_->refuse(false);
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const LogPosition end = store_->durable();
  second.watcher.wait_for([&](const StandbyState& state) { return state.followed_end == end; });
  expect_messages(2);
  EXPECT_EQ(second.watcher.messages().size(), 2U);
}

TEST_F(PostgresStandby, a_server_of_another_cluster_is_refused) {
  use(shared_pair());
  options_.outage_max = milliseconds{1};
  open();
  proxy_->forward_to(PostgresServer::shared()->socket_file());
  proxy_->cut_now();
  // The store may have seen the end of its connection, and have failed, already.
  if (append_message(*store_, key_, 1, text_of(1))) static_cast<void>(store_->flush());
  const std::string text = failure().text;
  EXPECT_NE(text.find("belongs to another cluster: system identifier "), std::string::npos) << text;
}

}  // namespace
}  // namespace nexusfix::store
