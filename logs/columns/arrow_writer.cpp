// Parquet and Arrow files, by Apache Arrow.
#include <algorithm>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/io/stdio.h>
#include <arrow/ipc/writer.h>
#include <condition_variable>
#include <deque>
#include <malloc.h>
#include <mutex>
#include <parquet/arrow/writer.h>
#include <thread>
#include <variant>

#include "logs/columns/arrow_builders.hpp"
#include "logs/columns/column_writer.hpp"
#include "logs/columns/flat_column.hpp"
#include "logs/fields/field_slots.hpp"
#include "logs/messages/find_bytes.hpp"
#include "logs/source/log_time.hpp"
#include "nexusfix/files/interrupt.hpp"

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

// Counts what is written: a device or a pipe does not know its place.
class CountedStream final : public arrow::io::OutputStream {
 public:
  explicit CountedStream(std::shared_ptr<arrow::io::OutputStream> to) : to_{std::move(to)} {}
  arrow::Status Write(const void* data, std::int64_t size) override {
    ARROW_RETURN_NOT_OK(to_->Write(data, size));
    written_ += size;
    return arrow::Status::OK();
  }
  arrow::Status Flush() override { return to_->Flush(); }
  arrow::Status Close() override { return to_->Close(); }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  bool closed() const override { return to_->closed(); }

 private:
  std::shared_ptr<arrow::io::OutputStream> to_;
  std::int64_t written_ = 0;
};

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

// A stream in memory.
class ArrowText final : public BatchFile {
 public:
  ArrowText(std::shared_ptr<arrow::io::BufferOutputStream> out,
            std::shared_ptr<arrow::ipc::RecordBatchWriter> writer, std::string& to)
      : out_{std::move(out)}, writer_{std::move(writer)}, to_{to} {}
  arrow::Status write(const Batch& batch) override { return writer_->WriteRecordBatch(*batch); }
  arrow::Status close() override {
    ARROW_RETURN_NOT_OK(writer_->Close());
    ARROW_ASSIGN_OR_RAISE(const auto bytes, out_->Finish());
    to_ = bytes->ToString();
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::io::BufferOutputStream> out_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::string& to_;
};

// Encodes and writes batches: in add(), or on a thread of its own while the next one is read.
class BatchOutput {
 public:
  BatchOutput(std::unique_ptr<BatchFile> file, bool has_thread) : file_{std::move(file)} {
    if (has_thread) thread_ = std::thread{[this] { run(); }};
  }
  ~BatchOutput() {
    if (thread_.joinable()) static_cast<void>(finish());
  }

  // Waits while two batches wait. The error is that of an earlier batch.
  arrow::Status add(Batch batch) {
    if (!thread_.joinable()) {
      if (status_.ok()) status_ = file_->write(batch);
      return status_;
    }
    constexpr std::size_t kWaitingMax = 2;
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return waiting_.size() < kWaitingMax || !status_.ok(); });
    waiting_.push_back(std::move(batch));
    changed_.notify_all();
    return status_;
  }
  arrow::Status finish() {
    if (!thread_.joinable()) {
      if (status_.ok()) status_ = file_->close();
      return status_;
    }
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
    command::block_interrupts();  // also of the threads that Arrow makes
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

// One column: of a group or a flag by Arrow's builders, any other by its own.
using RowColumn = std::variant<FlatColumn, ArrowColumn>;

class ArrowRows final : public ColumnRows {
 public:
  ArrowRows(const ColumnRequest& request, std::shared_ptr<arrow::Schema> schema)
      : with_file_{request.with_file}, schema_{std::move(schema)} {
    wire::Tag highest = 0;
    for (const Column& column : request.columns) highest = std::max(highest, column.tag);
    by_tag_.assign(static_cast<std::size_t>(highest) + 1, kNoColumn);
    for (const Column& column : request.columns) {
      by_tag_[static_cast<std::size_t>(column.tag)] = static_cast<std::int32_t>(columns_.size());
      if (FlatColumn::takes(column.type)) {
        columns_.emplace_back(std::in_place_type<FlatColumn>, column);
      } else {
        columns_.emplace_back(std::in_place_type<ArrowColumn>, column);
      }
      can_skip_ = can_skip_ && column.type != ColumnType::Group &&
                  FieldSlots::can_want(column.tag) && columns_.size() <= FieldSlots::kSlotsMax;
      if (can_skip_) slots_.want(column.tag, static_cast<unsigned>(columns_.size()));
    }
    row_of_.assign(columns_.size(), 0);
  }

  bool add(const LogMessage& message) override {
    ++row_;
    add_place(message);
    is_ascii_ = printing::is_ascii(message.bytes);
    const char* const readable = message.bytes.data() + message.bytes.size();
    const bool is_read =
        can_skip_ && slots_.each(message.bytes, [&](unsigned slot, std::string_view value)
                                                    __attribute__((always_inline)) {
                                                      if (row_of_[slot - 1] != row_)
                                                        add_value(slot - 1, value, readable);
                                                    });
    if (!is_read) add_fields(message.bytes, readable);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (row_of_[i] == row_) continue;
      std::visit([](auto& column) { column.append_null(); }, columns_[i]);
    }
    ++batch_rows_;
    batch_bytes_ += message.bytes.size();
    return batch_rows_ >= kBatchRows || batch_bytes_ >= kBatchBytes;
  }
  void clear() override {
    static_cast<void>(finish());
    for (std::size_t i = 0; i < columns_.size(); ++i) static_cast<void>(consume_misfits(i));
  }

  // The rows as a batch; null: there are none. The object is then empty.
  [[nodiscard]] arrow::Result<Batch> finish() {
    if (batch_rows_ == 0) return nullptr;
    arrow::ArrayVector arrays;
    if (with_file_) arrays.push_back(file_.finish());
    arrays.push_back(offset_.finish());
    arrays.push_back(time_.finish());
    arrays.push_back(direction_.finish());
    for (RowColumn& one : columns_) {
      arrays.push_back(std::visit([](auto& column) { return column.finish(); }, one));
    }
    Batch batch = arrow::RecordBatch::Make(schema_, batch_rows_, std::move(arrays));
    batch_rows_ = 0;
    batch_bytes_ = 0;
    ARROW_RETURN_NOT_OK(batch->Validate());
    return batch;
  }
  // The misfits of this column since the last call.
  [[nodiscard]] std::uint64_t consume_misfits(std::size_t index) {
    return std::visit([](auto& column) { return column.consume_misfits(); }, columns_[index]);
  }

 private:
  static constexpr std::int32_t kNoColumn = -1;

  void add_value(std::size_t index, std::string_view value, const char* readable) {
    row_of_[index] = row_;
    if (auto* const flat = std::get_if<FlatColumn>(&columns_[index])) {
      flat->append(value, is_ascii_, readable);
    } else {
      std::get<ArrowColumn>(columns_[index]).append(value);
    }
  }

  // Field by field: a group takes several of them.
  void add_fields(std::string_view bytes, const char* readable) {
    fields_.read(bytes);
    const auto fields = fields_.all();
    for (std::size_t i = 0; i < fields.size();) {
      const auto tag = static_cast<std::size_t>(fields[i].tag);
      const std::int32_t index = tag < by_tag_.size() ? by_tag_[tag] : kNoColumn;
      const auto place = static_cast<std::size_t>(index);
      if (index == kNoColumn || tag == 0 || row_of_[place] == row_) {
        ++i;
        continue;
      }
      auto* const built = std::get_if<ArrowColumn>(&columns_[place]);
      if (built != nullptr && built->is_group()) {
        row_of_[place] = row_;
        i = built->append_group(fields, i);
      } else {
        add_value(place, fields[i].value, readable);
        ++i;
      }
    }
  }

  void add_place(const LogMessage& message) {
    const auto append = [](FlatColumn& column, std::string_view value) {
      column.append(value, false, value.data() + value.size());
    };
    if (with_file_) append(file_, message.path);
    offset_.append_number(static_cast<std::int64_t>(message.offset));
    if (const auto time = times_.of_message(message)) {
      time_.append_number(time->time_since_epoch().count());
    } else {
      time_.append_null();
    }
    switch (times_.direction(message.prefix)) {
      case LoggedDirection::In:
        append(direction_, "in");
        break;
      case LoggedDirection::Out:
        append(direction_, "out");
        break;
      case LoggedDirection::Unknown:
        direction_.append_null();
        break;
    }
  }

  bool with_file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<RowColumn> columns_;
  std::vector<std::int32_t> by_tag_;
  std::vector<std::uint64_t> row_of_;  // by column: the row that has a value already
  FieldSlots slots_;                   // the number of the column with a tag
  bool can_skip_ = true;               // the other fields need not be looked at
  FlatColumn file_{{.name = "file"}};
  FlatColumn offset_{{.name = "byte_offset", .type = ColumnType::Integer}};
  FlatColumn time_{{.name = "time", .type = ColumnType::Timestamp}};
  FlatColumn direction_{{.name = "direction"}};
  TimeReader times_;
  MessageFields fields_;
  bool is_ascii_ = false;  // the present message
  std::uint64_t row_ = 0;  // the number of the last row
  std::int64_t batch_rows_ = 0;
  std::uint64_t batch_bytes_ = 0;
};

class ArrowWriter final : public ColumnWriter {
 public:
  ArrowWriter(ColumnRequest request, std::shared_ptr<arrow::Schema> schema,
              std::unique_ptr<BatchFile> file)
      : request_{std::move(request)},
        schema_{std::move(schema)},
        misfits_(request_.columns.size()),
        output_{std::move(file), request_.has_threads} {}

  std::unique_ptr<ColumnRows> make_rows() const override {
    return std::make_unique<ArrowRows>(request_, schema_);
  }

  std::expected<void, std::string> take(ColumnRows& rows) override {
    auto& taken = static_cast<ArrowRows&>(rows);
    auto batch = taken.finish();
    arrow::Status status = batch.status();
    if (status.ok() && *batch != nullptr) {
      rows_ += static_cast<std::uint64_t>((*batch)->num_rows());
      for (std::size_t i = 0; i < misfits_.size(); ++i) misfits_[i] += taken.consume_misfits(i);
      status = output_.add(std::move(*batch));
    }
    if (status.ok()) return {};
    return std::unexpected{text_of(status)};
  }

  std::expected<ColumnTotals, std::string> finish() override {
    if (const arrow::Status status = output_.finish(); !status.ok()) {
      return std::unexpected{text_of(status)};
    }
    ColumnTotals totals;
    totals.rows = rows_;
    for (std::size_t i = 0; i < misfits_.size(); ++i) {
      if (misfits_[i] > 0) totals.misfits.emplace_back(request_.columns[i].name, misfits_[i]);
    }
    return totals;
  }

 private:
  ColumnRequest request_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::uint64_t> misfits_;  // by column
  std::uint64_t rows_ = 0;
  BatchOutput output_;
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

// The columns of each row group take megabytes, which the next one needs again: malloc() keeps
// them. The allocator of Arrow gives them back, and needs a third more memory and a tenth more
// time.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

std::shared_ptr<parquet::WriterProperties> parquet_properties(const ColumnRequest& request) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD);  // the default level is the fastest one
  builder.memory_pool(arrow::system_memory_pool());
  builder.max_row_group_length(kRowGroupRows);
  // Numbers that ascend need few bits, which compression does not make fewer.
  const auto as_differences = [&](const std::string& name) {
    builder.disable_dictionary(name)->encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
    builder.compression(name, parquet::Compression::UNCOMPRESSED);
  };
  as_differences("byte_offset");
  as_differences("time");
  builder.disable_statistics("direction");
  for (const Column& column : request.columns) {
    if (column.type == ColumnType::Timestamp || column.type == ColumnType::Integer) {
      as_differences(column.name);
    }
    // A dictionary of values that hardly repeat only costs time. Decimals of 16 bytes are looked up
    // slowly, and compression makes them as small. The least and the greatest text or price of a
    // part of the file cost time, too, and select none.
    const bool is_decimal = column.type == ColumnType::Decimal;
    if (column.is_identifier || is_decimal) builder.disable_dictionary(column.name);
    if (column.type == ColumnType::Text || is_decimal) {
      builder.disable_statistics(column.name);
    }
  }
  return builder.build();
}

arrow::Result<std::unique_ptr<BatchFile>> open_file(const ColumnRequest& request,
                                                    const std::shared_ptr<arrow::Schema>& schema) {
  if (request.to != nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto memory, arrow::io::BufferOutputStream::Create());
    ARROW_ASSIGN_OR_RAISE(auto stream, arrow::ipc::MakeStreamWriter(memory, schema));
    return std::make_unique<ArrowText>(std::move(memory), std::move(stream), *request.to);
  }
  std::shared_ptr<arrow::io::OutputStream> out;
  if (request.path.empty()) {
    out = std::make_shared<arrow::io::StdoutStream>();
  } else {
    ARROW_ASSIGN_OR_RAISE(out, arrow::io::FileOutputStream::Open(request.path));
  }
  out = std::make_shared<CountedStream>(std::move(out));
  keep_freed_memory();
  if (request.format == ColumnFormat::Parquet) {
    const auto arrow_properties = parquet::ArrowWriterProperties::Builder()
                                      .set_use_threads(request.has_threads)
                                      ->store_schema()
                                      ->build();
    ARROW_ASSIGN_OR_RAISE(auto writer, parquet::arrow::FileWriter::Open(
                                           *schema, arrow::system_memory_pool(), out,
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
