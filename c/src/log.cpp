// Logs of the C interface: batches of messages, in memory of the library.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "c/src/results.hpp"
#include "logs/messages/message_begin.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "logs/source/open_source.hpp"

namespace logs = nexusfix::logs;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::to_text;

namespace {

constexpr std::size_t kBatchBytesDefault = 4U << 20U;

// The texts of a batch. The memory of one is used again for the next.
class BatchTexts {
 public:
  void clear() {
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    used_ = 0;
    bytes_ = 0;
  }
  std::string_view keep(std::string_view text) {
    if (blocks_.empty() || blocks_.back().size - used_ < text.size()) {
      const std::size_t size = std::max(kBlockBytes, text.size());
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
      used_ = 0;
    }
    char* const to = blocks_.back().data.get() + used_;
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    used_ += text.size();
    bytes_ += text.size();
    return {to, text.size()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t kBlockBytes = 1U << 20U;
  struct Block {
    std::unique_ptr<char[]> data;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;   // of the last block
  std::size_t bytes_ = 0;  // of the batch
};

}  // namespace

struct nxf_log {
  nxf_log(std::string of, logs::StampStyle style, std::size_t bytes)
      : path{std::move(of)}, log_times{std::move(style)}, batch_bytes{bytes} {}

  nexusfix::PosixDisk disk;
  std::string path;
  logs::LogTimes log_times;
  logs::TimeReader times;
  std::size_t batch_bytes;
  BatchTexts texts;
  std::uint64_t end = 0;  // of the last message
  bool has_ended = false;
  std::optional<logs::LogReader> reader;  // the last member: it uses the disk
};

namespace {

constexpr char kSoh = '\x01';

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The fields that say which message it is: most often the third to the sixth field.
void read_header(std::string_view bytes, nxf_log_message& to) {
  int missing = 4;
  for (std::size_t at = 0; missing > 0 && at < bytes.size();) {
    const std::size_t end = std::min(bytes.find(kSoh, at), bytes.size());
    const std::string_view field = bytes.substr(at, end - at);
    at = end + 1;
    if (field.size() < 3 || field[2] != '=') continue;
    const std::string_view value = field.substr(3);
    const auto is_first = [&](std::string_view tag, const nxf_text& text) {
      return field.starts_with(tag) && text.data == nullptr && missing-- > 0;
    };
    if (is_first("35", to.msg_type)) {
      to.msg_type = to_text(value);
    } else if (is_first("49", to.sender)) {
      to.sender = to_text(value);
    } else if (is_first("56", to.target)) {
      to.target = to_text(value);
    } else if (field.starts_with("34") && to.msg_seq_num == 0) {
      to.msg_seq_num = number_in(value);
      --missing;
    }
  }
}

nxf_direction direction_of(logs::LoggedDirection direction) {
  switch (direction) {
    case logs::LoggedDirection::In:
      return NXF_IN;
    case logs::LoggedDirection::Out:
      return NXF_OUT;
    case logs::LoggedDirection::Unknown:
      break;
  }
  return NXF_DIRECTION_UNKNOWN;
}

nxf_log_message kept(nxf_log& log, const logs::LogMessage& from) {
  nxf_log_message made{};
  const auto time = log.times.of_message(from);
  made.time = time ? time->time_since_epoch().count() : NXF_NO_TIME;
  made.direction = direction_of(log.times.direction(from.prefix));
  const std::string_view bytes = log.texts.keep(from.bytes);
  made.bytes = to_text(bytes);
  made.prefix = to_text(log.texts.keep(from.prefix));
  made.offset = from.offset;
  read_header(bytes, made);
  log.end = from.offset + from.bytes.size();
  return made;
}

nxf_status open_log(const char* path, const nxf_log_options& options, nxf_log** to,
                    nxf_error* error) {
  auto kind = logs::SourceKind::Recognised;
  if (options.kind != nullptr) {
    const auto named = logs::source_kind(options.kind);
    if (!named) {
      return refuse_argument(
          error, std::string{"nxf_log_options: kind is none of "} + logs::source_kind_names());
    }
    kind = *named;
  }
  std::string delimiter;
  if (options.delimiter != nullptr) {
    auto read = nexusfix::printing::read_delimiter(options.delimiter);
    if (!read) return refuse_argument(error, "nxf_log_options: delimiter: " + read.error());
    delimiter = std::move(*read);
  }
  logs::StampStyle style;
  if (options.zone_seconds != 0) style.zone = std::chrono::seconds{options.zone_seconds};
  const std::size_t bytes = options.batch_bytes == 0 ? kBatchBytesDefault : options.batch_bytes;
  auto made = std::make_unique<nxf_log>(path, std::move(style), bytes);
  auto source = logs::open_source(made->disk, made->path, kind, logs::Follow::No);
  if (!source) return report(error, NXF_IO, {.text = source.error()});
  made->reader.emplace(std::move(*source), delimiter);
  *to = made.release();
  return NXF_OK;
}

void write_message(char* to, std::size_t size, const nxf_log_message& message) {
  std::memcpy(to, &message, std::min(size, sizeof message));
}

}  // namespace

nxf_status nxf_log_open(const char* path, const nxf_log_options* options, nxf_log** log,
                        nxf_error* error) {
  constexpr std::size_t kFirstSize =
      offsetof(nxf_log_options, batch_bytes) + sizeof options->batch_bytes;
  constexpr std::int64_t kZoneSecondsMax = 86'400;
  if (path == nullptr || log == nullptr)
    return refuse_argument(error, "nxf_log_open: an argument is NULL");
  *log = nullptr;
  nxf_log_options given{};
  if (options != nullptr && !nexusfix::c::read_options(options, kFirstSize, given))
    return refuse_argument(error, "nxf_log_options: struct_size is too small");
  if (given.zone_seconds < -kZoneSecondsMax || given.zone_seconds > kZoneSecondsMax)
    return refuse_argument(error, "nxf_log_options: zone_seconds is more than a day");
  return guarded(error, [&] { return open_log(path, given, log, error); });
}

void nxf_log_free(nxf_log* log) { delete log; }

nxf_status nxf_log_read(nxf_log* log, nxf_log_message* messages, size_t message_size, size_t max,
                        size_t* count, nxf_error* error) {
  constexpr std::size_t kFirstSize =
      offsetof(nxf_log_message, direction) + sizeof messages->direction;
  if (log == nullptr || messages == nullptr || count == nullptr || max == 0)
    return refuse_argument(error, "nxf_log_read: an argument is NULL or 0");
  *count = 0;
  if (message_size < kFirstSize)
    return refuse_argument(error, "nxf_log_read: message_size is too small");
  return guarded(error, [&]() -> nxf_status {
    log->texts.clear();
    char* to = reinterpret_cast<char*>(messages);
    logs::LogMessage message{.path = log->path, .times = &log->log_times};
    while (!log->has_ended && *count < max && log->texts.bytes() < log->batch_bytes) {
      if (!log->reader->next(message, [] {})) {
        log->has_ended = true;
        break;
      }
      write_message(to, message_size, kept(*log, message));
      to += message_size;
      ++*count;
    }
    if (*count > 0) return NXF_OK;
    const std::string& fault = log->reader->error();
    if (fault.empty()) return NXF_END;
    return report(error, NXF_IO, {.text = log->path + ": " + fault, .offset = log->end});
  });
}

nxf_status nxf_log_skipped(const nxf_log* log, nxf_log_faults* faults) {
  if (log == nullptr || faults == nullptr) return NXF_INVALID_ARGUMENT;
  const auto& found = log->reader->skipped();
  nexusfix::c::write_result(faults, nxf_log_faults{.struct_size = 0,
                                                   .skipped = found.count,
                                                   .first_skipped = found.first_offset,
                                                   .too_long = found.too_long,
                                                   .first_too_long = found.first_too_long,
                                                   .cut = found.cut});
  return NXF_OK;
}
