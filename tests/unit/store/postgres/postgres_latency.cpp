// Measures what the PostgreSQL store costs beside the journal, on a server of its own with fsync
// on: one message at a time from append() to durable(), the same at a steady rate, and as many as
// will go. Prints a table; docs/operations/store.md has one.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/postgres.hpp>

#include "support/disks/temporary_folder.hpp"
#include "support/postgres_server.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;

constexpr std::size_t kMessageBytes = 200;

struct Percentiles {
  double p50 = 0;
  double p99 = 0;
};

Percentiles percentiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values[values.size() * 99 / 100]};
}

StoreResult<LogPosition> append_next(Store& store, SessionKey key) {
  static const std::string bytes(kMessageBytes, 'm');
  return append_message(store, key, store.session(key).next_outbound, bytes);
}

// The next message comes when the one before is durable.
Percentiles one_by_one(Store& store, Settler& settler, SessionKey key, int count) {
  std::vector<double> took;
  for (int i = 0; i < count; ++i) {
    const auto begin = SteadyClock::now();
    if (!append_next(store, key) || !settler.settle(store)) std::abort();
    took.push_back(Micros{SteadyClock::now() - begin}.count());
  }
  return percentiles(std::move(took));
}

// Messages at even distances, flushed at once, whatever became of those before.
Percentiles steady(Store& store, SessionKey key, int per_second, int count) {
  struct Waiting {
    LogPosition position;
    SteadyClock::time_point due;
  };
  std::vector<Waiting> waiting;
  std::vector<double> took;
  std::size_t done = 0;
  const auto begin = SteadyClock::now();
  const auto note = [&] {
    const LogPosition durable = store.durable();
    const auto now = SteadyClock::now();
    for (; done < waiting.size() && waiting[done].position <= durable; ++done) {
      took.push_back(Micros{now - waiting[done].due}.count());
    }
  };
  for (int i = 0; i < count; ++i) {
    const auto due = begin + std::chrono::nanoseconds{1'000'000'000LL * i / per_second};
    while (SteadyClock::now() < due) {
      note();
      std::this_thread::yield();
    }
    const auto position = append_next(store, key);
    if (!position || !store.flush()) std::abort();
    waiting.push_back({*position, due});
  }
  while (done < waiting.size()) {
    if (!store.flush()) std::abort();
    note();
    std::this_thread::yield();
  }
  return percentiles(std::move(took));
}

double messages_a_second(Store& store, Settler& settler, SessionKey key, int count) {
  const auto begin = SteadyClock::now();
  for (int i = 0; i < count; ++i) {
    if (!append_next(store, key)) std::abort();
    if (i % 64 == 0 && !store.flush()) std::abort();
  }
  if (!settler.settle(store)) std::abort();
  return count / std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

void print_row(const std::string& name, Store& store, Settler& settler) {
  // What rows before have written is none of this one's.
  ::sync();
  const SessionKey key = open_session(store, "A");
  const Percentiles alone = one_by_one(store, settler, key, 1'000);
  const Percentiles slow = steady(store, key, 1'000, 3'000);
  const Percentiles fast = steady(store, key, 10'000, 30'000);
  const double rate = messages_a_second(store, settler, key, 200'000);
  std::printf("| %-44s | %7.0f | %7.0f | %7.0f | %7.0f | %8.0f | %8.0f | %9.0f |\n", name.c_str(),
              alone.p50, alone.p99, slow.p50, slow.p99, fast.p50, fast.p99, rate);
  std::fflush(stdout);
}

void measure_journal(const std::string& name, Durability durability) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  Settler settler;
  auto opened = open_journal(
      disk,
      {.folder = folder.file("journal"), .durability = durability, .on_durable = settler.wake()},
      at_second(1));
  if (opened) print_row(name, *opened->store, settler);
}

void measure_postgres(const std::string& name, const testing::PostgresServer& server,
                      const std::string& synchronous_commit, std::uint32_t in_flight) {
  static int count = 0;
  Settler settler;
  PostgresOptions options;
  options.connection =
      server.connection() + " options='-c synchronous_commit=" + synchronous_commit + "'";
  options.schema = "measured_" + std::to_string(++count);
  options.batches_in_flight_max = in_flight;
  options.on_durable = settler.wake();
  auto opened = open_postgres(options);
  if (!opened) {
    std::puts(opened.error().text.c_str());
    return;
  }
  print_row(name, **opened, settler);
}

// Rows whose name contains this text.
int measure(const std::string& wanted) {
  std::string why;
  const auto server = testing::PostgresServer::make(testing::PostgresServer::Syncs::Yes, why);
  if (!server) {
    std::puts(why.c_str());
    return 1;
  }
  std::puts(
      "| microseconds, but the last column              | alone   | P99     | 1,000/s | P99     "
      "| 10,000/s | P99      | most /s   |");
  for (const Durability durability : {Durability::Process, Durability::Group, Durability::Sync}) {
    const std::string name = "journal, " + std::string{to_string(durability)};
    if (name.find(wanted) != std::string::npos) measure_journal(name, durability);
  }
  for (const char* const commit : {"on", "off"}) {
    for (const std::uint32_t in_flight : {1U, 2U, 4U}) {
      const std::string name = "PostgreSQL, synchronous_commit=" + std::string{commit} + ", " +
                               std::to_string(in_flight) + " in flight";
      if (name.find(wanted) != std::string::npos) {
        measure_postgres(name, *server, commit, in_flight);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace nexusfix::store

int main(int count, char** words) { return nexusfix::store::measure(count > 1 ? words[1] : ""); }
