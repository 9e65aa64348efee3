// The messages of logs, one after the other, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>

#include "logs/capture/capture_reader.hpp"
#include "logs/messages/message_scanner.hpp"
#include "logs/source/byte_source.hpp"
#include "logs/source/chunk_pool.hpp"
#include "logs/source/log_message.hpp"
#include "logs/source/log_stamp.hpp"
#include "logs/source/open_source.hpp"
#include "logs/source/wait.hpp"

namespace nexusfix::logs {

// The messages of one source.
class LogReader {
 public:
  LogReader(OpenedSource source, const std::string& delimiter);

  // False: the end, error(), or a followed source that waits. drained is called when everything
  // that has arrived was read, and more may come. The message is valid until the next call; its
  // file and path stay as they are.
  [[nodiscard]] bool next(LogMessage& to, FunctionRef<void()> drained);
  // Why a followed source has no more messages; Waits: call next() again later.
  [[nodiscard]] SourceEnd end() const noexcept { return end_; }
  // Why reading ended early; empty: it did not.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  // While end() is Waits: what could not be read so far; empty: nothing.
  [[nodiscard]] std::string damage() const { return source_ ? source_->damage() : std::string{}; }
  [[nodiscard]] const printing::MessageScanner::Skipped& skipped() const noexcept {
    return capture_ ? capture_->skipped() : scanner_.skipped();
  }
  // What a capture lacks, one line each.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  Source source_;
  std::unique_ptr<capture::CaptureReader> capture_;  // null: the source is text
  printing::MessageScanner scanner_;
  SourceEnd end_ = SourceEnd::Final;
  std::string error_;
  bool is_at_end_ = false;
  bool has_read_ = false;
  bool was_short_ = false;  // the last read got all that had arrived
};

// What a subcommand reads.
struct LogRequest {
  std::vector<std::string> files{};  // none, or "-": standard input
  SourceKind kind = SourceKind::Recognised;
  std::string delimiter{};    // between fields; empty: each message shows it
  bool with_rotated = false;  // each file with those that rotation made of it
  bool is_merged = false;     // all files in the order of time; otherwise one after the other
  bool merges_by_sending_time = false;  // 52, whatever is before a message in its line
  bool is_followed = false;             // the files may grow; not with is_merged
  std::optional<WallTime> from{};       // messages of this time and later
  std::optional<WallTime> until{};      // messages before this time
  StampStyle stamps{};                  // the forms of the times before messages
  unsigned jobs = 1;                    // threads that find and use messages
  std::size_t chunk_bytes = 0;          // as of ChunkPool
  bool shows_broken = false;            // each place that is no message, and messages that are cut
};

struct LogReport {
  struct FileReport {
    std::string path;  // "standard input" for -
    printing::MessageScanner::Skipped skipped;
    std::string error;  // one line with the path; empty: everything was read
    bool is_open = true;
  };
  std::vector<FileReport> files;

  // Places with 8=FIX that are no message, in all files.
  [[nodiscard]] std::uint64_t skipped() const noexcept;
  // A file could not be opened.
  [[nodiscard]] bool has_unopened() const noexcept;
  // An opened file could not be read to its end, or has a message that is too long.
  [[nodiscard]] bool has_unread() const noexcept;
};

inline constexpr auto kWaitForMore = [] { return wait_for_more(); };

struct LogCalls {
  FunctionRef<AfterMessage(const LogMessage&)> each;
  FunctionRef<void()> drained;                       // as LogReader::next()
  FunctionRef<void(std::string_view error)> failed;  // one line about a file
  // Followed files have nothing new. False: end reading.
  FunctionRef<bool()> wait = kWaitForMore;
  // Set: the work of request.jobs threads. Text that is neither followed nor merged has its
  // messages there, the others in each().
  std::optional<FunctionRef<std::unique_ptr<ChunkWork>()>> make_work{};
};

// Passes the messages of all files. A file that cannot be opened or read is reported at once, and
// the others are read. A message without a time has that of the message before it, for merging, and
// is outside of every time window. The views are valid during the call. Followed files are read by
// turns, until none of them can grow, or until Ctrl-C, which is an error only of other files.
LogReport read_logs(Disk& disk, const LogRequest& request, LogCalls calls);

}  // namespace nexusfix::logs
