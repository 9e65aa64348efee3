// Reads for a caller that must not wait: a thread has the messages, the caller is woken.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using testing::CuttingProxy;
using testing::PostgresServer;

constexpr std::uint64_t kPlenty = 1U << 30U;

class PostgresFetch : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::why();
    proxy_ = std::make_unique<CuttingProxy>(server_->socket_file());
    options_ = postgres_options(fresh_schema());
    options_.host = proxy_->host();
    options_.on_durable = settler_.wake();
    options_.connect_timeout = std::chrono::hours{1};
    options_.answer_timeout = std::chrono::hours{1};
    store_ = open_or_fail(options_);
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  void TearDown() override { store_.reset(); }

  void append(int count) {
    for (; count > 0; --count) {
      const std::uint64_t number = store_->session(key_).next_outbound;
      ASSERT_TRUE(append_message(*store_, key_, number, "message " + std::to_string(number)));
    }
  }
  void wait_for(const Store::Fetch& fetch) {
    for (;;) {
      const std::uint64_t before = settler_.wakes();
      if (fetch.is_done()) return;
      settler_.wait(before);
    }
  }
  StoreResult<std::vector<KeptMessage>> result_of(Store::Fetch& fetch) {
    wait_for(fetch);
    std::vector<KeptMessage> messages;
    const auto read = fetch.read([&](std::uint64_t number, std::string_view bytes) {
      messages.push_back({number, std::string{bytes}});
      return true;
    });
    if (!read) return std::unexpected{read.error()};
    return messages;
  }

  PostgresServer* server_ = nullptr;
  std::unique_ptr<CuttingProxy> proxy_;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

TEST_F(PostgresFetch, what_is_fetched_is_what_a_read_gives_whatever_is_durable_yet) {
  SeededRandom random{27};
  for (int round = 0; round < 60; ++round) {
    append(static_cast<int>(random.below(40)));
    if (random.below(3) > 0) {
      ASSERT_TRUE(store_->flush());
    }
    if (random.below(3) == 0) {
      ASSERT_TRUE(settler_.settle(*store_));
    }
    const std::uint64_t first = 1 + random.below(store_->session(key_).next_outbound);
    const std::uint64_t last = first + random.below(300);
    const auto expected = read_all(*store_, key_, first, last);
    const auto fetch = store_->fetch(key_, first, last, kPlenty);
    append(3);  // After what is asked for, or in it: as it was then.
    ASSERT_TRUE(store_->flush());
    auto found = result_of(*fetch);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(*found, expected) << "from " << first << " to " << last;
  }
}

TEST_F(PostgresFetch, it_ends_after_the_message_that_reaches_the_bound) {
  append(200);
  ASSERT_TRUE(settler_.settle(*store_));
  append(10);
  auto found = result_of(*store_->fetch(key_, 1, 1'000, 1'000));
  ASSERT_TRUE(found);
  std::size_t bytes = 0;
  for (const KeptMessage& one : *found) bytes += one.bytes.size();
  EXPECT_GE(bytes, 1'000U);
  EXPECT_LT(bytes - found->back().bytes.size(), 1'000U);
  EXPECT_EQ(found->size(), found->back().number) << "and none before it is missing";
}

TEST_F(PostgresFetch, many_at_once_are_served_and_those_that_were_left_are_not_waited_for) {
  append(500);
  ASSERT_TRUE(settler_.settle(*store_));
  std::vector<std::unique_ptr<Store::Fetch>> fetches;
  for (std::uint64_t i = 0; i < 60; ++i) {
    fetches.push_back(store_->fetch(key_, 1 + i, 400 + i, kPlenty));
    if (i % 3 == 0) fetches[i].reset();
  }
  for (std::uint64_t i = 0; i < fetches.size(); ++i) {
    if (!fetches[i]) continue;
    auto found = result_of(*fetches[i]);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 400U);
    EXPECT_EQ(found->front().number, 1 + i);
  }
}

TEST_F(PostgresFetch, what_is_not_taken_holds_up_others_until_it_is_taken) {
  const std::string large(1U << 20U, 'x');
  for (std::uint64_t number = 1; number <= 20; ++number) {
    ASSERT_TRUE(append_message(*store_, key_, number, large));
  }
  ASSERT_TRUE(settler_.settle(*store_));
  std::vector<std::unique_ptr<Store::Fetch>> fetches;
  for (int i = 0; i < 20; ++i) fetches.push_back(store_->fetch(key_, 1, 20, 1U << 20U));
  for (auto& fetch : fetches) {
    auto found = result_of(*fetch);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 1U);
    fetch.reset();
  }
}

TEST_F(PostgresFetch, a_server_that_is_frozen_is_waited_for_by_the_thread_alone) {
  append(5);
  ASSERT_TRUE(settler_.settle(*store_));
  server_->freeze();
  const auto fetch = store_->fetch(key_, 1, 5, kPlenty);
  auto left = store_->fetch(key_, 1, 5, kPlenty);
  EXPECT_FALSE(fetch->is_done());
  left.reset();
  append(1);
  server_->thaw();
  auto found = result_of(*fetch);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->size(), 5U);
}

TEST_F(PostgresFetch, a_server_that_is_away_ends_all_that_wait_with_the_reason) {
  append(5);
  ASSERT_TRUE(settler_.settle(*store_));
  proxy_->refuse(true);
  proxy_->cut_now();
  std::vector<std::unique_ptr<Store::Fetch>> fetches;
  for (int i = 0; i < 5; ++i) fetches.push_back(store_->fetch(key_, 1, 5, kPlenty));
  for (const auto& fetch : fetches) {
    const auto found = result_of(*fetch);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, StoreErrorCode::Server);
    EXPECT_NE(found.error().text.find("reading: "), std::string::npos) << found.error().text;
  }
  proxy_->refuse(false);
  EXPECT_EQ(result_of(*store_->fetch(key_, 1, 5, kPlenty))->size(), 5U);
}

TEST_F(PostgresFetch, a_store_that_ends_waits_for_no_fetch) {
  append(5);
  ASSERT_TRUE(settler_.settle(*store_));
  proxy_->stall(true);
  const auto fetch = store_->fetch(key_, 1, 5, kPlenty);
  store_.reset();
  proxy_->stall(false);
}

TEST_F(PostgresFetch, a_new_session_waits_for_no_server) {
  proxy_->stall(true);
  const auto key = store_->open_session("B", at_second(1));
  ASSERT_TRUE(key);
  EXPECT_LT(store_->durable(), store_->appended());
  proxy_->stall(false);
  ASSERT_TRUE(settler_.settle(*store_));
}

TEST_F(PostgresFetch, there_is_no_room_for_what_can_be_refused_long_before_appending_waits) {
  store_.reset();
  options_.pending_bytes_max = 4'000;
  store_ = open_or_fail(options_);
  EXPECT_TRUE(store_->has_room_for(kPlenty));
  proxy_->stall(true);
  while (store_->has_room_for(100)) append(1);
  EXPECT_GE(store_->appended() - store_->durable(), 2'900U);
  EXPECT_LE(store_->appended() - store_->durable(), 3'100U);
  EXPECT_FALSE(store_->has_room_for(kPlenty));
  proxy_->stall(false);
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_TRUE(store_->has_room_for(kPlenty));
}

}  // namespace
}  // namespace nexusfix::store
