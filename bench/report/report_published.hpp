// Every figure that was published of the design's first version, beside this run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/report/report.hpp"

namespace nexusfix::bench {

enum class PublishedMetric : std::uint8_t { Minimum, Mean, P50, P90, P99, P999, Maximum, Rate };

[[nodiscard]] std::string_view to_string(PublishedMetric metric) noexcept;

// In the unit of the row; Rate: operations a second, in millions. Docs page:
// internals/published.md.
struct PublishedFigure {
  std::string_view row;  // of this benchmark, at the same work
  PublishedMetric metric = PublishedMetric::P50;
  std::optional<double> peer{};    // the peer's, beside the first version
  std::optional<double> before{};  // of the first version, before an optimisation
  double first = 0;                // of the first version, after it
  std::string_view peer_name{};    // of peer
};

// In the order of the documents.
[[nodiscard]] std::span<const PublishedFigure> published_figures() noexcept;

// The metric of a subject in this run. Mean is the batch figure: calls that follow each other.
[[nodiscard]] double measured(const RowReport& row, const Figures& figures, PublishedMetric metric);

// A line for each published figure whose row was measured; empty: there is none. With each peer
// that a library was built for.
[[nodiscard]] std::string published_table(const Report& report);
// The figures as rows of an HTML table.
[[nodiscard]] std::string published_html(const Report& report);

}  // namespace nexusfix::bench
