// kill -9 of the process that writes, of the database, and a full local disk: what was reported
// durable is where the policy says, and the replica becomes the journal's copy again.
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <nexusfix/base/random.hpp>

#include "replica_fixture.hpp"
#include "support/disks/own_mounts.hpp"

namespace nexusfix::store {
namespace {

using ::testing::HasSubstr;

#ifdef NDEBUG
constexpr int kKills = 16;
constexpr int kRestarts = 5;
#else
constexpr int kKills = 8;  // with sanitizers
constexpr int kRestarts = 2;
#endif

// In the child: appends for ever, and writes each durable number into the pipe.
[[noreturn]] void append_for_ever(JournalReplicaOptions options, int pipe) {
  Settler settler;
  options.journal.on_durable = settler.wake();
  PosixDisk disk;
  auto opened = open_replicated_journal(disk, options, at_second(1));
  if (!opened) ::_exit(1);
  Store& store = *opened->store;
  const auto key = store.open_session("A", at_second(1));
  if (!key) ::_exit(2);
  for (;;) {
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t number = store.session(*key).next_outbound;
      const auto position = append(store, [&](Transaction& t) {
        t.inbound_progress(*key, number + 1);
        t.outbound_message(*key, number, text_of(number));
      });
      if (!position) ::_exit(3);
    }
    if (!settler.settle(store)) ::_exit(4);
    const std::uint64_t durable = store.session(*key).next_outbound - 1;
    if (::write(pipe, &durable, sizeof durable) != sizeof durable) ::_exit(5);
  }
}

class ReplicaCrash : public ReplicaFixture {
 protected:
  // Runs the child until it has reported a number of times; the last durable number.
  std::uint64_t run_and_kill(std::uint64_t reports) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      append_for_ever(options_, ends[1]);
    }
    ::close(ends[1]);
    std::uint64_t durable = 0;
    const auto take = [&] {
      return ::read(ends[0], &durable, sizeof durable) == static_cast<ssize_t>(sizeof durable);
    };
    for (; reports > 0; --reports) EXPECT_TRUE(take());
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (take()) {
    }
    ::close(ends[0]);
    return durable;
  }
  static void expect_all(Store& store, std::uint64_t durable) {
    const SessionRecord& record = store.session(0);
    ASSERT_GE(record.next_outbound, durable + 1);
    ASSERT_EQ(record.next_inbound, record.next_outbound);
    ASSERT_EQ(read_all(store, 0), texts_until(record.next_outbound - 1));
  }
};

TEST_F(ReplicaCrash, a_killed_process_leaves_a_replica_that_catches_up) {
  SeededRandom random{2026};
  for (const ReplicaPolicy policy : {ReplicaPolicy::Strict, ReplicaPolicy::Available}) {
    options_.policy = policy;
    options_.journal.folder = folder_.file(std::string{to_string(policy)});
    options_.postgres.schema = fresh_schema();
    std::uint64_t durable = 0;
    for (int round = 0; round < kKills; ++round) {
      durable = run_and_kill(1 + random.below(20));
      if (round % 4 != 3) continue;
      // The database has what the journal has, once it has caught up.
      open(policy);
      expect_all(*store_, durable);
      wait_until_replicated();
      EXPECT_EQ(sql("SELECT next_outbound FROM session_list"),
                std::to_string(store_->session(0).next_outbound));
      kill();
    }
    durable = run_and_kill(3);
    const auto taken = take_over();
    ASSERT_NE(taken, nullptr);
    // What was reported durable with `strict` is in the database at that moment.
    if (policy == ReplicaPolicy::Strict) {
      expect_all(*taken, durable);
    } else {
      ASSERT_GT(taken->session(0).next_outbound, durable);
    }
  }
}

TEST_F(ReplicaCrash, a_killed_database_loses_nothing) {
  SeededRandom random{25};
  std::string why;
  const auto server = testing::PostgresServer::make(testing::PostgresServer::Syncs::Yes, why);
  ASSERT_NE(server, nullptr) << why;
  options_.postgres.connection = server->connection();
  for (const ReplicaPolicy policy : {ReplicaPolicy::Strict, ReplicaPolicy::Available}) {
    options_.journal.folder = folder_.file(std::string{to_string(policy)});
    options_.postgres.schema = fresh_schema();
    options_.numbers_ahead_max = 1'000'000;
    open(policy);
    for (int round = 0; round < kRestarts; ++round) {
      for (std::uint64_t count = 1 + random.below(200); count > 0; --count) {
        ASSERT_TRUE(append_next());
        ASSERT_TRUE(store_->flush());
      }
      server->stop(testing::PostgresServer::Stop::Immediate);
      for (std::uint64_t count = random.below(50); count > 0; --count) {
        ASSERT_TRUE(append_next());
        ASSERT_TRUE(store_->flush());
      }
      server->start();
      if (random.below(2) == 0) {
        ASSERT_TRUE(settler_.settle(*store_));
      }
    }
    ASSERT_TRUE(settler_.settle(*store_));
    wait_until_replicated();
    const std::uint64_t last = store_->session(key_).next_outbound - 1;
    kill();
    const auto taken = take_over();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(read_all(*taken, 0), texts_until(last));
  }
}

TEST_F(ReplicaCrash, a_full_local_disk_refuses_and_the_replica_has_what_was_durable) {
  const std::string mounted = folder_.file("disk");
  std::filesystem::create_directory(mounted);
  options_.journal.folder = mounted + "/journal";
  options_.journal.segment_bytes = 64U << 10U;
  const int status = testing::in_child([&] {
    if (!testing::own_mounts() || !testing::mount_tmpfs(mounted, "size=512k")) {
      return testing::kCannotMount;
    }
    for (const Durability durability : {Durability::Process, Durability::Group}) {
      options_.journal.durability = durability;
      options_.journal.folder = mounted + "/journal" + std::string{to_string(durability)};
      options_.postgres.schema = fresh_schema();
      open(ReplicaPolicy::Strict);
      std::uint64_t durable = 0;
      std::string why;
      for (;;) {
        const auto appended = append_next();
        const auto settled = appended ? settler_.settle(*store_) : appended;
        if (!settled) {
          why = settled.error().text;
          break;
        }
        durable = store_->session(key_).next_outbound - 1;
      }
      EXPECT_THAT(why, HasSubstr("No space left"));
      EXPECT_GT(durable, 100U);
      kill();
      const auto taken = take_over();
      const auto kept = read_all(*taken, 0);
      EXPECT_GE(kept.size(), durable);
      EXPECT_EQ(kept, texts_until(kept.size()));
      std::filesystem::remove_all(options_.journal.folder);
    }
    return 0;
  });
  if (status == testing::kCannotMount) GTEST_SKIP() << "this machine allows no mounts";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nexusfix::store
