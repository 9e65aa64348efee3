// How an engine grows with its sessions: curves of the rows sessions/*, and the law that each
// follows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/report/report.hpp"

namespace nexusfix::bench {

struct GrowthCurve {
  std::string name{};                               // which sessions are live
  std::string_view figure{};                        // of a session or an order, with its unit
  std::vector<std::pair<double, double>> points{};  // configured sessions, figure; ascending
};

// Every figure of every curve of this run.
[[nodiscard]] std::vector<GrowthCurve> growth_curves(const Report& report);

// The exponent b of the power law a * sessions^b that fits the points best (least squares of the
// logarithms), from 100 sessions on: below, what an engine costs without sessions is most of it.
// Nothing: there are fewer than two such points, or one is not above 0.
[[nodiscard]] std::optional<double> growth_exponent(const GrowthCurve& curve);

// What the exponent of a figure of one session says.
[[nodiscard]] std::string_view growth_law(double exponent) noexcept;

// A line for each curve; empty: no row has a point.
[[nodiscard]] std::string growth_table(const Report& report);
// A chart for each figure, and the table.
[[nodiscard]] std::string growth_html(const Report& report);

}  // namespace nexusfix::bench
