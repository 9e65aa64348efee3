// Encodes the sessions of a checkpoint ahead: a few with each append near the end of a segment, so
// that the append that opens the next segment has little left to do with any number of sessions.
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

  // Encodes sessions until the draft has this number of them. index_from: see Checkpoint.
  void advance(std::size_t count, LogPosition index_from);
  // These entries are about to change the state.
  void touch(std::span<const char> entries);
  void discard() noexcept;
  // Appends all sessions as they are now, unchanged ones from the draft, and discards the draft.
  void finish(std::vector<char>& out, LogPosition index_from);

 private:
  void encode(std::vector<char>& out, SessionKey key, LogPosition index_from) const;
  [[nodiscard]] bool is_good(SessionKey key) const noexcept {
    return key < ends_.size() && !is_stale_[key];
  }

  const LogState& state_;
  std::size_t sessions_ = 0;       // in the state when the draft began
  std::vector<char> bytes_;        // of the encoded ones, by key
  std::vector<std::size_t> ends_;  // of each, in bytes_
  std::vector<char> is_stale_;     // whether each has changed since
};

}  // namespace nexusfix::store
