// A log whose owner a lease decides: a later fencing token takes the log from whichever process has
// it, and an earlier one never does.
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <utility>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::PostgresServer;

// A lease that the test gives. The token of its mark: the highest one that was ever given. As in a
// cluster, it gets a later token if its claim was made, but the former owner locked the log first.
class GivenLease final : public LogLease {
 public:
  explicit GivenLease(ClusterMark mark, std::uint64_t token)
      : mark_{std::move(mark)}, token_{token}, answer_{token} {}
  [[nodiscard]] ClusterMark mark() const override {
    return {.cluster = mark_.cluster, .shard = mark_.shard};
  }
  [[nodiscard]] std::uint64_t token() const noexcept override {
    is_tried_ = true;
    return token_.load();
  }
  [[nodiscard]] std::expected<std::uint64_t, std::string> ask(std::uint64_t claimed) override {
    if (is_tried_ && !is_claimed_ && claimed == token_) set_token(claimed + 1);
    if (claimed <= mark_.token) return answer_.load();
    return std::unexpected{"the log was claimed with " + std::to_string(claimed) + " already"};
  }
  void on_claimed() noexcept override { is_claimed_ = true; }

  void set_token(std::uint64_t token) { token_ = answer_ = token; }
  // As if the lease ended when the store was about to claim the log.
  void set_token_after_ask(std::uint64_t token) { token_ = token; }
  [[nodiscard]] bool is_claimed() const { return is_claimed_; }

 private:
  ClusterMark mark_;
  std::atomic<std::uint64_t> token_;
  std::atomic<std::uint64_t> answer_;  // the answer to ask()
  std::atomic<bool> is_claimed_{false};
  mutable std::atomic<bool> is_tried_{false};  // the store was about to claim the log
};

// Ends the waiting after some looks; sees that the log was not taken.
class Looks final : public StandbyObserver {
 public:
  explicit Looks(int max, std::function<void()> on_not_taken = {})
      : left_{max}, on_not_taken_{std::move(on_not_taken)} {}
  [[nodiscard]] bool follows_messages() const override { return false; }
  void on_message(const Store::LogMessage& /*message*/) override {}
  [[nodiscard]] bool on_waiting(const StandbyState& /*state*/) override { return left_-- > 0; }
  void on_event(StoreEvent event) override {
    if (event.text.find("the log was not taken: ") == std::string::npos) return;
    not_taken_ = std::move(event.text);
    if (on_not_taken_) on_not_taken_();
  }
  [[nodiscard]] const std::string& not_taken() const { return not_taken_; }

 private:
  int left_;
  std::function<void()> on_not_taken_;
  std::string not_taken_;
};
constexpr int kNoEnd = 1'000'000;

// An engine of the cluster, with a lease of its own.
struct Engine {
  Engine(const PostgresOptions& given, std::uint64_t token, ClusterMark mark = {"c", "s", 1'000})
      : lease{std::move(mark), token}, options{given} {
    options.lease = &lease;
    options.on_durable = settler.wake();
  }
  [[nodiscard]] std::string open() {
    auto opened = open_postgres(options);
    if (!opened) return opened.error().text;
    store = std::move(*opened);
    key = open_session(*store, "A");
    EXPECT_TRUE(settler.settle(*store));
    return {};
  }
  // Empty: it is durable.
  [[nodiscard]] std::string append() {
    const std::uint64_t number = store->session(key).next_outbound;
    const auto appended = append_message(*store, key, number, "message " + std::to_string(number));
    if (!appended) return appended.error().text;
    for (;;) {
      const std::uint64_t before = settler.wakes();
      const auto flushed = store->flush();
      if (!flushed) return flushed.error().text;
      if (*flushed == store->appended()) return {};
      settler.wait(before);
    }
  }

  GivenLease lease;
  Settler settler;
  PostgresOptions options;
  std::unique_ptr<Store> store;
  SessionKey key = 0;
};

class PostgresLease : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    const auto marked = mark_for_cluster(options_, {"c", "s", 0});
    ASSERT_TRUE(marked) << marked.error().text;
  }
  [[nodiscard]] std::uint64_t epoch() const {
    return std::stoull(server_->sql("SELECT owner_epoch FROM " + options_.schema + ".log_state"));
  }
  [[nodiscard]] std::uint64_t token() const { return epoch() >> 20U; }

  PostgresServer* server_ = nullptr;
  PostgresOptions options_;
};

TEST_F(PostgresLease, a_later_token_takes_the_log_from_one_that_has_the_lock) {
  Engine first{options_, 5};
  ASSERT_EQ(first.open(), "");
  EXPECT_TRUE(first.lease.is_claimed());
  ASSERT_EQ(first.append(), "");
  EXPECT_EQ(token(), 5U);
  Engine second{options_, 6};
  // The first one may come between the claim and the lock. As in a cluster, the next claim has a
  // later token.
  Looks looks{kNoEnd, [&] { second.lease.set_token(second.lease.token() + 1); }};
  second.options.standby_observer = &looks;
  ASSERT_EQ(second.open(), "");
  EXPECT_EQ(token(), second.lease.token());
  EXPECT_NE(first.append().find("the log was taken over by process "), std::string::npos);
  EXPECT_EQ(second.store->session(second.key).next_outbound, 2U);
  EXPECT_EQ(second.append(), "");
}

TEST_F(PostgresLease, an_earlier_token_waits_and_the_owner_goes_on) {
  Engine owner{options_, 6};
  ASSERT_EQ(owner.open(), "");
  ASSERT_EQ(owner.append(), "");
  const std::uint64_t before = epoch();
  for (const std::uint64_t stale : {0U, 5U, 6U}) {
    Engine late{options_, stale};
    Looks looks{6};
    late.options.standby_observer = &looks;
    EXPECT_NE(late.open().find("ended while it waited"), std::string::npos);
    EXPECT_FALSE(late.lease.is_claimed());
  }
  EXPECT_EQ(epoch(), before);
  EXPECT_EQ(owner.append(), "");
}

TEST_F(PostgresLease, a_lease_that_ends_before_the_claim_waits_again_and_touches_nothing) {
  Engine owner{options_, 6};
  ASSERT_EQ(owner.open(), "");
  for (const std::uint64_t stale : {0U, 5U, 6U}) {
    const std::uint64_t before = epoch();
    Engine late{options_, (before >> 20U) + 1};
    late.lease.set_token_after_ask(stale);
    Looks looks{0};
    late.options.standby_observer = &looks;
    EXPECT_NE(late.open().find("ended while it waited"), std::string::npos);
    EXPECT_NE(looks.not_taken().find(stale == 0 ? "the lease was lost" : "was taken over by"),
              std::string::npos)
        << looks.not_taken();
    EXPECT_FALSE(late.lease.is_claimed());
    EXPECT_EQ(epoch(), before);
  }
  EXPECT_EQ(owner.append(), "");
  // It gets a lease again, and a later one if the owner, connecting again, locks the log first.
  Engine late{options_, 7};
  late.lease.set_token_after_ask(0);
  std::uint64_t given = 20;
  Looks looks{kNoEnd, [&] { late.lease.set_token(given++); }};
  late.options.standby_observer = &looks;
  EXPECT_EQ(late.open(), "");
  EXPECT_TRUE(late.lease.is_claimed());
  EXPECT_EQ(token(), late.lease.token());
  EXPECT_EQ(late.append(), "");
}

TEST_F(PostgresLease, a_claim_that_a_foreign_transaction_holds_up_is_made_again) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> foreign{
      PQconnectdb(server_->connection().c_str()), &PQfinish};
  PQclear(PQexec(foreign.get(), "BEGIN"));
  PQclear(PQexec(foreign.get(),
                 ("UPDATE " + options_.schema + ".log_state SET position = position").c_str()));
  Engine engine{options_, 5};
  Looks looks{kNoEnd, [&] {
                PQclear(PQexec(foreign.get(), "ROLLBACK"));
                engine.lease.set_token(engine.lease.token() + 1);
              }};
  engine.options.standby_observer = &looks;
  EXPECT_EQ(engine.open(), "");
  EXPECT_EQ(token(), engine.lease.token());
  EXPECT_EQ(engine.append(), "");
}

TEST_F(PostgresLease, an_owner_that_connects_again_does_not_get_above_the_next_token) {
  Engine former{options_, 5};
  ASSERT_EQ(former.open(), "");
  for (int i = 0; i < 3; ++i) {
    server_->sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    ASSERT_EQ(former.append(), "");
  }
  EXPECT_EQ(token(), 5U);
  EXPECT_GT(epoch(), 5ULL << 20U);
  // The next one has the lease, and has not claimed yet.
  Engine next{options_, 6};
  ASSERT_EQ(next.open(), "");
  EXPECT_EQ(next.append(), "");
  EXPECT_NE(former.append(), "");
}

TEST_F(PostgresLease, an_owner_that_gets_a_new_token_claims_the_log_with_it) {
  Engine owner{options_, 5};
  ASSERT_EQ(owner.open(), "");
  owner.lease.set_token(9);
  ASSERT_EQ(owner.append(), "");
  ASSERT_EQ(owner.append(), "");
  EXPECT_EQ(token(), 9U);
  // One that had the lease in between, and was stopped before it claimed the log.
  Engine between{options_, 10};
  between.lease.set_token_after_ask(7);
  Looks looks{0};
  between.options.standby_observer = &looks;
  EXPECT_NE(between.open(), "");
  EXPECT_EQ(owner.append(), "");
}

TEST_F(PostgresLease, a_transaction_that_a_stopped_owner_left_open_does_not_hold_the_claim_up) {
  Engine owner{options_, 5};
  ASSERT_EQ(owner.open(), "");
  ASSERT_EQ(owner.append(), "");
  owner.store.reset();
  // As an owner that is stopped in the middle of a batch.
  const std::unique_ptr<PGconn, decltype(&PQfinish)> stopped{
      PQconnectdb(server_->connection().c_str()), &PQfinish};
  const auto run = [&](const std::string& statement) {
    PQclear(PQexec(stopped.get(), statement.c_str()));
  };
  run("SELECT pg_advisory_lock(hashtextextended('nexusfix log " + options_.schema + "', 0))");
  run("BEGIN");
  run("UPDATE " + options_.schema + ".log_state SET position = position");
  Engine next{options_, 6};
  EXPECT_EQ(next.open(), "");
  EXPECT_EQ(next.append(), "");
}

TEST_F(PostgresLease, a_log_that_does_not_fit_the_lease_is_not_touched) {
  Engine owner{options_, 500};
  ASSERT_EQ(owner.open(), "");
  owner.store.reset();
  const std::uint64_t before = epoch();
  const auto refusal = [](const PostgresOptions& options, ClusterMark mark) {
    return Engine{options, 2'000, std::move(mark)}.open();
  };
  EXPECT_NE(refusal(options_, {"d", "s", 1'000})
                .find("the log belongs to shard s of cluster c, and not to shard s of cluster d"),
            std::string::npos);
  EXPECT_NE(refusal(options_, {"c", "t", 1'000}).find("not to shard t of cluster c"),
            std::string::npos);
  EXPECT_NE(refusal(options_, {"c", "s", 499}).find("the log was claimed with 500 already"),
            std::string::npos);
  EXPECT_EQ(epoch(), before);
  const auto mark = find_cluster_mark(options_);
  ASSERT_TRUE(mark && *mark);
  EXPECT_EQ((*mark)->token, 500U);
  const auto marked = mark_for_cluster(options_, {"d", "s", 0});
  ASSERT_FALSE(marked);
  EXPECT_EQ(marked.error().code, StoreErrorCode::Refused);
  // A log that is in no cluster.
  PostgresOptions other = postgres_options(fresh_schema());
  ASSERT_NE(open_or_fail(other), nullptr);
  EXPECT_NE(refusal(other, {"c", "s", 1'000}).find("the log belongs to no cluster"),
            std::string::npos);
  EXPECT_EQ(find_cluster_mark(other)->has_value(), false);
}

TEST_F(PostgresLease, a_log_that_an_engine_uses_is_not_marked) {
  PostgresOptions other = postgres_options(fresh_schema());
  other.lock_wait = std::chrono::milliseconds{50};
  const auto store = open_or_fail(other);
  const auto marked = mark_for_cluster(other, {"c", "s", 0});
  ASSERT_FALSE(marked);
  EXPECT_EQ(marked.error().code, StoreErrorCode::Locked);
}

}  // namespace
}  // namespace nexusfix::store
