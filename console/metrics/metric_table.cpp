// One row a metric: its name, its description, and its samples. docs/reference/metrics.md and the
// text for Prometheus are made of it.
#include "console/metrics/metric_table.hpp"

#include <string>

namespace nexusfix::metrics {
namespace {

using DirectionStatistics = engine::SessionStatistics::Direction;
using engine::EngineStatistics;
using engine::LoopStatistics;
using engine::SessionState;
using engine::SessionStatistics;
using enum MetricType;

constexpr std::string_view kIn = "in";
constexpr std::string_view kOut = "out";

// The figure of the engine.
template <auto Figure>
void of_engine(Samples& samples, const EngineStatistics& engine) {
  samples.add({}, Figure(engine));
}

// A figure of each loop.
template <auto Figure>
void of_loops(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    samples.add({{"loop", std::to_string(one.index)}}, Figure(one));
  }
}

// Two figures of each loop.
template <auto In, auto Out>
void of_loops_by_direction(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    const std::string loop = std::to_string(one.index);
    samples.add({{"loop", loop}, {"direction", kIn}}, In(one));
    samples.add({{"loop", loop}, {"direction", kOut}}, Out(one));
  }
}

// A figure of each session.
template <auto Figure>
void of_sessions(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    samples.add({{"session", one.name}}, Figure(one));
  }
}

// A figure of each direction of each session.
template <auto Figure>
void of_directions(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    samples.add({{"session", one.name}, {"direction", kIn}}, Figure(one.in));
    samples.add({{"session", one.name}, {"direction", kOut}}, Figure(one.out));
  }
}

void session_states(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    samples.add({{"session", one.name},
                 {"role", one.is_initiator ? "initiator" : "acceptor"},
                 {"loop", std::to_string(one.loop)},
                 {"state", to_string(one.state)}},
                true);
  }
}

void next_numbers(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    samples.add({{"session", one.name}, {"direction", kIn}}, one.next.next_inbound);
    samples.add({{"session", one.name}, {"direction", kOut}}, one.next.next_outbound);
  }
}

void last_messages(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    if (one.in.last_at) {
      samples.add({{"session", one.name}, {"direction", kIn}}, *one.in.last_at);
    }
    if (one.out.last_at) {
      samples.add({{"session", one.name}, {"direction", kOut}}, *one.out.last_at);
    }
  }
}

void messages_by_type(Samples& samples, const EngineStatistics& engine) {
  const auto add = [&samples](std::string_view session, std::string_view direction,
                              const DirectionStatistics& figures) {
    for (const engine::SessionStatistics::MessageCount& one : figures.by_type) {
      samples.add({{"session", session}, {"direction", direction}, {"msg_type", one.msg_type}},
                  one.count);
    }
  };
  for (const SessionStatistics& one : engine.sessions) {
    add(one.name, kIn, one.in);
    add(one.name, kOut, one.out);
  }
}

void rejects(Samples& samples, const EngineStatistics& engine) {
  const auto add = [&samples](std::string_view session, std::string_view direction,
                              const DirectionStatistics& figures) {
    for (const engine::SessionStatistics::RejectCount& one : figures.rejects) {
      const std::string reason = one.reason ? std::to_string(*one.reason) : "none";
      samples.add({{"session", session},
                   {"direction", direction},
                   {"kind", one.is_business ? "business" : "session"},
                   {"reason", reason}},
                  one.count);
    }
  };
  for (const SessionStatistics& one : engine.sessions) {
    add(one.name, kIn, one.in);
    add(one.name, kOut, one.out);
  }
}

void store_states(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    samples.add({{"loop", std::to_string(one.index)}, {"health", to_string(one.store.health)}},
                true);
  }
}

void unsynced_ages(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    const auto since = one.store.unsynced_since.value_or(engine.taken_at);
    samples.add({{"loop", std::to_string(one.index)}}, engine.taken_at - since);
  }
}

void waiting_ages(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    const auto since = one.tasks_wait_since.value_or(engine.taken_at);
    samples.add({{"loop", std::to_string(one.index)}}, engine.taken_at - since);
  }
}

template <std::optional<WallTime> SessionStatistics::* kSince>
void ages(Samples& samples, const EngineStatistics& engine) {
  for (const SessionStatistics& one : engine.sessions) {
    const WallTime since = (one.*kSince).value_or(engine.taken_at);
    samples.add({{"session", one.name}}, engine.taken_at - since);
  }
}

void turn_times(Samples& samples, const EngineStatistics& engine) {
  for (const LoopStatistics& one : engine.loops) {
    if (one.turned_at) samples.add({{"loop", std::to_string(one.index)}}, *one.turned_at);
  }
}

void standby_connected(Samples& samples, const EngineStatistics& engine) {
  if (engine.standby) samples.add({}, std::uint64_t{engine.standby->is_connected});
}

void standby_lag(Samples& samples, const EngineStatistics& engine) {
  if (engine.standby) samples.add({}, engine.standby->log_bytes - engine.standby->followed_bytes);
}

void cluster_owner(Samples& samples, const EngineStatistics& engine) {
  if (!engine.cluster) return;
  samples.add({{"node", engine.cluster->node}, {"shard", engine.cluster->shard}},
              std::uint64_t{engine.cluster->is_owner});
}

void cluster_token(Samples& samples, const EngineStatistics& engine) {
  if (engine.cluster) samples.add({}, engine.cluster->token);
}

void cluster_lease_age(Samples& samples, const EngineStatistics& engine) {
  if (!engine.cluster || !engine.cluster->renewed_at) return;
  samples.add({}, engine.taken_at - *engine.cluster->renewed_at);
}

void cluster_engines(Samples& samples, const EngineStatistics& engine) {
  if (!engine.cluster) return;
  for (const engine::ClusterStatistics::Engine& one : engine.cluster->engines) {
    samples.add({{"node", one.node}, {"state", to_string(one)}}, true);
  }
}

void lost_lines(Samples& samples, const EngineStatistics& engine) {
  samples.add({{"at", "queue"}}, engine.logs.lost_in_queue);
  samples.add({{"at", "disk"}}, engine.logs.lost_on_disk);
  samples.add({{"at", "screen"}}, engine.logs.lost_on_screen);
}

constexpr Metric kMetrics[] = {
    {{"nexusfix_start_time_seconds", Gauge, "seconds", "",
      "When the engine was opened, since 1970."},
     of_engine<[](const EngineStatistics& one) { return one.started; }>},
    {{"nexusfix_healthy", Gauge, "", "",
      "1: as /healthz answers; 0: an event loop is stuck, or has ended with its store."},
     of_engine<[](const EngineStatistics& one) { return check_health(one).is_ok(); }>},
    {{"nexusfix_ready", Gauge, "", "",
      "1: as /readyz answers; 0: a store has a problem, a session that should be logged on is not, "
      "the engine is a standby, or it stops."},
     of_engine<[](const EngineStatistics& one) { return check_readiness(one).is_ok(); }>},
    {{"nexusfix_stopping", Gauge, "", "", "1: a stop was requested."},
     of_engine<[](const EngineStatistics& one) { return one.is_stopping; }>},
    {{"nexusfix_standby", Gauge, "", "", "1: the engine waits for the log of another one."},
     of_engine<[](const EngineStatistics& one) { return one.standby.has_value(); }>},
    {{"nexusfix_standby_connected", Gauge, "", "",
      "1: the standby is connected to the database. Only of a standby."},
     standby_connected},
    {{"nexusfix_standby_lag_bytes", Gauge, "bytes", "",
      "The part of the log that the application of the standby does not have yet. 0: it has all, "
      "or wants no messages back. Only of a standby."},
     standby_lag},
    {{"nexusfix_cluster_owner", Gauge, "", "node,shard",
      "1: the engine serves the shard; 0: it waits for it. Only in a cluster."},
     cluster_owner},
    {{"nexusfix_cluster_fencing_token", Gauge, "", "",
      "The fencing token of the engine's lease of the shard. 0: it has none. Only in a cluster."},
     cluster_token},
    {{"nexusfix_cluster_lease_age_seconds", Gauge, "seconds", "",
      "Since etcd has confirmed the lease. Only in a cluster, and while there is a lease."},
     cluster_lease_age},
    {{"nexusfix_cluster_engine", Gauge, "", "node,state",
      "1: the state of an engine of the shard, as etcd has it: owner, ready, not ready, or "
      "refused. Only in "
      "a cluster."},
     cluster_engines},
    {{"nexusfix_sessions", Gauge, "sessions", "", "Sessions of the engine, logged on or not."},
     of_engine<[](const EngineStatistics& one) { return std::uint64_t{one.sessions.size()}; }>},
    {{"nexusfix_buffered_bytes", Gauge, "bytes", "",
      "Memory of the buffers of all sessions and connections; MaxBufferedBytes limits it."},
     of_engine<[](const EngineStatistics& one) { return one.buffered_bytes; }>},
    {{"nexusfix_log_lines_total", Counter, "lines", "", "Messages and events for the log files."},
     of_engine<[](const EngineStatistics& one) { return one.logs.taken; }>},
    {{"nexusfix_log_lines_lost_total", Counter, "lines", "at",
      "Messages and events that the log files do not have: the queue was full, or the disk or the "
      "screen did not take them."},
     lost_lines},

    {{"nexusfix_loop_running", Gauge, "", "loop", "1: run() or start() serves the event loop."},
     of_loops<[](const LoopStatistics& one) { return one.is_running; }>},
    {{"nexusfix_loop_turns_total", Counter, "turns", "loop", "Turns of the event loop."},
     of_loops<[](const LoopStatistics& one) { return one.turns; }>},
    {{"nexusfix_loop_last_turn_timestamp_seconds", Gauge, "seconds", "loop",
      "When its last turn began, of a spinning loop one of the last 17; since 1970."},
     turn_times},
    {{"nexusfix_loop_late_turns_total", Counter, "turns", "loop",
      "Turns that ran a timer more than 10 ms late."},
     of_loops<[](const LoopStatistics& one) { return one.late_turns; }>},
    {{"nexusfix_loop_connections", Gauge, "connections", "loop",
      "Open connections, with those that have not logged on."},
     of_loops<[](const LoopStatistics& one) { return one.connections; }>},
    {{"nexusfix_loop_connections_refused_total", Counter, "connections", "loop",
      "Connections that were closed without a session."},
     of_loops<[](const LoopStatistics& one) { return one.connections_refused; }>},
    {{"nexusfix_loop_messages_total", Counter, "messages", "loop,direction",
      "Messages of every type, resent ones included."},
     of_loops_by_direction<[](const LoopStatistics& one) { return one.messages_in; },
                           [](const LoopStatistics& one) { return one.messages_out; }>},
    {{"nexusfix_loop_message_bytes_total", Counter, "bytes", "loop,direction",
      "Bytes of these messages."},
     of_loops_by_direction<[](const LoopStatistics& one) { return one.bytes_in; },
                           [](const LoopStatistics& one) { return one.bytes_out; }>},
    {{"nexusfix_loop_garbled_total", Counter, "messages", "loop",
      "Received bytes that are no valid message."},
     of_loops<[](const LoopStatistics& one) { return one.garbled; }>},
    {{"nexusfix_loop_out_of_order_discarded_total", Counter, "messages", "loop",
      "Early messages that were never processed."},
     of_loops<[](const LoopStatistics& one) { return one.out_of_order_discarded; }>},
    {{"nexusfix_loop_posted_tasks_total", Counter, "tasks", "loop",
      "Tasks of remotes that it has run."},
     of_loops<[](const LoopStatistics& one) { return one.posted_tasks; }>},
    {{"nexusfix_loop_waiting_tasks", Gauge, "tasks", "loop",
      "Tasks of remotes that it had no time for when it last ran some."},
     of_loops<[](const LoopStatistics& one) { return one.waiting_tasks; }>},
    {{"nexusfix_loop_waiting_tasks_age_seconds", Gauge, "seconds", "loop",
      "How long some have waited. 0: none waits."},
     waiting_ages},
    {{"nexusfix_loop_wire_to_callback_seconds", Histogram, "seconds", "loop",
      "ReceiveTimestamps: from the time at which the kernel or the network card had a message to "
      "the "
      "call of on_message(), of one message in 17."},
     of_loops<[](const LoopStatistics& one) { return one.wire_to_callback; }>},
    {{"nexusfix_loop_receive_to_callback_seconds", Histogram, "seconds", "loop",
      "From the arrival of a message to the call of on_message(), of one message in 17."},
     of_loops<[](const LoopStatistics& one) { return one.receive_to_callback; }>},
    {{"nexusfix_loop_callback_to_sent_seconds", Histogram, "seconds", "loop",
      "From that call until the socket has taken the messages that it sent, likewise."},
     of_loops<[](const LoopStatistics& one) { return one.callback_to_sent; }>},
    {{"nexusfix_loop_receive_to_sent_seconds", Histogram, "seconds", "loop",
      "From the arrival of a message until the socket has taken the answers of on_message(), "
      "likewise."},
     of_loops<[](const LoopStatistics& one) { return one.receive_to_sent; }>},
    {{"nexusfix_loop_test_request_round_trip_seconds", Histogram, "seconds", "loop",
      "From our TestRequest to the Heartbeat that answers it."},
     of_loops<[](const LoopStatistics& one) { return one.test_request_round_trip; }>},

    {{"nexusfix_store_health", Gauge, "", "loop,health",
      "1 for the present state of the store: ok, full, stalled or failed."},
     store_states},
    {{"nexusfix_store_appended_bytes_total", Counter, "bytes", "loop",
      "Recorded since the store was opened."},
     of_loops<[](const LoopStatistics& one) { return one.store.appended_bytes; }>},
    {{"nexusfix_store_undurable_bytes", Gauge, "bytes", "loop",
      "Recorded and not durable yet, so that messages wait for it."},
     of_loops<[](const LoopStatistics& one) { return one.store.undurable_bytes; }>},
    {{"nexusfix_store_unsynced_bytes", Gauge, "bytes", "loop",
      "Recorded and not on the disk yet: a loss of power would lose it."},
     of_loops<[](const LoopStatistics& one) { return one.store.unsynced_bytes; }>},
    {{"nexusfix_store_unsynced_seconds", Gauge, "seconds", "loop",
      "For how long the oldest of these bytes have waited for the disk."},
     unsynced_ages},

    {{"nexusfix_session_logged_on", Gauge, "", "session", "1: both sides have sent a Logon."},
     of_sessions<[](const SessionStatistics& one) { return one.state == SessionState::LoggedOn; }>},
    {{"nexusfix_session_expected", Gauge, "", "session",
      "1: it should be logged on: an initiator whose schedule is open, and that was not logged out "
      "here."},
     of_sessions<[](const SessionStatistics& one) { return one.is_expected; }>},
    {{"nexusfix_session_state", Gauge, "", "session,role,loop,state",
      "1 for the present state, as `nexusfix ctl status` shows it."},
     session_states},
    {{"nexusfix_session_messages_total", Counter, "messages", "session,direction",
      "Messages of every type, resent ones included."},
     of_directions<[](const DirectionStatistics& one) { return one.messages; }>},
    {{"nexusfix_session_next_msg_seq_num", Gauge, "MsgSeqNum", "session,direction",
      "The next MsgSeqNum that we expect and that we send."},
     next_numbers},

    {{"nexusfix_session_state_since_timestamp_seconds", Gauge, "seconds", "session",
      "When its present state began, since 1970.", false},
     of_sessions<[](const SessionStatistics& one) { return one.since; }>},
    {{"nexusfix_session_last_message_timestamp_seconds", Gauge, "seconds", "session,direction",
      "When the last message was received and sent, since 1970.", false},
     last_messages},
    {{"nexusfix_session_message_bytes_total", Counter, "bytes", "session,direction",
      "Bytes of its messages.", false},
     of_directions<[](const DirectionStatistics& one) { return one.bytes; }>},
    {{"nexusfix_session_messages_by_type_total", Counter, "messages", "session,direction,msg_type",
      "Messages of one MsgType (35), without resent ones. other: types after the first 16.", false},
     messages_by_type},
    {{"nexusfix_session_rejects_total", Counter, "messages", "session,direction,kind,reason",
      "Reject (3, kind session) by SessionRejectReason, and BusinessMessageReject (j, kind "
      "business) by BusinessRejectReason.",
      false},
     rejects},
    {{"nexusfix_session_resend_requests_total", Counter, "messages", "session,direction",
      "ResendRequests.", false},
     of_directions<[](const DirectionStatistics& one) { return one.resend_requests; }>},
    {{"nexusfix_session_resent_messages_total", Counter, "messages", "session",
      "Messages and gap fills that were sent again.", false},
     of_sessions<[](const SessionStatistics& one) { return one.resent; }>},
    {{"nexusfix_session_gaps_total", Counter, "gaps", "session",
      "Times that received MsgSeqNums were missing.", false},
     of_sessions<[](const SessionStatistics& one) { return one.gaps; }>},
    {{"nexusfix_session_garbled_total", Counter, "messages", "session",
      "Received bytes that are no valid message.", false},
     of_sessions<[](const SessionStatistics& one) { return one.garbled; }>},
    {{"nexusfix_session_logons_total", Counter, "logons", "session", "Times that it has logged on.",
      false},
     of_sessions<[](const SessionStatistics& one) { return one.logons; }>},
    {{"nexusfix_session_logon_failures_total", Counter, "connections", "session",
      "Connections that ended, or were refused, before both sides had sent a Logon.", false},
     of_sessions<[](const SessionStatistics& one) { return one.logon_failures; }>},
    {{"nexusfix_session_connect_failures_total", Counter, "connections", "session",
      "Initiator: connections that could not be opened.", false},
     of_sessions<[](const SessionStatistics& one) { return one.connect_failures; }>},
    {{"nexusfix_session_disconnects_total", Counter, "connections", "session",
      "Ends of connections that were logged on, for any reason.", false},
     of_sessions<[](const SessionStatistics& one) { return one.disconnects; }>},
    {{"nexusfix_session_unsent_bytes", Gauge, "bytes", "session",
      "Bytes that wait for the counterparty to read.", false},
     of_sessions<[](const SessionStatistics& one) { return one.unsent_bytes; }>},
    {{"nexusfix_session_unsent_seconds", Gauge, "seconds", "session",
      "For how long bytes have waited without a pause.", false},
     ages<&SessionStatistics::unsent_since>},
    {{"nexusfix_session_queued_messages", Gauge, "messages", "session",
      "Messages that wait for OutboundMessages.", false},
     of_sessions<[](const SessionStatistics& one) { return one.queued_messages; }>},
    {{"nexusfix_session_queued_seconds", Gauge, "seconds", "session",
      "For how long the oldest of them has waited.", false},
     ages<&SessionStatistics::queued_since>},
};

}  // namespace

std::span<const Metric> metric_table() noexcept { return kMetrics; }

}  // namespace nexusfix::metrics
