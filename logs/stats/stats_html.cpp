#include "logs/stats/stats_html.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "base/api/utc_text.hpp"
#include "logs/stats/stats_report.hpp"
#include "logs/stats/svg_chart.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

using command::counted;
using command::duration_text;
using command::with_thousands;

constexpr std::size_t kRowsMax = 100;
constexpr std::size_t kBarsMax = 20;
constexpr std::size_t kStripFaultsMax = 1000;

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #fff; --line: #d0d7de;
  --bar: #0969da; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9198a1; --back: #0d1117; --line: #3d444d; --bar: #4493f8; }
}
body { color: var(--text); background: var(--back); font: 15px/1.5 system-ui, sans-serif;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
p { color: var(--soft); }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; } .n { text-align: right;
  font-variant-numeric: tabular-nums; }
svg { width: 100%; max-width: 45rem; } svg text { fill: var(--text); font-size: 12px; }
svg rect { fill: var(--bar); } svg .strip { fill: var(--line); } svg .fault { fill: #cf222e; }
</style>
)";

class Page {
 public:
  Page(const LogStatistics& statistics, const command::FieldNames& names, std::string_view title)
      : statistics_{statistics}, names_{names} {
    const std::string shown = html_text(title);
    text_ = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>Statistics of {0}</title>\n{1}</head>\n<body>\n<h1>Statistics of {0}</h1>\n",
        shown, kStyle);
  }

  std::string finish() {
    add_summary();
    add_rates();
    add_types();
    add_sessions();
    add_gaps();
    add_orders();
    add_latency("From a new order to its first report", statistics_.latencies.order_to_report);
    add_latency("From a cancel or replace request to its answer",
                statistics_.latencies.request_to_ack);
    add_slowest();
    add_rejects();
    add_timelines();
    return text_ + "</body>\n</html>\n";
  }

 private:
  void heading(std::string_view text) { text_ += fmt::format("<h2>{}</h2>\n", text); }
  void paragraph(std::string_view text) { text_ += fmt::format("<p>{}</p>\n", html_text(text)); }

  // The names of columns. One that begins with # has numbers.
  void begin_table(std::initializer_list<std::string_view> names) {
    text_ += "<table>\n<tr>";
    for (const std::string_view name : names) {
      const bool is_number = name.starts_with('#');
      text_ += fmt::format("<th{}>{}</th>", is_number ? " class=\"n\"" : "",
                           is_number ? name.substr(1) : name);
    }
    text_ += "</tr>\n";
  }
  void cell(std::string_view text) { text_ += fmt::format("<td>{}</td>", html_text(text)); }
  void cell(std::uint64_t number) {
    text_ += fmt::format("<td class=\"n\">{}</td>", with_thousands(number));
  }
  template <class... Cells>
  void row(const Cells&... cells) {
    text_ += "<tr>";
    (cell(cells), ...);
    text_ += "</tr>\n";
  }
  void end_table(std::size_t rows) {
    text_ += "</table>\n";
    if (rows > kRowsMax) {
      paragraph(fmt::format("{} more rows: nexusfix stats --all prints them",
                            with_thousands(rows - kRowsMax)));
    }
  }

  void add_summary() {
    std::string text = fmt::format("{}, {} bytes", counted(statistics_.messages, "message"),
                                   with_thousands(statistics_.bytes));
    if (statistics_.first) {
      text += ", ";
      append_utc(text, *statistics_.first, UtcForm::Plain, 3);
      text += " to ";
      append_utc(text, *statistics_.last, UtcForm::Plain, 3);
      text += fmt::format(" UTC; busiest second: {} with {}",
                          utc_text(statistics_.busiest_second, UtcForm::Plain),
                          counted(statistics_.busiest_count, "message"));
    }
    paragraph(text);
  }

  // At most kColumnsMax columns; each is a number of seconds.
  void add_rates() {
    constexpr std::int64_t kColumnsMax = 240;
    const auto& seconds = statistics_.by_second();
    if (seconds.empty()) return;
    std::int64_t first = seconds.begin()->first;
    std::int64_t last = first;
    for (const auto& [second, count] : seconds) {
      first = std::min(first, second);
      last = std::max(last, second);
    }
    const std::int64_t width = (last - first) / kColumnsMax + 1;
    std::vector<std::uint64_t> counts(static_cast<std::size_t>((last - first) / width) + 1);
    for (const auto& [second, count] : seconds) {
      counts[static_cast<std::size_t>((second - first) / width)] += count;
    }
    const auto time_of = [](std::int64_t second) {
      return utc_text(std::chrono::sys_seconds{std::chrono::seconds{second}}, UtcForm::Plain);
    };
    std::vector<ChartColumn> columns;
    columns.reserve(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      columns.push_back(
          {fmt::format("{}: {}", time_of(first + static_cast<std::int64_t>(i) * width),
                       counted(counts[i], "message")),
           static_cast<double>(counts[i])});
    }
    heading("Messages over time");
    text_ +=
        column_chart(columns, time_of(first), time_of(last),
                     fmt::format("at most {} in {}", counted(std::ranges::max(counts), "message"),
                                 counted(static_cast<std::uint64_t>(width), "second")));
  }

  void add_types() {
    std::vector<std::pair<std::string, std::uint64_t>> types(statistics_.by_type.begin(),
                                                             statistics_.by_type.end());
    // The most frequent first; equal counts in the order of their names.
    std::ranges::sort(types, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::vector<ChartBar> bars;
    for (const auto& [type, count] : types) {
      if (bars.size() == kBarsMax) break;
      bars.push_back({fmt::format("{} ({})", names_.message_name(type).value_or("unknown"), type),
                      with_thousands(count), static_cast<double>(count)});
    }
    if (bars.empty()) return;
    heading("Messages by type");
    text_ += bar_chart(bars);
  }

  void add_sessions() {
    const auto flows = statistics_.flows();
    if (flows.empty()) return;
    heading("Sessions, by direction");
    begin_table({"sender", "target", "#messages", "#gaps", "#missing", "#duplicates", "#resends",
                 "#resets"});
    for (std::size_t i = 0; i < std::min(flows.size(), kRowsMax); ++i) {
      const FlowStatistics& flow = *flows[i];
      row(flow.sender, flow.target, flow.messages, flow.gaps, flow.missing, flow.duplicates,
          flow.resends, flow.resets);
    }
    end_table(flows.size());
    for (const FlowStatistics* const flow : flows) {
      if (!flow->two_sequences) continue;
      paragraph(fmt::format("{} -> {}: {}", flow->sender, flow->target,
                            two_sequences_text(statistics_, *flow->two_sequences)));
    }
  }

  void add_gaps() {
    std::size_t rows = 0;
    for (const FlowStatistics* const flow : statistics_.flows()) {
      for (const GapStatistics& gap : flow->gap_list) {
        if (rows++ == 0) {
          heading("Gaps of MsgSeqNum");
          begin_table({"sender", "target", "#numbers", "what happened"});
        }
        if (rows > kRowsMax) continue;
        row(flow->sender, flow->target, gap_range_text(gap), gap_text(statistics_, gap));
      }
    }
    if (rows > 0) end_table(rows);
  }

  void add_slowest() {
    const auto slowest = statistics_.slowest();
    if (slowest.empty()) return;
    heading("Slowest answers");
    begin_table({"#latency", "request", "ClOrdID", "sender", "target", "time", "answered at"});
    for (const SlowRequest* const one : slowest) {
      row(duration_text(one->latency), request_name(one->type), one->cl_ord_id, one->sender,
          one->target, time_text(one->time), place_text(statistics_, one->answer));
    }
    end_table(slowest.size());
  }

  // A strip of the whole time, and a table of what happened.
  void add_timelines() {
    for (const SessionTimeline& session : statistics_.timeline().sessions()) {
      if (session.entries.empty()) continue;
      heading(html_text(fmt::format("Time line of {} and {}", session.left, session.right)));
      text_ += time_strip(strip_of(session), time_text(*session.first), time_text(*session.last));
      begin_table({"time", "what happened"});
      for (std::size_t i = 0; i < std::min(session.entries.size(), kRowsMax); ++i) {
        row(time_text(session.entries[i].time), entry_text(session.entries[i]));
      }
      row(time_text(*session.last), end_text(session));
      end_table(session.entries.size());
    }
  }

  // When the session was logged on, and the faults of that time.
  static std::vector<StripPart> strip_of(const SessionTimeline& session) {
    using Kind = TimelineEntry::Kind;
    const double whole =
        std::max(1.0, static_cast<double>((*session.last - *session.first).count()));
    const auto share = [&](WallTime time) {
      return static_cast<double>((time - *session.first).count()) / whole;
    };
    std::vector<StripPart> on;
    std::vector<StripPart> faults;
    std::optional<WallTime> since;
    const auto end = [&](WallTime time) {
      if (since)
        on.push_back({"logged on since " + time_text(*since), share(*since), share(time), false});
      since.reset();
    };
    for (const TimelineEntry& entry : session.entries) {
      if (entry.kind == Kind::LoggedOn) since = entry.time;
      if (entry.kind == Kind::Off || entry.kind == Kind::Lost) end(entry.time);
      const bool is_fault = entry.kind == Kind::Gap || entry.kind == Kind::Silent ||
                            entry.kind == Kind::Lost || entry.kind == Kind::Refused ||
                            entry.kind == Kind::ResendRequest || entry.kind == Kind::Reject;
      if (!is_fault || faults.size() >= kStripFaultsMax) continue;
      const bool has_duration = entry.kind == Kind::Silent || entry.kind == Kind::Lost;
      const WallTime until = has_duration ? entry.time + entry.duration : entry.time;
      faults.push_back({fmt::format("{} {}", time_text(entry.time), entry_text(entry)),
                        share(entry.time), std::min(1.0, share(until)), true});
    }
    end(*session.last);
    on.insert(on.end(), faults.begin(), faults.end());
    return on;
  }

  void add_orders() {
    const OrderStatistics& orders = statistics_.orders;
    std::vector<ChartBar> bars;
    const auto add = [&](std::string_view name, std::uint64_t count) {
      bars.push_back({std::string{name}, with_thousands(count), static_cast<double>(count)});
    };
    if (orders.orders + orders.cancels + orders.replaces + orders.fills == 0) return;
    add("new orders", orders.orders);
    add("filled", orders.filled);
    add("canceled", orders.canceled);
    add("rejected", orders.rejected);
    add("expired", orders.expired);
    add("fills", orders.fills);
    add("cancel requests", orders.cancels);
    add("replace requests", orders.replaces);
    add("requests without a report", orders.unanswered);
    heading("Orders");
    text_ += bar_chart(bars);
    if (orders.ended_quantity > 0) paragraph(fill_text(orders));
  }

  void add_latency(std::string_view title, const LatencyHistogram& latency) {
    const std::string remark = latency_remark(latency);
    if (latency.count() == 0) return;
    std::vector<ChartBar> bars;
    for (const double share : {0.5, 0.9, 0.99, 0.999}) {
      const auto time = latency.percentile(share);
      bars.push_back({fmt::format("{:g} % within", share * 100), latency_value_text(time),
                      static_cast<double>(time.count())});
    }
    bars.push_back(
        {"longest", latency_value_text(latency.max()), static_cast<double>(latency.max().count())});
    heading(title);
    paragraph(counted(latency.count(), "time") + (remark.empty() ? "" : "; " + remark));
    text_ += bar_chart(bars);
  }

  void add_rejects() {
    const auto rejects = statistics_.rejects();
    if (rejects.empty()) return;
    heading("Rejects");
    begin_table({"#count", "kind", "reason", "text", "first of", "first at"});
    for (std::size_t i = 0; i < std::min(rejects.size(), kRowsMax); ++i) {
      const RejectStatistics& reject = *rejects[i];
      row(reject.count, reject.kind, reason_text(reject, names_), reject.text, reject.first_id,
          place_text(statistics_, reject.place));
    }
    end_table(rejects.size());
  }

  const LogStatistics& statistics_;
  const command::FieldNames& names_;
  std::string text_;
};

}  // namespace

std::string statistics_html(const LogStatistics& statistics, const command::FieldNames& names,
                            std::string_view title) {
  return Page{statistics, names, title}.finish();
}

}  // namespace nexusfix::logs
