// What the database has lost is found by the next start on this machine, seen or not: each
// session goes on above every number that it may have used, and nothing is sent twice under one.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/position_marker.hpp"
#include "postgres_fixture.hpp"
#include "support/disks/temporary_folder.hpp"
#include "waiting_engine.hpp"

namespace nexusfix::store {
namespace {

using testing::PostgresServer;
using testing::TemporaryFolder;

class PostgresNote : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    options_.note_folder = folder_.file("notes");
  }
  void TearDown() override { store_.reset(); }

  void open() {
    store_.reset();
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
  }
  // This number of messages of the session, durable.
  void append(std::string_view name, int count) {
    const SessionKey key = open_session(*store_, name);
    for (; count > 0; --count) {
      const std::uint64_t number = store_->session(key).next_outbound;
      ASSERT_TRUE(append_message(*store_, key, number, "message " + std::to_string(number)));
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
  std::uint64_t next_outbound(std::string_view name) {
    return store_->session(open_session(*store_, name)).next_outbound;
  }
  std::string sql(const std::string& statement) {
    return PostgresServer::shared()->sql("SET search_path = " + options_.schema + "; " + statement);
  }
  // The database as it was, kept and brought back beside the store.
  void save() { sql(copy("saved_", "")); }
  void restore() { sql(copy("", "saved_")); }
  static std::string copy(const std::string& to, const std::string& from) {
    std::string all;
    for (const std::string table : {"log_state", "sessions", "chunks", "message_places",
                                    "number_changes", "lost_numbers", "owners"}) {
      all += to.empty() ? "DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM " +
                              from + table + "; "
                        : "DROP TABLE IF EXISTS " + to + table + "; CREATE TABLE " + to + table +
                              " AS SELECT * FROM " + table + "; ";
    }
    return all;
  }
  std::string note_file() const {
    return options_.note_folder + "/postgresql-" + options_.schema + ".note";
  }
  static bool is_error(EventId id) {
    return id == EventId::DatabaseLostCommits || id == EventId::SequenceNumbersSkipped ||
           id == EventId::DatabasePositionNotNoted || id == EventId::DatabaseCommitsWeaker;
  }
  std::string events() {
    std::string all;
    while (const auto event = store_->next_event()) {
      if (is_error(event->id)) all += event->text + "\n";
    }
    return all;
  }
  std::string refusal() {
    store_.reset();
    const auto opened = open_postgres(options_);
    return opened ? "it was opened" : opened.error().text;
  }

  TemporaryFolder folder_;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
};

TEST_F(PostgresNote, a_log_that_has_everything_skips_nothing) {
  open();
  append("A", 3);
  for (int round = 0; round < 5; ++round) {
    open();
    EXPECT_EQ(events(), "");
    append("A", 2);
  }
  EXPECT_EQ(next_outbound("A"), 14U);
  EXPECT_TRUE(store_->lost_numbers(0).empty());
}

TEST_F(PostgresNote, what_was_lost_while_no_store_was_open_is_skipped_reported_and_gap_filled) {
  open();
  append("A", 3);
  append("B", 1);
  save();
  append("A", 40);
  store_.reset();
  restore();
  open();
  const std::string logged = events();
  EXPECT_NE(logged.find("the database has lost what it had confirmed"), std::string::npos)
      << logged;
  EXPECT_NE(logged.find(note_file()), std::string::npos) << logged;
  const std::uint64_t next = next_outbound("A");
  EXPECT_GE(next, 44U);
  EXPECT_NE(logged.find("A: MsgSeqNum 4 to " + std::to_string(next - 1) + " are skipped"),
            std::string::npos)
      << logged;
  EXPECT_NE(logged.find("B: MsgSeqNum 2 to "), std::string::npos) << logged;
  ASSERT_EQ(store_->lost_numbers(0).size(), 1U);
  EXPECT_EQ(store_->lost_numbers(0)[0], (NumberRange{4, next - 1}));
  EXPECT_EQ(read_all(*store_, 0).size(), 3U);
  append("A", 1);
  // Once: the next start finds nothing.
  open();
  EXPECT_EQ(events(), "");
  EXPECT_EQ(next_outbound("A"), next + 1);
  EXPECT_EQ(store_->lost_numbers(0).size(), 1U);
}

TEST_F(PostgresNote, a_loss_that_the_engine_saw_is_not_forgotten_by_the_next_start) {
  std::string why;
  const auto primary = PostgresServer::make(PostgresServer::Syncs::No, why);
  const auto standby = primary->make_standby("s1");  // nothing waits for it
  options_.host = primary->host();
  open();
  append("A", 5);
  while (standby->sql("SELECT pg_last_wal_replay_lsn() >= '" +
                      primary->sql("SELECT pg_current_wal_lsn()") + "'::pg_lsn") != "t") {
  }
  standby->stop();
  append("A", 300);
  append("NEW", 7);
  primary->stop(PostgresServer::Stop::Immediate);
  standby->start();
  standby->promote();
  store_.reset();
  options_.host = standby->host();
  open();
  EXPECT_NE(events().find("Sessions may be missing, too"), std::string::npos);
  EXPECT_GE(next_outbound("A"), 306U);
  EXPECT_GE(next_outbound("NEW"), 8U) << "its first numbers were used";
  EXPECT_GE(next_outbound("LATER"), 8U) << "who knows whether it was there";
  append("A", 1);
  append("NEW", 1);
}

// The bound of what is skipped must hold whatever a session did in what is lost.
TEST_F(PostgresNote, no_number_that_was_durable_is_used_again_whatever_was_lost) {
  SeededRandom random{26};
  for (int round = 0; round < 15; ++round) {
    options_.schema = fresh_schema();
    open();
    const SessionKey key = open_session(*store_, "A");
    std::uint64_t highest = 0;  // of the present epoch
    const int saved = static_cast<int>(random.below(20));
    for (int step = 0; step < 20; ++step) {
      if (step == saved) {
        ASSERT_TRUE(settler_.settle(*store_));
        save();
      }
      const std::uint64_t next = store_->session(key).next_outbound;
      Transaction transaction;
      switch (random.below(5)) {
        case 0:
          transaction.reset(key);
          break;
        case 1:
          transaction.set_numbers(
              key, numbers_change(store_->session(key),
                                  {.next_inbound = {}, .next_outbound = 1 + random.below(5'000)},
                                  at_second(1), "by hand"));
          break;
        case 2:
          transaction.outbound_number(key, next + random.below(1'000));
          break;
        default:
          for (std::uint64_t i = 0; i < 30; ++i) transaction.outbound_number(key, next + i);
      }
      ASSERT_TRUE(store_->append(transaction, at_second(2)));
    }
    ASSERT_TRUE(settler_.settle(*store_));
    highest = store_->session(key).next_outbound - 1;
    store_.reset();
    restore();
    open();
    EXPECT_GT(next_outbound("A"), highest) << "round " << round << ", saved before " << saved;
  }
}

TEST_F(PostgresNote, a_loss_is_found_in_a_log_that_went_on_elsewhere_and_is_longer_now) {
  open();
  append("A", 3);
  save();
  append("A", 40);
  store_.reset();
  restore();
  // A machine that knows nothing of it goes on beyond where the first one was.
  PostgresOptions other = options_;
  options_.note_folder = folder_.file("elsewhere");
  open();
  append("A", 100);
  EXPECT_EQ(next_outbound("A"), 104U);
  store_.reset();
  options_ = other;
  open();
  EXPECT_NE(events().find("the database has lost what it had confirmed"), std::string::npos);
  EXPECT_GT(next_outbound("A"), 144U);
}

TEST_F(PostgresNote, a_second_loss_counts_what_the_first_one_skipped) {
  open();
  append("A", 3);
  save();
  append("A", 40);
  store_.reset();
  restore();
  open();
  append("A", 5);
  const std::uint64_t used = next_outbound("A") - 1;
  store_.reset();
  restore();  // without the skip, too
  open();
  EXPECT_GT(next_outbound("A"), used);
}

// An engine that waits on this machine, while the owner's machine and the primary are lost
// together.
class PostgresNoteOfWaiter : public PostgresNote {
 protected:
  void SetUp() override {
    PostgresNote::SetUp();
    if (IsSkipped()) return;
    std::string why;
    primary_ = PostgresServer::make(PostgresServer::Syncs::No, why);
    standby_ = primary_->make_standby("s1");  // nothing waits for it
    options_.host = primary_->host();
    options_.note_folder = folder_.file("owner");
    open();
    append("A", 5);
  }
  PostgresOptions waiting_options() {
    PostgresOptions options = options_;
    options.note_folder = folder_.file("waiter");
    options.takeover_delay = std::chrono::hours{1};
    return options;
  }
  void stop_standby_in_step() {
    while (standby_->sql("SELECT pg_last_wal_replay_lsn() >= '" +
                         primary_->sql("SELECT pg_current_wal_lsn()") + "'::pg_lsn") != "t") {
    }
    standby_->stop();
  }
  void wait_until_seen(WaitingEngine& waiter) {
    const LogPosition end = store_->durable();
    waiter.watcher.wait_for([&](const StandbyState& state) { return state.log_end == end; });
    waiter.watcher.wait_for_looks(1);  // it has recorded it
  }
  // The owner's machine is gone with the primary, and the server that lagged is promoted.
  void lose_both() {
    store_.reset();
    primary_->stop(PostgresServer::Stop::Immediate);
    standby_->start();
    standby_->promote();
    options_.host = standby_->host();
  }

  std::unique_ptr<PostgresServer> primary_;
  std::unique_ptr<PostgresServer> standby_;
};

TEST_F(PostgresNoteOfWaiter, an_engine_that_waited_skips_what_it_has_seen_and_the_database_lost) {
  stop_standby_in_step();
  {
    WaitingEngine waiter{waiting_options(), *primary_};
    waiter.watcher.wait_for(is_up_to_date);
    append("A", 300);
    append("NEW", 7);
    // Numbers that take no bytes of the log.
    Transaction raise;
    raise.outbound_number(0, 50'000);
    ASSERT_TRUE(store_->append(raise, at_second(2)));
    ASSERT_TRUE(settler_.settle(*store_));
    wait_until_seen(waiter);
    waiter.watcher.stop();
    ASSERT_FALSE(waiter.join());
  }
  const std::uint64_t used = next_outbound("A") - 1;
  ASSERT_EQ(used, 50'000U);
  lose_both();
  options_.note_folder = folder_.file("waiter");
  open();
  const std::string logged = events();
  EXPECT_NE(logged.find("the database has lost what it had confirmed"), std::string::npos)
      << logged;
  EXPECT_GT(next_outbound("A"), used);
  EXPECT_GT(next_outbound("NEW"), 7U);
  ASSERT_EQ(store_->lost_numbers(0).size(), 1U);
  append("A", 1);
}

// It ends because of the loss, its service manager starts it again, and now the log is free.
TEST_F(PostgresNoteOfWaiter, a_loss_that_a_waiting_engine_saw_is_not_forgotten_by_its_next_start) {
  stop_standby_in_step();
  {
    WaitingEngine waiter{waiting_options(), *primary_};
    waiter.watcher.wait_for(is_up_to_date);
    append("A", 300);
    wait_until_seen(waiter);
    const std::uint64_t used = next_outbound("A") - 1;
    waiter.proxy().refuse(true);
    waiter.proxy().cut_now();
    lose_both();
    waiter.proxy().forward_to(standby_->socket_file());
    waiter.proxy().refuse(false);
    const auto opened = waiter.join();
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().text.find("the database has lost what this standby has followed"),
              std::string::npos)
        << opened.error().text;
    options_.note_folder = folder_.file("waiter");
    open();
    EXPECT_NE(events().find("the database has lost what it had confirmed"), std::string::npos);
    EXPECT_GT(next_outbound("A"), used);
  }
}

// What was sent after the last look of the engine that waits is known to none.
TEST_F(PostgresNoteOfWaiter, what_an_engine_that_waited_cannot_have_seen_is_skipped_as_well) {
  {
    WaitingEngine waiter{waiting_options(), *primary_};
    waiter.watcher.wait_for(is_up_to_date);
    wait_until_seen(waiter);
    waiter.watcher.stop();
    ASSERT_FALSE(waiter.join());
  }
  stop_standby_in_step();
  append("A", 300);
  const std::uint64_t used = next_outbound("A") - 1;
  lose_both();
  options_.note_folder = folder_.file("waiter");
  open();
  EXPECT_NE(events().find("the database may have lost what it had confirmed"), std::string::npos);
  EXPECT_GT(next_outbound("A"), used);
}

TEST_F(PostgresNoteOfWaiter, an_engine_that_waited_skips_nothing_where_nothing_was_lost) {
  {
    WaitingEngine waiter{waiting_options(), *primary_};
    waiter.watcher.wait_for(is_up_to_date);
    append("A", 20);
    wait_until_seen(waiter);
    waiter.watcher.stop();
    ASSERT_FALSE(waiter.join());
  }
  append("A", 20);
  options_.note_folder = folder_.file("waiter");
  open();
  EXPECT_EQ(events(), "");
  EXPECT_EQ(next_outbound("A"), 46U);
}

// A record of a loss stays until the loss is skipped, though another engine has the log meanwhile.
TEST_F(PostgresNoteOfWaiter, an_engine_that_waits_keeps_the_record_of_a_loss_until_it_skips_it) {
  stop_standby_in_step();
  append("A", 300);
  const std::uint64_t used = next_outbound("A") - 1;
  lose_both();
  PostgresOptions former = options_;
  former.takeover_delay = std::chrono::milliseconds{50};
  former.standby_observer = nullptr;
  options_.note_folder = folder_.file("other");
  open();
  append("A", 10);
  {
    WaitingEngine waiter{former, *standby_};
    waiter.watcher.wait_for(is_up_to_date);
    append("A", 10);
    wait_until_seen(waiter);
    EXPECT_NE(waiter.watcher.events().find("5049 "), std::string::npos);
    store_.reset();
    auto opened = waiter.join();
    ASSERT_TRUE(opened) << opened.error().text;
    store_ = std::move(*opened);
  }
  EXPECT_GT(next_outbound("A"), used);
}

TEST_F(PostgresNote, another_log_is_refused_and_not_made) {
  open();
  append("A", 3);
  store_.reset();
  sql("DROP SCHEMA " + options_.schema + " CASCADE");
  const std::string gone = refusal();
  EXPECT_NE(gone.find("there is no such log in the database"), std::string::npos) << gone;
  EXPECT_NE(gone.find(note_file() + " says that there was one"), std::string::npos) << gone;
  EXPECT_EQ(sql("SELECT count(*) FROM pg_namespace WHERE nspname = '" + options_.schema + "'"),
            "0");
  PostgresOptions other = options_;
  other.note_folder.clear();
  ASSERT_NE(open_or_fail(other), nullptr);
  const std::string made_again = refusal();
  EXPECT_NE(made_again.find("not the one that this machine has recorded"), std::string::npos)
      << made_again;
  std::filesystem::remove(note_file());
  open();
  append("A", 1);
}

TEST_F(PostgresNote, a_damaged_note_is_refused_and_a_torn_one_is_not_missed) {
  open();
  append("A", 3);
  save();
  for (int i = 0; i < 10; ++i) append("A", 1);
  store_.reset();
  const auto damage = [&](std::uint64_t at) {
    std::fstream file{note_file(), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(static_cast<std::streamoff>(at));
    file << "x";
  };
  // The newest record: the one before it holds nearly as much.
  std::ifstream file{note_file(), std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  const auto first = postgres::decode_position(std::string_view{bytes}.substr(0, 1'024));
  const auto second = postgres::decode_position(std::string_view{bytes}.substr(4'096, 1'024));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(std::max(first->serial, second->serial), std::min(first->serial, second->serial) + 1);
  damage(first->serial > second->serial ? 60 : 4'156);
  restore();
  open();
  EXPECT_NE(events().find("the database has lost what it had confirmed"), std::string::npos);
  append("A", 1);
  store_.reset();
  damage(60);
  damage(4'156);
  const std::string text = refusal();
  EXPECT_NE(text.find(note_file() + ": the record of how far the log was confirmed is damaged"),
            std::string::npos)
      << text;
}

TEST_F(PostgresNote, a_note_survives_being_written_and_read) {
  postgres::PositionRecord note{
      .serial = 7,
      .log_id = std::string(32, 'a'),
      .claim = "f00d",
      .cluster = {},
      .timeline = 3,
      .begin = 12,
      .confirmed = 34,
      .sessions = 5,
      .first_number = 6,
      .raises = {{.until = 20, .numbers = 9}, {.until = 30, .numbers = 1}}};
  const std::string bytes = postgres::encode_position(note);
  EXPECT_EQ(postgres::decode_position(bytes), note);
  for (std::size_t at = 0; at < bytes.find("crc32c ") + 15; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(postgres::decode_position(damaged)) << at;
    EXPECT_FALSE(postgres::decode_position(bytes.substr(0, at))) << at;
  }
}

TEST_F(PostgresNote, a_folder_that_cannot_be_made_is_an_error_that_names_it) {
  std::ofstream{folder_.file("file")} << "x";
  options_.note_folder = folder_.file("file") + "/below";
  const auto opened = open_postgres(options_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Disk);
  EXPECT_NE(opened.error().text.find(folder_.file("file")), std::string::npos)
      << opened.error().text;
}

// Bytes leave when their position is durable: by then it is recorded, whenever the process dies.
TEST_F(PostgresNote, a_killed_process_has_recorded_everything_that_was_durable) {
  open();
  append("A", 1);
  store_.reset();
  save();
  SeededRandom random{4};
  std::uint64_t highest = 1;
  for (int round = 0; round < 10; ++round) {
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      store_ = open_or_fail(options_);
      const SessionKey key = open_session(*store_, "A");
      for (;;) {
        const std::uint64_t number = store_->session(key).next_outbound;
        if (!append_message(*store_, key, number, "x") || !settler_.settle(*store_)) ::_exit(1);
        if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(2);
      }
    }
    ::close(ends[1]);
    for (std::uint64_t count = 1 + random.below(30); count > 0; --count) {
      ASSERT_EQ(::read(ends[0], &highest, sizeof highest), static_cast<ssize_t>(sizeof highest));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::uint64_t logged = 0;
    while (::read(ends[0], &logged, sizeof logged) == static_cast<ssize_t>(sizeof logged))
      highest = logged;
    ::close(ends[0]);
    // Its server process may still be about to commit.
    while (sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") != "0") {
    }
    restore();
    open();
    ASSERT_GT(next_outbound("A"), highest) << round;
    store_.reset();
  }
}

}  // namespace
}  // namespace nexusfix::store
