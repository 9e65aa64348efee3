#include "python/src/tables/log_tables.hpp"

#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include <nexusfix/base/disk.hpp>

#include "base/api/utc_text.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/stats/log_statistics.hpp"
#include "logs/stats/stats_report.hpp"

namespace nexusfix::python {

using logs::Column;
using logs::ColumnType;
using logs::LogStatistics;
using logs::MessagePlace;

void RowWriter::null() { next().append_null(); }

void RowWriter::text(std::string_view value) {
  if (value.empty()) return null();
  next().append(value, false);
}

void RowWriter::number(std::uint64_t value) {
  next().append_number(static_cast<std::int64_t>(value));
}

void RowWriter::nanoseconds(const std::optional<std::chrono::nanoseconds>& value) {
  if (!value) return null();
  next().append_number(value->count());
}

void RowWriter::time(const std::optional<WallTime>& value) {
  if (!value) return null();
  next().append_number(value->time_since_epoch().count());
}

void RowWriter::group(std::span<const logs::MessageField> fields) {
  static_cast<void>(next().append_group(fields, 0));
}

namespace {

// A table of what `nexusfix stats` counts.
class StatisticsTable : public LogTable {
 public:
  explicit StatisticsTable(logs::StatisticsOptions options) : statistics_{options} {}

  void add(const logs::LogMessage& message, bool is_selected) override {
    statistics_.add(message, is_selected);
  }
  [[nodiscard]] std::size_t finish(std::vector<std::string> paths) override {
    statistics_.finish(std::move(paths));
    return collect(statistics_);
  }
  [[nodiscard]] bool is_full() const override {
    return statistics_.unlisted_rejects() + statistics_.forgotten_requests() > 0;
  }

 protected:
  // Returns the number of rows.
  [[nodiscard]] virtual std::size_t collect(const LogStatistics& statistics) = 0;
  void write_place(const std::optional<MessagePlace>& place, RowWriter& to) const {
    if (!place) {
      to.null();
      to.null();
      return;
    }
    to.text(statistics_.paths()[place->file]);
    to.number(place->offset);
  }

 private:
  LogStatistics statistics_;
};

class LatencyTable : public StatisticsTable {
 public:
  LatencyTable() : StatisticsTable{{.slowest_max = std::numeric_limits<std::size_t>::max()}} {}

  [[nodiscard]] std::vector<Column> columns() const override {
    return {{.name = "request"},
            {.name = "cl_ord_id", .is_identifier = true},
            {.name = "sender"},
            {.name = "target"},
            {.name = "time", .type = ColumnType::Timestamp},
            {.name = "latency_ns", .type = ColumnType::Integer},
            {.name = "file"},
            {.name = "byte_offset", .type = ColumnType::Integer},
            {.name = "answer_file"},
            {.name = "answer_byte_offset", .type = ColumnType::Integer}};
  }
  void write(std::size_t row, RowWriter& to) override {
    const logs::SlowRequest& one = *requests_[row];
    to.text(logs::request_name(one.type));
    to.text(one.cl_ord_id);
    to.text(one.sender);
    to.text(one.target);
    to.time(one.time);
    to.nanoseconds(one.latency);
    write_place(one.request, to);
    write_place(one.answer, to);
  }

 protected:
  [[nodiscard]] std::size_t collect(const LogStatistics& statistics) override {
    requests_ = statistics.slowest();
    return requests_.size();
  }

 private:
  std::vector<const logs::SlowRequest*> requests_;
};

class GapTable : public StatisticsTable {
 public:
  GapTable() : StatisticsTable{{.gaps_max = std::numeric_limits<std::size_t>::max()}} {}

  [[nodiscard]] std::vector<Column> columns() const override {
    return {{.name = "sender"},
            {.name = "target"},
            {.name = "first", .type = ColumnType::Integer},
            {.name = "last", .type = ColumnType::Integer},
            {.name = "missing", .type = ColumnType::Integer},
            {.name = "time", .type = ColumnType::Timestamp},
            {.name = "closed", .type = ColumnType::Timestamp},
            {.name = "file"},
            {.name = "byte_offset", .type = ColumnType::Integer}};
  }
  void write(std::size_t row, RowWriter& to) override {
    const auto& [flow, gap] = gaps_[row];
    to.text(flow->sender);
    to.text(flow->target);
    to.number(gap->first);
    to.number(gap->last);
    to.number(gap->missing);
    to.time(gap->time);
    to.time(gap->closed);
    write_place(gap->place, to);
  }

 protected:
  [[nodiscard]] std::size_t collect(const LogStatistics& statistics) override {
    for (const logs::FlowStatistics* const flow : statistics.flows()) {
      for (const logs::GapStatistics& gap : flow->gap_list) gaps_.emplace_back(flow, &gap);
    }
    return gaps_.size();
  }

 private:
  std::vector<std::pair<const logs::FlowStatistics*, const logs::GapStatistics*>> gaps_;
};

class RejectTable : public StatisticsTable {
 public:
  explicit RejectTable(const command::FieldNames& names) : StatisticsTable{{}}, names_{names} {}

  [[nodiscard]] std::vector<Column> columns() const override {
    return {{.name = "kind"},
            {.name = "reason"},
            {.name = "reason_name"},
            {.name = "text"},
            {.name = "count", .type = ColumnType::Integer},
            {.name = "first_id", .is_identifier = true},
            {.name = "file"},
            {.name = "byte_offset", .type = ColumnType::Integer},
            {.name = "rejected_file"},
            {.name = "rejected_byte_offset", .type = ColumnType::Integer}};
  }
  void write(std::size_t row, RowWriter& to) override {
    const logs::RejectStatistics& reject = *rejects_[row];
    to.text(reject.kind);
    to.text(reject.reason);
    to.text(names_.value_name(reject.reason_tag, reject.reason).value_or(""));
    to.text(reject.text);
    to.number(reject.count);
    to.text(reject.first_id);
    write_place(reject.place, to);
    write_place(reject.rejected, to);
  }

 protected:
  [[nodiscard]] std::size_t collect(const LogStatistics& statistics) override {
    rejects_ = statistics.rejects();
    return rejects_.size();
  }

 private:
  command::FieldNames names_;
  std::vector<const logs::RejectStatistics*> rejects_;
};

}  // namespace

std::unique_ptr<LogTable> make_log_table(std::string_view name, const command::FieldNames& names,
                                         bool with_names) {
  if (name == "orders") return make_order_table(names, with_names);
  if (name == "latencies") return std::make_unique<LatencyTable>();
  if (name == "gaps") return std::make_unique<GapTable>();
  return std::make_unique<RejectTable>(names);
}

TableBatches::TableBatches(TableQuery query, std::shared_ptr<LogProgress> progress)
    : query_{std::move(query)}, progress_{std::move(progress)} {
  for (const Column& column : query_.table->columns()) {
    columns_.push_back(std::make_unique<ColumnData>(column));
  }
}

void TableBatches::describe(ArrowSchema& to) const { describe_struct(to, "", columns_); }

void TableBatches::read(ReadingCalls& calls) {
  constexpr std::uint64_t kPartBytes = 16U << 20U;
  std::uint64_t part = 0;
  PosixDisk disk;
  const logs::LogRequest request{.files = query_.paths, .is_merged = query_.is_merged};
  bool is_stopped = false;
  const auto each = [&](const logs::LogMessage& message) {
    query_.table->add(message, !query_.matcher || query_.matcher->matches(message));
    part += message.bytes.size();
    if (part < kPartBytes) return logs::AfterMessage::Continue;
    progress_->bytes += std::exchange(part, 0);
    is_stopped = !calls.goes_on();
    return is_stopped ? logs::AfterMessage::Stop : logs::AfterMessage::Continue;
  };
  const auto failed = [](std::string_view) {};  // the report has them
  const logs::LogReport report = logs::read_logs(disk, request, {each, [] {}, failed});
  progress_->bytes += part;
  if (is_stopped) error_ = kStopped;
  std::vector<std::string> paths;
  for (const logs::LogReport::FileReport& file : report.files) {
    if (error_.empty()) error_ = file.error;
    paths.push_back(file.path);
  }
  if (!error_.empty()) return;
  rows_ = query_.table->finish(std::move(paths));
  if (query_.table->is_full()) error_ = "the logs have more than fits: read parts of them";
}

void TableBatches::next(ArrowArray& to, ReadingCalls& calls) {
  if (!std::exchange(is_read_, true) && !query_.paths.empty()) read(calls);
  if (!error_.empty()) return;
  const std::size_t end = std::min(rows_, next_row_ + static_cast<std::size_t>(query_.batch_rows));
  const auto count = static_cast<std::int64_t>(end - next_row_);
  for (; next_row_ < end; ++next_row_) {
    RowWriter row{columns_};
    query_.table->write(next_row_, row);
  }
  progress_->rows += static_cast<std::uint64_t>(count);
  std::uint64_t misfits = 0;
  for (const auto& column : columns_) misfits += column->misfits();
  progress_->misfits = misfits;
  if (count > 0) move_struct(to, count, columns_);
}

}  // namespace nexusfix::python
