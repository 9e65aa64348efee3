#include "python/src/tables/log_batches.hpp"

#include <algorithm>
#include <utility>

#include "logs/messages/find_bytes.hpp"
#include "logs/source/open_source.hpp"

namespace nexusfix::python {
namespace {

constexpr std::size_t kFile = 0;
constexpr std::size_t kOffset = 1;
constexpr std::size_t kTime = 2;
constexpr std::size_t kDirection = 3;
constexpr std::size_t kPlaceColumns = 4;  // before those of fields

}  // namespace

LogBatches::LogBatches(LogQuery query, std::shared_ptr<LogProgress> progress)
    : query_{std::move(query)}, progress_{std::move(progress)} {
  const auto add_column = [&](const logs::Column& column) {
    columns_.push_back(std::make_unique<ColumnData>(column));
  };
  add_column({.name = "file"});
  add_column({.name = "byte_offset", .type = logs::ColumnType::Integer});
  add_column({.name = "time", .type = logs::ColumnType::Timestamp});
  add_column({.name = "direction"});
  for (const logs::Column& column : query_.columns) {
    add_column(column);
    const auto slot = static_cast<unsigned>(columns_.size() - kPlaceColumns);
    can_skip_ = can_skip_ && column.type != logs::ColumnType::Group &&
                logs::FieldSlots::can_want(column.tag) && slot <= logs::FieldSlots::kSlotsMax;
    if (can_skip_) slots_.want(column.tag, slot);
  }
  row_of_.assign(columns_.size(), 0);
}

void LogBatches::describe(ArrowSchema& to) const { describe_struct(to, "", columns_); }

bool LogBatches::open_next() {
  if (next_path_ == query_.paths.size()) return false;
  auto source = logs::open_source(disk_, query_.paths[next_path_], logs::SourceKind::Recognised,
                                  logs::Follow::No);
  if (!source) {
    error_ = source.error();
    return false;
  }
  reader_.emplace(std::move(*source), std::string{});
  ++next_path_;
  return true;
}

bool LogBatches::read_message(logs::LogMessage& to) {
  for (;;) {
    if (!reader_ && !open_next()) return false;
    to.file = next_path_ - 1;
    to.path = query_.paths[to.file];
    if (reader_->next(to, [] {})) return true;
    if (!reader_->error().empty()) {
      error_ = query_.paths[to.file] + ": " + reader_->error();
      return false;
    }
    reader_.reset();
  }
}

void LogBatches::next(ArrowArray& to, ReadingCalls& /*calls*/) {
  to = {};
  if (!error_.empty()) return;
  std::int64_t rows = 0;
  std::uint64_t bytes = 0;
  constexpr std::uint64_t kBatchBytes = 64U << 20U;
  logs::LogMessage message;
  while (rows < query_.batch_rows && bytes < kBatchBytes && read_message(message)) {
    bytes += message.bytes.size();
    if (query_.matcher && !query_.matcher->matches(message)) continue;
    add(message);
    ++rows;
  }
  progress_->bytes += bytes;
  progress_->rows += static_cast<std::uint64_t>(rows);
  std::uint64_t misfits = 0;
  for (const auto& column : columns_) misfits += column->misfits();
  progress_->misfits = misfits;
  if (!error_.empty()) return;
  if (rows > 0 || bytes >= kBatchBytes) move_struct(to, rows, columns_);
}

void LogBatches::add(const logs::LogMessage& message) {
  ++row_;
  add_place(message);
  is_ascii_ = printing::is_ascii(message.bytes);
  const bool is_read =
      can_skip_ && slots_.each(message.bytes, [&](unsigned slot, std::string_view value) {
        const std::size_t place = slot + kPlaceColumns - 1;
        if (row_of_[place] == row_) return;
        row_of_[place] = row_;
        columns_[place]->append(value, is_ascii_);
      });
  if (!is_read) add_fields(message.bytes);
  for (std::size_t i = kPlaceColumns; i < columns_.size(); ++i) {
    if (row_of_[i] != row_) columns_[i]->append_null();
  }
}

void LogBatches::add_fields(std::string_view bytes) {
  fields_.read(bytes);
  const auto fields = fields_.all();
  for (std::size_t at = 0; at < fields.size();) {
    const auto found = std::ranges::find(columns_.begin() + kPlaceColumns, columns_.end(),
                                         fields[at].tag, &ColumnData::tag);
    const auto place = static_cast<std::size_t>(found - columns_.begin());
    if (found == columns_.end() || fields[at].tag == 0 || row_of_[place] == row_) {
      ++at;
      continue;
    }
    row_of_[place] = row_;
    if ((*found)->is_group()) {
      at = (*found)->append_group(fields, at);
    } else {
      (*found)->append(fields[at].value, is_ascii_);
      ++at;
    }
  }
}

void LogBatches::add_place(const logs::LogMessage& message) {
  const bool is_again = message.file == last_file_ && columns_[kFile]->append_again();
  if (!is_again) columns_[kFile]->append(message.path, false);
  last_file_ = message.file;
  columns_[kOffset]->append_number(static_cast<std::int64_t>(message.offset));
  if (const auto time = times_.of_message(message)) {
    columns_[kTime]->append_number(time->time_since_epoch().count());
  } else {
    columns_[kTime]->append_null();
  }
  switch (times_.direction(message.prefix)) {
    case logs::LoggedDirection::In:
      columns_[kDirection]->append("in", true);
      break;
    case logs::LoggedDirection::Out:
      columns_[kDirection]->append("out", true);
      break;
    case logs::LoggedDirection::Unknown:
      columns_[kDirection]->append_null();
      break;
  }
}

}  // namespace nexusfix::python
