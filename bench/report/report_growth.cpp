#include "bench/report/report_growth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/api/escaped_text.hpp"
#include "bench/report/report_chart.hpp"

namespace nexusfix::bench {
namespace {

struct GrowthFigure {
  std::string_view name;
  double GrowthPoint::* value;
};
constexpr std::array kGrowthFigures{
    GrowthFigure{"open, µs a session", &GrowthPoint::open_us},
    GrowthFigure{"memory, KiB a session", &GrowthPoint::memory_kib},
    GrowthFigure{"CPU of a Logon, µs", &GrowthPoint::logon_us},
    GrowthFigure{"CPU of an order, µs", &GrowthPoint::order_us},
    GrowthFigure{"idle CPU, µs a second and live session", &GrowthPoint::idle_us}};

constexpr double kSessionsFitted = 100;

std::string sessions_text(double sessions) {
  constexpr double kThousand = 1000;
  return sessions < kThousand ? fmt::format("{:.0f}", sessions)
                              : fmt::format("{:.0f}k", sessions / kThousand);
}

std::string points_text(const GrowthCurve& curve) {
  std::string text;
  for (const auto& [sessions, value] : curve.points) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", sessions_text(sessions),
                        short_number(value));
  }
  return text;
}

std::string law_text(const GrowthCurve& curve) {
  const auto exponent = growth_exponent(curve);
  return exponent ? fmt::format("sessions^{:.2f}, {}", *exponent, growth_law(*exponent)) : "";
}

// Lines on logarithmic scales, of sessions from 10 to 100,000.
Chart growth_chart(const std::vector<const GrowthCurve*>& curves) {
  constexpr double kLeft = 60;
  constexpr double kPlotWidth = 420;
  constexpr double kPlotHeight = 150;
  constexpr double kAxis = 24;
  constexpr double kDecades = 4;
  double low = 1e12;
  double high = 0;
  for (const GrowthCurve* const curve : curves) {
    for (const auto& [sessions, value] : curve->points) {
      if (value <= 0) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Chart chart{.elements = {}, .width = 760, .height = static_cast<int>(kPlotHeight + kAxis)};
  if (high == 0) return chart;
  const double bottom = std::floor(std::log10(low));
  const double top = std::max(std::ceil(std::log10(high)), bottom + 1);
  const auto x = [&](double sessions) {
    return kLeft + (std::log10(sessions) - 1) / kDecades * kPlotWidth;
  };
  const auto y = [&](double value) {
    return kPlotHeight - (std::log10(value) - bottom) / (top - bottom) * (kPlotHeight - 10);
  };
  for (double decade = 1; decade <= kDecades + 1; ++decade) {
    const double sessions = std::pow(10.0, decade);
    chart.elements += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"10\" y2=\"{1:.0f}\"/>"
        "<text class=\"axis\" x=\"{0:.1f}\" y=\"{2:.0f}\" text-anchor=\"middle\">{3}</text>\n",
        x(sessions), kPlotHeight, kPlotHeight + kAxis / 2 + 4, sessions_text(sessions));
  }
  for (double decade = bottom; decade <= top; ++decade) {
    const double value = std::pow(10.0, decade);
    chart.elements += fmt::format(
        "<line class=\"grid\" x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"axis\" x=\"{3:.0f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        kLeft, kLeft + kPlotWidth, y(value), kLeft - 6, y(value) + 4, value);
  }
  for (const GrowthCurve* const curve : curves) {
    std::string path;
    for (const auto& [sessions, value] : curve->points) {
      if (value <= 0) continue;
      path += fmt::format("{:.1f},{:.1f} ", x(sessions), y(value));
      chart.elements += fmt::format("<circle class=\"ours\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>",
                                    x(sessions), y(value));
    }
    const auto& [sessions, value] = curve->points.back();
    if (value <= 0) continue;
    chart.elements += fmt::format(
        "<polyline class=\"range\" fill=\"none\" points=\"{}\"/>"
        "<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        path, x(sessions) + 8, y(value) + 4, markup_text(curve->name));
  }
  return chart;
}

}  // namespace

std::vector<GrowthCurve> growth_curves(const Report& report) {
  std::vector<GrowthCurve> curves;
  for (const GrowthFigure& figure : kGrowthFigures) {
    const std::size_t first = curves.size();
    for (const RowReport& row : report.rows) {
      if (!row.growth) continue;
      const auto of_figure = curves.begin() + static_cast<std::ptrdiff_t>(first);
      auto curve = std::find_if(of_figure, curves.end(), [&](const GrowthCurve& one) {
        return one.name == row.growth->curve;
      });
      if (curve == curves.end()) {
        curve = curves.insert(curve, {.name = row.growth->curve, .figure = figure.name});
      }
      curve->points.emplace_back(row.growth->sessions, *row.growth.*figure.value);
    }
  }
  for (GrowthCurve& curve : curves) std::ranges::sort(curve.points);
  return curves;
}

std::optional<double> growth_exponent(const GrowthCurve& curve) {
  double count = 0;
  double x_sum = 0;
  double y_sum = 0;
  double xx_sum = 0;
  double xy_sum = 0;
  for (const auto& [sessions, value] : curve.points) {
    if (sessions < kSessionsFitted) continue;
    if (value <= 0) return std::nullopt;
    const double x = std::log(sessions);
    const double y = std::log(value);
    ++count;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  const double spread = count * xx_sum - x_sum * x_sum;
  if (count < 2 || spread <= 0) return std::nullopt;
  return (count * xy_sum - x_sum * y_sum) / spread;
}

std::string_view growth_law(double exponent) noexcept {
  constexpr double kFlat = 0.1;
  constexpr double kSlow = 0.3;
  if (exponent < -kFlat) return "falls: sessions share a fixed part";
  if (exponent <= kFlat) return "constant: linear in all";
  return exponent <= kSlow ? "grows slowly" : "grows: worse than linear in all";
}

std::string growth_table(const Report& report) {
  std::string text;
  std::string_view figure;
  for (const GrowthCurve& curve : growth_curves(report)) {
    if (figure != curve.figure) text += fmt::format("{}\n", curve.figure);
    figure = curve.figure;
    text += fmt::format("  {:<26}{:<44} {}\n", curve.name, points_text(curve), law_text(curve));
  }
  return text.empty() ? text : "\ngrowth by configured sessions\n" + text + "\n";
}

std::string growth_html(const Report& report) {
  const std::vector<GrowthCurve> curves = growth_curves(report);
  std::string text;
  for (const GrowthFigure& figure : kGrowthFigures) {
    std::vector<const GrowthCurve*> of_figure;
    std::string laws;
    for (const GrowthCurve& curve : curves) {
      if (curve.figure != figure.name) continue;
      of_figure.push_back(&curve);
      laws += fmt::format("<li>{}: {}. {}</li>\n", markup_text(curve.name),
                          markup_text(points_text(curve)), markup_text(law_text(curve)));
    }
    if (of_figure.empty()) continue;
    const Chart chart = growth_chart(of_figure);
    text += fmt::format(
        "<h3>{0}</h3>\n<div class=\"wide\"><svg viewBox=\"0 0 {1} {2}\" width=\"{1}\" "
        "height=\"{2}\" role=\"img\" aria-label=\"{0}\">\n{3}</svg></div>\n<ul>\n{4}</ul>\n",
        markup_text(figure.name), chart.width, chart.height, chart.elements, laws);
  }
  return text;
}

}  // namespace nexusfix::bench
