// What happens to the connection and to the server must not happen to the log: whatever is cut,
// stopped or silent, each message is there once, in its place, or the store says why it ended.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using std::chrono::milliseconds;
using testing::CuttingProxy;
using testing::PostgresServer;

class PostgresFault : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    options_.host = proxy().host();
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void TearDown() override { store_.reset(); }

  CuttingProxy& proxy() {
    if (!proxy_) proxy_ = std::make_unique<CuttingProxy>(server_->socket_file());
    return *proxy_;
  }

  void append_next() {
    const std::uint64_t number = store_->session(key_).next_outbound;
    ASSERT_TRUE(append_message(*store_, key_, number, text_of(number)));
  }
  static std::string text_of(std::uint64_t number) { return "message " + std::to_string(number); }

  void expect_messages(std::uint64_t count) {
    const auto found = read_all(*store_, key_);
    ASSERT_EQ(found.size(), count);
    for (std::uint64_t number = 1; number <= count; ++number) {
      ASSERT_EQ(found[number - 1], (KeptMessage{number, text_of(number)}));
    }
  }
  void reopen() {
    proxy().cancel_cuts();
    store_.reset();
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
  }
  // And that waits for an answer for a second.
  void open_that_connects_for_an_hour() {
    options_.answer_timeout = milliseconds{1'000};
    options_.connect_timeout = std::chrono::hours{1};
    store_.reset();
    do {  // On a busy machine the server may answer too late.
      auto opened = open_postgres(options_);
      if (opened) store_ = std::move(*opened);
    } while (!store_);
  }
  // Flushes until the store has failed, and returns why.
  StoreError failure() {
    for (;;) {
      const std::uint64_t before = settler_.wakes();
      const auto flushed = store_->flush();
      if (!flushed) return flushed.error();
      if (*flushed == store_->appended()) return {.text = "it did not fail"};
      settler_.wait(before);
    }
  }

  PostgresServer* server_ = nullptr;
  std::unique_ptr<CuttingProxy> proxy_;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

TEST_F(PostgresFault, a_connection_cut_at_any_byte_to_the_server_loses_and_repeats_nothing) {
  const std::uint64_t begin = proxy().bytes_to_server();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::uint64_t batch_bytes = proxy().bytes_to_server() - begin;
  ASSERT_GT(batch_bytes, 100U);
  // The first cut is in the middle of a batch, or at its last byte; what is sent again by the next
  // connection, its log in included, is some three times as long.
  for (std::uint64_t cut = 1; cut <= batch_bytes; cut += 11) {
    const std::uint64_t cuts = proxy().cuts();
    proxy().cut_after_to_server(cut);
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
    EXPECT_EQ(proxy().cuts(), cuts + 1);
  }
  const std::uint64_t count = store_->session(key_).next_outbound - 1;
  expect_messages(count);
  reopen();
  expect_messages(count);
}

TEST_F(PostgresFault, a_confirmation_that_is_lost_is_not_taken_for_a_transaction_that_is) {
  const std::uint64_t begin = proxy().bytes_to_client();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::uint64_t answer_bytes = proxy().bytes_to_client() - begin;
  for (std::uint64_t cut = 1; cut < answer_bytes; cut += 5) {
    proxy().cut_after_to_client(cut);
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
  }
  const std::uint64_t count = store_->session(key_).next_outbound - 1;
  reopen();
  expect_messages(count);
}

TEST_F(PostgresFault, cuts_at_random_places_of_many_batches_in_flight_lose_and_repeat_nothing) {
  store_.reset();
  options_.batches_in_flight_max = 4;
  store_ = open_or_fail(options_);
  SeededRandom random{4711};
  for (int round = 0; round < 40; ++round) {
    if (random.next() % 2 == 0) {
      proxy().cut_after_to_server(1 + random.next() % 6'000);
    } else {
      proxy().cut_after_to_client(1 + random.next() % 1'000);
    }
    for (int i = 0; i < 10; ++i) {
      append_next();
      ASSERT_TRUE(store_->flush());
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
  reopen();
  expect_messages(400);
}

TEST_F(PostgresFault, a_server_that_stops_and_starts_again_is_found_again) {
  for (const auto how : {PostgresServer::Stop::Fast, PostgresServer::Stop::Immediate}) {
    append_next();
    ASSERT_TRUE(settler_.settle(*store_));
    server_->stop(how);
    for (int i = 0; i < 10; ++i) append_next();
    ASSERT_TRUE(store_->flush());
    server_->start();
    ASSERT_TRUE(settler_.settle(*store_));
    const auto lost = consume_warning(*store_);
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->id, EventId::DatabaseReconnecting);
    EXPECT_NE(lost->text.find("ended and made again"), std::string::npos) << lost->text;
    const auto back = consume_warning(*store_);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, EventId::DatabaseReconnected);
    EXPECT_NE(back->text.find("connected again after "), std::string::npos) << back->text;
    EXPECT_NE(back->text.find("to socket " + proxy().host()), std::string::npos) << back->text;
    EXPECT_FALSE(store_->next_event());
  }
  expect_messages(22);
  reopen();
  expect_messages(22);
}

TEST_F(PostgresFault, a_server_that_says_nothing_is_asked_again_on_a_new_connection) {
  store_.reset();
  options_.answer_timeout = milliseconds{1'000};
  store_ = open_or_fail(options_);
  append_next();
  proxy().stall(true);
  ASSERT_TRUE(store_->flush());
  EXPECT_NE(wait_for_event(*store_, settler_, "did not answer within 1000 ms"), "");
  proxy().stall(false);
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(1);
}

TEST_F(PostgresFault, a_server_that_stays_away_ends_the_store_with_the_reason) {
  store_.reset();
  options_.outage_max = milliseconds{200};
  store_ = open_or_fail(options_);
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const LogPosition durable = store_->durable();
  proxy().refuse(true);
  const std::uint64_t cuts = proxy().cuts();
  proxy().cut_now();
  proxy().wait_for_cuts(cuts + 1);
  append_next();
  const StoreError error = failure();
  EXPECT_EQ(error.code, StoreErrorCode::Failed);
  EXPECT_NE(error.text.find("not to be had for 200 ms"), std::string::npos) << error.text;
  EXPECT_FALSE(append_message(*store_, key_, 3, "x"));
  EXPECT_EQ(store_->durable(), durable);
  proxy().refuse(false);
  reopen();
  expect_messages(1);
}

TEST_F(PostgresFault, a_server_that_accepts_no_connection_is_waited_for_until_the_outage_is_over) {
  options_.outage_max = milliseconds{2'000};
  open_that_connects_for_an_hour();
  append_next();
  proxy().stall(true);
  const StoreError error = failure();
  EXPECT_NE(error.text.find("not to be had for 2000 ms"), std::string::npos) << error.text;
  EXPECT_NE(error.text.find("did not accept the connection within"), std::string::npos)
      << error.text;
  proxy().stall(false);
}

TEST_F(PostgresFault, a_read_on_a_lost_connection_connects_again) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(1);
  const std::uint64_t cuts = proxy().cuts();
  proxy().cut_now();
  proxy().wait_for_cuts(cuts + 1);
  expect_messages(1);
  EXPECT_EQ(scan_all(*store_).size(), 1U);
}

TEST_F(PostgresFault, a_read_without_a_server_says_so_and_the_store_goes_on) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  proxy().refuse(true);
  const std::uint64_t cuts = proxy().cuts();
  proxy().cut_now();
  proxy().wait_for_cuts(cuts + 1);
  const auto read = store_->read(key_, 1, 9, [](std::uint64_t, std::string_view) { return true; });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StoreErrorCode::Server);
  proxy().refuse(false);
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  expect_messages(2);
}

TEST_F(PostgresFault, a_former_owner_that_comes_back_learns_who_has_the_log_and_ends) {
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  proxy().refuse(true);
  const std::uint64_t cuts = proxy().cuts();
  proxy().cut_now();
  proxy().wait_for_cuts(cuts + 1);
  append_next();  // never on the server
  PostgresOptions directly = options_;
  directly.host = server_->host();
  directly.on_durable = {};
  {
    auto second = open_or_fail(directly);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->session(key_).next_outbound, 2U);
    proxy().refuse(false);
    const StoreError error = failure();
    EXPECT_NE(error.text.find("taken over by process"), std::string::npos) << error.text;
    ASSERT_TRUE(append_message(*second, key_, 2, "of the second"));
    ASSERT_TRUE(second->close());
  }
  reopen();
  EXPECT_EQ(read_all(*store_, key_, 2), (std::vector<KeptMessage>{{2, "of the second"}}));
}

TEST_F(PostgresFault, a_server_that_has_lost_what_it_committed_ends_the_store) {
  const LogPosition before = store_->durable();
  append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::string log = options_.schema + ".log_state";
  server_->sql("UPDATE " + log + " SET position = " + std::to_string(before));
  server_->sql("DELETE FROM " + options_.schema + ".chunks; DELETE FROM " + options_.schema +
               ".message_places");
  append_next();
  const StoreError error = failure();
  // Whichever comes first: the log is elsewhere, or a new connection sees where it is.
  EXPECT_NE(error.text.find("log ends at " + std::to_string(before)), std::string::npos)
      << error.text;
}

TEST_F(PostgresFault, a_log_without_its_state_confirms_nothing) {
  const LogPosition before = store_->durable();
  server_->sql("DELETE FROM " + options_.schema + ".log_state");
  append_next();
  const StoreError error = failure();
  EXPECT_NE(error.text.find("the log has no state"), std::string::npos) << error.text;
  EXPECT_EQ(store_->durable(), before);
}

TEST_F(PostgresFault, appending_waits_for_room_and_goes_on) {
  store_.reset();
  options_.pending_bytes_max = 4'000;
  store_ = open_or_fail(options_);
  for (int i = 0; i < 500; ++i) append_next();
  const std::string large(100'000, 'x');  // more than may wait, but for alone
  ASSERT_TRUE(append_message(*store_, key_, 501, large));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key_, 501), (std::vector<KeptMessage>{{501, large}}));
  EXPECT_EQ(read_all(*store_, key_).size(), 501U);
}

TEST_F(PostgresFault, large_and_many_messages_are_read_back_page_by_page) {
  const std::string large(3U << 20U, 'x');
  ASSERT_TRUE(append_message(*store_, key_, 1, large));
  for (std::uint64_t number = 2; number <= 10'000; ++number) append_next();
  ASSERT_TRUE(settler_.settle(*store_));
  reopen();
  const auto found = read_all(*store_, key_);
  ASSERT_EQ(found.size(), 10'000U);
  EXPECT_EQ(found.front().bytes, large);
  EXPECT_EQ(found.back(), (KeptMessage{10'000, text_of(10'000)}));
  EXPECT_EQ(scan_all(*store_).size(), 10'000U);
}

TEST_F(PostgresFault, the_end_waits_for_a_database_that_hangs_as_long_as_for_an_answer) {
  options_.outage_max = std::chrono::hours{1};
  open_that_connects_for_an_hour();
  proxy().stall(true);
  append_next();
  const auto closed = store_->close();
  proxy().stall(false);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, StoreErrorCode::Server);
  EXPECT_NE(closed.error().text.find("confirmed nothing within 1000 ms"), std::string::npos)
      << closed.error().text;
  EXPECT_LT(store_->durable(), store_->appended());
}

}  // namespace
}  // namespace nexusfix::store
