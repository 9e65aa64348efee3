// How far the log reaches, noted in the file `owner` after its owner: a lower bound of what is
// there, so that a last segment that was taken away, or a log that was cut, is noticed. Each note
// names what is on the disk already, and a log only grows; so an older note is true as well, and
// there is nothing to keep in step with it. It is renewed twice a second, when a segment is begun,
// at the end, and when the store fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

#include "store/write/event_box.hpp"

namespace nexusfix::store {

class Ownership;

struct LogNote {
  std::uint64_t segment = 0;        // its start lies before position
  LogPosition position = 0;         // everything before it is in the log, and on the disk
  std::uint64_t segment_bytes = 0;  // so much of the log may have followed in the same segment
  bool is_closed = false;           // the log ended there, in order
  bool has_failed = false;          // the store was stopped by an error: later bytes may be lost
  // The files had everything before it, and the disk may not have: it is missing only after a loss
  // of power, and what else takes what was not synced. 0, or below position: nothing more.
  LogPosition written = 0;
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
// Whether the log ends before what its last run had written, synced or not.
[[nodiscard]] inline bool is_short(const FoundLogNote& found, LogPosition end) noexcept {
  return found.note && end < found.note->written;
}
// What is there, and what was noted.
[[nodiscard]] std::string lost_end_text(const std::string& folder, const LogNote& note,
                                        const LogEnd& end);
// After it, where the journal is not opened.
[[nodiscard]] std::string lost_end_advice(const std::string& folder);
// How much of the log may have been in what is missing.
[[nodiscard]] std::uint64_t lost_end_bytes(const LogNote& note, LogPosition end) noexcept;

// Which file the file `owner` is, noted in itself: a copy is another one.
struct PlaceNote {
  std::uint64_t inode = 0;   // FileStatus::lasting_inode
  std::uint64_t handle = 0;  // FileStatus::lasting_handle
  friend bool operator==(const PlaceNote&, const PlaceNote&) = default;
};

// After the note of the log's end.
inline constexpr std::size_t kPlaceNoteAt = kLogNoteAt + kLogNoteBytes;
inline constexpr std::size_t kPlaceNoteBytes = 256;
inline constexpr std::size_t kOwnerBytes = kPlaceNoteAt + kPlaceNoteBytes;

[[nodiscard]] std::string encode_place_note(const PlaceNote& note);
[[nodiscard]] std::optional<PlaceNote> decode_place_note(std::string_view bytes);
[[nodiscard]] PlaceNote place_of(const FileStatus& owner) noexcept;

struct FoundPlaceNote {
  std::optional<PlaceNote> note;  // nothing: none, as of an older program, or it cannot be read
  bool is_elsewhere = false;      // the file that holds it is another one
};
[[nodiscard]] FoundPlaceNote read_place_note(Disk& disk, const std::string& folder);

// Writes notes down. Where that fails, what is lost is a watch over the end: that is reported, and
// the journal goes on.
class LogNotes {
 public:
  // owner: null where nothing is written; it must outlive this.
  LogNotes(const Ownership* owner, std::string folder, EventBox& events)
      : owner_{owner}, folder_{std::move(folder)}, events_{events} {}

  // On the disk when it returns, unless a later one is. Any thread.
  void put(const LogNote& note) noexcept;
  // That the store has failed; false: it could not be written, and may be tried again, since that
  // writes it a second time. Any thread; nothing else is put afterwards.
  [[nodiscard]] bool put_failure(LogNote note) noexcept;

 private:
  [[nodiscard]] std::optional<std::string> write(const LogNote& note);

  const Ownership* owner_;
  std::string folder_;
  EventBox& events_;
  std::mutex mutex_;  // of what follows
  LogNote last_;
  bool is_over_ = false;
};

}  // namespace nexusfix::store
