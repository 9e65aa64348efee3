// A log that an earlier version has kept as the replica of a journal is taken over: with everything
// that was sent, or above every MsgSeqNum that may have been used.
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::HasSubstr;
using testing::PostgresServer;

class PostgresFormerReplica : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    store_ = open_or_fail(options_);
    const SessionKey a = open_session(*store_, "A");
    for (std::uint64_t number = 1; number <= 3; ++number) {
      ASSERT_TRUE(append_message(*store_, a, number, "m" + std::to_string(number)));
    }
    ASSERT_TRUE(settler_.settle(*store_));
    store_.reset();
  }
  std::string sql(const std::string& statement) {
    return PostgresServer::shared()->sql("SET search_path = " + options_.schema + "; " + statement);
  }
  // As the owner of a journal leaves it.
  void become_replica(const std::string& mode, std::uint64_t ahead, const std::string& lacks_more) {
    sql("UPDATE log_state SET source = ARRAY[1764034800000000000, 3, 4711, 4600, 12345], "
        "replica_mode = '" +
        mode + "', numbers_ahead = " + std::to_string(ahead) + ", lacks_more = " + lacks_more);
  }
  void take_over() {
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
    EXPECT_EQ(sql("SELECT source IS NULL, numbers_ahead, lacks_more FROM log_state"), "t|0|f");
    EXPECT_EQ(read_all(*store_, 0), (std::vector<KeptMessage>{{1, "m1"}, {2, "m2"}, {3, "m3"}}));
  }
  StoreEvent warning() {
    auto event = consume_warning(*store_);
    return event ? *event : StoreEvent{};
  }

  Settler settler_;
  PostgresOptions options_;
  std::unique_ptr<Store> store_;
};

TEST_F(PostgresFormerReplica, a_complete_one_goes_on_with_the_next_number) {
  become_replica("strict", 0, "false");
  take_over();
  const StoreEvent event = warning();
  EXPECT_EQ(event.id, EventId::ReplicaTakenOver);
  EXPECT_THAT(event.text, HasSubstr("JournalReplica=strict"));
  EXPECT_EQ(store_->session(0).next_outbound, 4U);
  EXPECT_EQ(open_session(*store_, "B"), 1U);
  EXPECT_EQ(store_->session(1).next_outbound, 1U);
}

TEST_F(PostgresFormerReplica, one_that_lacks_numbers_skips_them_in_each_session) {
  become_replica("available", 50, "false");
  take_over();
  const StoreEvent event = warning();
  EXPECT_EQ(event.id, EventId::ReplicaIncomplete);
  EXPECT_THAT(event.text, HasSubstr("Each session skips 50 numbers"));
  EXPECT_EQ(store_->session(0).next_outbound, 54U);
  ASSERT_EQ(store_->lost_numbers(0).size(), 1U);
  EXPECT_EQ(store_->lost_numbers(0)[0], (NumberRange{4, 53}));
  EXPECT_EQ(open_session(*store_, "B"), 1U);
  EXPECT_EQ(store_->session(1).next_outbound, 51U);
}

TEST_F(PostgresFormerReplica, one_that_lacks_more_is_refused_until_a_person_has_decided) {
  become_replica("available", 50, "true");
  const auto refused = open_postgres(options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(refused.error().text, HasSubstr("docs/operations/from-journal-replica.md"));
  sql("UPDATE log_state SET lacks_more = false, numbers_ahead = 1000000");
  take_over();
  EXPECT_EQ(store_->session(0).next_outbound, 1'000'004U);
}

TEST_F(PostgresFormerReplica, a_command_changes_none) {
  become_replica("strict", 0, "false");
  options_.if_replica = IfReplica::Refuse;
  const auto refused = open_postgres(options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(refused.error().text, HasSubstr("Nothing was changed"));
  EXPECT_EQ(sql("SELECT source IS NULL FROM log_state"), "f");
}

}  // namespace
}  // namespace nexusfix::store
