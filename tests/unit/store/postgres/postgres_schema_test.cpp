// The tables: how older ones come up to date, what operators read in them, and whom they refuse.
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::PostgresServer;

class PostgresSchema : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    store_ = open_or_fail(options_);
  }
  std::string sql(const std::string& statement) {
    return PostgresServer::shared()->sql("SET search_path = " + options_.schema + "; " + statement);
  }

  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
};

TEST_F(PostgresSchema, version_1_comes_up_to_date_with_everything_in_it) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(settler_.settle(*store_));
  store_.reset();
  // What later versions have.
  sql("DROP VIEW session_list, message_list, number_change_list; DROP TABLE owners; "
      "ALTER TABLE log_state DROP COLUMN log_id; DELETE FROM schema_version WHERE version > 1");
  store_ = open_or_fail(options_);
  EXPECT_EQ(read_all(*store_, key), (std::vector<KeptMessage>{{1, "one"}}));
  EXPECT_EQ(sql("SELECT max(version) FROM schema_version"), "3");
  EXPECT_EQ(sql("SELECT count(*) FROM session_list"), "1");
}

TEST_F(PostgresSchema, operators_read_sessions_messages_and_changes_as_text) {
  const SessionKey key = open_session(*store_, "FIX.4.4:A->B");
  ASSERT_TRUE(append_message(*store_, key, 1, "8=FIX.4.4\0019=5\001"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.set_numbers(key, numbers_change(store_->session(key), {.next_inbound = 5, .next_outbound = 9},
                                      at_second(100), "anna: agreed by phone"));
  }));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.messages_lost(key, 3, 4); }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT name, epoch, next_inbound, next_outbound, created AT TIME ZONE 'UTC' "
                "FROM session_list"),
            "FIX.4.4:A->B|1|5|9|1970-01-01 00:00:01");
  EXPECT_EQ(sql("SELECT msg_seq_num, message FROM message_list"), "1|8=FIX.4.4|9=5|");
  EXPECT_EQ(sql("SELECT name, inbound_before, outbound_before, epoch_before, inbound_after, "
                "outbound_after, epoch_after, reason FROM number_change_list"),
            "FIX.4.4:A->B|1|2|1|5|9|1|anna: agreed by phone");
  EXPECT_EQ(sql("SELECT first_number, last_number FROM lost_numbers"), "3|4");
}

TEST_F(PostgresSchema, changes_of_several_sessions_in_one_transaction_are_kept_apart) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.set_numbers(a, numbers_change(store_->session(a), {.next_inbound = 2, .next_outbound = 3},
                                    at_second(100), "first"));
    t.set_numbers(b, numbers_change(store_->session(b), {.next_inbound = 4, .next_outbound = 5},
                                    at_second(100), "second"));
  }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT name, inbound_after, outbound_after, reason FROM number_change_list "
                "ORDER BY position"),
            "A|2|3|first\nB|4|5|second");
}

TEST_F(PostgresSchema, the_database_refuses_a_former_owner) {
  open_session(*store_, "A");
  const std::string owner = sql("SELECT owner_epoch FROM log_state");
  const std::string position = sql("SELECT position FROM log_state");
  store_.reset();
  store_ = open_or_fail(options_);
  try {
    sql("SELECT advance_log(" + owner + ", " + position + ", " + position + " + 1)");
    FAIL() << "it was let in";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("the log was taken over by process"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(sql("SELECT position FROM log_state"), position);
}

TEST_F(PostgresSchema, bytes_that_no_encoding_has_come_back_as_they_were) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const SessionKey key = open_session(*store_, bytes);
  ASSERT_TRUE(append_message(*store_, key, 1, bytes));
  ASSERT_TRUE(append_message(*store_, key, 2, ""));
  ASSERT_TRUE(settler_.settle(*store_));
  store_.reset();
  store_ = open_or_fail(options_);
  EXPECT_EQ(store_->session_name(key), bytes);
  EXPECT_EQ(read_all(*store_, key), (std::vector<KeptMessage>{{1, bytes}, {2, ""}}));
}

}  // namespace
}  // namespace nexusfix::store
