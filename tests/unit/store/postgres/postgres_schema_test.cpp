// The tables: how older ones come up to date, what operators read in them, and whom they refuse.
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "log_of_version_3.hpp"
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

class PostgresUpgrade : public PostgresSchema {
 protected:
  void SetUp() override {
    PostgresSchema::SetUp();
    if (IsSkipped()) return;
    store_.reset();
    options_.schema = fresh_schema();
    load_log_of_version_3(options_.schema);
  }
  std::string version() { return sql("SELECT max(version) FROM schema_version"); }

  void expect_everything() {
    std::string odd;
    for (int byte = 0; byte < 256; ++byte) odd += static_cast<char>(byte);
    ASSERT_EQ(store_->session_count(), 3U);
    EXPECT_EQ(store_->session_name(2), odd);
    EXPECT_EQ(store_->session(0).next_outbound, 7U);
    EXPECT_EQ(store_->session(0).next_inbound, 5U);
    ASSERT_EQ(store_->lost_numbers(0).size(), 1U);
    EXPECT_EQ(store_->lost_numbers(0)[0], (NumberRange{4, 6}));
    EXPECT_EQ(read_all(*store_, 0), (std::vector<KeptMessage>{{3, "a3 of epoch 2"}}));
    EXPECT_EQ(read_all(*store_, 1),
              (std::vector<KeptMessage>{{1, "b1 of epoch 2"}, {2, std::string(3'000, 'b')}}));
    EXPECT_EQ(read_all(*store_, 2), (std::vector<KeptMessage>{{1, odd}, {2, ""}, {9, "c9"}}));
    std::vector<std::string> found;
    ASSERT_TRUE(store_->scan([&](const Store::LogMessage& one) {
      const std::string epoch = std::to_string(one.epoch);
      if (one.session != odd && one.bytes.size() < 100)
        found.push_back(epoch + std::string{one.bytes});
    }));
    std::vector<std::string> expected;
    for (int number = 1; number <= 70; ++number) expected.push_back("1a" + std::to_string(number));
    for (const char* const one :
         {"18=FIX.4.4\0019=5\001", "2b1 of epoch 2", "1a75", "2a3 of epoch 2"}) {
      expected.emplace_back(one);
    }
    EXPECT_EQ(found, expected) << "in the order of the log, each with its epoch";
  }
};

TEST_F(PostgresUpgrade, a_log_of_version_3_has_every_message_and_goes_on) {
  const std::string position = sql("SELECT position FROM log_state");
  store_ = open_or_fail(options_);
  ASSERT_NE(store_, nullptr);
  EXPECT_EQ(version(), "8");
  EXPECT_EQ(sql("SELECT position FROM log_state"), position);
  EXPECT_LT(std::stoi(sql("SELECT count(*) FROM chunks")), 10);
  EXPECT_EQ(sql("SELECT count(*) FROM message_places WHERE last_position IS NOT NULL"), "0");
  EXPECT_EQ(sql("SELECT rows_position = position FROM log_state"), "t");
  expect_everything();
  EXPECT_EQ(sql("SELECT msg_seq_num, message FROM find_messages('FIX.4.4:A->B', 3, 9)"),
            "3|a3\n4|a4\n5|a5\n6|a6\n7|a7\n8|a8\n9|a9\n3|a3 of epoch 2");
  ASSERT_TRUE(append_message(*store_, 0, 7, "a7"));
  ASSERT_TRUE(settler_.settle(*store_));
  store_.reset();
  store_ = open_or_fail(options_);
  EXPECT_EQ(read_all(*store_, 0), (std::vector<KeptMessage>{{3, "a3 of epoch 2"}, {7, "a7"}}));
}

TEST_F(PostgresUpgrade, version_1_comes_up_to_date_with_everything_in_it) {
  // What later versions have more, but for chunks.
  sql("DROP VIEW session_list, message_list, number_change_list; DROP TABLE owners; "
      "ALTER TABLE log_state DROP COLUMN log_id; DELETE FROM schema_version WHERE version > 1");
  store_ = open_or_fail(options_);
  ASSERT_NE(store_, nullptr);
  EXPECT_EQ(version(), "8");
  EXPECT_EQ(sql("SELECT count(*) FROM session_list"), "3");
  expect_everything();
}

TEST_F(PostgresUpgrade, an_upgrade_that_fails_changes_nothing_and_is_done_by_a_later_start) {
  sql("CREATE VIEW of_the_site AS SELECT msg_seq_num FROM messages");
  const auto opened = open_postgres(options_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text.find("version 4 of the schema could not be made"),
            std::string::npos)
      << opened.error().text;
  EXPECT_NE(opened.error().text.find("depend"), std::string::npos) << opened.error().text;
  EXPECT_EQ(version(), "3");
  EXPECT_EQ(sql("SELECT count(*) FROM messages"), "78");
  EXPECT_EQ(sql("SELECT to_regclass('chunks') IS NULL"), "t");
  sql("DROP VIEW of_the_site");
  store_ = open_or_fail(options_);
  ASSERT_NE(store_, nullptr);
  expect_everything();
}

TEST_F(PostgresSchema, what_gathers_before_a_commit_is_one_row_and_nothing_without_a_message) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  ASSERT_TRUE(settler_.settle(*store_));
  for (std::uint64_t number = 1; number <= 50; ++number) {
    ASSERT_TRUE(append_message(*store_, number % 2 == 0 ? a : b, 1 + number / 2, "m"));
  }
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT array_length(session_keys, 1) FROM chunks"), "2");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.inbound_progress(a, 7); }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT count(*) FROM chunks"), "1");
  EXPECT_EQ(sql("SELECT next_inbound FROM session_list WHERE name = 'A'"), "7");
}

TEST_F(PostgresSchema, a_chunk_has_the_epochs_of_a_session_that_is_reset_in_it) {
  const SessionKey key = open_session(*store_, "A");
  const auto reset = [&] { ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key); })); };
  reset();  // before the first message of the chunk
  ASSERT_TRUE(append_message(*store_, key, 1, "one of epoch 2"));
  reset();
  ASSERT_TRUE(append_message(*store_, key, 1, "one of epoch 3"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.set_numbers(key, numbers_change(store_->session(key), {.next_inbound = 1, .next_outbound = 1},
                                      at_second(100), "again"));
  }));
  ASSERT_TRUE(append_message(*store_, key, 1, "one of epoch 4"));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT count(*) FROM chunks"), "1");
  EXPECT_EQ(read_all(*store_, key), (std::vector<KeptMessage>{{1, "one of epoch 4"}}));
  std::string scanned;
  ASSERT_TRUE(store_->scan([&](const Store::LogMessage& one) {
    scanned += std::to_string(one.epoch) + "|1|" + std::string{one.bytes} + "\n";
  }));
  EXPECT_EQ(scanned, "2|1|one of epoch 2\n3|1|one of epoch 3\n4|1|one of epoch 4\n");
  EXPECT_EQ(sql("SELECT epoch, msg_seq_num, message FROM message_list ORDER BY epoch") + "\n",
            scanned);
}

TEST_F(PostgresSchema, messages_of_many_chunks_are_read_page_by_page_from_any_number) {
  const SessionKey key = open_session(*store_, "A");
  const SessionKey other = open_session(*store_, "B");
  std::vector<KeptMessage> all;
  for (std::uint64_t number = 1; number <= 1'200; number += number % 400 == 0 ? 100 : 1) {
    all.push_back({number, "message " + std::to_string(number)});
    ASSERT_TRUE(append_message(*store_, key, number, all.back().bytes));
    ASSERT_TRUE(append_message(*store_, other, number, "x"));
    if (number % 2 == 0) {
      ASSERT_TRUE(settler_.settle(*store_));
    }
  }
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_GT(std::stoi(sql("SELECT count(*) FROM chunks")), 500);
  for (const std::uint64_t first :
       {1U, 2U, 3U, 399U, 400U, 401U, 450U, 500U, 777U, 1'200U, 1'300U}) {
    for (const std::uint64_t last : {first, first + 1, first + 100, std::uint64_t{5'000}}) {
      std::vector<KeptMessage> expected;
      for (const KeptMessage& one : all) {
        if (first <= one.number && one.number <= last) expected.push_back(one);
      }
      ASSERT_EQ(read_all(*store_, key, first, last), expected) << first << " to " << last;
    }
  }
}

TEST_F(PostgresSchema, a_chunk_that_was_changed_from_outside_is_an_error_of_the_read_alone) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(settler_.settle(*store_));
  const std::string position = sql("SELECT position FROM chunks");
  for (const std::string change :
       {"entries = substr(entries, 1, octet_length(entries) - 1)", "session_keys = '{0,7}'",
        "epochs = '{1,1}'", "epochs = '{0}'", "entries = '\\x00'"}) {
    sql("CREATE TABLE kept AS SELECT * FROM chunks; UPDATE chunks SET " + change);
    const auto read = store_->read(key, 1, 9, [](std::uint64_t, std::string_view) { return true; });
    ASSERT_FALSE(read) << change;
    EXPECT_EQ(read.error().code, StoreErrorCode::Corrupt);
    EXPECT_NE(read.error().text.find("the chunk at position " + position + " is not readable"),
              std::string::npos)
        << read.error().text;
    EXPECT_FALSE(store_->scan([](const Store::LogMessage&) {})) << change;
    sql("DELETE FROM chunks; INSERT INTO chunks SELECT * FROM kept; DROP TABLE kept");
  }
  for (const std::string keys : {"{}", "{7}"}) {
    sql("UPDATE chunks SET session_keys = '" + keys + "'");
    EXPECT_FALSE(store_->scan([](const Store::LogMessage&) {})) << keys;
  }
  sql("UPDATE chunks SET session_keys = '{0}'");
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key), (std::vector<KeptMessage>{{1, "one"}, {2, "two"}}));
}

TEST_F(PostgresSchema, operators_find_messages_by_number_and_delete_old_epochs_beside_the_engine) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  for (std::uint64_t number = 1; number <= 9; ++number) {
    ASSERT_TRUE(append_message(*store_, a, number, "a" + std::to_string(number)));
    if (number == 3) {
      ASSERT_TRUE(append_message(*store_, b, 1, "b1"));
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
  EXPECT_EQ(sql("SELECT msg_seq_num, message FROM find_messages('A', 3, 5)"), "3|a3\n4|a4\n5|a5");
  EXPECT_EQ(sql("SELECT msg_seq_num, message FROM find_messages('B', 1, 9)"), "1|b1");
  EXPECT_EQ(sql("SELECT count(*) FROM find_messages('A', 10, 99)"), "0");
  EXPECT_EQ(sql("SELECT delete_old_epochs()"), "0");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(a); }));
  ASSERT_TRUE(append_message(*store_, a, 1, "a1 again"));
  ASSERT_TRUE(settler_.settle(*store_));
  // The chunk with the message of B stays.
  EXPECT_EQ(sql("SELECT delete_old_epochs()"), "8");
  EXPECT_EQ(sql("SELECT name, msg_seq_num, message FROM message_list ORDER BY name"),
            "A|1|a1 again\nB|1|b1");
  EXPECT_EQ(read_all(*store_, b), (std::vector<KeptMessage>{{1, "b1"}}));
  ASSERT_TRUE(append_message(*store_, a, 2, "a2 again"));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, a), (std::vector<KeptMessage>{{1, "a1 again"}, {2, "a2 again"}}));
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
