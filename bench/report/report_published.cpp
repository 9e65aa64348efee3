#include "bench/report/report_published.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "base/api/escaped_text.hpp"
#include "bench/report/report_chart.hpp"

namespace nexusfix::bench {
namespace {

using enum PublishedMetric;

constexpr std::string_view kFix8 = "Fix8";
constexpr std::string_view kQuickFix = "QuickFIX";
constexpr std::string_view kNewOrderSingle = "parse/NewOrderSingle";
constexpr std::string_view kHeartbeat = "parse/Heartbeat";

constexpr std::array kPublished{
    // The comparison with Fix8 of 2026-01-26: one ExecutionReport of 210 bytes.
    PublishedFigure{kPublishedRow, P50, 1453, {}, 193, kFix8},
    PublishedFigure{kPublishedRow, P99, 2203, {}, 398, kFix8},
    PublishedFigure{kPublishedRow, Minimum, 1262, {}, 184, kFix8},
    PublishedFigure{kPublishedRow, P999, 3196, {}, 410, kFix8},
    PublishedFigure{kPublishedRow, Maximum, 14757, {}, 14577, kFix8},
    // Before and after an optimisation, of 2026-01-22: one message each.
    PublishedFigure{kPublishedRow, Minimum, {}, 242.58, 225.36},
    PublishedFigure{kPublishedRow, Mean, {}, 257.15, 241.74},
    PublishedFigure{kPublishedRow, P50, {}, 254.00, 239.70},
    PublishedFigure{kPublishedRow, P90, {}, 269.21, 251.70},
    PublishedFigure{kPublishedRow, P99, {}, 278.28, 254.63},
    PublishedFigure{kPublishedRow, Rate, {}, 3.89, 4.14},
    PublishedFigure{kHeartbeat, Minimum, {}, 197.52, 178.24},
    PublishedFigure{kHeartbeat, Mean, {}, 210.84, 195.82},
    PublishedFigure{kHeartbeat, P50, {}, 208.93, 194.34},
    PublishedFigure{kHeartbeat, P90, {}, 221.52, 201.36},
    PublishedFigure{kHeartbeat, P99, {}, 224.73, 207.80},
    PublishedFigure{kNewOrderSingle, Minimum, {}, 230.88, 216.87},
    PublishedFigure{kNewOrderSingle, Mean, {}, 248.16, 230.32},
    PublishedFigure{kNewOrderSingle, P50, {}, 246.97, 227.41},
    PublishedFigure{kNewOrderSingle, P90, {}, 252.83, 237.95},
    PublishedFigure{kNewOrderSingle, P99, {}, 294.09, 246.14},
    PublishedFigure{"frame", Minimum, {}, 44.19, 43.32},
    PublishedFigure{"frame", Mean, {}, 49.26, 45.44},
    PublishedFigure{"frame", P50, {}, 49.16, 45.07},
    PublishedFigure{"frame", P99, {}, 57.35, 47.41},
    PublishedFigure{"lookup", Minimum, {}, 9.07, 9.07},
    PublishedFigure{"lookup", Mean, {}, 10.24, 10.37},
    PublishedFigure{"lookup", P50, {}, 10.24, 10.54},
    PublishedFigure{"lookup", P99, {}, 10.83, 11.12},
    PublishedFigure{"checksum", Mean, {}, 9.51, 8.95},
    PublishedFigure{"integer", Mean, {}, 9.14, 9.10},
    PublishedFigure{"price/FixedPrice", Mean, {}, 9.13, 9.03},
    // Deferred work, of 2026-01-23.
    PublishedFigure{"deferred/inline", Mean, {}, {}, 75.9},
    PublishedFigure{"deferred/inline", P50, {}, {}, 75.6},
    PublishedFigure{"deferred/inline", P99, {}, {}, 76.7},
    PublishedFigure{"deferred/inline", P999, {}, {}, 77.3},
    PublishedFigure{"deferred/submit", P50, {}, {}, 12.3},
    PublishedFigure{"deferred/submit", P99, {}, {}, 20.7},
    PublishedFigure{"deferred/submit", P999, {}, {}, 34.8},
    PublishedFigure{"spsc/push", Mean, {}, {}, 10.9},
    PublishedFigure{"spsc/push", P50, {}, {}, 10.7},
    PublishedFigure{"spsc/push", P99, {}, {}, 16.7},
    // The steps of the optimisation, the first one as QuickFIX.
    PublishedFigure{"ladder/0", Mean, 730, {}, 730, kQuickFix},
    PublishedFigure{"ladder/1", Mean, {}, 730, 520},
    PublishedFigure{"ladder/2", Mean, {}, 520, 380},
    PublishedFigure{"ladder/3", Mean, {}, 380, 290},
    PublishedFigure{"ladder/4", Mean, {}, 290, 260},
    PublishedFigure{"ladder/5", Mean, {}, 260, 246},
};

struct Line {
  std::string_view row{};
  std::string_view metric{};
  std::string published_peer{};
  std::string before{};
  std::string first{};
  std::string ours{};
  std::string peers{};  // of this run
};

std::string text_of(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::vector<Line> lines_of(const Report& report) {
  std::vector<Line> lines;
  for (const PublishedFigure& figure : kPublished) {
    const auto row = std::ranges::find(report.rows, figure.row,
                                       [](const RowReport& one) { return one.spec.name; });
    if (row == report.rows.end()) continue;
    Line line{.row = figure.row,
              .metric = to_string(figure.metric),
              .before = text_of(figure.before),
              .first = short_number(figure.first),
              .ours = short_number(measured(*row, row->ours.figures, figure.metric))};
    if (figure.peer) {
      line.published_peer = fmt::format("{} {}", figure.peer_name, short_number(*figure.peer));
    }
    for (const Result& peer : row->peers) {
      if (!peer.is_external && peer.subject != kQuickFix) continue;
      line.peers += fmt::format("{}{} {}", line.peers.empty() ? "" : ", ", peer.subject,
                                short_number(measured(*row, peer.figures, figure.metric)));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string_view to_string(PublishedMetric metric) noexcept {
  switch (metric) {
    case Minimum:
      return "minimum";
    case Mean:
      return "mean";
    case P50:
      return "P50";
    case P90:
      return "P90";
    case P99:
      return "P99";
    case P999:
      return "P99.9";
    case Maximum:
      return "maximum";
    case Rate:
      break;
  }
  return "M/s";
}

std::span<const PublishedFigure> published_figures() noexcept { return kPublished; }

double measured(const RowReport& row, const Figures& figures, PublishedMetric metric) {
  constexpr double kNsPerSecond = 1e9;
  constexpr double kMillion = 1e6;
  constexpr double kP90 = 0.9;
  switch (metric) {
    case Minimum:
      return figures.min;
    case Mean:
      return figures.batch;
    case P50:
      return figures.p50;
    case P90:
      return figures.percentiles[static_cast<std::size_t>(
          std::ranges::find(kPercentileShares, kP90) - kPercentileShares.begin())];
    case P99:
      return figures.p99;
    case P999:
      return figures.p999;
    case Maximum:
      return figures.max;
    case Rate:
      break;
  }
  return is_rate(row.spec.unit) ? figures.batch : kNsPerSecond / figures.batch / kMillion;
}

std::string published_table(const Report& report) {
  const std::vector<Line> lines = lines_of(report);
  if (lines.empty()) return {};
  std::string text =
      fmt::format("\n{:<22}{:<9}{:>14}{:>9}{:>9}{:>10}  {}\n", "what was published", "ns",
                  "their peer", "before", "theirs", "this run", "peers of this run");
  for (const Line& line : lines) {
    text += fmt::format("{:<22}{:<9}{:>14}{:>9}{:>9}{:>10}{}{}\n", line.row, line.metric,
                        line.published_peer, line.before, line.first, line.ours,
                        line.peers.empty() ? "" : "  ", line.peers);
  }
  return text + "\n";
}

std::string published_html(const Report& report) {
  const std::vector<Line> lines = lines_of(report);
  if (lines.empty()) return {};
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th>row</th><th>metric</th><th>their peer</th>"
      "<th>before</th><th>theirs</th><th>this run</th><th>peers of this run</th></tr>\n";
  for (const Line& line : lines) {
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><b>{}</b></td>"
        "<td>{}</td></tr>\n",
        markup_text(line.row), line.metric, markup_text(line.published_peer), line.before,
        line.first, line.ours, markup_text(line.peers));
  }
  return text + "</table></div>\n";
}

}  // namespace nexusfix::bench
