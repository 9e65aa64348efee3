// What is still known of a log with damage in the middle: the sessions' sequence numbers, which
// sessions may have lost something, and which entries must replace the damage so that the rest can
// be applied.
//
// The rule. Damaged bytes may have held entries of every session that existed, and of sessions that
// were opened in them. The next intact entry that uses an outbound number of a session decides: if
// the number is the expected one, none was lost; a higher one says which were lost; a lower one
// says that a reset was lost. A reset or an operator's change after the damage decides as well,
// since it holds all that counts from there on. A session without such an entry stays in doubt: it
// may have used further numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/store.hpp>

#include "store/api/journal_damage.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

class DamagedLog {
 public:
  // Before the first record: the state that a checkpoint holds. Damage before it leaves no session
  // in doubt: the writer of the checkpoint knew the records.
  void begin(LogState&& state);
  // In the order of the log.
  [[nodiscard]] std::expected<void, std::string_view> record(const SegmentHeader& segment,
                                                             const Record& record);
  void damage(const DamagedBytes& bytes);
  // After the last record: every session still in doubt becomes a loss.
  void end();

  [[nodiscard]] LogState& state() noexcept { return state_; }
  [[nodiscard]] const std::vector<DamagedBytes>& damages() const noexcept { return damages_; }
  [[nodiscard]] const std::vector<SessionLoss>& losses() const noexcept { return losses_; }
  // Entries that must have been in this damage: resets, and sessions opened (with names from
  // lost_session_name()).
  [[nodiscard]] std::span<const char> inferred(std::size_t damage) const noexcept {
    return inferred_[damage];
  }

 private:
  struct Doubt {
    std::optional<std::size_t> damage;  // nothing: the session is not in doubt
    bool reset_lost = false;
    bool opened_in_it = false;
  };

  [[nodiscard]] std::expected<void, std::string_view> resolve(const Entry& entry, WallTime time);
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

// The error of an intact record that cannot follow the records before it.
[[nodiscard]] StoreError contradiction(const std::string& folder, const SegmentHeader& segment,
                                       const Record& record, std::string_view reason);

// The name of a session whose own name was lost.
[[nodiscard]] std::string lost_session_name(SessionKey session);

}  // namespace nexusfix::store
