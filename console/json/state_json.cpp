#include "console/json/state_json.hpp"

#include <algorithm>

#include <nexusfix/observe/logs.hpp>

#include "base/api/printable_text.hpp"
#include "console/json/json.hpp"
#include "observe/api/logs.hpp"

namespace nexusfix::web {
namespace {

using DirectionStatistics = engine::SessionStatistics::Direction;
using engine::EngineStatistics;
using engine::LatencyHistogram;
using engine::LoopStatistics;
using engine::SessionStatistics;

std::uint64_t rejects_of(const DirectionStatistics& direction) {
  std::uint64_t count = 0;
  for (const engine::SessionStatistics::RejectCount& one : direction.rejects) count += one.count;
  return count;
}

Json direction_json(const DirectionStatistics& direction, std::uint64_t next) {
  return {{"next", next},
          {"messages", direction.messages},
          {"bytes", direction.bytes},
          {"last_at", millis_of(direction.last_at)},
          {"rejects", rejects_of(direction)},
          {"resend_requests", direction.resend_requests}};
}

Json session_json(const SessionStatistics& session) {
  return {{"name", session.name},
          {"loop", session.loop},
          {"is_initiator", session.is_initiator},
          {"state", engine::to_string(session.state)},
          {"since", millis_of(session.since)},
          {"is_expected", session.is_expected},
          {"why", printable(session.why)},
          {"failures_in_a_row", session.failures_in_a_row},
          {"in", direction_json(session.in, session.next.next_inbound)},
          {"out", direction_json(session.out, session.next.next_outbound)},
          {"logons", session.logons},
          {"logon_failures", session.logon_failures},
          {"connect_failures", session.connect_failures},
          {"disconnects", session.disconnects},
          {"gaps", session.gaps},
          {"resent", session.resent},
          {"garbled", session.garbled},
          {"unsent_bytes", session.unsent_bytes},
          {"unsent_since", millis_of(session.unsent_since)},
          {"queued_messages", session.queued_messages},
          {"queued_since", millis_of(session.queued_since)},
          {"p99_ns", session.receive_to_sent.percentile(99).count()}};
}

Json loop_json(const LoopStatistics& loop) {
  return {{"index", loop.index},
          {"messages_in", loop.messages_in},
          {"messages_out", loop.messages_out},
          {"connections", loop.connections},
          {"connections_refused", loop.connections_refused},
          {"turned_at", millis_of(loop.turned_at)},
          {"is_running", loop.is_running},
          {"late_turns", loop.late_turns},
          {"store", engine::to_string(loop.store.health)},
          {"undurable_bytes", loop.store.undurable_bytes},
          {"unsynced_bytes", loop.store.unsynced_bytes},
          {"unsynced_since", millis_of(loop.store.unsynced_since)}};
}

Json histogram_json(const LatencyHistogram& histogram) {
  Json buckets = Json::array();
  for (const LatencyHistogram::Bucket& bucket : histogram.buckets()) {
    const auto end = bucket.to == std::chrono::nanoseconds::max() ? bucket.from : bucket.to;
    buckets.push_back(Json::array({bucket.from.count(), end.count(), bucket.count}));
  }
  Json percentiles = Json::object();
  for (const auto& [name, percent] :
       {std::pair{"P50", 50.0}, {"P90", 90.0}, {"P99", 99.0}, {"P99.9", 99.9}, {"max", 100.0}}) {
    percentiles[name] = histogram.percentile(percent).count();
  }
  return {{"count", histogram.count()}, {"percentiles", percentiles}, {"buckets", buckets}};
}

Json counts_json(const DirectionStatistics& direction) {
  Json types = Json::array();
  for (const engine::SessionStatistics::MessageCount& one : direction.by_type) {
    types.push_back({{"msg_type", printable(one.msg_type)}, {"count", one.count}});
  }
  Json rejects = Json::array();
  for (const engine::SessionStatistics::RejectCount& one : direction.rejects) {
    rejects.push_back({{"is_business", one.is_business},
                       {"reason", one.reason ? Json(*one.reason) : Json(nullptr)},
                       {"count", one.count}});
  }
  return {{"types", types}, {"rejects", rejects}};
}

Json standby_json(const std::optional<engine::EngineStatistics::Standby>& standby) {
  if (!standby) return nullptr;
  return {{"owner", printable(standby->owner)},
          {"since", millis_of(standby->since)},
          {"is_connected", standby->is_connected},
          {"lag_bytes", standby->log_bytes - standby->followed_bytes}};
}

Json cluster_json(const std::optional<engine::ClusterStatistics>& cluster) {
  if (!cluster) return nullptr;
  Json engines = Json::array();
  for (const engine::ClusterStatistics::Engine& one : cluster->engines) {
    engines.push_back({{"node", printable(one.node)},
                       {"host", printable(one.host)},
                       {"process", one.process},
                       {"state", engine::to_string(one)},
                       {"is_drained", one.is_drained},
                       {"refusal", printable(one.refusal)}});
  }
  return {{"name", cluster->cluster},
          {"node", cluster->node},
          {"shard", cluster->shard},
          {"is_owner", cluster->is_owner},
          {"owner", printable(cluster->owner)},
          {"token", cluster->token},
          {"renewed_at", millis_of(cluster->renewed_at)},
          {"is_handing_over", cluster->is_handing_over},
          {"engines", std::move(engines)}};
}

std::string_view severity_name(EventId id) noexcept {
  switch (observe::severity_of(id)) {
    case observe::Severity::Info:
      return "info";
    case observe::Severity::Warning:
      return "warning";
    case observe::Severity::Error:
      break;
  }
  return "error";
}

}  // namespace

std::string state_json(const EngineStatistics& figures) {
  Json loops = Json::array();
  for (const LoopStatistics& loop : figures.loops) loops.push_back(loop_json(loop));
  Json sessions = Json::array();
  for (const SessionStatistics& session : figures.sessions) {
    sessions.push_back(session_json(session));
  }
  return to_text({{"process", figures.process},
                  {"started", millis_of(figures.started)},
                  {"taken_at", millis_of(figures.taken_at)},
                  {"is_stopping", figures.is_stopping},
                  {"buffered_bytes", figures.buffered_bytes},
                  {"lost_log_lines", figures.logs.lost_in_queue + figures.logs.lost_on_disk},
                  {"standby", standby_json(figures.standby)},
                  {"cluster", cluster_json(figures.cluster)},
                  {"loops", std::move(loops)},
                  {"sessions", std::move(sessions)}});
}

std::string figures_json(const EngineStatistics& figures, std::string_view session) {
  Json loops = Json::array();
  for (const LoopStatistics& loop : figures.loops) {
    loops.push_back({{"index", loop.index},
                     {"wire_to_callback", histogram_json(loop.wire_to_callback)},
                     {"receive_to_callback", histogram_json(loop.receive_to_callback)},
                     {"callback_to_sent", histogram_json(loop.callback_to_sent)},
                     {"receive_to_sent", histogram_json(loop.receive_to_sent)},
                     {"test_request_round_trip", histogram_json(loop.test_request_round_trip)}});
  }
  Json answer = {{"loops", std::move(loops)}};
  const auto found = std::ranges::find(figures.sessions, session, &SessionStatistics::name);
  if (found != figures.sessions.end()) {
    answer["session"] = {
        {"name", found->name},
        {"receive_to_sent", histogram_json(found->receive_to_sent)},
        {"test_request_round_trip", histogram_json(found->test_request_round_trip)},
        {"in", counts_json(found->in)},
        {"out", counts_json(found->out)}};
  }
  return to_text(answer);
}

std::string events_json(std::span<const KeptEvent> events) {
  Json list = Json::array();
  for (const KeptEvent& event : events) {
    const auto* const row = observe::find_event(static_cast<std::uint16_t>(event.id));
    list.push_back({{"number", event.number},
                    {"time", millis_of(event.time)},
                    {"id", observe::identifier_of(event.id)},
                    {"severity", severity_name(event.id)},
                    {"session", printable(event.session)},
                    {"text", printable(event.text)},
                    {"meaning", row == nullptr ? std::string_view{} : row->meaning},
                    {"action", row == nullptr ? std::string_view{} : row->action}});
  }
  return to_text(list);
}

}  // namespace nexusfix::web
