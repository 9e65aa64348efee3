#include "logs/stats/svg_chart.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/api/escaped_text.hpp"
#include "base/api/printable_text.hpp"

namespace nexusfix::logs {
namespace {

constexpr double kWidth = 720;

}  // namespace

std::string html_text(std::string_view text) { return markup_text(printable(text)); }

std::string bar_chart(const std::vector<ChartBar>& bars) {
  if (bars.empty()) return {};
  constexpr double kRow = 24;
  constexpr double kLabel = 220;
  constexpr double kValue = 110;  // after the longest bar
  constexpr double kBars = kWidth - kLabel - kValue;
  double largest = 0;
  for (const ChartBar& bar : bars) largest = std::max(largest, bar.size);
  const double height = kRow * static_cast<double>(bars.size());
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, height);
  double y = 0;
  for (const ChartBar& bar : bars) {
    const double width = bar.size > 0 ? std::max(1.0, bar.size / largest * kBars) : 0;
    svg += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>"
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"16\" rx=\"2\"/>"
        "<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>\n",
        kLabel - 8, y + 16, html_text(bar.label), kLabel, y + 4, width, kLabel + width + 6, y + 16,
        html_text(bar.value));
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string column_chart(const std::vector<ChartColumn>& columns, std::string_view first,
                         std::string_view last, std::string_view top) {
  if (columns.empty()) return {};
  constexpr double kHeight = 180;
  constexpr double kTop = 20;
  constexpr double kBottom = 20;
  constexpr double kColumns = kHeight - kTop - kBottom;
  double largest = 0;
  for (const ChartColumn& column : columns) largest = std::max(largest, column.size);
  const double step = kWidth / static_cast<double>(columns.size());
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight);
  svg += fmt::format("<text x=\"0\" y=\"14\">{}</text>\n", html_text(top));
  double x = 0;
  for (const ChartColumn& column : columns) {
    const double height = largest > 0 ? column.size / largest * kColumns : 0;
    if (height > 0) {
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"><title>{}</title>"
          "</rect>\n",
          x, kTop + kColumns - height, std::max(0.5, step * 0.9), height, html_text(column.title));
    }
    x += step;
  }
  svg += fmt::format(
      "<text x=\"0\" y=\"{0:.0f}\">{1}</text><text x=\"{2:.0f}\" y=\"{0:.0f}\" "
      "text-anchor=\"end\">{3}</text>\n",
      kHeight - 4, html_text(first), kWidth, html_text(last));
  return svg + "</svg>\n";
}

std::string time_strip(const std::vector<StripPart>& parts, std::string_view first,
                       std::string_view last) {
  constexpr double kHeight = 40;
  constexpr double kStrip = 20;
  constexpr double kPartMin = 2;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<rect class=\"strip\" x=\"0\" y=\"0\" width=\"{0}\" height=\"{2}\"/>\n",
      kWidth, kHeight, kStrip);
  for (const StripPart& part : parts) {
    const double width = std::max(kPartMin, (part.end - part.begin) * kWidth);
    svg += fmt::format(
        "<rect{} x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>\n",
        part.is_fault ? " class=\"fault\"" : "", std::min(part.begin * kWidth, kWidth - width),
        width, kStrip, html_text(part.title));
  }
  svg += fmt::format(
      "<text x=\"0\" y=\"{0:.0f}\">{1}</text><text x=\"{2:.0f}\" y=\"{0:.0f}\" "
      "text-anchor=\"end\">{3}</text>\n",
      kHeight - 4, html_text(first), kWidth, html_text(last));
  return svg + "</svg>\n";
}

}  // namespace nexusfix::logs
