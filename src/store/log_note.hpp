// How far the log reaches, noted in the file `owner` behind its owner: a lower bound of what is
// there, so that a last segment that was taken away, or a log that was cut, is noticed. Each note
// tells of what is on the disk already, and a log only grows; so an older note is true as well, and
// there is nothing to keep in step with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

#include "store/event_box.hpp"

namespace nexusfix::store {

class Ownership;

struct LogNote {
  std::uint64_t segment = 0;        // its start lies before position
  LogPosition position = 0;         // everything before it is in the log, and on the disk
  std::uint64_t segment_bytes = 0;  // so much of the log may have followed in the same segment
  bool is_closed = false;           // the log ended there, in order
  friend bool operator==(const LogNote&, const LogNote&) = default;
};

// Where it lies in the file `owner`: in the sector of the owner, whose bytes it does not touch.
inline constexpr std::size_t kLogNoteAt = 256;
inline constexpr std::size_t kLogNoteBytes = 256;

[[nodiscard]] std::string encode_log_note(const LogNote& note);
[[nodiscard]] std::optional<LogNote> decode_log_note(std::string_view bytes);

struct FoundLogNote {
  std::optional<LogNote> note;  // nothing: none, or it cannot be read
  std::string fault;            // for people: why not; empty: there is none
};
// To be read before the segments are looked at: their owner may write meanwhile.
[[nodiscard]] FoundLogNote read_log_note(Disk& disk, const std::string& folder);

// Where a log was found to end.
struct LogEnd {
  std::uint64_t segment = 0;  // 0: there is none
  std::uint64_t offset = 0;   // in it
  LogPosition position = 0;
};
[[nodiscard]] inline bool is_missed(const FoundLogNote& found, const LogEnd& end) noexcept {
  return found.note && end.position < found.note->position;
}
// What is there, and what was noted.
[[nodiscard]] std::string lost_end_text(const std::string& folder, const LogNote& note,
                                        const LogEnd& end);
// Behind it, where the journal is not opened.
[[nodiscard]] std::string lost_end_advice(const std::string& folder);
// How much of the log may have been in what is missing.
[[nodiscard]] std::uint64_t lost_end_bytes(const LogNote& note, LogPosition end) noexcept;

// Writes notes down. Where that fails, what is lost is a watch over the end: it is told, and the
// journal goes on.
class LogNotes {
 public:
  // owner: null where nothing is written; it must outlive this.
  LogNotes(const Ownership* owner, std::string folder, EventBox& events)
      : owner_{owner}, folder_{std::move(folder)}, events_{events} {}

  // On the disk when it returns, unless a later one is. Any thread.
  void put(const LogNote& note) noexcept;

 private:
  [[nodiscard]] std::optional<std::string> write(const LogNote& note);

  const Ownership* owner_;
  std::string folder_;
  EventBox& events_;
  std::mutex mutex_;  // of what follows
  LogPosition noted_ = 0;
  bool is_over_ = false;
};

}  // namespace nexusfix::store
