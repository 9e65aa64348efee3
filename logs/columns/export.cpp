#include "logs/columns/export.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

#include "base/api/printable_text.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/source/open_source.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using TakeRows = FunctionRef<logs::AfterMessage(logs::ColumnRows&)>;

// The rows of a chunk.
class RowWork final : public logs::ChunkWork {
 public:
  RowWork(std::unique_ptr<logs::ColumnRows> rows, const std::optional<logs::Matcher>& matcher,
          TakeRows take)
      : rows_{std::move(rows)}, take_{take} {
    if (matcher) matcher_.emplace(matcher->copy());
  }
  void each(const logs::LogMessage& message) override {
    if (!matcher_ || matcher_->matches(message)) rows_->add(message);
  }
  logs::AfterMessage take() override { return take_(*rows_); }
  void discard() override { rows_->clear(); }

 private:
  std::unique_ptr<logs::ColumnRows> rows_;
  std::optional<logs::Matcher> matcher_;
  TakeRows take_;
};

// Whether this regular file is one of those that are read, or of a journal that is read: writing it
// would destroy it.
bool is_read(Disk& disk, const std::string& path, const logs::LogRequest& input) {
  const auto written = disk.status(path);
  if (!written || !disk.open(path, OpenMode::ReadRegular)) return false;
  const auto is_same = [&](const std::string& read) {
    const auto status = disk.status(read);
    return status && status->is_same_as(*written);
  };
  return std::ranges::any_of(input.files, [&](const std::string& file) {
    if (const auto names = disk.list(file)) {
      return std::ranges::any_of(
          *names, [&](const std::string& name) { return is_same(file + "/" + name); });
    }
    if (!input.with_rotated) return is_same(file);
    return std::ranges::any_of(logs::rotated_set(disk, file), is_same);
  });
}

// "Price: 2 values are not of the type of the column, and null"
std::string misfit_text(const std::pair<std::string, std::uint64_t>& misfit,
                        std::span<const logs::Column> planned) {
  const auto& [name, count] = misfit;
  const auto column = std::ranges::find(planned, name, &logs::Column::name);
  std::string text = fmt::format("{}: {} not of the type of the column, and null", printable(name),
                                 counted(count, "value is", "values are"));
  if (column == planned.end() || column->type != logs::ColumnType::Decimal) return text;
  return text + fmt::format(
                    "; a decimal has up to {} digits after the point here, and --scale changes "
                    "that",
                    column->scale);
}

}  // namespace

int export_files(const ExportOptions& options, Disk& disk, logs::OpenColumns open,
                 ExportStreams streams) {
  const auto complain = [&](std::string_view text) {
    fmt::print(streams.err, "nexusfix export: {}\n", text);
    return kUsage;
  };
  const auto own = own_dictionary(disk, options.dictionary);
  if (!own) return complain(own.error());
  const FieldNames names{own->get()};
  auto made = logs::make_matcher(options.expression, names);
  if (!made) return complain(made.error());
  std::optional<logs::Matcher>& matcher = *made;
  auto columns = logs::plan_columns(options.fields, names, options.forms);
  if (!columns) return complain("--fields: " + columns.error());
  if (is_read(disk, options.path, options.input)) {
    return complain(printable(options.path + " is read: write to another file"));
  }
  const bool with_file = options.input.files.size() > 1 || options.input.with_rotated;
  const std::vector<logs::Column> planned = *columns;
  const auto writer = open({.columns = std::move(*columns),
                            .format = options.format,
                            .path = options.path,
                            .with_file = with_file,
                            .has_threads = options.input.jobs > 1});
  const std::string place = options.path.empty() ? "standard output" : options.path;
  if (!writer) return complain(printable(place + ": " + writer.error()));

  std::string error;
  const auto take = [&](logs::ColumnRows& rows) {
    if (const auto taken = (*writer)->take(rows); !taken && error.empty()) error = taken.error();
    return error.empty() ? logs::AfterMessage::Continue : logs::AfterMessage::Stop;
  };
  const auto rows = (*writer)->make_rows();
  const auto each = [&](const logs::LogMessage& message) {
    if (matcher && !matcher->matches(message)) return logs::AfterMessage::Continue;
    return rows->add(message) ? take(*rows) : logs::AfterMessage::Continue;
  };
  const auto failed = [&](std::string_view text) { complain(printable(text)); };
  const auto make_work = [&]() -> std::unique_ptr<logs::ChunkWork> {
    return std::make_unique<RowWork>((*writer)->make_rows(), matcher, take);
  };
  const logs::LogReport report =
      logs::read_logs(disk, options.input, {each, [] {}, failed, logs::kWaitForMore, make_work});
  take(*rows);
  const auto totals = (*writer)->finish();
  if (!totals && error.empty()) error = totals.error();
  if (!error.empty()) {
    // A part of a file cannot be read. A device such as /dev/full stays.
    if (disk.open(options.path, OpenMode::ReadRegular)) {
      static_cast<void>(disk.remove(options.path));
    }
    complain(printable(place + ": " + error));
    return kFailure;
  }
  for (const auto& misfit : totals->misfits) complain(misfit_text(misfit, planned));
  if (!options.path.empty()) {
    fmt::print(streams.out, "{} in {}\n", counted(totals->rows, "row"), printable(place));
  }
  std::fflush(streams.out);
  if (report.has_unopened()) return kUsage;
  if (totals->rows == 0) complain("no message");
  return totals->rows > 0 && !report.has_unread() ? kSuccess : kFailure;
}

}  // namespace nexusfix::command
