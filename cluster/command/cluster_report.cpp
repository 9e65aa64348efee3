#include "cluster/command/cluster_report.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using cluster::ClusterEngine;
using cluster::ClusterOverview;
using cluster::ClusterShard;

std::string_view role_of(const ClusterEngine& one) {
  if (!one.refusal.empty()) return "refused";
  if (one.is_owner) return "owner";
  return one.is_ready ? "ready" : "not ready";
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::optional<std::string>{} : text;
}

}  // namespace

std::string cluster_table(const ClusterOverview& overview, const std::string& name) {
  std::string text = fmt::format("cluster {} ({}): {}, {}\n", name, overview.id,
                                 counted(overview.shards.size(), "shard"),
                                 counted(overview.engines.size(), "engine"));
  const auto add_row = [&text](std::string_view shard, std::string_view node, std::string_view role,
                               std::string_view token, std::string_view lease,
                               std::string_view engine) {
    text += fmt::format("{:<16}  {:<16}  {:<9}  {:>8}  {:>5}  {}\n", shard, node, role, token,
                        lease, engine);
  };
  add_row("SHARD", "NODE", "ROLE", "TOKEN", "LEASE", "ENGINE");
  for (const ClusterShard& shard : overview.shards) {
    if (shard.owner.empty()) add_row(shard.name, "-", "no owner", "-", "-", "");
    for (const ClusterEngine& one : overview.engines) {
      if (one.shard != shard.name) continue;
      add_row(shard.name, one.node, role_of(one), one.is_owner ? std::to_string(shard.token) : "-",
              fmt::format("{} s", one.lease_left.count()),
              fmt::format("{} on {}{}",
                          one.process != 0 ? fmt::format("process {}", one.process) : "no process",
                          one.host, one.is_drained ? ", drained" : ""));
    }
    for (const ClusterEngine& one : overview.engines) {
      if (one.shard != shard.name || one.refusal.empty()) continue;
      text += fmt::format(
          "  {} refused {} at {} UTC: {}\n", one.node, shard.name,
          utc_text(std::chrono::floor<std::chrono::seconds>(one.refused_at), UtcForm::Plain),
          printable(one.refusal));
    }
    if (!shard.wanted.empty()) {
      text += fmt::format("  {} is to go to node {}\n", shard.name, shard.wanted);
    }
  }
  if (!overview.drained.empty()) {
    text += fmt::format("drained: {}\n", fmt::join(overview.drained, ", "));
  }
  return text;
}

std::string cluster_json(const ClusterOverview& overview) {
  const auto shard_json = [](const ClusterShard& one) {
    return Json::object({{"name", one.name},
                         {"owner", text_or_none(one.owner)},
                         {"token", one.token},
                         {"wanted", text_or_none(one.wanted)}});
  };
  const auto engine_json = [](const ClusterEngine& one) {
    return Json::object({{"shard", one.shard},
                         {"node", one.node},
                         {"role", role_of(one)},
                         {"host", one.host},
                         {"process", one.process},
                         {"leaseSeconds", one.lease_left.count()},
                         {"drained", one.is_drained},
                         {"refusal", text_or_none(one.refusal)}});
  };
  return Json::object({{"id", overview.id},
                       {"shards", Json::array(overview.shards, shard_json)},
                       {"engines", Json::array(overview.engines, engine_json)},
                       {"drained", Json::array(overview.drained)}})
      .document();
}

}  // namespace nexusfix::command
