// kill -9 of the process that writes, at seeded points: all that was confirmed as durable is
// there, nothing else is there, and the next append is correct.
#include <array>
#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

std::string text_of(std::uint64_t number) {
  return "order " + std::to_string(number) + std::string(number % 97, '.');
}

// In the child: appends for ever, and writes each durable number into the pipe.
[[noreturn]] void append_for_ever(const PostgresOptions& given, int pipe) {
  PostgresOptions options = given;
  Settler settler;
  options.on_durable = settler.wake();
  options.batches_in_flight_max = 3;
  auto opened = open_postgres(options);
  if (!opened) ::_exit(1);
  Store& store = **opened;
  const auto key = store.open_session("A", at_second(1));
  if (!key) ::_exit(2);
  std::uint64_t durable_number = store.session(*key).next_outbound - 1;
  std::vector<std::pair<LogPosition, std::uint64_t>> waiting;
  for (;;) {
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t number = store.session(*key).next_outbound;
      const auto position = append(store, [&](Transaction& t) {
        t.inbound_progress(*key, number + 1);
        t.outbound_message(*key, number, text_of(number));
      });
      if (!position || !store.flush()) ::_exit(3);
      waiting.emplace_back(*position, number);
    }
    while (waiting.size() > 50 && store.durable() < waiting[25].first) {
      const std::uint64_t before = settler.wakes();
      if (!store.flush()) ::_exit(4);
      if (store.durable() < waiting[25].first) settler.wait(before);
    }
    std::size_t done = 0;
    while (done < waiting.size() && waiting[done].first <= store.durable()) ++done;
    if (done == 0) continue;
    durable_number = waiting[done - 1].second;
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(done));
    if (::write(pipe, &durable_number, sizeof durable_number) != sizeof durable_number) ::_exit(5);
  }
}

TEST(PostgresCrash, a_killed_process_leaves_what_was_reported_durable) {
  if (testing::PostgresServer::shared() == nullptr) {
    GTEST_SKIP() << testing::PostgresServer::why();
  }
#ifdef NDEBUG
  constexpr int kKills = 200;
#else
  constexpr int kKills = 40;  // with sanitizers
#endif
  PostgresOptions options = postgres_options(fresh_schema());
  SeededRandom random{2026};
  std::uint64_t durable = 0;
  for (int round = 0; round < kKills; ++round) {
    options.rows_lag_bytes_max = random.below(20'000);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      append_for_ever(options, ends[1]);
    }
    ::close(ends[1]);
    std::uint64_t acknowledged = 0;
    for (std::uint64_t reports = 1 + random.below(20); reports > 0; --reports) {
      ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged),
                static_cast<ssize_t>(sizeof acknowledged));
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    while (::read(ends[0], &acknowledged, sizeof acknowledged) ==
           static_cast<ssize_t>(sizeof acknowledged)) {
    }
    ::close(ends[0]);
    durable = acknowledged;

    const auto store = open_or_fail(options);
    ASSERT_NE(store, nullptr);
    const SessionKey key = open_session(*store, "A");
    const SessionRecord& record = store->session(key);
    ASSERT_GE(record.next_outbound, durable + 1);
    ASSERT_EQ(record.next_inbound, record.next_outbound);
    std::uint64_t expected = 1;
    const auto read =
        store->read(key, 1, UINT64_MAX, [&](std::uint64_t number, std::string_view bytes) {
          EXPECT_EQ(number, expected);
          EXPECT_EQ(bytes, text_of(number));
          ++expected;
          return number + 1 == expected;
        });
    ASSERT_TRUE(read) << read.error().text;
    ASSERT_EQ(expected, record.next_outbound);
  }
}

}  // namespace
}  // namespace nexusfix::store
