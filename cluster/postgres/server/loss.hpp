// What a log in the database lacks of what a machine has recorded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "cluster/postgres/position_marker.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::store::postgres {

struct Loss {
  LogPosition left_at = 0;    // the log is another one from here on
  LogPosition confirmed = 0;  // and was confirmed up to here
  std::uint64_t numbers = 0;  // at most, used by each session in what was lost
  bool may_miss_sessions = false;
  bool was_seen_only = false;  // by an engine that waited, which cannot know what came after

  // "the database has lost ...", for the event.
  [[nodiscard]] std::string what(const std::string& marker_path) const;
};

// Numbers that an owner may have used after an engine that waits has looked last.
inline constexpr std::uint64_t kUnseenNumbers = 1'000'000;

// The log, as the database has it now.
struct PresentLog {
  LogPosition end = 0;
  std::uint64_t sessions = 0;
  bool has_claim = true;  // the recorded one
  // Where it ended at the next claim of another process after the recorded one.
  std::optional<LogPosition> next_claim{};
  std::uint32_t timeline = 0;  // of the server
};

inline std::string Loss::what(const std::string& marker_path) const {
  const std::string note = "as " + marker_path + " says, and the log in the database ";
  std::string text = "the database has lost what it had confirmed: up to " +
                     std::to_string(confirmed) + " was, " + note + "has gone on from " +
                     std::to_string(left_at) + ". Messages that were sent are missing";
  if (was_seen_only && left_at >= confirmed) {
    text = "the database may have lost what it had confirmed: this engine saw the log up to " +
           std::to_string(confirmed) + " on a server without a synchronous standby, " + note +
           "goes on from " + std::to_string(left_at) +
           " on a server that was promoted since. Messages that were sent may be missing";
  } else if (was_seen_only) {
    text += ". This engine waited, and does not know what was sent after that";
  }
  if (may_miss_sessions) {
    text += ". Sessions may be missing, too: one that the log does not have begins at MsgSeqNum " +
            std::to_string(numbers + 1);
  }
  return text;
}

// Each number that was used takes an entry of the log, unless the session skipped numbers.
[[nodiscard]] inline std::uint64_t numbers_max(const PositionRecord& recorded,
                                               LogPosition left_at) {
  std::uint64_t numbers = (recorded.confirmed - left_at) / kEntryHeaderBytes + 1;
  for (const Raise& raise : recorded.raises) {
    if (raise.until > left_at) numbers += raise.numbers;
  }
  return std::min(numbers, kNumberMax / 2);
}

// What the log lacks of what this machine has recorded. Nothing: there is no loss.
[[nodiscard]] inline std::optional<Loss> loss_of(const PositionRecord& recorded,
                                                 const PresentLog& log) {
  const LogPosition left_at =
      log.has_claim ? log.next_claim.value_or(log.end) : std::min(recorded.begin, log.end);
  const bool was_promoted = recorded.timeline != 0 && log.timeline > recorded.timeline;
  const bool is_unseen_lost =
      recorded.by == RecordedBy::WaiterOneCopy && was_promoted && !log.next_claim;
  if (left_at >= recorded.confirmed && !is_unseen_lost) return std::nullopt;
  const bool was_seen_only = recorded.by != RecordedBy::Owner;
  const std::uint64_t known = left_at >= recorded.confirmed ? 0 : numbers_max(recorded, left_at);
  return Loss{
      .left_at = left_at,
      .confirmed = recorded.confirmed,
      .numbers = known + (was_seen_only ? kUnseenNumbers : 0),
      .may_miss_sessions = was_seen_only || log.sessions < recorded.sessions || left_at < log.end,
      .was_seen_only = was_seen_only};
}

}  // namespace nexusfix::store::postgres
