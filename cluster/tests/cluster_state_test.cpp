#include "cluster/leases/cluster_state.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix::cluster {
namespace {

const KeyNames kNames{"c"};

// A cluster of shard s, which a owns and for which b and d wait. Leases are 1, 2 and 4.
class ClusterRules : public ::testing::Test {
 protected:
  void put(const std::string& key, const std::string& value, LeaseId lease = 0,
           std::uint64_t created = 1) {
    range_.keys.push_back({key, value, created, lease});
  }
  void add_engine(const std::string& node, LeaseId lease, bool is_ready) {
    put(kNames.member("s", node), Holder{.node = node, .is_ready = is_ready}.to_value(), lease);
  }
  void SetUp() override {
    range_.revision = 40;
    put(kNames.id(), "f00d");
    put(kNames.base("s"), "100");
    put(kNames.owner("s"), Holder{.node = "a", .host = "h", .process = 7}.to_value(), 1, 17);
    add_engine("a", 1, false);
    add_engine("b", 2, true);
  }
  [[nodiscard]] ClusterState state() const { return read_state(range_, kNames); }
  [[nodiscard]] bool may_take(const std::string& node) const {
    return cluster::may_take(state(), state().shard("s"), node);
  }
  [[nodiscard]] std::string goes_to() const {
    return hands_over_to(state(), state().shard("s"), "a");
  }

  EtcdRange range_;
};

TEST_F(ClusterRules, a_token_is_the_revision_of_the_owners_key_above_the_base) {
  const ShardState shard = state().shard("s");
  EXPECT_EQ(state().id, "f00d");
  EXPECT_EQ(shard.token(), 117U);
  EXPECT_EQ(shard.owner->text(), "process 7 on host h");
  EXPECT_EQ(shard.members.size(), 2U);
  EXPECT_FALSE(state().shard("another").base);
  EXPECT_EQ(state().shard("another").token(), 0U);
}

TEST_F(ClusterRules, keys_and_values_of_another_kind_are_passed_over) {
  put("/nexusfix/other/id", "beef");
  put(kNames.all() + "shards/unfinished", "x");
  put(kNames.base("bad"), "-1");
  put(kNames.owner("bad"), "no JSON");
  put(kNames.owner("worse"), R"({"node": 7, "host": [], "process": "x", "ready": 3})");
  const ClusterState found = state();
  EXPECT_EQ(found.id, "f00d");
  EXPECT_FALSE(found.shard("bad").base);
  EXPECT_FALSE(found.shard("bad").owner);
  EXPECT_EQ(found.shard("worse").owner->node, "");
  EXPECT_FALSE(found.shards.contains("unfinished"));
}

TEST_F(ClusterRules, a_refusal_is_of_its_node_whether_its_engine_runs_again_or_not) {
  put(kNames.refused("s", "b"), Holder{.node = "b", .host = "h", .refusal = "lost: x"}.to_value());
  put(kNames.refused("s", "d"), Holder{.node = "d", .process = 9, .refusal = "port"}.to_value());
  const std::map<std::string, Holder> engines = state().shard("s").engines();
  ASSERT_EQ(engines.size(), 3U);
  EXPECT_EQ(engines.at("a").refusal, "");
  EXPECT_EQ(engines.at("b").refusal, "lost: x");
  EXPECT_EQ(engines.at("b").lease, 2);
  EXPECT_TRUE(engines.at("b").is_ready);
  EXPECT_EQ(engines.at("d").refusal, "port");
  EXPECT_EQ(engines.at("d").lease, 0);
  EXPECT_EQ(engines.at("d").process, 0);  // it has ended
  // Only its next attempt shows whether it takes the shard.
  EXPECT_TRUE(may_take("b"));
}

TEST_F(ClusterRules, an_owner_keeps_its_shard_unless_it_is_asked) { EXPECT_EQ(goes_to(), ""); }

TEST_F(ClusterRules, a_shard_goes_only_to_a_wanted_node_that_is_ready) {
  put(kNames.wanted("s"), "b");
  EXPECT_EQ(goes_to(), "b");
  range_.keys.back().value = "a";
  EXPECT_EQ(goes_to(), "");
  range_.keys.back().value = "d";
  EXPECT_EQ(goes_to(), "");
  add_engine("d", 4, false);
  EXPECT_EQ(goes_to(), "");
}

TEST_F(ClusterRules, a_drained_owner_hands_over_only_if_one_is_ready_that_is_not_drained) {
  put(kNames.drained("a"), "x");
  EXPECT_EQ(goes_to(), "b");
  add_engine("d", 4, true);
  EXPECT_EQ(goes_to(), "another node");
  put(kNames.drained("b"), "x");
  EXPECT_EQ(goes_to(), "d");
  put(kNames.drained("d"), "x");
  EXPECT_EQ(goes_to(), "");
}

TEST_F(ClusterRules, a_free_shard_is_taken_by_the_wanted_node_or_by_any_if_that_cannot) {
  EXPECT_TRUE(may_take("b"));
  put(kNames.wanted("s"), "b");
  EXPECT_TRUE(may_take("b"));
  EXPECT_FALSE(may_take("a"));
  range_.keys.back().value = "d";  // no engine of it runs
  EXPECT_TRUE(may_take("a"));
  put(kNames.drained("a"), "x");
  EXPECT_FALSE(may_take("a"));
}

}  // namespace
}  // namespace nexusfix::cluster
