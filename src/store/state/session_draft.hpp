// The sessions of a checkpoint, encoded ahead: a few with each append while a segment comes to its
// end, so that the append which begins the next one has little left to do, however many there are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/state/log_state.hpp"

namespace nexusfix::store {

class SessionDraft {
 public:
  // The state must outlive it.
  explicit SessionDraft(const LogState& state) : state_{state} {}

  // Encodes sessions until it has so many of them. index_from: see Checkpoint.
  void advance(std::size_t count, LogPosition index_from);
  // The sessions of these entries are about to change.
  void touch(std::span<const char> entries);
  void discard() noexcept;
  // Appends all sessions as they are now: what has not changed from the draft, which is discarded.
  void finish(std::vector<char>& out, LogPosition index_from);

 private:
  void encode(std::vector<char>& out, SessionKey key, LogPosition index_from) const;
  [[nodiscard]] bool is_good(SessionKey key) const noexcept {
    return key < ends_.size() && !is_stale_[key];
  }

  const LogState& state_;
  std::size_t sessions_ = 0;       // in the state when the draft was begun
  std::vector<char> bytes_;        // of the encoded ones, by key
  std::vector<std::size_t> ends_;  // of each, in bytes_
  std::vector<char> is_stale_;     // of each: it has changed since
};

}  // namespace nexusfix::store
