#include "bench/report/report_chart.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/api/escaped_text.hpp"

namespace nexusfix::bench {
namespace {

constexpr int kLabelColumns = 290;  // in pixels, as all sizes below
constexpr int kPlotColumns = 480;
constexpr int kTextColumns = 150;
constexpr int kBarRows = 15;
constexpr int kGapRows = 9;
constexpr int kAxisRows = 24;

// A power of ten of nanoseconds, in a fitting unit.
std::string decade_text(double ns) {
  if (ns < 1e3) return fmt::format("{:g} ns", ns);
  if (ns < 1e6) return fmt::format("{:g} µs", ns / 1e3);
  return fmt::format("{:g} ms", ns / 1e6);
}

// Converts a value to a place on the plot, with decades of equal width.
class Scale {
 public:
  Scale(double least, double most)
      : low_{std::floor(std::log10(std::max(least, kLeast)))},
        high_{std::max(std::ceil(std::log10(std::max(most, kLeast))), low_ + 1)} {}

  [[nodiscard]] double place(double value) const {
    const double share = (std::log10(std::max(value, kLeast)) - low_) / (high_ - low_);
    return kLabelColumns + std::clamp(share, 0.0, 1.0) * kPlotColumns;
  }
  // A line and a number at each decade.
  [[nodiscard]] std::string grid(int height) const {
    std::string text;
    for (double decade = low_; decade <= high_; ++decade) {
      const double value = std::pow(10.0, decade);
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"/>"
          "<text class=\"axis\" x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n",
          place(value), height - kAxisRows, height - kAxisRows / 3, decade_text(value));
    }
    return text;
  }

 private:
  static constexpr double kLeast = 0.01;

  double low_;
  double high_;
};

Scale scale_of(const std::vector<BarGroup>& groups) {
  double least = 1e12;
  double most = 0;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      // A bar begins at the decade below the smallest value, so that it is visible.
      least = std::min(least, bar.value * 0.9);
      most = std::max(most, bar.value);
    }
    if (group.mark) most = std::max(most, *group.mark);
  }
  return {least, most};
}

std::string label_text(const std::string& label, double y) {
  return fmt::format("<text class=\"label\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                     kLabelColumns - 10, y, markup_text(label));
}

std::string class_of(std::string_view subject) {
  return subject == "QuickFIX" ? "quickfix" : subject == "NexusFIX hardened" ? "ours" : "reference";
}

Bar peer_bar(const RowReport& row, const Result& peer) {
  return {class_of(peer.subject), peer.figures.batch,
          fmt::format("{} ({} ×)", short_number(peer.figures.batch),
                      short_number(times_faster(row, peer)))};
}

Bar own_bar(const RowReport& row) {
  return {"ours", row.ours.figures.batch, short_number(row.ours.figures.batch)};
}

}  // namespace

std::string short_number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

Chart bar_chart(const std::vector<BarGroup>& groups) {
  std::size_t bars = 0;
  for (const BarGroup& group : groups) bars += group.bars.size();
  Chart chart;
  chart.width = kLabelColumns + kPlotColumns + kTextColumns;
  chart.height =
      static_cast<int>(bars) * kBarRows + static_cast<int>(groups.size()) * kGapRows + kAxisRows;
  const Scale scale = scale_of(groups);
  chart.elements = scale.grid(chart.height);
  int y = kGapRows / 2;
  for (const BarGroup& group : groups) {
    const int height = static_cast<int>(group.bars.size()) * kBarRows;
    chart.elements += label_text(group.label, y + height / 2.0 + 4);
    if (group.mark) {
      const double x = scale.place(*group.mark);
      chart.elements += fmt::format(
          "<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x, y - 2,
          y + height + 2);
    }
    for (std::size_t i = 0; i < group.bars.size(); ++i) {
      const Bar& bar = group.bars[i];
      const double top = y + static_cast<double>(i) * kBarRows;
      const double end = scale.place(bar.value);
      chart.elements += fmt::format(
          "<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>"
          "<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          bar.kind, kLabelColumns, top + 1, end - kLabelColumns, kBarRows - 2, end + 5,
          top + kBarRows - 4, markup_text(bar.text));
    }
    y += height + kGapRows;
  }
  return chart;
}

std::vector<BarGroup> peer_groups(const Report& report) {
  std::vector<BarGroup> groups;
  for (const RowReport& row : report.rows) {
    if (row.peers.empty() || !is_nanoseconds(row.spec.unit)) continue;
    BarGroup group{row.spec.name, {}, row.spec.published};
    group.bars.push_back(own_bar(row));
    for (const Result& peer : row.peers) group.bars.push_back(peer_bar(row, peer));
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<BarGroup> own_groups(const Report& report, std::string_view begin) {
  std::vector<BarGroup> groups;
  for (const RowReport& row : report.rows) {
    if (!row.spec.name.starts_with(begin)) continue;
    const double value = row.ours.figures.batch;
    const std::string text = row.spec.published
                                 ? fmt::format("{} (published {})", short_number(value),
                                               short_number(*row.spec.published))
                                 : short_number(value);
    const std::string label = begin == "ladder/"
                                  ? fmt::format("{}. {}", row.spec.name.back(), row.spec.purpose)
                                  : row.spec.name;
    groups.push_back({label, {{"ours", value, text}}, row.spec.published});
  }
  return groups;
}

Chart tail_chart(const Report& report) {
  std::vector<BarGroup> groups;
  for (const RowReport& row : report.rows) {
    if (!is_nanoseconds(row.spec.unit) || row.spec.name.starts_with("ladder/")) continue;
    const Figures& f = row.ours.figures;
    groups.push_back({row.spec.name, {{"ours", f.p50, ""}, {"", f.p999, ""}}, {}});
  }
  const Scale scale = scale_of(groups);
  Chart chart{.elements = {},
              .width = kLabelColumns + kPlotColumns + kTextColumns,
              .height = static_cast<int>(groups.size()) * (kBarRows + 4) + kAxisRows};
  chart.elements = scale.grid(chart.height);
  int y = 0;
  for (const RowReport& row : report.rows) {
    if (!is_nanoseconds(row.spec.unit) || row.spec.name.starts_with("ladder/")) continue;
    const Figures& f = row.ours.figures;
    const double middle = y + (kBarRows + 4) / 2.0;
    chart.elements += label_text(row.spec.name, middle + 4);
    chart.elements += fmt::format(
        "<line class=\"range\" x1=\"{0:.1f}\" x2=\"{2:.1f}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>"
        "<circle class=\"ours\" cx=\"{0:.1f}\" cy=\"{3:.1f}\" r=\"4\"/>"
        "<line class=\"p99\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{4:.1f}\" y2=\"{5:.1f}\"/>"
        "<text class=\"value\" x=\"{6:.1f}\" y=\"{7:.1f}\">{8}</text>\n",
        scale.place(f.p50), scale.place(f.p99), scale.place(f.p999), middle, middle - 5, middle + 5,
        scale.place(f.p999) + 6, middle + 4,
        fmt::format("{} / {} / {}", short_number(f.p50), short_number(f.p99),
                    short_number(f.p999)));
    y += kBarRows + 4;
  }
  return chart;
}

std::string_view chart_style() noexcept {
  return "svg{font:12px system-ui,-apple-system,'Segoe UI',sans-serif}"
         ".label,.value,.title{fill:#1c2530}.axis,.note{fill:#66727f}"
         ".title{font-size:16px;font-weight:600}"
         ".ours{fill:#0a7d8c}.quickfix{fill:#8a95a1}.reference{fill:#c3cad1}"
         ".grid{stroke:#e3e7eb;stroke-width:1}"
         ".mark{stroke:#d9480f;stroke-width:2}.range{stroke:#0a7d8c;stroke-width:2;opacity:.45}"
         ".p99{stroke:#0a7d8c;stroke-width:2}"
         "@media(prefers-color-scheme:dark){.page{fill:#14191e}"
         ".label,.value,.title{fill:#e4e8ec}.axis,.note{fill:#97a3ae}.ours{fill:#3fb4c3}"
         ".reference{fill:#56616b}.grid{stroke:#333c45}.range,.p99{stroke:#3fb4c3}}";
}

}  // namespace nexusfix::bench
