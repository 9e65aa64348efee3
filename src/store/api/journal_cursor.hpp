// How far a reader outside of the engine has passed a journal on. A cursor is a file in the folder
// `cursors` of the journal. An engine does not delete segments that a cursor there has not passed.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

// A place between two records of a journal.
struct JournalCursor {
  std::int64_t log_id = 0;     // of the journal: when it was created, in ns since 1970
  std::uint64_t segment = 0;   // the segment that holds the place; 1-based
  LogPosition position = 0;    // every record before it was passed on
  LogPosition last = 0;        // where the record before it begins; position: there is none
  std::uint32_t last_crc = 0;  // the CRC-32C of that record, as the file has it
  // Member by member.
  friend bool operator==(const JournalCursor&, const JournalCursor&) = default;
};

// The file of a cursor. It is written in place, to one of two sectors by turns: a write that a
// crash interrupts leaves the cursor before it. That costs one sync of data, and no change of a
// folder, which would make the syncs of an engine on the same file system wait. One thread at a
// time; every call blocks on the disk.
class CursorFile {
 public:
  // Opens or creates the cursor of this name, and locks it. The folder must be that of a journal.
  // The error is one line: another process uses the cursor, its file is damaged, or the disk
  // failed. disk must outlive the result.
  [[nodiscard]] static std::expected<CursorFile, std::string> open(Disk& disk,
                                                                   const std::string& folder,
                                                                   std::string_view name);
  // No value: the cursor is new.
  [[nodiscard]] const std::optional<JournalCursor>& cursor() const noexcept { return cursor_; }
  // The cursor survives a loss of power when it returns. After an error the file has this cursor or
  // the one before it.
  [[nodiscard]] DiskResult<void> save(const JournalCursor& cursor);
  // The path of the file.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  CursorFile(std::string path, std::unique_ptr<File> file)
      : path_{std::move(path)}, file_{std::move(file)} {}

  std::string path_;
  std::unique_ptr<File> file_;
  std::optional<JournalCursor> cursor_;
  std::uint64_t count_ = 0;  // of the saves so far; the last bit is the sector
};

// Whether a name can be that of a cursor: 1 to 64 letters, digits, `-`, `_` or `.`, and not `.` at
// its beginning.
[[nodiscard]] bool is_cursor_name(std::string_view name) noexcept;

// A cursor as others see it.
struct FoundCursor {
  std::string name;                     // of its file
  std::optional<JournalCursor> cursor;  // no value: the file is empty or damaged
};
// The cursors of a journal. A folder without cursors has none. Blocks on the disk.
[[nodiscard]] DiskResult<std::vector<FoundCursor>> read_cursors(Disk& disk,
                                                                const std::string& folder);
// The name of a cursor that has not passed this segment, and so needs its file; no value: none. A
// cursor of another journal, and one that is empty or damaged, needs every segment. log_id: of the
// journal. Blocks on the disk.
[[nodiscard]] DiskResult<std::optional<std::string>> find_holding_cursor(Disk& disk,
                                                                         const std::string& folder,
                                                                         std::int64_t log_id,
                                                                         std::uint64_t segment);

}  // namespace nexusfix::store
