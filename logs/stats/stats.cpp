#include "logs/stats/stats.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/api/printable_text.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/stats/log_statistics.hpp"
#include "logs/stats/stats_html.hpp"
#include "logs/stats/stats_report.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::size_t kPrintedRowsMax = 20;

// The name of the first file, and the number of the others.
std::string title_of(const logs::LogReport& report) {
  if (report.files.empty()) return "nothing";
  const std::string& path = report.files.front().path;
  const std::size_t others = report.files.size() - 1;
  return others == 0 ? path : fmt::format("{} and {}", path, counted(others, "other file"));
}

}  // namespace

int stats_files(const StatsOptions& options, Disk& disk, StatsStreams streams) {
  const auto complain = [&](std::string_view text) {
    fmt::print(streams.err, "nexusfix stats: {}\n", text);
    return kUsage;
  };
  const auto own = own_dictionary(disk, options.dictionary);
  if (!own) return complain(own.error());
  const FieldNames names{own->get()};
  auto made = logs::make_matcher(options.expression, names);
  if (!made) return complain(made.error());
  std::optional<logs::Matcher>& matcher = *made;
  // The histogram is too large for the stack of a thread.
  const auto statistics = std::make_unique<logs::LogStatistics>(logs::StatisticsOptions{
      .slowest_max = options.slowest_max, .has_timeline = options.has_timeline || options.is_html});
  const auto each = [&](const logs::LogMessage& message) {
    statistics->add(message, !matcher || matcher->matches(message.bytes));
    return logs::AfterMessage::Continue;
  };
  const auto failed = [&](std::string_view error) { complain(printable(error)); };
  const logs::LogReport report = logs::read_logs(disk, options.input, {each, [] {}, failed});
  std::vector<std::string> paths;
  paths.reserve(report.files.size());
  for (const auto& file : report.files) paths.push_back(file.path);
  statistics->finish(std::move(paths));
  const std::string text =
      options.is_json ? logs::statistics_json(*statistics, names)
      : options.is_html
          ? logs::statistics_html(*statistics, names, title_of(report))
          : logs::statistics_text(*statistics, names, options.shows_all ? 0 : kPrintedRowsMax);
  if (statistics->messages > 0 || options.is_json || options.is_html) {
    std::fwrite(text.data(), 1, text.size(), streams.out);
  } else {
    complain("no message");
  }
  std::fflush(streams.out);
  if (report.has_unopened()) return kUsage;
  return statistics->messages > 0 && !report.has_unread() ? kSuccess : kFailure;
}

}  // namespace nexusfix::command
