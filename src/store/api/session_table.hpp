// The sessions of one log, and what each entry does to them. Every store and the journal's recovery
// use this class, so that they cannot disagree about what an entry means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"

namespace nexusfix::store {

// The limits of one log. Every session costs memory, and a hostile file must not take it all.
inline constexpr std::size_t kSessionsMax = 1U << 16U;
inline constexpr std::size_t kSessionNameBytesMax = 1024;
// Each repair adds a few. At this limit the last range grows to hold the next.
inline constexpr std::size_t kLostRangesMax = 1024;

class SessionTable {
 public:
  SessionTable();

  [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }
  [[nodiscard]] std::optional<SessionKey> find(std::string_view name) const;
  // References stay valid for the life of the table; a name's until it is renamed.
  [[nodiscard]] const SessionRecord& record(SessionKey key) const noexcept;
  [[nodiscard]] const std::string& name(SessionKey key) const noexcept;

  [[nodiscard]] std::span<const NumberRange> lost(SessionKey key) const noexcept;

  [[nodiscard]] static std::string unfinished_text(std::string_view name);
  // NumbersChange::is_unfinished of the last change.
  [[nodiscard]] bool is_unfinished(SessionKey key) const noexcept;

  // In the current epoch, numbers below it may have been used without being in the log if the end
  // of the log is lost. 0: nothing is reserved.
  [[nodiscard]] std::uint64_t reserved(SessionKey key) const noexcept;

  // Whether a session may have this name from now on; the reason if not.
  [[nodiscard]] std::expected<void, std::string_view> check_rename(
      std::string_view name) const noexcept;
  // Whether one more session of this name is within the limits above; the reason if not.
  [[nodiscard]] std::expected<void, std::string_view> has_room_for(
      std::string_view name) const noexcept;

  // What is known of one session, without its messages.
  struct Session {
    std::string name;
    SessionRecord record;
    std::vector<NumberRange> lost;  // of the current epoch
    bool is_unfinished = false;     // NumbersChange
    std::uint64_t reserved = 0;     // NumbersReserved, of the current epoch
    friend bool operator==(const Session&, const Session&) = default;
  };
  [[nodiscard]] const Session& session(SessionKey key) const noexcept { return *by_key_[key]; }
  // Adds it after the others; false: there is no room for it, or another session has its name.
  [[nodiscard]] bool restore(Session&& session);

  // Applies a record's entries: all of them, or none with the reason, or none with std::bad_alloc.
  // Allocates only for a new session, and for a record of more entries than ever before.
  [[nodiscard]] std::expected<void, std::string_view> apply(std::span<const char> entries,
                                                            WallTime time);
  // For a record of which the values are known. Returns why nothing was changed; empty: it is
  // applied. Inlined: a call would cost each record 30 instructions.
  [[nodiscard, gnu::always_inline]] std::string_view apply(const CommonRecord& common) noexcept {
    if (common.session >= by_key_.size()) return kNeverOpened;
    SessionRecord& record = by_key_[common.session]->record;
    const bool has_message = common.msg_seq_num != 0;
    const bool has_progress = common.next_inbound != 0;
    if (common.msg_seq_num > kNumberMax || common.next_inbound > kNumberMax) return kTooHigh;
    if (has_message && common.msg_seq_num < record.next_outbound) return kUsedTwice;
    if (has_progress && common.next_inbound < record.next_inbound) return kGoesBack;
    if (has_message) record.next_outbound = common.msg_seq_num + 1;
    if (has_progress) record.next_inbound = common.next_inbound;
    return {};
  }

 private:
  static constexpr std::string_view kNeverOpened =
      "an entry belongs to a session that was never opened";
  static constexpr std::string_view kTooHigh = "a sequence number is above 2^62";
  static constexpr std::string_view kUsedTwice = "an outbound number would be used a second time";
  static constexpr std::string_view kGoesBack = "the next inbound number would go back";

  [[nodiscard]] std::expected<void, std::string_view> apply_all(std::span<const char> entries,
                                                                WallTime time);
  [[nodiscard]] std::expected<void, std::string_view> apply_one(const Entry& entry, WallTime time);
  [[nodiscard]] std::expected<void, std::string_view> open(const Entry& entry, WallTime time);
  [[nodiscard]] static std::expected<void, std::string_view> set_numbers(
      Session& session, const NumbersChange& change);
  [[nodiscard]] std::expected<void, std::string_view> rename(const Entry& entry);
  struct Renamed {
    SessionKey session = 0;
    std::string name;  // the other name, twice: for the session, and for keys_
    std::string key;
  };
  void swap_names(Renamed& one) noexcept;
  // What changes rarely, once the whole record is applied.
  void apply_rare(std::span<const char> entries);
  void undo() noexcept;

  std::deque<Session> sessions_;  // a deque, because the caller has references into it
  std::vector<Session*> by_key_;  // the same, found in one step
  std::map<std::string, SessionKey, std::less<>> keys_;
  // What the entries applied so far have changed, for undo().
  std::vector<std::pair<SessionKey, SessionRecord>> undo_;
  std::vector<Renamed> former_names_;  // for undo()
  std::size_t sessions_before_ = 0;
  bool has_rare_ = false;  // the entries applied so far are for apply_rare(), too
};

}  // namespace nexusfix::store
