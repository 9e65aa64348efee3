// The report as a page and as a picture, without network access and without scripts.
#include <fmt/format.h>

#include "base/api/escaped_text.hpp"
#include "bench/report/report.hpp"
#include "bench/report/report_chart.hpp"
#include "bench/report/report_growth.hpp"
#include "bench/report/report_published.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::string_view kPageStyle =
    ":root{--ink:#1c2530;--dim:#66727f;--grid:#e3e7eb;--page:#fff;--soft:#f5f7f8;"
    "--ours:#0a7d8c;--reference:#c3cad1}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--dim:#97a3ae;--grid:#333c45;"
    "--page:#14191e;--soft:#1c232a;--ours:#3fb4c3;--reference:#56616b}}"
    "body{background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"
    "'Segoe UI',sans-serif;max-width:1180px;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.7em;margin-bottom:.2em}h2{font-size:1.2em;margin-top:2em}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;width:100%}"
    "th,td{text-align:right;padding:3px 7px;border-bottom:1px solid var(--grid);"
    "white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}td.purpose{text-align:left;white-space:normal;"
    "color:var(--dim)}th{position:sticky;top:0;background:var(--page)}"
    "b{color:var(--ours)}.missed{color:#d9480f}p.note,dl{color:var(--dim)}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 1.2em;font-size:13px}"
    "dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}.wide{overflow-x:auto}"
    ".key{display:inline-block;width:.9em;height:.9em;border-radius:2px;margin:0 .3em 0 1em;"
    "vertical-align:-1px}";

std::string inline_svg(const Chart& chart, std::string_view title) {
  if (chart.elements.empty()) return {};
  return fmt::format(
      "<div class=\"wide\"><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-label=\"{2}\">\n{3}</svg></div>\n",
      chart.width, chart.height, markup_text(title), chart.elements);
}

std::string machine_list(const Report& report) {
  const Machine& m = report.machine;
  const auto entry = [](std::string_view name, std::string_view value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, markup_text(value));
  };
  std::string text = "<dl>\n";
  text += entry("CPU",
                fmt::format("{}{}, core {} of {}, governor {}", m.cpu,
                            m.is_virtual ? " (virtual machine)" : "", m.core, m.cores, m.governor));
  text += entry("system", m.system);
  text += entry("compiler", fmt::format("{} {}", m.compiler, m.compiler_flags));
  if (!m.commit.empty()) text += entry("commit", m.commit);
  text += entry("parser's kernel", m.kernel);
  text += entry("timer", fmt::format("{:.1f} ns a reading ({:.1f} at least), steps of {:.1f} ns; "
                                     "{:.3f} ticks a nanosecond",
                                     report.timer.cost_ns, report.timer.cost_min_ns,
                                     report.timer.step_ns, 1 / report.timer.ns_per_tick));
  text +=
      entry("run",
            fmt::format("{}, {:.0f} s, best of {}; at most {} calls timed singly and {} batches of "
                        "{:.0f} µs for each figure",
                        report.quick ? "quick" : "full", report.seconds, report.rounds,
                        report.settings.single_calls, report.settings.batches,
                        report.settings.batch_ns / 1000));
  text += entry("CPU flags", m.cpu_flags);
  return text + "</dl>\n";
}

std::string optional_text(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::string budget_text(const RowReport& row) {
  const std::optional<double> budget = budget_of(row);
  if (!budget) return "";
  return short_number(*budget) + (within_budget(row) ? " met" : " missed");
}

std::string rate_text(double value) {
  constexpr double kMillion = 1e6;
  return value >= kMillion ? fmt::format("{} M", short_number(value / kMillion))
                           : fmt::format("{:.0f}", value);
}

std::string figure_cells(const Figures& f) {
  return fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", short_number(f.p50),
                     short_number(f.p99), short_number(f.p999), short_number(f.min),
                     short_number(f.max));
}

std::string row_cells(const RowReport& row) {
  const Figures& f = row.ours.figures;
  std::string text = fmt::format(
      "<tr><td>{}</td><td><b>{}</b></td>{}<td>{}</td><td>{}</td><td>{}</td>"
      "<td{}>{}</td><td class=\"purpose\">{}</td></tr>\n",
      markup_text(row.spec.name), short_number(f.batch), figure_cells(f),
      rate_text(row.operations_per_second()), optional_text(row.megabytes_per_second()),
      optional_text(row.spec.published), within_budget(row) ? "" : " class=\"missed\"",
      budget_text(row), markup_text(row.spec.purpose));
  for (const Result& peer : row.peers) {
    text += fmt::format(
        "<tr><td>&emsp;{}</td><td>{}</td>{}<td colspan=\"4\"></td>"
        "<td class=\"purpose\">{} × ours</td></tr>\n",
        markup_text(peer.subject), short_number(peer.figures.batch), figure_cells(peer.figures),
        short_number(times_faster(row, peer)));
  }
  return text;
}

std::string table(const Report& report) {
  std::string text =
      "<div class=\"wide\"><table>\n<tr><th>row</th><th>batch</th><th>P50</th><th>P99</th>"
      "<th>P99.9</th><th>min</th><th>max</th><th>per second</th><th>MB/s</th><th>published</th>"
      "<th>budget</th><th></th></tr>\n";
  for (const RowReport& row : report.rows) text += row_cells(row);
  return text + "</table></div>\n";
}

// The gain of each step of the ladder here and in the published history, in words.
std::string ladder_text(const Report& report) {
  std::string text;
  const RowReport* below = nullptr;
  for (const RowReport& row : report.rows) {
    if (!row.spec.name.starts_with("ladder/")) continue;
    if (below != nullptr) {
      const double here = below->ours.figures.batch / row.ours.figures.batch;
      text += fmt::format("<li>{}: {} × as fast as the rung below", markup_text(row.spec.purpose),
                          short_number(here));
      if (row.spec.published && below->spec.published) {
        const double then = *below->spec.published / *row.spec.published;
        text += fmt::format(" here, {} × in the published history", short_number(then));
        constexpr double kDiffers = 1.25;
        if (here > then * kDiffers) text += ": it is worth more on this machine";
        if (then > here * kDiffers) text += ": it is worth less on this machine";
      }
      text += ".</li>\n";
    }
    below = &row;
  }
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

std::string section(std::string_view title, std::string_view note, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format("<h2>{}</h2>\n<p class=\"note\">{}</p>\n{}", title, note, content);
}

std::string chart_section(std::string_view title, std::string_view note,
                          const std::vector<BarGroup>& groups) {
  if (groups.empty()) return {};
  return section(title, note, inline_svg(bar_chart(groups), title));
}

std::string failures_text(const Report& report) {
  std::string text;
  for (const std::string& failure : report.failures) {
    text += fmt::format("<li class=\"missed\">{}</li>\n", markup_text(failure));
  }
  return text.empty() ? text : "<ul>\n" + text + "</ul>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>NexusFIX benchmark</title>\n<style>{}{}</style></head><body>\n"
      "<h1>NexusFIX benchmark</h1>\n"
      "<p class=\"note\">Nanoseconds an operation, but for rows with another unit. The batch "
      "figure "
      "is the one to compare: 64 different messages in rotation, subjects in turn, lowest decile "
      "of "
      "the batches.</p>\n",
      chart_style(), kPageStyle);
  text += section("Wrong answers", "These subjects failed the check before the clock started.",
                  failures_text(report));
  text += chart_section(
      "Beside its peers",
      "<span class=\"key\" style=\"background:var(--ours)\"></span>NexusFIX"
      "<span class=\"key\" style=\"background:#8a95a1\"></span>QuickFIX"
      "<span class=\"key\" style=\"background:var(--reference)\"></span>reference"
      "<span class=\"key\" style=\"background:#d9480f\"></span>published figure of the design's "
      "first incarnation (another machine). Batch figures; the scale is logarithmic.",
      peer_groups(report));
  std::string ladder = ladder_text(report);
  if (const auto groups = own_groups(report, "ladder/"); !groups.empty()) {
    ladder = inline_svg(bar_chart(groups), "The ladder") + ladder;
  }
  text += section("The ladder",
                  "Parse an ExecutionReport and look up eight fields: each rung is a small parser "
                  "with one idea more.",
                  ladder);
  text += chart_section("Kernels", "The product's parser with each instruction set of this CPU.",
                        own_groups(report, "kernel/"));
  if (!report.rows.empty()) {
    text += section("Single calls",
                    "Each call timed on its own: median (dot), P99 (tick) and P99.9 (end), the "
                    "timer's own cost included.",
                    inline_svg(tail_chart(report), "Single calls"));
  }
  text += section("Growth",
                  "A session or an order by the number of configured sessions, both scales "
                  "logarithmic: a flat line is a cost that is linear in all sessions.",
                  growth_html(report));
  text += section("What was published",
                  "Every published figure of the design's first version, on a 3.4 GHz Intel core, "
                  "beside this run. The mean of this run is that of calls that follow each other.",
                  published_html(report));
  text += section("All figures", "Peers stand below ours.", table(report));
  text += section("Machine", "", machine_list(report));
  return text + "</body></html>\n";
}

}  // namespace nexusfix::bench
