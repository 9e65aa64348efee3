// The newest events of an engine, from the event files that it has open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/tui/engine_view.hpp"

namespace nexusfix::tui {

// The event of a line, in either form of EventLogFormat: text is "WARN NXF-1007 : ...". Absent: the
// line has no time. The session is that of a JSON line.
[[nodiscard]] std::optional<Change> read_event(std::string_view line);

// Reads files of FileLogPath on this machine, which the engine's user and root can read. An engine
// without FileLogPath has none.
class EventFiles {
 public:
  static constexpr std::uint64_t kOldBytesMax = 4'096;      // of a file that is seen first
  static constexpr std::uint64_t kNewBytesMax = 1U << 18U;  // of later ones; older ones are left

  // processes: the folder that has one for each process, with its open files in fd.
  explicit EventFiles(std::filesystem::path processes = "/proc")
      : processes_{std::move(processes)} {}

  // What came since the last call, the oldest first. process: of the engine; one that has ended:
  // its last files. Each has the name of its session, or of its file: "FIX.4.4-VENUE-CLIENT".
  // Blocks for the disk.
  [[nodiscard]] std::vector<Change> read(std::int64_t process);

 private:
  void find_files(std::int64_t process);

  std::filesystem::path processes_;
  std::map<std::filesystem::path, std::uint64_t> read_;  // bytes of each file that were read
};

}  // namespace nexusfix::tui
