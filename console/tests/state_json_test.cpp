#include "console/json/state_json.hpp"

#include <gtest/gtest.h>

#include "console/json/json.hpp"

namespace nexusfix::web {
namespace {

using std::chrono::milliseconds;

constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

TEST(StateJson, has_no_cluster_and_no_standby_without_them) {
  const Json state = Json::parse(state_json({.taken_at = kNow}));
  EXPECT_TRUE(state["cluster"].is_null());
  EXPECT_TRUE(state["standby"].is_null());
}

TEST(StateJson, shows_the_shard_its_owner_the_lease_and_the_engines) {
  engine::EngineStatistics figures{.taken_at = kNow};
  figures.cluster = {.cluster = "venues",
                     .node = "b",
                     .shard = "s1",
                     .owner = "a",
                     .token = 17,
                     .renewed_at = kNow - milliseconds{412},
                     .engines = {{.node = "a", .host = "h1", .process = 7, .is_owner = true},
                                 {.node = "b", .host = "h2", .process = 8, .is_ready = true},
                                 {.node = "c\x1b", .host = "h3", .is_drained = true},
                                 {.node = "d", .is_ready = true, .refusal = "lost\x1b"}}};
  figures.standby = {.owner = "process 7 on host h1",
                     .since = kNow,
                     .is_connected = true,
                     .log_bytes = 900,
                     .followed_bytes = 600};
  const Json state = Json::parse(state_json(figures));
  const Json& cluster = state["cluster"];
  EXPECT_EQ(cluster["name"], "venues");
  EXPECT_EQ(cluster["shard"], "s1");
  EXPECT_EQ(cluster["owner"], "a");
  EXPECT_EQ(cluster["token"], 17);
  EXPECT_EQ(cluster["is_owner"], false);
  EXPECT_EQ(state["taken_at"].get<std::int64_t>() - cluster["renewed_at"].get<std::int64_t>(), 412);
  ASSERT_EQ(cluster["engines"].size(), 4U);
  EXPECT_EQ(cluster["engines"][0]["state"], "owner");
  EXPECT_EQ(cluster["engines"][1]["state"], "ready");
  EXPECT_EQ(cluster["engines"][2]["state"], "not ready");
  EXPECT_EQ(cluster["engines"][2]["is_drained"], true);
  EXPECT_EQ(cluster["engines"][2]["node"], "c\\x1b");
  EXPECT_EQ(cluster["engines"][2]["refusal"], "");
  EXPECT_EQ(cluster["engines"][3]["state"], "refused");
  EXPECT_EQ(cluster["engines"][3]["refusal"], "lost\\x1b");
  EXPECT_EQ(state["standby"]["lag_bytes"], 300);
  EXPECT_EQ(state["standby"]["owner"], "process 7 on host h1");
}

}  // namespace
}  // namespace nexusfix::web
