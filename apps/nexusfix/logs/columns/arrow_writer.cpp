// Parquet and Arrow files, by Apache Arrow.
#include <algorithm>
#include <arrow/io/file.h>
#include <arrow/io/stdio.h>
#include <arrow/ipc/writer.h>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <parquet/arrow/writer.h>
#include <thread>

#include "nexusfix/logs/columns/arrow_builders.hpp"
#include "nexusfix/logs/columns/column_values.hpp"
#include "nexusfix/logs/columns/column_writer.hpp"
#include "nexusfix/logs/source/log_time.hpp"

namespace nexusfix::logs {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

constexpr std::int64_t kBatchRows = 32'768;
constexpr std::uint64_t kBatchBytes = 16U << 20U;  // of messages: long ones make smaller batches
constexpr std::int64_t kRowGroupRows = 262'144;

// Arrow's sentence, and the system's if there is one: "No space left on device".
std::string text_of(const arrow::Status& status) {
  return status.detail() == nullptr ? status.message()
                                    : status.message() + ": " + status.detail()->ToString();
}

// Where the batches go.
class BatchFile {
 public:
  virtual ~BatchFile() = default;
  virtual arrow::Status write(const Batch& batch) = 0;
  virtual arrow::Status close() = 0;
};

class ParquetFile final : public BatchFile {
 public:
  explicit ParquetFile(std::unique_ptr<parquet::arrow::FileWriter> writer)
      : writer_{std::move(writer)} {}
  arrow::Status write(const Batch& batch) override { return writer_->WriteRecordBatch(*batch); }
  arrow::Status close() override { return writer_->Close(); }

 private:
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

class ArrowFile final : public BatchFile {
 public:
  explicit ArrowFile(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_{std::move(writer)} {}
  arrow::Status write(const Batch& batch) override { return writer_->WriteRecordBatch(*batch); }
  arrow::Status close() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

// Ctrl-C must interrupt the thread that reads. Arrow's threads inherit this from the first caller.
void block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// Encodes and writes batches on a thread of its own, while the next one is read.
class BatchThread {
 public:
  explicit BatchThread(std::unique_ptr<BatchFile> file)
      : file_{std::move(file)}, thread_{[this] { run(); }} {}
  ~BatchThread() {
    if (thread_.joinable()) static_cast<void>(finish());
  }

  // Waits while two batches wait. The error is that of an earlier batch.
  arrow::Status add(Batch batch) {
    constexpr std::size_t kWaitingMax = 2;
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return waiting_.size() < kWaitingMax || !status_.ok(); });
    waiting_.push_back(std::move(batch));
    changed_.notify_all();
    return status_;
  }
  arrow::Status finish() {
    {
      const std::lock_guard lock{mutex_};
      is_last_ = true;
      changed_.notify_all();
    }
    thread_.join();
    return status_;
  }

 private:
  void run() {
    block_signals();
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return is_last_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      const Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      if (!status_.ok()) continue;
      lock.unlock();
      arrow::Status status = file_->write(batch);
      lock.lock();
      status_ = std::move(status);
      changed_.notify_all();
    }
    if (status_.ok()) status_ = file_->close();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  arrow::Status status_;
  bool is_last_ = false;
  std::unique_ptr<BatchFile> file_;
  std::thread thread_;
};

class ArrowWriter final : public ColumnWriter {
 public:
  ArrowWriter(const ColumnRequest& request, std::shared_ptr<arrow::Schema> schema,
              std::unique_ptr<BatchFile> file)
      : with_file_{request.with_file}, schema_{std::move(schema)}, thread_{std::move(file)} {
    wire::Tag highest = 0;
    for (const Column& column : request.columns) {
      columns_.emplace_back(column);
      names_.push_back(column.name);
      highest = std::max(highest, column.tag);
    }
    by_tag_.assign(static_cast<std::size_t>(highest) + 1, kNoColumn);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      by_tag_[static_cast<std::size_t>(columns_[i].tag())] = static_cast<std::int32_t>(i);
    }
    row_of_.assign(columns_.size(), 0);
  }

  std::expected<void, std::string> add(const LogMessage& message) override {
    ++totals_.rows;
    add_place(message);
    fields_.read(message.bytes);
    const auto fields = fields_.all();
    for (std::size_t i = 0; i < fields.size();) {
      const auto tag = static_cast<std::size_t>(fields[i].tag);
      const std::int32_t index = tag < by_tag_.size() ? by_tag_[tag] : kNoColumn;
      if (index == kNoColumn || tag == 0) {
        ++i;
        continue;
      }
      const auto place = static_cast<std::size_t>(index);
      if (row_of_[place] == totals_.rows) {  // it has a value already
        ++i;
        continue;
      }
      row_of_[place] = totals_.rows;
      if (columns_[place].is_group()) {
        i = columns_[place].append_group(fields, i);
      } else {
        columns_[place].append(fields[i].value);
        ++i;
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (row_of_[i] != totals_.rows) columns_[i].append_null();
    }
    ++batch_rows_;
    batch_bytes_ += message.bytes.size();
    if (batch_rows_ < kBatchRows && batch_bytes_ < kBatchBytes) return {};
    return as_result(end_batch());
  }

  std::expected<ColumnTotals, std::string> finish() override {
    arrow::Status status = batch_rows_ > 0 ? end_batch() : arrow::Status::OK();
    const arrow::Status last = thread_.finish();
    if (status.ok()) status = last;
    if (!status.ok()) return std::unexpected{text_of(status)};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].misfits() > 0) totals_.misfits.emplace_back(names_[i], columns_[i].misfits());
    }
    return std::move(totals_);
  }

 private:
  static constexpr std::int32_t kNoColumn = -1;

  static std::expected<void, std::string> as_result(const arrow::Status& status) {
    if (status.ok()) return {};
    return std::unexpected{text_of(status)};
  }

  // Appending fails only without memory: finish() of the batch then has fewer rows, which Arrow
  // reports.
  static void note(const arrow::Status&) noexcept {}

  void add_place(const LogMessage& message) {
    if (with_file_) note(file_.Append(message.path));
    note(offset_.Append(static_cast<std::int64_t>(message.offset)));
    constexpr std::size_t kMillis = 21;  // 20240115-10:30:00.123
    auto time = timestamp_value(message.prefix.substr(0, kMillis));
    if (!time) {
      const auto found = time_of_message(message.prefix, message.bytes);
      if (found) time = found->time_since_epoch().count();
    }
    note(time ? time_.Append(*time) : time_.AppendNull());
    const LoggedDirection direction = direction_in(message.prefix);
    note(direction == LoggedDirection::Unknown
             ? direction_.AppendNull()
             : direction_.Append(direction == LoggedDirection::In ? "in" : "out"));
  }

  arrow::Status end_batch() {
    arrow::ArrayVector arrays;
    const auto finish_one = [&](arrow::ArrayBuilder& builder) {
      std::shared_ptr<arrow::Array> array;
      note(builder.Finish(&array));
      arrays.push_back(std::move(array));
    };
    if (with_file_) finish_one(file_);
    finish_one(offset_);
    finish_one(time_);
    finish_one(direction_);
    for (ArrowColumn& column : columns_) arrays.push_back(column.finish());
    Batch batch = arrow::RecordBatch::Make(schema_, batch_rows_, std::move(arrays));
    batch_rows_ = 0;
    batch_bytes_ = 0;
    if (arrow::Status valid = batch->Validate(); !valid.ok()) return valid;
    return thread_.add(std::move(batch));
  }

  bool with_file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<ArrowColumn> columns_;
  std::vector<std::string> names_;
  std::vector<std::int32_t> by_tag_;
  std::vector<std::uint64_t> row_of_;  // by column: the row that has a value already
  arrow::StringBuilder file_;
  arrow::Int64Builder offset_;
  arrow::TimestampBuilder time_{arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
                                arrow::default_memory_pool()};
  arrow::StringBuilder direction_;
  MessageFields fields_;
  ColumnTotals totals_;
  std::int64_t batch_rows_ = 0;
  std::uint64_t batch_bytes_ = 0;
  BatchThread thread_;
};

std::shared_ptr<arrow::Schema> schema_of(const ColumnRequest& request) {
  arrow::FieldVector fields;
  if (request.with_file) fields.push_back(arrow::field("file", arrow::utf8()));
  fields.push_back(arrow::field("byte_offset", arrow::int64()));
  fields.push_back(arrow::field("time", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")));
  fields.push_back(arrow::field("direction", arrow::utf8()));
  for (const Column& column : request.columns) {
    fields.push_back(arrow::field(column.name, arrow_type(column)));
  }
  return arrow::schema(fields);
}

std::shared_ptr<parquet::WriterProperties> parquet_properties(const ColumnRequest& request) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)->compression_level(1);
  builder.max_row_group_length(kRowGroupRows);
  // Numbers that ascend need few bits; a dictionary of values that hardly repeat only costs time.
  const auto as_differences = [&](const std::string& name) {
    builder.disable_dictionary(name)->encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
  };
  as_differences("byte_offset");
  as_differences("time");
  for (const Column& column : request.columns) {
    if (column.type == ColumnType::Timestamp || column.type == ColumnType::Integer) {
      as_differences(column.name);
    }
    if (column.is_identifier)
      builder.disable_dictionary(column.name)->disable_statistics(column.name);
  }
  return builder.build();
}

arrow::Result<std::unique_ptr<BatchFile>> open_file(const ColumnRequest& request,
                                                    const std::shared_ptr<arrow::Schema>& schema) {
  std::shared_ptr<arrow::io::OutputStream> out;
  if (request.path.empty()) {
    out = std::make_shared<arrow::io::StdoutStream>();
  } else {
    ARROW_ASSIGN_OR_RAISE(out, arrow::io::FileOutputStream::Open(request.path));
  }
  if (request.format == ColumnFormat::Parquet) {
    const auto arrow_properties =
        parquet::ArrowWriterProperties::Builder().set_use_threads(true)->store_schema()->build();
    ARROW_ASSIGN_OR_RAISE(auto writer, parquet::arrow::FileWriter::Open(
                                           *schema, arrow::default_memory_pool(), out,
                                           parquet_properties(request), arrow_properties));
    return std::make_unique<ParquetFile>(std::move(writer));
  }
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
  if (request.format == ColumnFormat::ArrowFile) {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(out, schema));
  } else {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(out, schema));
  }
  return std::make_unique<ArrowFile>(std::move(writer));
}

}  // namespace

std::expected<std::unique_ptr<ColumnWriter>, std::string> open_arrow_columns(
    const ColumnRequest& request) {
  const auto schema = schema_of(request);
  auto file = open_file(request, schema);
  if (!file.ok()) return std::unexpected{text_of(file.status())};
  return std::make_unique<ArrowWriter>(request, schema, std::move(*file));
}

}  // namespace nexusfix::logs
