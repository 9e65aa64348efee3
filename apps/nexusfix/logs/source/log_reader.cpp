#include "nexusfix/logs/source/log_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "nexusfix/logs/source/log_time.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

// Half of the second-level cache of common CPUs.
constexpr std::size_t kChunkBytes = 256U << 10U;

bool is_in_window(const LogRequest& request, const printing::ScannedMessage& message) {
  if (!request.from && !request.until) return true;
  const auto time = time_of_message(message.prefix, message.bytes);
  if (!time) return false;
  return (!request.from || *time >= *request.from) && (!request.until || *time < *request.until);
}

class Reading {
 public:
  Reading(Disk& disk, const LogRequest& request, LogCalls calls)
      : disk_{disk}, request_{request}, calls_{calls} {}

  LogReport run() {
    std::vector<std::string> paths = request_.files;
    if (paths.empty()) paths.emplace_back("-");
    if (request_.with_rotated) {
      std::vector<std::string> all;
      for (const std::string& path : paths) {
        for (std::string& one : rotated_set(disk_, path)) all.push_back(std::move(one));
      }
      paths = std::move(all);
    }
    if (request_.is_merged) {
      read_merged(paths);
    } else {
      for (const std::string& path : paths) {
        if (read_one(path) == AfterMessage::Stop) break;
      }
    }
    return std::move(report_);
  }

 private:
  std::optional<LogReader> open(const std::string& path) {
    LogReport::FileReport& file = report_.files.emplace_back();
    file.path = path == "-" ? "standard input" : path;
    auto source = open_source(disk_, path, request_.kind);
    if (source)
      return std::optional<LogReader>{std::in_place, std::move(*source), request_.delimiter};
    file.is_open = false;
    file.error = std::move(source.error());
    calls_.failed(file.error);
    return std::nullopt;
  }

  void close(std::size_t index, const LogReader& reader) {
    LogReport::FileReport& file = report_.files[index];
    file.skipped = reader.skipped();
    if (!reader.error().empty()) {
      file.error = file.path + ": " + reader.error();
      calls_.failed(file.error);
    }
    if (file.skipped.count > 0) {
      calls_.failed(skipped_text(file));
    }
  }

  // "log: 2 places with 8=FIX are no message, the first at byte 17: ..."
  [[nodiscard]] std::string skipped_text(const LogReport::FileReport& file) const {
    return fmt::format("{}: {} with 8=FIX {} no message, the first at byte {}: {}", file.path,
                       command::counted(file.skipped.count, "place"),
                       file.skipped.count == 1 ? "is" : "are",
                       command::with_thousands(file.skipped.first_offset),
                       request_.delimiter.empty() ? "a version, a separator and 9= do not follow"
                                                  : "the delimiter does not follow");
  }

  AfterMessage pass(const printing::ScannedMessage& message, std::size_t file) {
    if (!is_in_window(request_, message)) return AfterMessage::Continue;
    return calls_.each(
        {message.bytes, message.prefix, message.offset, file, report_.files[file].path});
  }

  AfterMessage read_one(const std::string& path) {
    auto reader = open(path);
    if (!reader) return AfterMessage::Continue;
    const std::size_t index = report_.files.size() - 1;
    while (const auto message = reader->next(calls_.drained)) {
      if (pass(*message, index) == AfterMessage::Stop) return AfterMessage::Stop;
    }
    close(index, *reader);
    return AfterMessage::Continue;
  }

  struct Head {
    WallTime time{};
    std::size_t file = 0;
    std::unique_ptr<LogReader> reader;
    printing::ScannedMessage message{};
  };
  static bool is_later(const Head& left, const Head& right) {
    return left.time != right.time ? left.time > right.time : left.file > right.file;
  }

  // False: the source has no more messages.
  bool advance(Head& head) {
    const auto message = head.reader->next(calls_.drained);
    if (!message) {
      close(head.file, *head.reader);
      return false;
    }
    head.message = *message;
    head.time = time_of_message(message->prefix, message->bytes).value_or(head.time);
    return true;
  }

  void read_merged(const std::vector<std::string>& paths) {
    std::vector<Head> heads;
    for (const std::string& path : paths) {
      auto reader = open(path);
      if (!reader) continue;
      Head head{.file = report_.files.size() - 1,
                .reader = std::make_unique<LogReader>(std::move(*reader))};
      if (advance(head)) heads.push_back(std::move(head));
    }
    std::ranges::make_heap(heads, is_later);
    while (!heads.empty()) {
      std::ranges::pop_heap(heads, is_later);
      Head& first = heads.back();
      if (pass(first.message, first.file) == AfterMessage::Stop) return;
      if (advance(first)) {
        std::ranges::push_heap(heads, is_later);
      } else {
        heads.pop_back();
      }
    }
  }

  Disk& disk_;
  const LogRequest& request_;
  LogCalls calls_;
  LogReport report_;
};

}  // namespace

std::optional<printing::ScannedMessage> LogReader::next(FunctionRef<void()> drained) {
  for (;;) {
    if (auto message = scanner_.next()) return message;
    if (is_at_end_) return std::nullopt;
    if (was_short_) drained();
    const std::size_t got = scanner_.feed_from(kChunkBytes, [&](std::span<char> bytes) {
      const auto read = source_->read(bytes);
      if (!read) error_ = read.error();
      return read.value_or(0);
    });
    was_short_ = got < kChunkBytes;
    if (got == 0) {
      is_at_end_ = true;
      scanner_.finish();
    }
  }
}

std::uint64_t LogReport::skipped() const noexcept {
  std::uint64_t count = 0;
  for (const FileReport& file : files) count += file.skipped.count;
  return count;
}

bool LogReport::has_unopened() const noexcept {
  return std::ranges::any_of(files, [](const FileReport& file) { return !file.is_open; });
}

bool LogReport::has_unread() const noexcept {
  return std::ranges::any_of(
      files, [](const FileReport& file) { return file.is_open && !file.error.empty(); });
}

LogReport read_logs(Disk& disk, const LogRequest& request, LogCalls calls) {
  return Reading{disk, request, calls}.run();
}

}  // namespace nexusfix::logs
