// A program that reads the log beside its engine: each message once and in order, from a cursor on;
// and no part of the log is missing silently.
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/postgres/follow/follower.hpp"
#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using postgres::Follower;
using testing::CuttingProxy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PostgresServer;

class PostgresFollower : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    reader_ = options_;
    reader_.on_durable = {};
    own();
  }
  // Another engine opens the log.
  void own() {
    store_.reset();
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
  }
  std::string sql(const std::string& statement) {
    return PostgresServer::shared()->sql("SET search_path = " + options_.schema + "; " + statement);
  }
  void send(SessionKey key, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t next = store_->session(key).next_outbound;
      ASSERT_TRUE(append_message(*store_, key, next, "m" + std::to_string(next)));
      ASSERT_TRUE(settler_.settle(*store_));
    }
  }
  void reset(SessionKey key) {
    ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key); }));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void follow(FollowOptions how = {}) {
    if (!how.cursor) {
      owner_ = 0;
      is_first_ = true;
    }
    auto opened = Follower::open(reader_, how);
    error_ = opened ? std::string{} : opened.error();
    follower_ = opened ? std::move(*opened) : nullptr;
  }
  // With the cursor of the follower before it.
  void follow_again(FollowOptions::Gap gap = FollowOptions::Gap::Refuse) {
    follow({.cursor = follower_->cursor(), .gap = gap});
  }
  // "A 1 7": its session, epoch and number.
  std::vector<std::string> read() {
    std::vector<std::string> found;
    const auto take = [&](const FollowedMessage& one) {
      const std::string number = std::to_string(one.msg_seq_num);
      EXPECT_EQ(one.bytes, one.is_received ? "\x01"
                                             "34=" +
                                                 number + "\x01"
                                           : "m" + number);
      EXPECT_TRUE(keeps_received_ || !one.is_received);
      EXPECT_GT(one.time, at_second(1'700'000'000));
      const bool rises = one.owner_epoch > owner_ ||
                         (one.owner_epoch == owner_ && (one.position > position_ || is_first_));
      EXPECT_TRUE(rises) << one.owner_epoch << ' ' << one.position;
      is_first_ = false;
      owner_ = one.owner_epoch;
      position_ = one.position;
      log_id_ = one.log_id;
      found.push_back((one.is_received ? "in " : "") + std::string{one.session} + ' ' +
                      std::to_string(one.epoch) + ' ' + std::to_string(one.msg_seq_num));
    };
    // It looks at the log now and then. An event may be all that comes.
    for (bool is_over = false; !is_over;) {
      const auto more = follower_->next(take);
      if (!more) error_ = more.error();
      const bool is_at_end = follower_->cursor().position >= store_->durable();
      is_over = !more || (!*more && is_at_end);
      while (auto event = follower_->next_event()) {
        events_.push_back(event->text);
        is_over = is_over || event->id != EventId::StreamGap;
      }
    }
    return found;
  }
  // A record with a received message, which waits for settle().
  void receive(SessionKey key, std::uint64_t number) {
    keeps_received_ = true;
    const std::string bytes =
        "\x01"
        "34=" +
        std::to_string(number) + "\x01";
    ASSERT_TRUE(
        append(*store_, [&](Transaction& t) { t.inbound_progress(key, number + 1, bytes); }));
  }
  Settler settler_;
  PostgresOptions options_;
  PostgresOptions reader_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<LogFollower> follower_;
  std::string error_;
  std::vector<std::string> events_;
  std::uint64_t owner_ = 0;  // of the last message
  LogPosition position_ = 0;
  std::int64_t log_id_ = 0;
  bool is_first_ = true;
  bool keeps_received_ = false;
};

TEST_F(PostgresFollower, messages_come_once_and_in_the_order_of_the_log_with_epoch_and_owner) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 2);
  follow();
  EXPECT_THAT(read(), ElementsAre("A 1 1", "A 1 2"));
  EXPECT_EQ(owner_, 1U);
  EXPECT_GT(log_id_, 0);
  const SessionKey b = open_session(*store_, "B");
  send(b, 1);
  reset(a);
  send(a, 1);
  EXPECT_THAT(read(), ElementsAre("B 1 1", "A 2 1"));
  EXPECT_THAT(read(), IsEmpty());
  own();
  send(b, 1);
  EXPECT_THAT(read(), ElementsAre("B 1 2"));
  EXPECT_EQ(owner_, 2U);
  EXPECT_EQ(error_, "");
  EXPECT_THAT(events_, IsEmpty());
}

// JournalInbound=Y.
TEST_F(PostgresFollower, received_messages_come_in_the_order_of_the_log_with_their_epoch) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  receive(a, 1);
  ASSERT_TRUE(settler_.settle(*store_));
  follow();
  EXPECT_THAT(read(), ElementsAre("in A 1 1"));
  // One batch, with a reset between.
  receive(a, 2);
  ASSERT_TRUE(append_message(*store_, b, 1, "m1"));
  receive(b, 1);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(a); }));
  receive(a, 1);
  ASSERT_TRUE(append_message(*store_, a, 1, "m1"));
  receive(a, 2);
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_THAT(read(),
              ElementsAre("in A 1 2", "B 1 1", "in B 1 1", "in A 2 1", "A 2 1", "in A 2 2"));
  EXPECT_EQ(sql("SELECT string_agg(name || ' ' || epoch || ' ' || msg_seq_num, ', ' "
                "ORDER BY name) FROM message_list"),
            "A 2 1, B 1 1");
  own();
  EXPECT_EQ(store_->session(a).next_inbound, 3U);
  EXPECT_EQ(store_->session(b).next_inbound, 2U);
  receive(a, 3);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(a); }));
  receive(a, 1);
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_THAT(read(), ElementsAre("in A 2 3", "in A 3 1"));
  EXPECT_EQ(error_, "");
}

TEST_F(PostgresFollower, a_cursor_goes_on_where_it_was_also_under_another_owner) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 3);
  follow();
  EXPECT_THAT(read(), ElementsAre("A 1 1", "A 1 2", "A 1 3"));
  follow_again();
  EXPECT_THAT(read(), IsEmpty());
  own();
  send(a, 1);
  follow_again();
  EXPECT_THAT(read(), ElementsAre("A 1 4"));
  follow_again();
  EXPECT_EQ(error_, "");
  follow({.begin = FollowOptions::Begin::Newest});
  EXPECT_THAT(read(), IsEmpty());
  send(a, 1);
  EXPECT_THAT(read(), ElementsAre("A 1 5"));
}

TEST_F(PostgresFollower, a_page_has_a_part_of_a_long_log_and_a_second_reader_reads_the_rest) {
  const SessionKey a = open_session(*store_, "A");
  constexpr std::uint64_t kCount = 60;
  for (std::uint64_t number = 1; number <= kCount; ++number) {
    const std::string text = "m" + std::to_string(number);
    ASSERT_TRUE(append_message(*store_, a, number, text + std::string(50'000, ' ')));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  follow();
  std::uint64_t read = 0;
  std::uint64_t counted = 0;
  while (read < 10) {
    const auto more =
        follower_->next([&](const FollowedMessage& one) { EXPECT_EQ(one.msg_seq_num, ++read); });
    ASSERT_TRUE(more) << more.error();
  }
  auto second = follower_->fork();
  ASSERT_TRUE(second) << second.error();
  while (counted < kCount - 10) {
    const auto more = (*second)->next([&](const FollowedMessage&) { ++counted; });
    ASSERT_TRUE(more && (*more || counted > 0));
  }
  EXPECT_EQ((*second)->end_of_log(), store_->durable());
}

TEST_F(PostgresFollower, a_renamed_session_has_its_new_name) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  follow();
  EXPECT_THAT(read(), ElementsAre("A 1 1"));
  ASSERT_TRUE(store_->rename_session(a, "B", at_second(2)));
  ASSERT_TRUE(settler_.settle(*store_));
  send(a, 1);
  EXPECT_THAT(read(), ElementsAre("B 1 2"));
}

TEST_F(PostgresFollower, a_role_that_may_only_select_reads_and_no_engine_waits_for_it) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  sql("CREATE ROLE audit LOGIN; GRANT USAGE ON SCHEMA " + options_.schema +
      " TO audit; GRANT SELECT ON ALL TABLES IN SCHEMA " + options_.schema + " TO audit");
  reader_.user = "audit";
  follow();
  ASSERT_NE(follower_, nullptr) << error_;
  EXPECT_THAT(read(), ElementsAre("A 1 1"));
  // Nothing of it stays between two calls.
  EXPECT_EQ(sql("SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
                "WHERE a.usename = 'audit'"),
            "0");
  EXPECT_EQ(sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'audit' AND "
                "state <> 'idle'"),
            "0");
  own();
  for (const std::string table : {"chunks", "owners", "deletions"}) {
    sql("REVOKE SELECT ON " + table + " FROM audit");
    follow();
    EXPECT_THAT(error_, HasSubstr("permission denied"));
    sql("GRANT SELECT ON " + table + " TO audit");
  }
  sql("DROP OWNED BY audit; DROP ROLE audit");
}

TEST_F(PostgresFollower, what_was_deleted_before_it_was_read_is_a_gap) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  follow();
  EXPECT_THAT(read(), ElementsAre("A 1 1"));
  send(a, 2);
  reset(a);
  send(a, 1);
  EXPECT_EQ(sql("SELECT delete_old_epochs()"), "3");
  const auto gap = HasSubstr("were deleted, and only those before ");
  follow_again();
  EXPECT_THAT(error_, gap);
  // A new cursor begins with what there is.
  follow();
  EXPECT_THAT(read(), ElementsAre("A 2 1"));
  EXPECT_THAT(events_, IsEmpty());
  // What was read may go.
  send(a, 1);
  EXPECT_THAT(read(), ElementsAre("A 2 2"));
  reset(a);
  EXPECT_EQ(sql("SELECT delete_old_epochs()"), "2");
  EXPECT_THAT(read(), IsEmpty());
  EXPECT_EQ(error_, "");
  follow_again();
  EXPECT_EQ(error_, "");
}

TEST_F(PostgresFollower, a_deletion_while_it_reads_ends_it_or_is_an_event) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  for (const auto gap : {FollowOptions::Gap::Refuse, FollowOptions::Gap::Accept}) {
    follow({.begin = FollowOptions::Begin::Newest, .gap = gap});
    send(a, 2);
    reset(a);
    send(a, 1);
    sql("SELECT delete_old_epochs()");
    const auto found = read();
    const auto is_deleted = HasSubstr("were deleted, and only those before ");
    if (gap == FollowOptions::Gap::Refuse) {
      EXPECT_THAT(found, IsEmpty());
      EXPECT_THAT(error_, is_deleted);
    } else {
      EXPECT_THAT(found, ElementsAre("A 3 1"));
      EXPECT_THAT(events_, ElementsAre(is_deleted));
    }
  }
}

TEST_F(PostgresFollower, a_log_that_was_cut_and_went_on_is_a_gap_however_long_it_is) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 3);
  follow();
  EXPECT_EQ(read().size(), 3U);
  const JournalCursor cursor = follower_->cursor();
  auto running = std::move(follower_);
  follow({.gap = FollowOptions::Gap::Accept});
  EXPECT_EQ(read().size(), 3U);
  auto accepting = std::move(follower_);
  // As a standby that lagged and was promoted: the last message is gone.
  store_.reset();
  const std::string last = sql("SELECT max(position) FROM chunks");
  sql("DELETE FROM chunks WHERE position = " + last + "; UPDATE log_state SET position = " + last +
      ", rows_position = least(rows_position, " + last + ")");
  follow({.cursor = cursor});
  EXPECT_THAT(error_, HasSubstr("before the cursor at"));
  own();
  send(a, 3);
  follow({.cursor = cursor});
  EXPECT_THAT(error_, HasSubstr("the log was cut at position " + last));
  error_.clear();
  follower_ = std::move(running);
  EXPECT_THAT(read(), IsEmpty());
  EXPECT_THAT(error_, HasSubstr("the log was cut at position " + last));
  error_.clear();
  for (const bool is_new : {false, true}) {
    owner_ = 1;
    events_.clear();
    if (is_new) {
      follow({.cursor = cursor, .gap = FollowOptions::Gap::Accept});
    } else {
      follower_ = std::move(accepting);
    }
    EXPECT_EQ(read().size(), 3U);
    EXPECT_EQ(owner_, 2U);
    EXPECT_THAT(events_, ElementsAre(HasSubstr("the log was cut at position " + last)));
  }
}

TEST_F(PostgresFollower, a_cursor_of_another_log_or_history_is_refused) {
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  follow();
  EXPECT_EQ(read().size(), 1U);
  sql("UPDATE owners SET claim = 'another'");
  follow_again();
  EXPECT_THAT(error_, HasSubstr("the log has another history than the cursor"));
  follow();
  read();
  sql("UPDATE log_state SET log_id = md5('another')");
  follow_again();
  EXPECT_THAT(error_, HasSubstr("it is another log than the one that the cursor belongs to"));
  reader_.schema = "none";
  follow();
  EXPECT_THAT(error_, HasSubstr("there is no such log in the database"));
}

TEST_F(PostgresFollower, a_connection_that_breaks_is_made_again_and_nothing_is_repeated) {
  CuttingProxy proxy{PostgresServer::shared()->socket_file()};
  reader_.host = proxy.host();
  const SessionKey a = open_session(*store_, "A");
  send(a, 1);
  follow();
  EXPECT_THAT(read(), ElementsAre("A 1 1"));
  proxy.refuse(true);
  proxy.cut_now();
  send(a, 1);
  while (events_.empty()) EXPECT_THAT(read(), IsEmpty());
  EXPECT_THAT(events_, ElementsAre(HasSubstr("cannot be read at the moment")));
  proxy.refuse(false);
  std::vector<std::string> found;
  while (found.empty()) found = read();
  EXPECT_THAT(found, ElementsAre("A 1 2"));
  EXPECT_THAT(events_, ElementsAre(HasSubstr("at the moment"), HasSubstr("reading goes on")));
  EXPECT_EQ(error_, "");
}

}  // namespace
}  // namespace nexusfix::store
