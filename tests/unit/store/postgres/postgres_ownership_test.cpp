// Who owns the log: an engine whose connection was lost claims its own log again, and never takes
// it from one that has the lock; a standby follows the log, and takes it over.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "log_of_version_3.hpp"
#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"
#include "waiting_engine.hpp"

namespace nexusfix::store {
namespace {

using std::chrono::milliseconds;
using testing::CuttingProxy;
using testing::PostgresServer;

// A database session of another engine, step by step.
class OtherEngine {
 public:
  explicit OtherEngine(const std::string& connection)
      : connection_{PQconnectdb(connection.c_str()), &PQfinish} {
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK);
  }
  // False: the server has ended the session.
  bool run(const std::string& statement) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{
        PQexec(connection_.get(), statement.c_str()), &PQclear};
    const ExecStatusType status = PQresultStatus(result.get());
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
  }
  bool lock(const std::string& schema) {
    return run("SELECT pg_advisory_lock(hashtextextended('nexusfix log " + schema + "', 0))");
  }
  bool claim(const std::string& schema) {
    return run("UPDATE " + schema +
               ".log_state SET owner_epoch = owner_epoch + 1, owner_first_epoch = owner_epoch + 1, "
               "owner = 'process 1 on host other'");
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

class PostgresOwnership : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::why();
    proxy_ = std::make_unique<CuttingProxy>(server_->socket_file());
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    options_.host = proxy_->host();
    options_.lock_wait = milliseconds{50};
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void TearDown() override { store_.reset(); }

  // The store's connections end, and new ones are refused.
  void cut_off() {
    proxy_->refuse(true);
    const std::uint64_t cuts = proxy_->cuts();
    proxy_->cut_now();
    proxy_->wait_for_cuts(cuts + 1);
  }
  void append_next() {
    const std::uint64_t number = store_->session(key_).next_outbound;
    ASSERT_TRUE(append_message(*store_, key_, number, "message " + std::to_string(number)));
    ASSERT_TRUE(store_->flush());
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

  PostgresServer* server_ = nullptr;
  std::unique_ptr<CuttingProxy> proxy_;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

TEST_F(PostgresOwnership, an_engine_that_has_the_lock_and_has_not_claimed_is_not_thrown_out) {
  cut_off();
  OtherEngine other{server_->connection()};
  ASSERT_TRUE(other.lock(options_.schema));
  const LogPosition durable = store_->durable();
  append_next();
  proxy_->refuse(false);
  EXPECT_NE(wait_for_event(*store_, settler_, "the log is in use by"), "");
  EXPECT_TRUE(other.run("SELECT 1")) << "its session was ended";
  EXPECT_EQ(store_->durable(), durable);
  ASSERT_TRUE(other.claim(options_.schema));
  const StoreError error = failure();
  EXPECT_NE(error.text.find("taken over by process 1 on host other"), std::string::npos)
      << error.text;
  EXPECT_EQ(server_->sql("SELECT count(*) FROM " + options_.schema + ".chunks"), "0");
}

TEST_F(PostgresOwnership, a_batch_of_an_owner_that_was_replaced_is_refused_whole) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::string state = "SET search_path = " + options_.schema +
                            "; SELECT (SELECT position FROM log_state), (SELECT count(*) FROM "
                            "chunks), (SELECT count(*) FROM message_places), next_outbound FROM "
                            "sessions";
  const std::string before = server_->sql(state);
  OtherEngine other{server_->connection()};
  ASSERT_TRUE(other.claim(options_.schema));
  append_next();
  const StoreError error = failure();
  EXPECT_NE(error.text.find("taken over by process 1 on host other"), std::string::npos)
      << error.text;
  EXPECT_EQ(server_->sql(state), before);
}

TEST_F(PostgresOwnership, the_owner_goes_on_when_another_engine_releases_the_lock_unclaimed) {
  cut_off();
  {
    OtherEngine other{server_->connection()};
    ASSERT_TRUE(other.lock(options_.schema));
    append_next();
    proxy_->refuse(false);
    EXPECT_NE(wait_for_event(*store_, settler_, "the log is in use by"), "");
  }
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key_).size(), 1U);
}

// The server may not have noticed that the connection is gone.
TEST_F(PostgresOwnership, the_owner_ends_its_own_former_session_on_the_server) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::string holder =
      "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND "
      "(classid::bigint << 32 | objid::bigint) = hashtextextended('nexusfix log " +
      options_.schema + "', 0)";
  const std::string former = server_->sql(holder);
  proxy_->orphan();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_NE(server_->sql(holder), former);
  EXPECT_EQ(read_all(*store_, key_).size(), 2U);
}

// A promoted standby may lack the last claims: what this engine has used is not used again.
TEST_F(PostgresOwnership, the_owner_epoch_rises_above_every_one_that_the_engine_has_had) {
  const std::string epoch = "SELECT owner_epoch FROM " + options_.schema + ".log_state";
  const int first = std::stoi(server_->sql(epoch));
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t cuts = proxy_->cuts();
    proxy_->cut_now();
    proxy_->wait_for_cuts(cuts + 1);
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
  }
  const int last = std::stoi(server_->sql(epoch));
  ASSERT_GE(last, first + 3);
  cut_off();
  server_->sql("UPDATE " + options_.schema +
               ".log_state SET owner_epoch = " + std::to_string(first));
  proxy_->refuse(false);
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_GT(std::stoi(server_->sql(epoch)), last);
}

TEST_F(PostgresOwnership, a_standby_follows_the_log_and_takes_it_over) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  EXPECT_EQ(second.watcher.messages(), std::vector<std::string>{"A 1 message 1"});
  EXPECT_NE(second.watcher.events().find("5050 PostgreSQL store " + options_.schema +
                                         ": a standby, connected to "),
            std::string::npos)
      << second.watcher.events();
  // Also of a session that it does not know.
  const SessionKey other = open_session(*store_, "B");
  append_next();
  ASSERT_TRUE(append_message(*store_, other, 1, "first of B"));
  ASSERT_TRUE(settler_.settle(*store_));
  const LogPosition end = store_->durable();
  second.watcher.wait_for([&](const StandbyState& state) { return state.followed_end == end; });
  EXPECT_EQ(second.watcher.messages().size(), 3U);
  EXPECT_EQ(second.watcher.messages().back(), "B 1 first of B");
  append_next();  // the standby may get it before the take-over, or by scan()
  ASSERT_TRUE(store_->close());
  auto opened = second.join();
  ASSERT_TRUE(opened) << opened.error().text;
  Store& store = **opened;
  EXPECT_NE(wait_for_event(store, settler_, "waited as a standby, and owns the log"), "");
  EXPECT_EQ(store.session(key_).next_outbound, 4U);
  std::vector<std::string> all = second.watcher.messages();
  ASSERT_TRUE(store.scan([&](const Store::LogMessage& message) {
    all.push_back(std::string{message.session} + ' ' + std::to_string(message.msg_seq_num) + ' ' +
                  std::string{message.bytes});
  }));
  EXPECT_EQ(all, (std::vector<std::string>{"A 1 message 1", "A 2 message 2", "B 1 first of B",
                                           "A 3 message 3"}));
}

TEST_F(PostgresOwnership, an_owner_whose_connection_broke_comes_before_the_standby) {
  options_.takeover_delay = std::chrono::seconds{30};  // a busy machine may take long
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t cuts = proxy_->cuts();
    proxy_->cut_now();
    proxy_->wait_for_cuts(cuts + 1);
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
    second.watcher.wait_for_looks(2);
  }
  EXPECT_EQ(read_all(*store_, key_).size(), 5U);
}

TEST_F(PostgresOwnership, a_standby_that_loses_its_connection_waits_on) {
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  second.proxy().refuse(true);
  second.proxy().cut_now();
  second.watcher.wait_for([](const StandbyState& state) { return !state.is_connected; });
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  second.proxy().refuse(false);
  const LogPosition end = store_->durable();
  second.watcher.wait_for([&](const StandbyState& state) { return state.followed_end == end; });
  EXPECT_NE(second.watcher.events().find("5046 "), std::string::npos);
  EXPECT_NE(second.watcher.events().find("5047 "), std::string::npos);
  // One that has just connected leaves time for the owner, which may connect again as well.
  ASSERT_TRUE(store_->close());
  const auto opened = second.join();
  ASSERT_TRUE(opened) << opened.error().text;
}

TEST_F(PostgresOwnership, a_standby_is_ended_by_its_observer) {
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  second.watcher.stop();
  const auto opened = second.join();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Refused);
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
}

// What the application has taken back cannot be taken from it.
TEST_F(PostgresOwnership, a_standby_whose_messages_the_database_has_lost_ends) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  server_->sql("UPDATE " + options_.schema + ".log_state SET position = position - 5");
  const auto opened = second.join();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text.find("the database has lost what this standby has followed"),
            std::string::npos)
      << opened.error().text;
}

TEST_F(PostgresOwnership, a_standby_of_an_earlier_program_is_refused_before_it_waits) {
  server_->sql("INSERT INTO " + options_.schema + ".schema_version (version) VALUES (1000)");
  WaitingEngine second{options_, *server_};
  const auto opened = second.join();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text.find("the schema is of version 1000"), std::string::npos)
      << opened.error().text;
}

TEST_F(PostgresOwnership, a_standby_gets_each_message_once_wherever_its_connections_are_cut) {
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for(is_up_to_date);
  SeededRandom random{25};
  std::uint64_t count = 0;
  for (int round = 0; round < 20; ++round) {
    second.proxy().cut_after_to_client(1 + random.below(12'000));
    for (std::uint64_t i = 1 + random.below(40); i > 0; --i) {
      ++count;
      ASSERT_TRUE(append_message(*store_, key_, count, "message " + std::string(200, 'm')));
    }
    ASSERT_TRUE(settler_.settle(*store_));
    if (round % 4 == 0) second.watcher.wait_for_looks(3);
  }
  second.proxy().cancel_cuts();
  const LogPosition end = store_->durable();
  second.watcher.wait_for([&](const StandbyState& state) { return state.followed_end == end; });
  EXPECT_GT(second.proxy().cuts(), 0U);
  const std::vector<std::string> found = second.watcher.messages();
  ASSERT_EQ(found.size(), count);
  for (std::uint64_t number = 1; number <= count; ++number) {
    ASSERT_EQ(found[number - 1].substr(0, found[number - 1].find(" message")),
              "A " + std::to_string(number));
  }
}

TEST_F(PostgresOwnership, a_standby_waits_for_an_owner_of_version_3_and_upgrades_its_log) {
  store_.reset();
  options_.schema = fresh_schema();
  load_log_of_version_3(options_.schema);
  OtherEngine other{server_->connection()};
  ASSERT_TRUE(other.lock(options_.schema));
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for([](const StandbyState& state) { return !state.owner.empty(); });
  second.watcher.wait_for_looks(3);
  EXPECT_TRUE(second.watcher.messages().empty());
  EXPECT_EQ(second.watcher.events().find("5046 "), std::string::npos) << second.watcher.events();
  EXPECT_EQ(server_->sql("SELECT max(version) FROM " + options_.schema + ".schema_version"), "3");
  ASSERT_TRUE(other.run("SELECT pg_advisory_unlock_all()"));
  const auto opened = second.join();
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_EQ(scan_all(**opened).size(), 78U);
  EXPECT_EQ(server_->sql("SELECT max(version) FROM " + options_.schema + ".schema_version"), "8");
}

TEST_F(PostgresOwnership, a_standby_that_finds_no_owner_owns_the_log_at_once) {
  store_.reset();
  WaitingEngine second{options_, *server_};
  const auto opened = second.join();
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_EQ(wait_for_event(**opened, settler_, "waited as a standby"), "");
}

// In the child: owns the log, and says so.
[[noreturn]] void own_for_ever(const PostgresOptions& options, int pipe) {
  auto opened = open_postgres(options);
  if (!opened) ::_exit(1);
  if (::write(pipe, "x", 1) != 1) ::_exit(2);
  for (;;) ::pause();
}

TEST_F(PostgresOwnership, the_server_ends_an_owner_whose_process_is_stopped) {
  store_.reset();
  if (std::stoi(server_->sql("SHOW server_version_num")) < 140'000) {
    GTEST_SKIP() << "idle_session_timeout is of PostgreSQL 14";
  }
  options_.host = server_->host();
  options_.peer_timeout = std::chrono::seconds{5};
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t owner = ::fork();
  if (owner == 0) own_for_ever(options_, ends[1]);
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::close(ends[0]);
  WaitingEngine second{options_, *server_};
  second.watcher.wait_for([](const StandbyState& state) { return !state.owner.empty(); });
  // An idle owner gives signs of life.
  const std::string epoch = "SELECT owner_epoch FROM " + options_.schema + ".log_state";
  const std::string before = server_->sql(epoch);
  second.watcher.wait_for_looks(140);  // about 7 s
  EXPECT_EQ(server_->sql(epoch), before);
  ::kill(owner, SIGSTOP);
  const auto opened = second.join();
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_NE(server_->sql(epoch), before);
}

}  // namespace
}  // namespace nexusfix::store
