#include "bench/report/report.hpp"

#include <algorithm>

namespace nexusfix::bench {
namespace {

constexpr double kNsPerSecond = 1e9;

// Converts a time to the unit. Its own inverse for a rate.
double in_unit(double ns, Unit unit, double bytes) {
  constexpr double kNsPerMs = 1e6;
  switch (unit) {
    case Unit::Nanoseconds:
    case Unit::NanosecondsPerField:
      break;
    case Unit::Milliseconds:
      return ns / kNsPerMs;
    case Unit::GigabytesPerSecond:
      return bytes / ns;
    case Unit::PerSecond:
      return kNsPerSecond / ns;
  }
  return ns;
}

double ns_of(const RowReport& row) {
  const double batch = row.ours.figures.batch;
  return is_rate(row.spec.unit) ? in_unit(batch, row.spec.unit, row.bytes) : batch;
}

}  // namespace

double RowReport::operations_per_second() const { return kNsPerSecond / ns_of(*this); }

std::optional<double> RowReport::megabytes_per_second() const {
  constexpr double kBytesPerMegabyte = 1e6;
  if (bytes == 0) return std::nullopt;
  return bytes * operations_per_second() / kBytesPerMegabyte;
}

double times_faster(const RowReport& row, const Result& peer) {
  const double ours = row.ours.figures.batch;
  return is_rate(row.spec.unit) ? ours / peer.figures.batch : peer.figures.batch / ours;
}

std::optional<double> budget_of(const RowReport& row) {
  if (!row.spec.budget_of_device) return row.spec.budget;
  const auto device = std::ranges::find(row.peers, "device", &Result::subject);
  if (device == row.peers.end()) return std::nullopt;
  return device->figures.batch * *row.spec.budget_of_device;
}

bool within_budget(const RowReport& row) {
  const bool more_is_better = is_rate(row.spec.unit);
  const auto keeps = [&](double ours, const std::optional<double>& budget) {
    return !budget || (more_is_better ? ours >= *budget : ours <= *budget);
  };
  return keeps(row.ours.figures.batch, budget_of(row)) &&
         keeps(row.ours.figures.p99, row.spec.budget_p99);
}

void keep_better(RowReport& row, const RowReport& other) {
  const bool more_is_better = is_rate(row.spec.unit);
  const auto keep = [&](Result& kept, const Result& found) {
    const bool is_better = more_is_better ? found.figures.batch > kept.figures.batch
                                          : found.figures.batch < kept.figures.batch;
    if (is_better) kept.figures = found.figures;
  };
  keep(row.ours, other.ours);
  for (Result& peer : row.peers) {
    for (const Result& found : other.peers) {
      if (found.subject == peer.subject) keep(peer, found);
    }
  }
}

Figures in_unit(const Figures& ns_per_call, const RowSpec& spec, double operations_per_call,
                double bytes) {
  Figures figures = ns_per_call;
  for (double Figures::* figure :
       {&Figures::p50, &Figures::p99, &Figures::p999, &Figures::min, &Figures::max, &Figures::batch,
        &Figures::batch_median, &Figures::batch_best}) {
    figures.*figure = in_unit(figures.*figure / operations_per_call, spec.unit, bytes);
  }
  for (double& percentile : figures.percentiles) {
    percentile = in_unit(percentile / operations_per_call, spec.unit, bytes);
  }
  if (is_rate(spec.unit)) std::swap(figures.min, figures.max);
  return figures;
}

}  // namespace nexusfix::bench
