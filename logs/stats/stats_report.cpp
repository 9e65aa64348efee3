#include "logs/stats/stats_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

using command::counted;
using command::duration_text;
using command::Json;
using command::with_thousands;

struct Percentile {
  std::string_view name;
  double share;
};
constexpr std::array kPercentiles{Percentile{"p50", 0.5}, Percentile{"p90", 0.9},
                                  Percentile{"p99", 0.99}, Percentile{"p999", 0.999}};

double seconds_between(const LogStatistics& statistics) {
  if (!statistics.first) return 0;
  return std::chrono::duration<double>(*statistics.last - *statistics.first).count();
}

std::string type_name(const command::FieldNames& names, const std::string& type) {
  return names.message_name(type).value_or(type.empty() ? "without MsgType" : "unknown");
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// A quantity is an integer in most logs.
std::string quantity_text(double quantity) {
  constexpr double kExactMax = 9e15;
  if (quantity == std::floor(quantity) && quantity <= kExactMax) {
    return with_thousands(static_cast<std::uint64_t>(quantity));
  }
  return fmt::format("{:.10g}", quantity);
}

std::string summary(const LogStatistics& statistics) {
  const double seconds = seconds_between(statistics);
  std::string text = fmt::format("{}, {} bytes", counted(statistics.messages, "message"),
                                 with_thousands(statistics.bytes));
  if (statistics.garbled > 0) {
    text += fmt::format(", {} without MsgType in its place", with_thousands(statistics.garbled));
  }
  if (statistics.first) {
    text +=
        fmt::format("\n{} to {} UTC", time_text(*statistics.first), time_text(*statistics.last));
    if (seconds > 0) {
      text += fmt::format(", {:.1f} messages a second",
                          static_cast<double>(statistics.messages) / seconds);
    }
    text += fmt::format("\nbusiest second: {} with {}",
                        utc_text(statistics.busiest_second, UtcForm::Plain),
                        counted(statistics.busiest_count, "message"));
  }
  return text + "\n";
}

// The number of rows to print.
std::size_t shown(std::size_t size, std::size_t rows_max) {
  return rows_max == 0 ? size : std::min(size, rows_max);
}

void append_rest(std::string& to, std::size_t size, std::size_t rows_max) {
  if (shown(size, rows_max) < size) {
    to += fmt::format("  ... and {} more: --all shows them\n",
                      with_thousands(size - shown(size, rows_max)));
  }
}

std::string types_table(const LogStatistics& statistics, const command::FieldNames& names,
                        std::size_t rows_max) {
  std::vector<std::pair<std::string, std::uint64_t>> types(statistics.by_type.begin(),
                                                           statistics.by_type.end());
  std::ranges::sort(types, [](const auto& left, const auto& right) {
    return std::tie(right.second, left.first) < std::tie(left.second, right.first);
  });
  std::string text = "\nMessages by type\n";
  for (std::size_t i = 0; i < shown(types.size(), rows_max); ++i) {
    const auto& [type, count] = types[i];
    text += fmt::format("  {:>14}  {:>7}  {} ({})\n", with_thousands(count),
                        share_text(count, statistics.messages), printable(type_name(names, type)),
                        printable(type));
  }
  append_rest(text, types.size(), rows_max);
  return text;
}

std::string flows_table(const LogStatistics& statistics, std::size_t rows_max) {
  const auto flows = statistics.flows();
  std::string text = "\nSessions, by direction\n";
  for (std::size_t i = 0; i < shown(flows.size(), rows_max); ++i) {
    const FlowStatistics& flow = *flows[i];
    text += fmt::format("  {:>14}  {} -> {}", with_thousands(flow.messages), printable(flow.sender),
                        printable(flow.target));
    const auto add = [&](std::uint64_t count, std::string_view one) {
      if (count > 0) text += fmt::format("  {}", counted(count, one));
    };
    add(flow.gaps, "gap");
    add(flow.missing, "missing number");
    add(flow.duplicates, "duplicate");
    add(flow.resends, "resend");
    add(flow.resets, "reset");
    if (flow.two_sequences) text += "  " + two_sequences_text(statistics, *flow.two_sequences);
    text += '\n';
  }
  append_rest(text, flows.size(), rows_max);
  return text;
}

std::string gaps_table(const LogStatistics& statistics, std::size_t rows_max) {
  std::string text;
  std::size_t size = 0;
  for (const FlowStatistics* const flow : statistics.flows()) {
    for (const GapStatistics& gap : flow->gap_list) {
      ++size;
      if (rows_max > 0 && size > rows_max) continue;
      text += fmt::format("  {:>14}  {} -> {}  {}\n", gap_range_text(gap), printable(flow->sender),
                          printable(flow->target), gap_text(statistics, gap));
    }
  }
  if (size == 0) return {};
  append_rest(text, size, rows_max);
  return "\nGaps of MsgSeqNum\n" + text;
}

std::string slowest_table(const LogStatistics& statistics) {
  const auto slowest = statistics.slowest();
  if (slowest.empty()) return {};
  std::string text = "\nSlowest answers\n";
  for (const SlowRequest* const one : slowest) {
    text += fmt::format("  {:>14}  {} {} of {} -> {}, {}", duration_text(one->latency),
                        request_name(one->type), printable(one->cl_ord_id), printable(one->sender),
                        printable(one->target), time_text(one->time));
    if (one->request) text += " at " + place_text(statistics, *one->request);
    text += fmt::format(", answered at {}\n", place_text(statistics, one->answer));
  }
  return text;
}

std::string timeline_text(const LogStatistics& statistics, std::size_t rows_max) {
  std::string text;
  for (const SessionTimeline& session : statistics.timeline().sessions()) {
    if (session.entries.empty()) continue;
    text += fmt::format("\nTime line of {} and {}\n", printable(session.left),
                        printable(session.right));
    for (std::size_t i = 0; i < shown(session.entries.size(), rows_max); ++i) {
      const TimelineEntry& entry = session.entries[i];
      text += fmt::format("  {}  {}\n", time_text(entry.time), printable(entry_text(entry)));
    }
    append_rest(text, session.entries.size(), rows_max);
    text += fmt::format("  {}  {}\n", time_text(*session.last), end_text(session));
  }
  return text;
}

std::string orders_table(const LogStatistics& statistics) {
  const OrderStatistics& orders = statistics.orders;
  if (orders.orders + orders.cancels + orders.replaces + orders.fills == 0) return {};
  std::string text = "\nOrders\n";
  const auto row = [&](std::string_view name, std::uint64_t count, std::string_view share) {
    text += fmt::format("  {:>14}  {}{}{}\n", with_thousands(count), name,
                        share.empty() ? "" : ", ", share);
  };
  row("new orders", orders.orders, "");
  const auto end_row = [&](std::string_view name, std::uint64_t count) {
    const std::uint64_t ended = orders.ended();
    row(name, count, ended == 0 ? "" : share_text(count, ended) + " of the orders that ended");
  };
  end_row("filled", orders.filled);
  end_row("canceled", orders.canceled);
  end_row("rejected", orders.rejected);
  end_row("expired", orders.expired);
  row("fills", orders.fills, "");
  row("cancel requests", orders.cancels, "");
  row("replace requests", orders.replaces, "");
  row("requests without a report", orders.unanswered, "");
  return text + (orders.ended_quantity > 0 ? "  " + fill_text(orders) + "\n" : "");
}

std::string latency_text(std::string_view title, const LatencyHistogram& latency) {
  if (latency.count() == 0 && latency.negative() == 0) return {};
  const std::string remark = latency_remark(latency);
  if (latency.count() == 0) return fmt::format("\n{}, {}\n", title, remark);
  std::string text = fmt::format("\n{}, {}\n ", title, counted(latency.count(), "time"));
  for (const Percentile& percentile : kPercentiles) {
    text += fmt::format(" {} {} ", percentile.name,
                        latency_value_text(latency.percentile(percentile.share)));
  }
  text += fmt::format(" max {}\n", latency_value_text(latency.max()));
  return remark.empty() ? text : fmt::format("{}  {}\n", text, remark);
}

std::string rejects_table(const LogStatistics& statistics, const command::FieldNames& names,
                          std::size_t rows_max) {
  const auto rejects = statistics.rejects();
  if (rejects.empty()) return {};
  std::string text = "\nRejects\n";
  for (std::size_t i = 0; i < shown(rejects.size(), rows_max); ++i) {
    const RejectStatistics& reject = *rejects[i];
    text += fmt::format("  {:>14}  {}", with_thousands(reject.count), reject.kind);
    if (!reject.reason.empty()) text += ", reason " + printable(reason_text(reject, names));
    if (!reject.text.empty()) text += fmt::format(": {}", printable(reject.text));
    text += fmt::format("\n{:>18}first at {}", "", place_text(statistics, reject.place));
    if (!reject.first_id.empty()) text += fmt::format(", of {}", printable(reject.first_id));
    if (reject.rejected) text += " at " + place_text(statistics, *reject.rejected);
    text += '\n';
  }
  append_rest(text, rejects.size(), rows_max);
  return text;
}

Json optional_time(const std::optional<WallTime>& time) {
  return time ? Json{time_text(*time)} : Json{};
}

Json place_json(const LogStatistics& statistics, const std::optional<MessagePlace>& place) {
  if (!place) return {};
  return Json::object({{"file", statistics.paths()[place->file]}, {"offset", place->offset}});
}

Json flow_json(const LogStatistics& statistics, const FlowStatistics& flow) {
  Json types = Json::object();
  for (const auto& [type, count] : flow.by_type) types.set(type, count);
  Json json = Json::object({{"sender", flow.sender},
                            {"target", flow.target},
                            {"messages", flow.messages},
                            {"bytes", flow.bytes},
                            {"gaps", flow.gaps},
                            {"missing", flow.missing},
                            {"duplicates", flow.duplicates},
                            {"resends", flow.resends},
                            {"resets", flow.resets}});
  json.set("gap_list", Json::array(flow.gap_list, [&](const GapStatistics& gap) {
             return Json::object({{"first", gap.first},
                                  {"last", gap.last},
                                  {"missing", gap.missing},
                                  {"time", optional_time(gap.time)},
                                  {"closed", optional_time(gap.closed)},
                                  {"before", place_json(statistics, gap.place)}});
           }));
  json.set("two_programs", place_json(statistics, flow.two_sequences));
  json.set("types", std::move(types));
  return json;
}

// Null: no message has a time.
Json busiest_json(const LogStatistics& statistics) {
  if (statistics.busiest_count == 0) return {};
  return Json::object({{"time", utc_text(statistics.busiest_second, UtcForm::Plain)},
                       {"messages", statistics.busiest_count}});
}

Json reject_json(const LogStatistics& statistics, const RejectStatistics& reject,
                 const command::FieldNames& names) {
  return Json::object({{"kind", reject.kind},
                       {"reason", reject.reason},
                       {"reason_name", names.value_name(reject.reason_tag, reject.reason)},
                       {"text", reject.text},
                       {"count", reject.count},
                       {"first_id", reject.first_id},
                       {"first", place_json(statistics, reject.place)},
                       {"rejected", place_json(statistics, reject.rejected)}});
}

Json orders_json(const OrderStatistics& orders) {
  return Json::object({{"new", orders.orders},
                       {"cancel_requests", orders.cancels},
                       {"replace_requests", orders.replaces},
                       {"filled", orders.filled},
                       {"canceled", orders.canceled},
                       {"rejected", orders.rejected},
                       {"expired", orders.expired},
                       {"fills", orders.fills},
                       {"unanswered", orders.unanswered},
                       {"ordered_quantity", orders.ordered_quantity},
                       {"filled_quantity", orders.filled_quantity},
                       {"ended_quantity", orders.ended_quantity},
                       {"ended_filled_quantity", orders.ended_filled_quantity}});
}

Json latency_json(const LatencyHistogram& latency) {
  Json json = Json::object({{"count", latency.count()},
                            {"same_stamp", latency.zeros()},
                            {"negative", latency.negative()}});
  if (latency.count() == 0) return json;
  // Null: as short as the clock of the log can show.
  const auto known = [](std::chrono::nanoseconds time) {
    return time.count() == 0 ? Json{} : Json{time.count()};
  };
  for (const Percentile& percentile : kPercentiles) {
    json.set(fmt::format("{}_ns", percentile.name), known(latency.percentile(percentile.share)));
  }
  json.set("max_ns", known(latency.max()));
  return json;
}

Json slow_json(const LogStatistics& statistics, const SlowRequest& one) {
  return Json::object({{"latency_ns", one.latency.count()},
                       {"type", one.type},
                       {"cl_ord_id", one.cl_ord_id},
                       {"sender", one.sender},
                       {"target", one.target},
                       {"time", time_text(one.time)},
                       {"request", place_json(statistics, one.request)},
                       {"answer", place_json(statistics, one.answer)}});
}

Json timeline_json(const SessionTimeline& session) {
  Json json = Json::object({{"left", session.left},
                            {"right", session.right},
                            {"first", optional_time(session.first)},
                            {"last", optional_time(session.last)},
                            {"is_on", session.is_on},
                            {"left_out", session.left_out}});
  json.set("entries", Json::array(session.entries, [](const TimelineEntry& entry) {
             return Json::object({{"time", time_text(entry.time)},
                                  {"what", entry_name(entry.kind)},
                                  {"sender", entry.sender},
                                  {"first", entry.first},
                                  {"last", entry.last},
                                  {"count", entry.count},
                                  {"duration_ns", entry.duration.count()},
                                  {"text", entry_text(entry)}});
           }));
  return json;
}

}  // namespace

std::string time_text(WallTime time) {
  constexpr unsigned kMilliseconds = 3;
  std::string text;
  append_utc(text, time, UtcForm::Plain, kMilliseconds);
  return text;
}

std::string gap_range_text(const GapStatistics& gap) {
  return gap.first == gap.last
             ? with_thousands(gap.first)
             : fmt::format("{} to {}", with_thousands(gap.first), with_thousands(gap.last));
}

std::string gap_text(const LogStatistics& statistics, const GapStatistics& gap) {
  std::string text = "before " + place_text(statistics, gap.place);
  if (gap.time) text += " at " + time_text(*gap.time);
  if (gap.missing > 0) return text + fmt::format(", {} never came", with_thousands(gap.missing));
  return text + (gap.closed ? ", all came by " + time_text(*gap.closed) : ", all came");
}

std::string two_sequences_text(const LogStatistics& statistics, MessagePlace place) {
  return "two programs with this identity? Two sequences of numbers take turns, certain at " +
         place_text(statistics, place);
}

std::string_view request_name(std::string_view type) {
  return type == "D" ? "order" : type == "F" ? "cancel" : "replace";
}

std::string latency_value_text(std::chrono::nanoseconds time) {
  return time.count() == 0 ? "same stamp" : duration_text(time);
}

std::string latency_remark(const LatencyHistogram& latency) {
  std::string text;
  if (latency.zeros() > 0) {
    text = fmt::format(
        "{} of {} have the stamp of their request: within one turn of an event loop, or one tick "
        "of the log's clock",
        with_thousands(latency.zeros()), with_thousands(latency.count()));
  }
  if (latency.negative() > 0) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} before their request are left out: two clocks, or one set back",
                        with_thousands(latency.negative()));
  }
  return text;
}

std::string end_text(const SessionTimeline& session) {
  std::string text = session.is_on ? "last message; the session is logged on" : "last message";
  if (session.left_out > 0) {
    text += fmt::format("; {} more entries are left out", with_thousands(session.left_out));
  }
  return text;
}

std::string reason_text(const RejectStatistics& reject, const command::FieldNames& names) {
  const auto name = names.value_name(reject.reason_tag, reject.reason);
  return name ? fmt::format("{} ({})", reject.reason, *name) : reject.reason;
}

std::string fill_text(const OrderStatistics& orders) {
  return fmt::format("{:>14}  filled of the quantity {} of the orders that ended, {:.1f} %",
                     quantity_text(orders.ended_filled_quantity),
                     quantity_text(orders.ended_quantity),
                     100 * orders.ended_filled_quantity / orders.ended_quantity);
}

std::string place_text(const LogStatistics& statistics, MessagePlace place) {
  std::string byte = "byte " + with_thousands(place.offset);
  if (statistics.paths().size() < 2) return byte;
  return fmt::format("{} of {}", byte, printable(statistics.paths()[place.file]));
}

std::string statistics_text(const LogStatistics& statistics, const command::FieldNames& names,
                            std::size_t rows_max) {
  return summary(statistics) + types_table(statistics, names, rows_max) +
         flows_table(statistics, rows_max) + gaps_table(statistics, rows_max) +
         orders_table(statistics) +
         latency_text("From a new order to its first report",
                      statistics.latencies.order_to_report) +
         latency_text("From a cancel or replace request to its answer",
                      statistics.latencies.request_to_ack) +
         slowest_table(statistics) + rejects_table(statistics, names, rows_max) +
         timeline_text(statistics, rows_max);
}

std::string statistics_json(const LogStatistics& statistics, const command::FieldNames& names) {
  Json json = Json::object({{"messages", statistics.messages},
                            {"bytes", statistics.bytes},
                            {"garbled", statistics.garbled},
                            {"first", optional_time(statistics.first)},
                            {"last", optional_time(statistics.last)}});
  json.set("busiest_second", busiest_json(statistics));
  Json types = Json::array();
  for (const auto& [type, count] : statistics.by_type) {
    types.push_back(
        Json::object({{"type", type}, {"name", names.message_name(type)}, {"messages", count}}));
  }
  json.set("types", std::move(types));
  json.set("sessions", Json::array(statistics.flows(), [&](const FlowStatistics* flow) {
             return flow_json(statistics, *flow);
           }));
  json.set("orders", orders_json(statistics.orders));
  json.set("order_to_first_report", latency_json(statistics.latencies.order_to_report));
  json.set("request_to_ack", latency_json(statistics.latencies.request_to_ack));
  json.set("slowest", Json::array(statistics.slowest(), [&](const SlowRequest* one) {
             return slow_json(statistics, *one);
           }));
  json.set("time_lines", Json::array(statistics.timeline().sessions(), timeline_json));
  json.set("rejects", Json::array(statistics.rejects(), [&](const RejectStatistics* reject) {
             return reject_json(statistics, *reject, names);
           }));
  json.set("unlisted_rejects", statistics.unlisted_rejects());
  json.set("forgotten_requests", statistics.forgotten_requests());
  return json.document();
}

}  // namespace nexusfix::logs
