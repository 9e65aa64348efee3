// What a log with damage in the middle still tells: the sessions' numbers, which of them may have
// lost something, and what must be put in the damage's place so that the rest makes sense.
//
// The rule. Damaged bytes may have held entries of every session that there was, and of sessions
// that were opened in them. A session is cleared by the next intact entry that uses one of its
// outbound numbers: if it is just the number that was expected, none was lost. A higher one says
// which were lost; a lower one that a reset was. A reset or an operator's change behind the damage
// clears as well, since it says all that counts from there on. A session without such an entry
// stays in doubt: it may have used further numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/store/store.hpp>

#include "store/scan/log_walk.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

struct SessionLoss {
  SessionKey session = 0;
  std::size_t damage = 0;  // index in damages()
  // Of the epoch behind the damage; nothing: in doubt, or of an epoch that is over.
  std::optional<NumberRange> numbers;
  std::uint64_t epoch = 1;    // of these numbers
  bool in_doubt = false;      // it may have used numbers from its next one on
  bool reset_lost = false;    // a reset was among what was lost
  bool opened_in_it = false;  // its name is lost
};

class DamagedLog {
 public:
  // Before the first record: what a checkpoint says of all that lies in front of it. Damage that
  // was met before puts nothing in doubt: whoever wrote the checkpoint knew what was there.
  void begin(LogState&& state);
  // In the order of the log.
  [[nodiscard]] std::expected<void, std::string_view> record(const SegmentHeader& segment,
                                                             const Record& record);
  void damage(const DamagedBytes& bytes);
  // After the last record: what is still in doubt becomes a loss.
  void end();

  [[nodiscard]] LogState& state() noexcept { return state_; }
  [[nodiscard]] const std::vector<DamagedBytes>& damages() const noexcept { return damages_; }
  [[nodiscard]] const std::vector<SessionLoss>& losses() const noexcept { return losses_; }
  // Entries that must have been in this damage: sessions opened (with names made up by
  // lost_session_name) and resets.
  [[nodiscard]] std::span<const char> inferred(std::size_t damage) const noexcept {
    return inferred_[damage];
  }

 private:
  struct Doubt {
    std::optional<std::size_t> damage;  // nothing: the session is cleared
    bool reset_lost = false;
    bool opened_in_it = false;
  };

  [[nodiscard]] std::expected<void, std::string_view> settle(const Entry& entry, WallTime time);
  [[nodiscard]] std::expected<void, std::string_view> infer_opened(SessionKey until, WallTime time);
  [[nodiscard]] std::expected<void, std::string_view> infer(const std::vector<char>& entries,
                                                            std::size_t damage, WallTime time);
  [[nodiscard]] std::expected<void, std::string_view> infer_reset(SessionKey session,
                                                                  WallTime time);
  void clear(SessionKey session, std::optional<NumberRange> lost);

  LogState state_;
  std::vector<DamagedBytes> damages_;
  std::vector<std::vector<char>> inferred_;
  std::vector<SessionLoss> losses_;
  std::deque<Doubt> doubts_;  // by session key
  bool any_doubt_ = false;
  std::optional<SessionKey> opens_from_;  // the first session that this record opens itself
};

// The name that a session has whose own was lost.
[[nodiscard]] std::string lost_session_name(SessionKey session);

// How many numbers the entries of one session in so many damaged bytes can have used at most.
[[nodiscard]] std::uint64_t numbers_in(std::uint64_t damaged_bytes) noexcept;

}  // namespace nexusfix::store
