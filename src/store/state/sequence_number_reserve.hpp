// Which outbound sequence numbers may be sent before their record is synced. In one mode bytes may
// leave earlier than that, so that a loss of power may take the end of the log with it; the next
// start must then choose a next number above every one that was used.
//
// So a session uses only numbers below a limit that is on the disk: a block above its next number
// when the log was opened (or the session was reset, or its numbers were set: the caller waits for
// those), and from then on what the last synced NumbersReserved entry says. A new reservation is
// made when a quarter of the block is used, so that it is synced before it is needed. A session
// that uses an eighth of its block in the meantime gets a larger block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nexusfix/store.hpp>

namespace nexusfix::store {

class SequenceNumberReserve {
 public:
  static constexpr std::uint64_t kBlockMax = 1U << 22U;
  static constexpr std::uint64_t kGrowth = 4;
  // More reservations wait until these are in the log.
  static constexpr std::size_t kPendingMax = 64;

  // block: JournalOptions::numbers_ahead_max.
  explicit SequenceNumberReserve(std::uint64_t block) : block_{block} {
    pending_.reserve(kPendingMax);
    writing_.reserve(kPendingMax);
  }

  // Adds a session with this next number, which is on the disk. Sessions are added in the order of
  // their keys. Allocates.
  void add(std::uint64_t next) {
    sessions_.emplace_back();
    thresholds_.push_back(0);
    begin(static_cast<SessionKey>(sessions_.size() - 1), next);
    // Each list holds a session at most once: nothing is allocated later.
    unsynced_.reserve(sessions_.capacity());
    large_.reserve(sessions_.capacity());
  }

  // So that the next add() allocates nothing.
  void make_room() {
    if (sessions_.size() < sessions_.capacity() && thresholds_.size() < thresholds_.capacity() &&
        unsynced_.capacity() >= sessions_.capacity() && large_.capacity() >= sessions_.capacity()) {
      return;
    }
    const std::size_t count = 2 * sessions_.size() + 1;
    unsynced_.reserve(count);
    large_.reserve(count);
    thresholds_.reserve(count);
    sessions_.reserve(count);
  }

  // A new epoch, or a number that an operator set: the caller waits until it is synced.
  void set(SessionKey session, std::uint64_t next) noexcept {
    std::erase(pending_, session);
    std::erase(writing_, session);
    std::erase(unsynced_, session);
    std::erase(large_, session);
    begin(session, next);
  }

  // use() must be called for this number and those above it.
  [[nodiscard]] std::uint64_t reserve_threshold(SessionKey session) const noexcept {
    return thresholds_[session];
  }

  // The session uses this number. True: its bytes may leave only when its record is synced.
  [[nodiscard]] bool use(SessionKey session, std::uint64_t number) noexcept {
    Session& one = sessions_[session];
    if (one.until == 0 && pending_.size() < kPendingMax) {
      one.until = number + 1 + one.block;
      one.requested_at = number + 1;
      pending_.push_back(session);
      thresholds_[session] = one.limit;
    }
    return number >= one.limit;
  }

  [[nodiscard]] bool has_pending() const noexcept { return !pending_.empty() || !writing_.empty(); }
  // The sessions whose reserved() must be on_written to the log next. The same ones again, and
  // more, until on_written() is called.
  [[nodiscard]] const std::vector<SessionKey>& next_to_write() noexcept {
    const std::size_t count = std::min(pending_.size(), kPendingMax - writing_.size());
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
    writing_.insert(writing_.end(), pending_.begin(), end);
    pending_.erase(pending_.begin(), end);
    return writing_;
  }
  [[nodiscard]] std::uint64_t reserved(SessionKey session) const noexcept {
    return sessions_[session].until;
  }

  // What next_to_write() returned is in the log before this position; requests that came since are
  // not. False: it returned nothing.
  bool on_written(LogPosition end) noexcept {
    const bool is_any = !writing_.empty();
    for (const SessionKey session : writing_) {
      Session& one = sessions_[session];
      // A smaller reservation counts at once: after a loss of power the last one is read.
      one.limit = std::min(one.limit, one.until);
      one.position = end;
      thresholds_[session] = one.limit;
      unsynced_.push_back(session);
    }
    writing_.clear();
    return is_any;
  }

  // Everything before this position is synced. next(session) is the session's next number.
  template <class Next>
  void on_synced(LogPosition synced, Next next) noexcept {
    std::erase_if(large_, [&](SessionKey session) { return shrink(session, next(session)); });
    std::erase_if(unsynced_, [&](SessionKey session) {
      if (sessions_[session].position > synced) return false;
      activate(session, next(session));
      return true;
    });
  }

 private:
  struct Session {
    std::uint64_t limit = 0;         // numbers below it may leave
    std::uint64_t block = 0;         // how much is reserved at a time
    std::uint64_t until = 0;         // the limit when it is synced; 0: none is requested
    std::uint64_t requested_at = 0;  // the next number at that time
    std::uint64_t seen = 0;          // next number at the last on_synced(), of a large block
    LogPosition position = 0;        // the log has the reservation before it
  };

  void begin(SessionKey session, std::uint64_t next) noexcept {
    sessions_[session] = {.limit = next + block_, .block = block_};
    watch(session);
  }

  void watch(SessionKey session) noexcept {
    const Session& one = sessions_[session];
    const std::uint64_t left = one.block - one.block / 4;
    thresholds_[session] = one.limit - std::min(one.limit, left);
  }

  void activate(SessionKey session, std::uint64_t next) noexcept {
    Session& one = sessions_[session];
    one.limit = one.until;
    one.until = 0;
    if (next - one.requested_at > one.block / 8 && one.block < kBlockMax) {
      if (one.block == block_) large_.push_back(session);
      one.block = std::min(one.block * kGrowth, std::max(block_, kBlockMax));
      one.seen = next;
    }
    watch(session);
  }

  // Gives back a block that is no longer needed, so that a loss of power skips few numbers.
  [[nodiscard]] bool shrink(SessionKey session, std::uint64_t next) noexcept {
    Session& one = sessions_[session];
    const std::uint64_t used = next - one.seen;
    one.seen = next;
    if (used > block_ / 4 || one.until != 0 || pending_.size() == kPendingMax) return false;
    one.block = block_;
    one.until = next + block_;
    one.requested_at = next;
    pending_.push_back(session);
    thresholds_[session] = one.limit;
    return true;
  }

  std::uint64_t block_;
  std::vector<std::uint64_t> thresholds_;  // by key
  std::vector<Session> sessions_;          // by key
  std::vector<SessionKey> pending_;        // reservations that were not handed out yet
  std::vector<SessionKey> writing_;        // handed out, not known to be in the log
  std::vector<SessionKey> unsynced_;       // in the log, not synced
  std::vector<SessionKey> large_;          // sessions whose block is larger than the smallest
};

}  // namespace nexusfix::store
