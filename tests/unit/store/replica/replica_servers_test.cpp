// A replica on a primary and its standby: a failover of the database, also to a standby that lacks
// what was confirmed. The journal has it, and gives it again.
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "replica_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using testing::CuttingProxy;
using ::testing::HasSubstr;
using testing::PostgresServer;

class ReplicaServers : public ReplicaFixture {
 protected:
  void SetUp() override {
    ReplicaFixture::SetUp();
    if (IsSkipped()) return;
    std::string why;
    primary_ = PostgresServer::make(PostgresServer::Syncs::No, why);
    standby_ = primary_->make_standby("s1");
    proxy_ = std::make_unique<CuttingProxy>(primary_->socket_file());
    options_.postgres.connection = primary_->connection();
    options_.postgres.host = proxy_->host();
  }
  void TearDown() override {
    ReplicaFixture::TearDown();
    proxy_.reset();
  }
  [[nodiscard]] std::string on_standby(const std::string& statement) {
    return standby_->sql("SET search_path = " + options_.postgres.schema + "; " + statement);
  }

  std::unique_ptr<PostgresServer> primary_;
  std::unique_ptr<PostgresServer> standby_;
  std::unique_ptr<CuttingProxy> proxy_;
};

TEST_F(ReplicaServers, what_a_promoted_standby_lacks_is_replicated_again) {
  for (const ReplicaPolicy policy : {ReplicaPolicy::Strict, ReplicaPolicy::Available}) {
    if (policy == ReplicaPolicy::Available) {  // a second pair
      store_.reset();
      proxy_.reset();
      SetUp();
      options_.journal.folder = folder_.file("second");
    }
    open(policy);
    append_durable(50);
    wait_until_replicated();
    while (standby_->sql("SELECT pg_last_wal_replay_lsn() >= '" +
                         primary_->sql("SELECT pg_current_wal_lsn()") + "'") != "t") {
    }
    standby_->set("primary_conninfo", "");  // it receives nothing more
    while (primary_->sql("SELECT count(*) FROM pg_stat_replication") != "0") {
    }
    append_durable(50);
    wait_until_replicated();  // on the primary alone
    primary_->stop(PostgresServer::Stop::Immediate);
    standby_->promote();
    ASSERT_EQ(on_standby("SELECT next_outbound FROM session_list"), "51");
    proxy_->forward_to(standby_->socket_file());
    append_durable(10);
    while (on_standby("SELECT next_outbound FROM session_list") != "111") {
    }
    while (on_standby("SELECT lacks_more FROM log_state") != "f") {
    }
    kill();
    const auto taken = take_over();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(read_all(*taken, 0), texts_until(110));
    proxy_.reset();
  }
}

TEST_F(ReplicaServers, a_commit_whose_wait_for_the_standby_was_cancelled_does_not_count) {
  primary_->set("synchronous_standby_names", "s1");
  while (primary_->sql("SELECT sync_state FROM pg_stat_replication") != "sync") {
  }
  open(ReplicaPolicy::Strict);
  append_durable(3);
  const LogPosition durable = store_->durable();
  standby_->freeze();
  ASSERT_TRUE(append_next());
  ASSERT_TRUE(store_->flush());
  const std::string waiting = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  for (int i = 0; i < 3; ++i) {
    while (primary_->sql("SELECT count(*)" + waiting) == "0") {
    }
    primary_->sql("SELECT pg_cancel_backend(pid)" + waiting);
    EXPECT_EQ(store_->durable(), durable);
  }
  standby_->thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(store_->durable(), store_->appended());
  EXPECT_EQ(read_all(*store_, key_), texts_until(4));
}

TEST_F(ReplicaServers, a_lost_confirmation_is_read_back_and_nothing_is_written_twice) {
  open(ReplicaPolicy::Strict);
  for (std::uint64_t bytes = 1; bytes < 120; bytes += 7) {
    append_durable(1);
    proxy_->cut_after_to_client(bytes);
    append_durable(3);
    proxy_->cancel_cuts();
  }
  EXPECT_GT(proxy_->cuts(), 0U);
  const std::uint64_t last = store_->session(key_).next_outbound - 1;
  kill();
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(last));
}

}  // namespace
}  // namespace nexusfix::store
