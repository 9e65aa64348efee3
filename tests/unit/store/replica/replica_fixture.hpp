// What the tests of a journal with a replica share: a journal in a temporary folder, and a schema
// of its own on a real server.
#pragma once

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/store/journal_replica.hpp>

#include "support/disks/temporary_folder.hpp"
#include "unit/store/postgres/postgres_fixture.hpp"

namespace nexusfix::store {

inline std::string text_of(std::uint64_t number) {
  return "order " + std::to_string(number) + std::string(number % 97, '.');
}

inline std::vector<KeptMessage> texts_until(std::uint64_t last, std::uint64_t first = 1) {
  std::vector<KeptMessage> all;
  for (std::uint64_t number = first; number <= last; ++number) {
    all.push_back({number, text_of(number)});
  }
  return all;
}

class ReplicaFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::PostgresServer::shared() == nullptr)
      GTEST_SKIP() << testing::PostgresServer::why();
    options_.journal = {.folder = folder_.file("journal"), .on_durable = settler_.wake()};
    options_.postgres = postgres_options(fresh_schema());
    options_.postgres.answer_timeout = std::chrono::seconds{5};
    options_.lag_max = std::chrono::milliseconds{100};
    options_.numbers_ahead_max = 1'000;
  }
  void TearDown() override { store_.reset(); }

  [[nodiscard]] static testing::PostgresServer& server() {
    return *testing::PostgresServer::shared();
  }
  // In the schema of the replica.
  std::string sql(const std::string& statement) {
    return server().sql("SET search_path = " + options_.postgres.schema + "; " + statement);
  }

  StoreResult<OpenedJournal> try_open(ReplicaPolicy policy) {
    options_.policy = policy;
    return open_replicated_journal(disk_, options_, at_second(50));
  }
  void open(ReplicaPolicy policy) {
    auto opened = try_open(policy);
    ASSERT_TRUE(opened) << opened.error().text;
    store_ = std::move(opened->store);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  // As another machine does it: without the journal.
  std::unique_ptr<Store> take_over() {
    PostgresOptions options = options_.postgres;
    options.on_durable = {};
    options.note_folder.clear();
    return open_or_fail(options);
  }
  // As kill -9 of the process leaves it.
  void kill() { store_.reset(); }
  void close() {
    const auto closed = store_->close();
    ASSERT_TRUE(closed) << closed.error().text;
    store_.reset();
  }

  StoreResult<LogPosition> append_next() {
    const std::uint64_t number = store_->session(key_).next_outbound;
    return append_message(*store_, key_, number, text_of(number));
  }
  void append_durable(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
  }
  // Returns when the replica has what the journal has; it is waited for without a flush, as a loop
  // does that has nothing to send.
  void wait_until_replicated() {
    for (;;) {
      const auto replica = store_->replica();
      ASSERT_TRUE(replica);
      if (replica->replicated_end >= store_->appended()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  // On a busy machine it may lag at other times, too.
  void wait_until_lagging(bool is_lagging) {
    while (store_->replica()->is_lagging != is_lagging) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  // Takes events until one has this identifier; its text.
  std::string wait_for(EventId id) {
    for (;;) {
      while (auto event = store_->take_event()) {
        if (event->id == id) return event->text;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  testing::TemporaryFolder folder_;
  PosixDisk disk_;
  Settler settler_;
  JournalReplicaOptions options_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

// The server does nothing while it lives.
class Frozen {
 public:
  explicit Frozen(testing::PostgresServer& server) : server_{server} { server_.freeze(); }
  ~Frozen() { thaw(); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;
  void thaw() {
    if (std::exchange(is_frozen_, false)) server_.thaw();
  }

 private:
  testing::PostgresServer& server_;
  bool is_frozen_ = true;
};

}  // namespace nexusfix::store
