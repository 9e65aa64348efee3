#include "logs/source/log_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "logs/source/log_time.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

// Half of the second-level cache of common CPUs.
constexpr std::size_t kLineChunkBytes = 256U << 10U;

bool is_in_window(const LogRequest& request, const printing::ScannedMessage& message) {
  if (!request.from && !request.until) return true;
  const auto time = time_of_message(message);
  if (!time) return false;
  return (!request.from || *time >= *request.from) && (!request.until || *time < *request.until);
}

class Reading {
 public:
  Reading(Disk& disk, const LogRequest& request, LogCalls calls)
      : disk_{disk}, request_{request}, calls_{calls}, times_{request.stamps} {
    if (calls.make_work && request.jobs > 1 && !request.is_merged && !request.is_followed) {
      pool_.emplace(request.jobs, *calls.make_work, request.chunk_bytes);
    }
  }

  LogReport run() {
    std::vector<std::string> paths = request_.files;
    if (paths.empty()) paths.emplace_back("-");
    std::vector<std::string> current = paths;
    if (request_.with_rotated) {
      std::vector<std::string> all;
      for (const std::string& path : paths) {
        for (std::string& one : rotated_set(disk_, path)) {
          if (!request_.is_followed || one != path) all.push_back(std::move(one));
        }
      }
      paths = std::move(all);
    }
    if (request_.is_followed) {
      if (!request_.with_rotated || read_each(paths) == AfterMessage::Continue) follow(current);
    } else if (request_.is_merged) {
      read_merged(paths);
    } else {
      read_each(paths);
    }
    return std::move(report_);
  }

 private:
  std::optional<OpenedSource> open_bytes(const std::string& path, Follow follow) {
    LogReport::FileReport& file = report_.files.emplace_back();
    file.path = path == "-" ? "standard input" : path;
    auto source = open_source(disk_, path, request_.kind, follow);
    if (source) return std::move(*source);
    file.is_open = false;
    file.error = std::move(source.error());
    calls_.failed(file.error);
    return std::nullopt;
  }

  std::optional<LogReader> open(const std::string& path, Follow follow = Follow::No) {
    auto source = open_bytes(path, follow);
    if (!source) return std::nullopt;
    return std::optional<LogReader>{std::in_place, std::move(*source), request_.delimiter};
  }

  void close(std::size_t index, const LogReader& reader) {
    for (const std::string& note : reader.notes()) {
      calls_.failed(report_.files[index].path + ": " + note);
    }
    close(index, reader.skipped(), reader.error());
  }

  void say_notes() {
    for (const std::string& note : times_.consume_notes()) calls_.failed(note);
  }

  void close(std::size_t index, const printing::MessageScanner::Skipped& skipped,
             const std::string& error) {
    command::erase_read_progress();
    LogReport::FileReport& file = report_.files[index];
    file.skipped.add(skipped, 0);
    const bool is_interrupt = error == kInterrupted;
    if (!error.empty() && !(request_.is_followed && is_interrupt)) {
      file.error = file.path + ": " + error;
      // Ctrl-C ends all files that are read together: one line says so.
      if (!is_interrupt || !is_interrupt_reported_) calls_.failed(file.error);
      is_interrupt_reported_ = is_interrupt_reported_ || is_interrupt;
    }
    if (file.skipped.count > 0) calls_.failed(skipped_text(file));
    if (file.skipped.too_long > 0) calls_.failed(too_long_text(file));
    if (request_.shows_broken) show_broken(file.path, skipped);
    say_notes();
  }

  void show_broken(const std::string& path, const printing::MessageScanner::Skipped& skipped) {
    using command::with_thousands;
    for (const auto& broken : skipped.shown) {
      calls_.failed(
          fmt::format("{}: byte {}: {}: {}", path, with_thousands(broken.offset),
                      broken.is_message ? "does not end where its BodyLength says" : "no message",
                      broken.text));
    }
    if (skipped.cut > 0) {
      calls_.failed(fmt::format("{}: {} not end where BodyLength says", path,
                                command::counted(skipped.cut, "message does", "messages do")));
    }
    const std::uint64_t rest = skipped.count + skipped.cut - skipped.shown.size();
    if (rest > 0) {
      calls_.failed(fmt::format("{}: {} more are not shown", path, with_thousands(rest)));
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

  static std::string too_long_text(const LogReport::FileReport& file) {
    return fmt::format("{}: {} longer than 1 MiB and cut there, the first at byte {}", file.path,
                       command::counted(file.skipped.too_long, "message is", "messages are"),
                       command::with_thousands(file.skipped.first_too_long));
  }

  // A message of this file, which a reader completes.
  [[nodiscard]] LogMessage message_of(std::size_t file) {
    return {.file = file, .path = report_.files[file].path, .times = &times_};
  }

  AfterMessage pass(const LogMessage& message) {
    const bool has_window = request_.from || request_.until;
    if (has_window && !is_in_window(request_, message)) return AfterMessage::Continue;
    return calls_.each(message);
  }

  AfterMessage read_one(const std::string& path) {
    auto source = open_bytes(path, Follow::No);
    if (!source) return AfterMessage::Continue;
    const std::size_t index = report_.files.size() - 1;
    if (pool_ && !source->is_capture) return read_in_chunks(*source->bytes, index);
    LogReader reader{std::move(*source), request_.delimiter};
    LogMessage message = message_of(index);
    while (reader.next(message, calls_.drained)) {
      if (pass(message) == AfterMessage::Stop) return AfterMessage::Stop;
    }
    close(index, reader);
    return AfterMessage::Continue;
  }

  AfterMessage read_in_chunks(ByteSource& source, std::size_t index) {
    const auto is_wanted = [&](const printing::ScannedMessage& message) {
      return is_in_window(request_, message);
    };
    const std::string path = report_.files[index].path;
    const ChunkPool::Result result =
        pool_->read(source, {request_.delimiter, index, path, &times_, is_wanted});
    if (result.after == AfterMessage::Stop) return AfterMessage::Stop;
    close(index, result.skipped, result.error);
    return AfterMessage::Continue;
  }

  AfterMessage read_each(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (read_one(path) == AfterMessage::Stop || command::is_interrupted())
        return AfterMessage::Stop;
    }
    return AfterMessage::Continue;
  }

  struct Followed {
    std::string path;
    std::size_t file = 0;
    std::optional<LogReader> reader;  // nothing: the path must be opened again
  };

  // Reading goes on after it, so it is reported when it is found.
  void report_damage(const Followed& followed) {
    const std::string damage = followed.reader->damage();
    if (damage.empty()) return;
    std::string error = followed.path + ": " + damage;
    LogReport::FileReport& file = report_.files[followed.file];
    if (file.error == error) return;
    file.error = std::move(error);
    calls_.failed(file.error);
  }

  // Passes what has arrived. Nothing: reading ends. True: there was something.
  std::optional<bool> read_followed(Followed& followed) {
    if (!followed.reader) {
      auto source = open_source(disk_, followed.path, request_.kind, Follow::Yes);
      if (!source) return false;  // the new file is not there yet
      followed.reader.emplace(std::move(*source), request_.delimiter);
    }
    bool is_new = false;
    LogMessage message = message_of(followed.file);
    while (followed.reader->next(message, calls_.drained)) {
      is_new = true;
      if (pass(message) == AfterMessage::Stop) return std::nullopt;
    }
    if (followed.reader->end() == SourceEnd::Waits) report_damage(followed);
    return is_new;
  }

  void follow(const std::vector<std::string>& paths) {
    std::vector<Followed> all;
    for (const std::string& path : paths) {
      auto reader = open(path, Follow::Yes);
      if (reader) all.push_back({path, report_.files.size() - 1, std::move(reader)});
    }
    bool goes_on = true;
    while (!all.empty() && goes_on) {
      bool is_new = false;
      for (Followed& followed : all) {
        const auto passed = read_followed(followed);
        if (!passed) return;
        is_new = is_new || *passed;
        if (!followed.reader || followed.reader->end() == SourceEnd::Waits) continue;
        close(followed.file, *followed.reader);
        if (followed.reader->end() == SourceEnd::Truncated) {
          calls_.failed(followed.path + ": the file was truncated, and is read from its beginning");
        }
        if (followed.reader->end() == SourceEnd::Final) followed.path.clear();
        followed.reader.reset();
        is_new = true;
      }
      std::erase_if(all, [](const Followed& followed) { return followed.path.empty(); });
      if (is_new) continue;
      calls_.drained();
      say_notes();
      goes_on = calls_.wait();
    }
    for (const Followed& followed : all) {
      if (followed.reader) close(followed.file, *followed.reader);
    }
  }

  struct Head {
    WallTime time{};
    std::unique_ptr<LogReader> reader;
    LogMessage message{};
    TimeReader times{};
  };
  static bool is_later(const Head& left, const Head& right) {
    if (left.time != right.time) return left.time > right.time;
    return left.message.file > right.message.file;
  }

  // False: the source has no more messages.
  bool advance(Head& head) {
    LogMessage& message = head.message;
    if (!head.reader->next(message, calls_.drained)) {
      close(message.file, *head.reader);
      return false;
    }
    const auto time = request_.merges_by_sending_time ? sending_time(message.bytes)
                                                      : head.times.of_message(message);
    head.time = time.value_or(head.time);
    return true;
  }

  void read_merged(const std::vector<std::string>& paths) {
    std::vector<Head> heads;
    for (const std::string& path : paths) {
      auto reader = open(path);
      if (!reader) continue;
      Head head{.reader = std::make_unique<LogReader>(std::move(*reader)),
                .message = message_of(report_.files.size() - 1)};
      if (advance(head)) heads.push_back(std::move(head));
    }
    // Opening a file may have moved the paths.
    for (Head& head : heads) head.message.path = report_.files[head.message.file].path;
    std::ranges::make_heap(heads, is_later);
    while (!heads.empty()) {
      std::ranges::pop_heap(heads, is_later);
      Head& first = heads.back();
      if (pass(first.message) == AfterMessage::Stop) return;
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
  LogTimes times_;
  bool is_interrupt_reported_ = false;
  std::optional<ChunkPool> pool_;  // reads text with several threads
};

}  // namespace

LogReader::LogReader(OpenedSource source, const std::string& delimiter)
    : source_{std::move(source.bytes)}, scanner_{delimiter} {
  if (source.is_capture) {
    capture_ = std::make_unique<capture::CaptureReader>(std::move(source_), delimiter);
  }
}

std::vector<std::string> LogReader::notes() const {
  return capture_ ? capture::notes_of(capture_->counts()) : std::vector<std::string>{};
}

bool LogReader::next(LogMessage& to, FunctionRef<void()> drained) {
  if (capture_) {
    if (capture_->next(to, drained)) return true;
    error_ = capture_->error();
    end_ = capture_->end();
    return false;
  }
  for (;;) {
    if (scanner_.next(to)) return true;
    if (is_at_end_) return false;
    // The first bytes may have been read before, to recognise the source.
    if (has_read_ && command::is_interrupted()) error_ = kInterrupted;
    if (!error_.empty()) return false;
    has_read_ = true;
    if (was_short_) drained();
    const std::size_t got = scanner_.feed_from(kLineChunkBytes, [&](std::span<char> bytes) {
      const auto read = source_->read(bytes);
      if (!read) error_ = read.error();
      return read.value_or(0);
    });
    was_short_ = got < kLineChunkBytes;
    if (got == 0) {
      end_ = error_.empty() ? source_->end() : SourceEnd::Final;
      if (end_ == SourceEnd::Waits) return false;
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
  return std::ranges::any_of(files, [](const FileReport& file) {
    return file.is_open && (!file.error.empty() || file.skipped.too_long > 0);
  });
}

LogReport read_logs(Disk& disk, const LogRequest& request, LogCalls calls) {
  return Reading{disk, request, calls}.run();
}

}  // namespace nexusfix::logs
