#include "cluster/leases/cluster_state.hpp"

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

namespace nexusfix::cluster {
namespace {

using nlohmann::json;

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Holder> read_holder(const EtcdKey& key) {
  const json value = json::parse(key.value, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto found = value.find(name);
    return found != value.end() && found->is_string() ? found->get<std::string>() : std::string{};
  };
  const auto number = [&](const char* name) {
    const auto found = value.find(name);
    return found != value.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  const auto ready = value.find("ready");
  return Holder{.node = text("node"),
                .host = text("host"),
                .process = number("process"),
                .since = WallTime{std::chrono::nanoseconds{number("since_ns")}},
                .is_ready = ready != value.end() && ready->is_boolean() && ready->get<bool>(),
                .refusal = text("refusal"),
                .lease = key.lease,
                .created = key.created};
}

// name: after "shards/SHARD/".
void read_shard_key(std::string_view name, const EtcdKey& key, ShardState& shard) {
  constexpr std::string_view kMembers = "members/";
  constexpr std::string_view kRefused = "refused/";
  const auto add_to = [&](std::map<std::string, Holder>& holders, std::size_t prefix) {
    if (auto holder = read_holder(key)) holders.emplace(name.substr(prefix), std::move(*holder));
  };
  if (name == "base") {
    shard.base = read_number(key.value);
  } else if (name == "wanted") {
    shard.wanted = key.value;
  } else if (name == "owner") {
    shard.owner = read_holder(key);
  } else if (name.starts_with(kMembers)) {
    add_to(shard.members, kMembers.size());
  } else if (name.starts_with(kRefused)) {
    add_to(shard.refused, kRefused.size());
  }
}

bool could_take(const ClusterState& state, const ShardState& shard, const std::string& node) {
  const auto found = shard.members.find(node);
  return found != shard.members.end() && found->second.is_ready && !state.drained.contains(node);
}

}  // namespace

KeyNames::KeyNames(std::string_view cluster) : all_{"/nexusfix/" + std::string{cluster} + '/'} {}

std::string KeyNames::drained(std::string_view node) const { return drained() + std::string{node}; }
std::string KeyNames::shard(std::string_view shard) const {
  return all_ + "shards/" + std::string{shard} + '/';
}
std::string KeyNames::at(std::string_view shard, std::string_view what) const {
  return this->shard(shard) + std::string{what};
}
std::string KeyNames::member(std::string_view shard, std::string_view node) const {
  return this->shard(shard) + "members/" + std::string{node};
}

std::string KeyNames::refused(std::string_view shard, std::string_view node) const {
  return this->shard(shard) + "refused/" + std::string{node};
}

std::string Holder::to_value() const {
  json value{{"node", node},
             {"host", host},
             {"process", process},
             {"since_ns", since.time_since_epoch().count()},
             {"ready", is_ready}};
  if (!refusal.empty()) value["refusal"] = refusal;
  return value.dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

std::string Holder::text() const {
  return "process " + std::to_string(process) + " on host " + host;
}

std::map<std::string, Holder> ShardState::engines() const {
  std::map<std::string, Holder> all = members;
  for (const auto& [node, one] : refused) {
    Holder& engine = all.try_emplace(node, Holder{.node = node, .host = one.host}).first->second;
    engine.refusal = one.refusal;
    engine.refused_at = one.since;
  }
  return all;
}

ShardState ClusterState::shard(const std::string& name) const {
  const auto found = shards.find(name);
  return found == shards.end() ? ShardState{} : found->second;
}

ClusterState read_state(const EtcdRange& range, const KeyNames& names) {
  constexpr std::string_view kDrained = "drained/";
  constexpr std::string_view kShards = "shards/";
  ClusterState state{.revision = range.revision};
  for (const EtcdKey& key : range.keys) {
    std::string_view name = key.key;
    if (!name.starts_with(names.all())) continue;
    name.remove_prefix(names.all().size());
    if (name == "id") {
      state.id = key.value;
    } else if (name.starts_with(kDrained)) {
      state.drained.emplace(name.substr(kDrained.size()));
    } else if (name.starts_with(kShards)) {
      name.remove_prefix(kShards.size());
      const std::size_t end = name.find('/');
      if (end == std::string_view::npos) continue;
      read_shard_key(name.substr(end + 1), key, state.shards[std::string{name.substr(0, end)}]);
    }
  }
  return state;
}

bool may_take(const ClusterState& state, const ShardState& shard, const std::string& node) {
  if (state.drained.contains(node)) return false;
  return shard.wanted.empty() || shard.wanted == node || !could_take(state, shard, shard.wanted);
}

std::string hands_over_to(const ClusterState& state, const ShardState& shard,
                          const std::string& node) {
  if (shard.wanted != node && could_take(state, shard, shard.wanted)) return shard.wanted;
  if (!state.drained.contains(node)) return {};
  std::string found;
  for (const auto& [other, holder] : shard.members) {
    if (other == node || !could_take(state, shard, other)) continue;
    if (!found.empty()) return "another node";
    found = other;
  }
  return found;
}

}  // namespace nexusfix::cluster
