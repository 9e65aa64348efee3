// Measures what the PostgreSQL store costs beside the journal, on servers of its own with fsync on,
// with and without a synchronous standby; and what a client without any of this costs, which
// inserts what has gathered as one row. One message at a time from append() to durable(), the same
// at steady rates, and as many as will go. Prints a table, and under it what a message costs at the
// highest rate. Arguments: a part of the names of the rows, and the number of sessions that send in
// turn (1).
//
//   $ ninja -C build/release postgres_latency && build/release/bench/postgres_latency standby 1000
//
// With "in-turn", a number of rounds and of sessions: a bare client and the store with `strict`,
// one after the other in each round at the highest rate, and what the rounds have in the middle.
//
//   $ chrt -r 1 build/release/bench/postgres_latency in-turn 20 26
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <libpq-fe.h>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/postgres.hpp>

#include "store/api/postgres_part.hpp"
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
  int confirmations = 0;  // each of all messages that have gathered
};

Percentiles percentiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {.p50 = values[values.size() / 2], .p99 = values[values.size() * 99 / 100]};
}

// The sessions send in turn.
class Sessions {
 public:
  Sessions(Store& store, std::size_t count) : store_{store} {
    for (std::size_t i = 0; i < count; ++i) {
      keys_.push_back(open_session(store, "FIX.4.4:VENUE->TRADER" + std::to_string(i)));
    }
  }
  StoreResult<LogPosition> append_next() {
    static const std::string bytes(kMessageBytes, 'm');
    const SessionKey key = keys_[next_];
    next_ = (next_ + 1) % keys_.size();
    return append_message(store_, key, store_.session(key).next_outbound, bytes);
  }

 private:
  Store& store_;
  std::vector<SessionKey> keys_;
  std::size_t next_ = 0;
};

// Wakes the measuring thread as the store wakes an event loop.
class Waker {
 public:
  Waker() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}
  ~Waker() { ::close(descriptor_); }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  [[nodiscard]] StoreOptions::Wake wake() noexcept {
    return {.call =
                [](void* self) noexcept {
                  const std::uint64_t one = 1;
                  const int descriptor = static_cast<Waker*>(self)->descriptor_;
                  static_cast<void>(!::write(descriptor, &one, sizeof one));
                },
            .context = this};
  }
  // Is woken by this descriptor as well.
  void watch(int descriptor) noexcept { also_ = descriptor; }
  void wait_until(SteadyClock::time_point due) noexcept {
    const auto left = std::max(due - SteadyClock::now(), SteadyClock::duration{0});
    const timespec limit{.tv_sec = left / std::chrono::seconds{1},
                         .tv_nsec = (left % std::chrono::seconds{1}).count()};
    std::array<pollfd, 2> waited{{{descriptor_, POLLIN, 0}, {also_, POLLIN, 0}}};
    std::uint64_t ignored = 0;
    if (::ppoll(waited.data(), waited.size(), &limit, nullptr) > 0 && waited[0].revents != 0) {
      static_cast<void>(!::read(descriptor_, &ignored, sizeof ignored));
    }
  }

 private:
  int descriptor_;
  int also_ = -1;
};

// The least that a client can do: on one thread and one connection, what has gathered while the
// COMMIT before was under way is inserted as one row, if the owner's epoch is still the same. It
// remembers nothing.
class BareInserts final : public Store {
 public:
  BareInserts(const std::string& connection, Waker& waker)
      : connection_{PQconnectdb(connection.c_str()), PQfinish} {
    static int count = 0;
    const std::string table = "bare_" + std::to_string(++count);
    run("CREATE TABLE " + table + "_owner (epoch bigint); INSERT INTO " + table +
        "_owner VALUES (1); CREATE TABLE " + table +
        " (chunk bigint PRIMARY KEY, entries bytea) WITH (toast_tuple_target = 8160); ALTER "
        "TABLE " +
        table + " ALTER COLUMN entries SET STORAGE EXTERNAL");
    const std::string insert = "INSERT INTO " + table + " SELECT $1::int8, $2::bytea FROM " +
                               table + "_owner WHERE epoch = 1 FOR SHARE";
    PQclear(PQprepare(connection_.get(), "insert", insert.c_str(), 0, nullptr));
    PQsetnonblocking(connection_.get(), 1);
    waker.watch(PQsocket(connection_.get()));
  }

  StoreResult<SessionKey> open_session(std::string_view, WallTime) override { return 0; }
  StoreResult<void> rename_session(SessionKey, std::string_view, WallTime) override { return {}; }
  std::optional<SessionKey> find_session(std::string_view) const override { return 0; }
  std::size_t session_count() const noexcept override { return 1; }
  std::string_view session_name(SessionKey) const noexcept override { return "bare"; }
  const SessionRecord& session(SessionKey) const noexcept override { return record_; }
  std::span<const NumberRange> lost_numbers(SessionKey) const noexcept override { return {}; }
  StoreResult<LogPosition> append(const Transaction& transaction, WallTime) override {
    const auto entries = transaction.entries();
    gathered_.append(entries.data(), entries.size());
    return appended_ += entries.size();
  }
  LogPosition appended() const noexcept override { return appended_; }
  LogPosition durable() const noexcept override { return durable_; }
  StoreResult<LogPosition> flush() override {
    if (is_under_way_) read_answer();
    if (!is_under_way_ && !gathered_.empty()) send();
    PQflush(connection_.get());
    return durable_;
  }
  StoreResult<void> close() override { return {}; }
  std::optional<StoreEvent> next_event() override { return std::nullopt; }
  StoreResult<void> read(SessionKey, std::uint64_t, std::uint64_t, MessageVisitor) override {
    return {};
  }
  StoreResult<void> scan(LogVisitor) override { return {}; }

 private:
  void run(const std::string& statements) {
    PQclear(PQexec(connection_.get(), statements.c_str()));
  }
  void send() {
    std::array<char, 8> number{};
    for (std::size_t i = 0; i < number.size(); ++i) {
      number[i] = static_cast<char>(chunk_ >> (8 * (number.size() - 1 - i)));
    }
    ++chunk_;
    sent_.swap(gathered_);
    gathered_.clear();
    const std::array<const char*, 2> values{number.data(), sent_.data()};
    const std::array lengths{static_cast<int>(number.size()), static_cast<int>(sent_.size())};
    const std::array formats{1, 1};
    if (PQsendQueryPrepared(connection_.get(), "insert", 2, values.data(), lengths.data(),
                            formats.data(), 1) == 0) {
      std::abort();
    }
    is_under_way_ = true;
  }
  void read_answer() {
    if (PQconsumeInput(connection_.get()) == 0) std::abort();
    while (is_under_way_ && PQisBusy(connection_.get()) == 0) {
      PGresult* const result = PQgetResult(connection_.get());
      if (result == nullptr) {
        is_under_way_ = false;
        durable_ += sent_.size();
      } else if (std::string_view{PQcmdTuples(result)} != "1") {
        std::abort();
      }
      PQclear(result);
    }
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  SessionRecord record_;
  std::string gathered_;
  std::string sent_;
  std::uint64_t chunk_ = 1;
  LogPosition appended_ = 0;
  LogPosition durable_ = 0;
  bool is_under_way_ = false;
};

void settle(Store& store, Waker& waker) {
  for (;;) {
    const auto durable = store.flush();
    if (!durable) std::abort();
    if (*durable == store.appended()) return;
    waker.wait_until(SteadyClock::now() + std::chrono::seconds{1});
  }
}

// The next message comes when the one before is durable.
Percentiles one_by_one(Store& store, Waker& waker, Sessions& sessions, int count) {
  std::vector<double> took;
  for (int i = 0; i < count; ++i) {
    const auto begin = SteadyClock::now();
    if (!sessions.append_next()) std::abort();
    settle(store, waker);
    took.push_back(Micros{SteadyClock::now() - begin}.count());
  }
  return percentiles(std::move(took));
}

// Messages at even distances, whatever became of those before. All that are due are flushed
// together, as a turn of an event loop does.
Percentiles steady(Store& store, Waker& waker, Sessions& sessions, int per_second, int count) {
  struct Waiting {
    LogPosition position;
    SteadyClock::time_point due;
  };
  std::vector<Waiting> waiting;
  std::vector<double> took;
  std::size_t done = 0;
  int confirmations = 0;
  const auto begin = SteadyClock::now();
  const auto due_of = [&](int i) {
    return begin + std::chrono::nanoseconds{1'000'000'000LL * i / per_second};
  };
  for (int i = 0; done < static_cast<std::size_t>(count);) {
    for (; i < count && due_of(i) <= SteadyClock::now(); ++i) {
      const auto position = sessions.append_next();
      if (!position) std::abort();
      waiting.push_back({*position, due_of(i)});
    }
    const auto durable = store.flush();
    if (!durable) std::abort();
    const auto now = SteadyClock::now();
    if (done < waiting.size() && waiting[done].position <= *durable) ++confirmations;
    for (; done < waiting.size() && waiting[done].position <= *durable; ++done) {
      took.push_back(Micros{now - waiting[done].due}.count());
    }
    waker.wait_until(i < count ? due_of(i) : now + std::chrono::milliseconds{1});
  }
  Percentiles found = percentiles(std::move(took));
  found.confirmations = confirmations;
  return found;
}

double messages_a_second(Store& store, Waker& waker, Sessions& sessions, int count) {
  const auto begin = SteadyClock::now();
  for (int i = 0; i < count; ++i) {
    if (!sessions.append_next()) std::abort();
    if (i % 64 == 0 && !store.flush()) std::abort();
  }
  settle(store, waker);
  return count / std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

constexpr std::array kRates{1'000, 10'000, 50'000};

// What the processes of this machine have used so far.
struct Costs {
  std::chrono::microseconds own{};      // CPU time of this program
  std::chrono::microseconds servers{};  // and of the servers
  std::uint64_t wal_bytes = 0;
};

// The servers of a row, of which the first one is the primary. None: the journal.
using Servers = std::vector<testing::PostgresServer*>;

Costs costs(const Servers& servers) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto micros = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  Costs found{.own = micros(used.ru_utime) + micros(used.ru_stime), .servers = {}};
  for (const auto* const server : servers) found.servers += server->cpu_time();
  if (!servers.empty()) {
    found.wal_bytes = std::stoull(
        servers.front()->sql("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8"));
  }
  return found;
}

void print_costs(const Costs& before, const Costs& after, int messages, int commits) {
  const auto each = [&](auto number) { return static_cast<double>(number) / messages; };
  std::printf(
      "  a message at %d/s: CPU %.1f us here, %.1f us in the servers; %.0f bytes of WAL; %.0f "
      "messages a COMMIT\n",
      kRates.back(), each((after.own - before.own).count()),
      each((after.servers - before.servers).count()), each(after.wal_bytes - before.wal_bytes),
      static_cast<double>(messages) / std::max(1, commits));
  std::fflush(stdout);
}

constexpr int kSteadySeconds = 4;

void print_row(const std::string& name, Store& store, Waker& waker, std::size_t count,
               const Servers& servers) {
  // What rows before have written is none of this one's.
  ::sync();
  Sessions sessions{store, count};
  const auto print = [](const Percentiles& one) {
    std::printf(" %7.0f | %7.0f |", one.p50, one.p99);
    std::fflush(stdout);
  };
  std::printf("| %-44s |", name.c_str());
  print(one_by_one(store, waker, sessions, 1'000));
  Costs before;
  Percentiles last;
  for (const int rate : kRates) {
    before = costs(servers);
    last = steady(store, waker, sessions, rate, kSteadySeconds * rate);
    print(last);
  }
  const Costs after = costs(servers);
  std::printf(" %9.0f |\n", messages_a_second(store, waker, sessions, 200'000));
  print_costs(before, after, kSteadySeconds * kRates.back(), last.confirmations);
}

void measure_journal(const std::string& name, Durability durability, std::size_t sessions) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  Waker waker;
  auto opened = open_journal(
      disk,
      {.folder = folder.file("journal"), .durability = durability, .on_durable = waker.wake()},
      at_second(1));
  if (opened) print_row(name, *opened->store, waker, sessions, {});
}

void measure_postgres(const std::string& name, const Servers& servers,
                      const std::string& synchronous_commit, std::uint32_t in_flight,
                      std::size_t sessions, StandbyPolicy policy = StandbyPolicy::Available) {
  static int count = 0;
  Waker waker;
  PostgresOptions options;
  options.connection =
      servers.front()->connection() + " options='-c synchronous_commit=" + synchronous_commit + "'";
  options.schema = "measured_" + std::to_string(++count);
  options.batches_in_flight_max = in_flight;
  options.standby = policy;
  options.on_durable = waker.wake();
  auto opened = postgres_part()->open(options);
  if (!opened) {
    std::puts(opened.error().text.c_str());
    return;
  }
  print_row(name, **opened, waker, sessions, servers);
}

void measure_bare(const std::string& name, const Servers& servers) {
  Waker waker;
  BareInserts bare{servers.front()->connection(), waker};
  print_row(name, bare, waker, 1, servers);
}

// Creating a WAL file takes longer than a COMMIT. A server that has run for a while uses old ones
// again: as docs/operations/cluster.md has it. A standby has its own, and must not fall back by
// more than the primary keeps.
void fill_wal(testing::PostgresServer& primary, testing::PostgresServer* standby) {
  for (int part = 0; part < 10; ++part) {
    primary.sql(
        "SELECT count(pg_logical_emit_message(false, '', repeat('x', 1048576))) "
        "FROM generate_series(1, 32)");
    if (standby == nullptr) continue;
    const std::string end = primary.sql("SELECT pg_current_wal_lsn()");
    while (standby->sql("SELECT pg_last_wal_replay_lsn() >= '" + end + "'") != "t") {
    }
  }
  primary.sql("CHECKPOINT");
  if (standby != nullptr) standby->sql("CHECKPOINT");
}

void checkpoint(testing::PostgresServer& primary, testing::PostgresServer& standby) {
  primary.sql("CHECKPOINT");
  standby.sql("CHECKPOINT");
}

// The synchronous standby of a server.
std::unique_ptr<testing::PostgresServer> make_synchronous(testing::PostgresServer& primary) {
  auto standby = primary.make_standby("s1");
  fill_wal(primary, standby.get());
  primary.set("synchronous_standby_names", "s1");
  while (primary.sql("SELECT sync_state FROM pg_stat_replication") != "sync") {
  }
  return standby;
}

// The speed of a machine changes within minutes: only figures of one round may be compared.
int measure_in_turn(int rounds, std::size_t sessions) {
  std::string why;
  const auto server = testing::PostgresServer::make(testing::PostgresServer::Syncs::Yes, why);
  if (!server || rounds < 1) {
    std::puts(why.c_str());
    return 1;
  }
  server->set("min_wal_size", "320MB");
  const auto standby = make_synchronous(*server);
  std::array<std::vector<double>, 5> found;  // P50 and P99 of both, and the ratio of the P50
  const auto run = [&](Store& store, Waker& waker, std::size_t column) {
    Sessions all{store, sessions};
    static_cast<void>(steady(store, waker, all, kRates.back(), kRates.back() / 5));
    const Percentiles one = steady(store, waker, all, kRates.back(), 3 * kRates.back() / 2);
    found[column].push_back(one.p50);
    found[column + 1].push_back(one.p99);
    std::printf(" %7.0f | %7.0f |", one.p50, one.p99);
    std::fflush(stdout);
  };
  std::puts("| bare P50 | P99     | store P50| P99    |");
  for (int round = 0; round < rounds; ++round) {
    if (round % 4 == 0) checkpoint(*server, *standby);
    std::printf("| ");
    {
      Waker waker;
      BareInserts bare{server->connection(), waker};
      run(bare, waker, 0);
    }
    Waker waker;
    PostgresOptions options;
    options.connection = server->connection();
    options.schema = "in_turn_" + std::to_string(round);
    options.standby = StandbyPolicy::Strict;
    options.on_durable = waker.wake();
    auto opened = postgres_part()->open(options);
    if (!opened) {
      std::puts(opened.error().text.c_str());
      return 1;
    }
    run(**opened, waker, 2);
    found[4].push_back(found[2].back() / found[0].back());
    std::puts("");
    if (!(*opened)->close()) return 1;
  }
  constexpr std::array kNames{"bare P50", "bare P99", "store P50", "store P99", "store to bare"};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::sort(found[i].begin(), found[i].end());
    const auto at = [&](std::size_t part) { return found[i][(found[i].size() - 1) * part / 4]; };
    std::printf("%-13s median %.5g, quartiles %.5g and %.5g\n", kNames[i], at(2), at(1), at(3));
  }
  return 0;
}

// Rows whose name contains this text.
int measure(const std::string& wanted, std::size_t sessions) {
  std::string why;
  const auto server = testing::PostgresServer::make(testing::PostgresServer::Syncs::Yes, why);
  if (!server) {
    std::puts(why.c_str());
    return 1;
  }
  const bool wants_standby = wanted.find("standby") != std::string::npos;
  server->set("min_wal_size", "320MB");
  if (!wants_standby) fill_wal(*server, nullptr);
  std::puts(
      "| microseconds, but the last column              | alone   | P99     | 1,000/s | P99     "
      "| 10,000/s| P99     | 50,000/s| P99     | most /s   |");
  const auto is_wanted = [&](const std::string& name) {
    return name.find(wanted) != std::string::npos;
  };
  for (const Durability durability : {Durability::Process, Durability::Group, Durability::Sync}) {
    const std::string name = "journal, " + std::string{to_string(durability)};
    if (is_wanted(name)) measure_journal(name, durability, sessions);
  }
  for (const char* const commit : {"on", "off"}) {
    for (const std::uint32_t in_flight : {1U, 2U}) {
      const std::string name = "PostgreSQL, synchronous_commit=" + std::string{commit} + ", " +
                               std::to_string(in_flight) + " in flight";
      if (is_wanted(name)) measure_postgres(name, {server.get()}, commit, in_flight, sessions);
    }
  }
  std::unique_ptr<testing::PostgresServer> standby;
  // The WAL of the rows before is used again, as on a server that has run for a while.
  const auto make_standby = [&] {
    if (standby) return checkpoint(*server, *standby);
    standby = make_synchronous(*server);
  };
  if (const std::string name = "bare inserts, standby"; is_wanted(name)) {
    make_standby();
    measure_bare(name, {server.get(), standby.get()});
  }
  for (const char* const commit : {"on", "remote_write", "on, strict"}) {
    const std::string name = "PostgreSQL, standby, " + std::string{commit};
    if (!is_wanted(name)) continue;
    make_standby();
    const bool is_strict = std::string{commit} == "on, strict";
    measure_postgres(name, {server.get(), standby.get()}, is_strict ? "on" : commit, 1, sessions,
                     is_strict ? StandbyPolicy::Strict : StandbyPolicy::Available);
  }
  return 0;
}

}  // namespace
}  // namespace nexusfix::store

int main(int count, char** words) {
  const std::string first = count > 1 ? words[1] : "";
  if (first == "in-turn") {
    return nexusfix::store::measure_in_turn(count > 2 ? std::stoi(words[2]) : 20,
                                            count > 3 ? std::stoul(words[3]) : 1);
  }
  return nexusfix::store::measure(first, count > 2 ? std::stoul(words[2]) : 1);
}
