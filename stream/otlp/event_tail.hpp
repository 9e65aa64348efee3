// The events that an engine writes to its files, as log records of OpenTelemetry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

namespace nexusfix::stream {

// The log record of a line of an event file, in either form of EventLogFormat. file: its name
// without ".event.current.log": "FIX.4.4-VENUE-TRADER" or "GLOBAL". A line of another form, such as
// that of a program, is a record with its text alone.
[[nodiscard]] std::string to_log_record(std::string_view line, std::string_view file, WallTime now);

// The session of a file, by its name: "FIX.4.4:VENUE->TRADER"; empty: GLOBAL. A name with SubIDs
// or a qualifier stays as it is.
[[nodiscard]] std::string session_of_file(std::string_view file);

// Follows the files of FileLogPath, also when they are rotated, removed or cut. One thread. Blocks
// for the disk.
class EventTail {
 public:
  // One call reads at most this much of a file: a large one does not hold the others.
  static constexpr std::size_t kBytesMax = 256U << 10U;
  // Files that stay open, so that a rotated one is read to its end. Of those above it, what was
  // written within the last moment before the rotation may be lost.
  static constexpr std::size_t kOpenMax = 256;

  // Lines that are in the files now are not read. disk outlives it.
  EventTail(Disk& disk, std::string folder);
  // The whole lines since the last call, as records. A folder that cannot be read has none.
  [[nodiscard]] std::vector<std::string> read(WallTime now);
  // Why the folder could not be read last; empty: it was.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  struct Followed {
    std::unique_ptr<File> file{};  // null: it is opened when there is something to read
    File::Status status{};         // when it was found
    std::uint64_t done = 0;        // bytes that were read
  };
  void open_new(bool from_end);
  [[nodiscard]] bool read_lines(File& file, Followed& one, std::string_view name, WallTime now,
                                std::vector<std::string>& to);

  Disk& disk_;
  std::string folder_;
  std::string fault_;
  std::map<std::string, Followed> files_;  // by the names in the folder
};

}  // namespace nexusfix::stream
