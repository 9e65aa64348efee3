// The rows of sessions and places that are written once for several chunks: the log is the same
// however much of it they lack.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::PostgresServer;

class PostgresRows : public ::testing::Test {
 protected:
  static constexpr SessionKey kSessions = 40;  // more than one batch writes the rows of

  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    store_ = open_or_fail(options_);
    sent_.resize(kSessions);
    for (SessionKey key = 0; key < kSessions; ++key) {
      ASSERT_EQ(open_session(*store_, "S" + std::to_string(key)), key);
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
  std::string sql(const std::string& statement) {
    return PostgresServer::shared()->sql("SET search_path = " + options_.schema + "; " + statement);
  }
  // One COMMIT, in which each of these sessions sends and receives a message.
  void commit(SessionKey first, SessionKey last, std::size_t bytes = 20) {
    for (SessionKey key = first; key <= last; ++key) {
      const std::uint64_t number = store_->session(key).next_outbound;
      sent_[key].push_back({number, std::to_string(number) + std::string(bytes, 'x')});
      ASSERT_TRUE(append(*store_, [&](Transaction& t) {
        t.inbound_progress(key, number + 1);
        t.outbound_message(key, number, sent_[key].back().bytes);
      }));
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void reopen() {
    store_.reset();
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
  }
  // What the store, its tables and the operators' views have.
  void expect_all_of(SessionKey key) {
    const std::uint64_t next = sent_[key].empty() ? 1 : sent_[key].back().number + 1;
    EXPECT_EQ(store_->session(key).next_outbound, next);
    EXPECT_EQ(store_->session(key).next_inbound, next);
    const std::string is_it = " WHERE name = 'S" + std::to_string(key) + "'";
    EXPECT_EQ(sql("SELECT next_inbound, next_outbound FROM session_list" + is_it),
              std::to_string(next) + "|" + std::to_string(next));
    EXPECT_EQ(sql("SELECT count(*), count(DISTINCT msg_seq_num) FROM message_list" + is_it),
              std::to_string(sent_[key].size()) + "|" + std::to_string(sent_[key].size()));
    for (const std::size_t first : {std::size_t{0}, sent_[key].size() / 3, sent_[key].size() - 1}) {
      if (first >= sent_[key].size()) continue;
      for (const std::size_t count : {std::size_t{1}, sent_[key].size() - first}) {
        const auto begin = sent_[key].begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<KeptMessage> expected(begin, begin + static_cast<std::ptrdiff_t>(count));
        const std::uint64_t last = expected.back().number;
        ASSERT_EQ(read_all(*store_, key, expected.front().number, last), expected);
        EXPECT_EQ(sql("SELECT count(*) FROM find_messages('S" + std::to_string(key) + "', " +
                      std::to_string(expected.front().number) + ", " + std::to_string(last) + ")"),
                  std::to_string(count));
      }
    }
  }
  std::string rows_of(SessionKey key) {
    return sql(
        "SELECT next_outbound, (SELECT count(*) FROM message_places p WHERE p.session_key = "
        "s.session_key) FROM sessions s WHERE session_key = " +
        std::to_string(key));
  }

  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  std::vector<std::vector<KeptMessage>> sent_;
};

TEST_F(PostgresRows, several_chunks_are_written_without_their_rows_and_opened_right) {
  for (int round = 0; round < 5; ++round) commit(0, 2);
  EXPECT_EQ(rows_of(0), "1|0");
  EXPECT_EQ(sql("SELECT rows_position = (SELECT min(position) FROM chunks) FROM log_state"), "t");
  expect_all_of(0);
  EXPECT_EQ(PostgresServer::shared()->sql("SELECT next_outbound FROM " + options_.schema +
                                          ".session_list WHERE name = 'S1'"),
            "6")
      << "without the search_path of the log";
  reopen();
  expect_all_of(0);
  expect_all_of(3);
  for (int round = 0; round < 5; ++round) commit(1, 3);
  reopen();
  for (SessionKey key = 0; key < 5; ++key) expect_all_of(key);
  EXPECT_EQ(rows_of(0), "1|0");
}

TEST_F(PostgresRows, a_batch_without_messages_writes_the_rows_of_its_sessions) {
  commit(0, 1);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.inbound_progress(0, 9); }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(rows_of(0), "2|1");
  EXPECT_EQ(rows_of(1), "1|0");
  EXPECT_EQ(sql("SELECT next_inbound FROM session_list WHERE name = 'S0'"), "9");
  reopen();
  EXPECT_EQ(store_->session(0).next_inbound, 9U);
  // The chunk that the row of the first session has already is read again for the second one.
  EXPECT_EQ(store_->session(1).next_outbound, 2U);
  EXPECT_EQ(read_all(*store_, 0), sent_[0]);
  EXPECT_EQ(read_all(*store_, 1), sent_[1]);
}

TEST_F(PostgresRows, a_batch_with_anything_else_writes_all_rows) {
  for (int round = 0; round < 3; ++round) commit(0, kSessions - 1);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(7); }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT rows_position = position FROM log_state"), "t");
  EXPECT_EQ(sql("SELECT count(*) FROM sessions WHERE next_outbound = 4"), "39");
  EXPECT_EQ(sql("SELECT count(*) FROM message_places WHERE last_position > position"), "40");
  sent_[7].clear();
  commit(7, 7);
  EXPECT_EQ(read_all(*store_, 7), sent_[7]) << "the new epoch alone";
  EXPECT_EQ(sql("SELECT epoch, msg_seq_num FROM find_messages('S7', 1, 1)"), "1|1\n2|1");
  reopen();
  expect_all_of(6);
  EXPECT_EQ(read_all(*store_, 7), sent_[7]);
  EXPECT_EQ(store_->session(7).epoch, 2U);
}

TEST_F(PostgresRows, the_rows_lack_a_bounded_part_of_the_log) {
  options_.rows_lag_bytes_max = 50'000;
  reopen();
  for (int round = 0; round < 30; ++round) {
    commit(0, kSessions - 1, 300);
    ASSERT_LE(std::stoi(sql("SELECT position - rows_position FROM log_state")),
              2 * 50'000 + 2 * 15'000);
    if (round % 7 == 0) reopen();
  }
  // A place is shorter than that for a session alone that sends much.
  for (int round = 0; round < 30; ++round) commit(5, 5, 10'000);
  EXPECT_GT(std::stoi(sql("SELECT count(*) FROM message_places WHERE session_key = 5")), 4);
  for (const SessionKey key : {0U, 5U, 39U}) expect_all_of(key);
  reopen();
  for (const SessionKey key : {0U, 5U, 39U}) expect_all_of(key);
  EXPECT_EQ(scan_all(*store_).size(), 30U * kSessions + 30U);
}

TEST_F(PostgresRows, a_reading_goes_on_on_a_server_whose_rows_lack_more) {
  options_.rows_lag_bytes_max = 0;
  reopen();
  for (int round = 0; round < 260; ++round) commit(0, 0);  // more than a page
  std::vector<KeptMessage> found;
  ASSERT_TRUE(store_->read(0, 1, 260, [&](std::uint64_t number, std::string_view bytes) {
    found.push_back({number, std::string{bytes}});
    if (number != 256) return true;
    // As if a standby had been promoted, without a COMMIT after the one that the reading saw.
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
        "query LIKE '%octet_length(c.entries)%'");
    sql("UPDATE log_state SET rows_position = (SELECT position FROM chunks ORDER BY position "
        "OFFSET 200 LIMIT 1); DELETE FROM message_places WHERE position >= "
        "(SELECT rows_position FROM log_state)");
    return true;
  }));
  EXPECT_EQ(found, sent_[0]);
}

TEST_F(PostgresRows, a_message_is_found_without_the_rest_of_the_log) {
  options_.rows_lag_bytes_max = 0;
  reopen();
  for (int round = 0; round < 300; ++round) commit(0, 0);
  sql("ANALYZE");
  options_.rows_lag_bytes_max = 4U << 20U;
  reopen();
  for (int round = 0; round < 100; ++round) commit(0, 0);
  const std::string of_chunks =
      "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables "
      "WHERE relname = 'chunks' AND schemaname = current_schema";
  EXPECT_EQ(sql("SELECT count(*) FROM find_messages('S0', 3, 4); " + of_chunks), "2\n2");
  EXPECT_EQ(sql("SELECT count(*) FROM find_messages('S0', 302, 303); " + of_chunks), "2\n101")
      << "of the last place, too";
  EXPECT_EQ(sql("SELECT min(next_outbound) FROM session_list; " + of_chunks), "1\n100");
  // What a server process has counted is known when it has ended.
  const auto read_in_all = [&] {
    store_.reset();
    while (sql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") !=
           "1") {
    }
    return std::stoi(
        sql("SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM "
            "pg_stat_user_tables WHERE relname = 'chunks' AND schemaname = current_schema"));
  };
  const int before = read_in_all();
  reopen();
  EXPECT_EQ(read_all(*store_, 0, 3, 4).size(), 2U);
  EXPECT_LT(read_in_all() - before, 110) << "with the 100 that the opening reads";
}

TEST_F(PostgresRows, operators_see_numbers_of_every_size) {
  for (const std::uint64_t next : {255UL, 65'537UL, (1UL << 32U) + 258, (1UL << 61U) + 7}) {
    ASSERT_TRUE(append(*store_, [&](Transaction& t) {
      t.inbound_progress(0, next);
      t.outbound_message(0, next, "message");
    }));
    ASSERT_TRUE(settler_.settle(*store_));
    const std::string number = std::to_string(next);
    EXPECT_EQ(sql("SELECT next_inbound, next_outbound FROM session_list WHERE name = 'S0'"),
              number + "|" + std::to_string(next + 1));
    EXPECT_EQ(sql("SELECT msg_seq_num FROM find_messages('S0', " + number + ", " + number + ")"),
              number);
  }
  EXPECT_EQ(rows_of(0), "1|0");
}

TEST_F(PostgresRows, a_chunk_of_a_session_that_the_log_does_not_have_is_refused) {
  commit(0, 0);
  sql("UPDATE chunks SET entries = overlay(entries placing '\\x99' from 2 for 1)");
  store_.reset();
  const auto opened = open_postgres(options_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
  EXPECT_NE(opened.error().text.find("is not consistent: it was changed from outside"),
            std::string::npos)
      << opened.error().text;
}

}  // namespace
}  // namespace nexusfix::store
