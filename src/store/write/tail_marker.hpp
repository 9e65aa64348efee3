// The tail marker: how far the log reaches, recorded in the file `owner` after the owner itself. It
// is a lower bound, so that a start notices if the last segment was removed or the log was cut. A
// marker names only what is on the disk already, and a log only grows: an older marker is true as
// well, and need not be kept in step. It is renewed twice a second, when a segment is opened, at
// the end, and when the store fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/event_queue.hpp"
#include "store/api/journal_owner.hpp"

namespace nexusfix::store {

struct TailMarker {
  std::uint64_t segment = 0;  // its start lies before position
  LogPosition position = 0;   // everything before it is in the log, and on the disk
  std::uint64_t segment_bytes =
      0;  // at most this much of the log may have followed in the same segment
  enum class State : std::uint8_t {
    Open,
    Closed,  // the log ended there, in order
    Failed,  // an error stopped the store: later bytes may be lost
  };
  State state = State::Open;
  [[nodiscard]] bool is_closed() const noexcept { return state == State::Closed; }
  // The files had everything before it, but the disk may not: it is missing only after a loss of
  // power, or another cause that takes bytes that were not synced. 0, or below position: no more
  // than position is known.
  LogPosition written = 0;
  friend bool operator==(const TailMarker&, const TailMarker&) = default;
};

// Where it lies in the file `owner`: in the same sector as the owner's record, which it does not
// touch.
inline constexpr std::size_t kTailMarkerAt = 256;
inline constexpr std::size_t kTailMarkerBytes = 256;

[[nodiscard]] std::string encode_tail_marker(const TailMarker& marker);
[[nodiscard]] std::optional<TailMarker> decode_tail_marker(std::string_view bytes);

struct FoundTailMarker {
  std::optional<TailMarker> marker;  // nothing: there is none, or it cannot be read
  std::string fault;                 // why it cannot be read; empty: no fault
};
// To be read before the segments are read: their owner may write meanwhile.
[[nodiscard]] FoundTailMarker read_tail_marker(Disk& disk, const std::string& folder);

[[nodiscard]] inline bool is_missed(const FoundTailMarker& found, const LogEnd& end) noexcept {
  return found.marker && end.position < found.marker->position;
}
// Whether the log ends before what its last run had written, synced or not.
[[nodiscard]] inline bool is_short(const FoundTailMarker& found, LogPosition end) noexcept {
  return found.marker && end < found.marker->written;
}
// Compares where the log ends with the marker.
[[nodiscard]] std::string lost_end_text(const std::string& folder, const TailMarker& marker,
                                        const LogEnd& end);
// The text after it where the journal is not opened.
[[nodiscard]] std::string lost_end_advice(const std::string& folder);
// How much of the log may have been in what is missing.
[[nodiscard]] std::uint64_t lost_end_bytes(const TailMarker& marker, LogPosition end) noexcept;

// Which file the file `owner` is, recorded in itself: a copy is another file.
struct OwnerIdentity {
  std::uint64_t inode = 0;   // File::Status::lasting_inode
  std::uint64_t handle = 0;  // File::Status::lasting_handle
  friend bool operator==(const OwnerIdentity&, const OwnerIdentity&) = default;
};

// After the tail marker.
inline constexpr std::size_t kOwnerIdentityAt = kTailMarkerAt + kTailMarkerBytes;
inline constexpr std::size_t kOwnerIdentityBytes = 256;
inline constexpr std::size_t kOwnerBytes = kOwnerIdentityAt + kOwnerIdentityBytes;

[[nodiscard]] std::string encode_owner_identity(const OwnerIdentity& identity);
[[nodiscard]] std::optional<OwnerIdentity> decode_owner_identity(std::string_view bytes);
[[nodiscard]] OwnerIdentity identity_of(const File::Status& owner) noexcept;

struct FoundOwnerIdentity {
  std::optional<OwnerIdentity>
      identity;                // nothing: an older version wrote the file, or it cannot be read
  bool is_other_file = false;  // the file that holds it is another one
};
[[nodiscard]] FoundOwnerIdentity read_owner_identity(Disk& disk, const std::string& folder);

// Writes tail markers. If that fails, a missing end of the log would not be noticed: that is
// reported, and the journal goes on.
class TailMarkerWriter {
 public:
  // owner: null where nothing is written; it must outlive this.
  TailMarkerWriter(const Ownership* owner, std::string folder, EventQueue& events)
      : owner_{owner}, folder_{std::move(folder)}, events_{events} {}

  // The marker is on the disk when it returns, unless a later one is. Any thread.
  void put(const TailMarker& marker) noexcept;
  // Records that the store has failed. False: it could not be written and may be tried again; that
  // writes it a second time. Any thread; no other marker is written afterwards.
  [[nodiscard]] bool put_failure(TailMarker marker) noexcept;

 private:
  [[nodiscard]] std::optional<std::string> write(const TailMarker& marker);

  const Ownership* owner_;
  std::string folder_;
  EventQueue& events_;
  std::mutex mutex_;  // of what follows
  TailMarker last_;
  bool is_over_ = false;
};

}  // namespace nexusfix::store
