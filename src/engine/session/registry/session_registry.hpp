// The sessions of the loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class CommitGate;

// Handle keys of sessions on trial begin here; the store's keys are far smaller.
inline constexpr std::uint32_t kTrialKeysBegin = std::uint32_t{1} << 31U;

// Only data: which sessions there are, and by which names and keys they are found.
class SessionRegistry {
 public:
  using Entries = std::vector<std::unique_ptr<SessionEntry>>;

  SessionRegistry(LoopContext& loop, CommitGate& commit) noexcept : loop_{loop}, commit_{commit} {}

  [[nodiscard]] store::StoreResult<SessionEntry*> make_entry(SessionSettings settings);
  [[nodiscard]] store::StoreResult<SessionEntry*> make_inactive_entry(SessionSettings settings);
  [[nodiscard]] SessionEntry* add_entry(SessionSettings settings, session::Numbers numbers);
  void resume_reset(SessionEntry& entry);
  void give_key(SessionEntry& entry, store::SessionKey key);
  void give_trial_key(SessionEntry& entry);
  void activate(SessionEntry& entry);
  void deactivate(SessionEntry& entry) noexcept;
  // At the end of a turn, when nothing refers to them any more. True: there was one.
  [[nodiscard]] bool destroy_leaving();
  // It can no longer be found, and lives until free_destroyed().
  void destroy(SessionEntry& entry) noexcept;
  // forget: gets each of them, before it is freed.
  void free_destroyed(FunctionRef<void(SessionEntry&)> forget) {
    if (destroyed_.empty()) [[likely]]
      return;
    for (const auto& entry : destroyed_) forget(*entry);
    destroyed_.clear();
  }
  // It is destroyed when its connection has ended. False: it is closing already.
  bool remove(SessionEntry& entry);
  [[nodiscard]] SessionEntry* find_entry(std::string_view name) noexcept;
  [[nodiscard]] SessionEntry* entry_of(std::uint32_t handle_key) const noexcept;
  [[nodiscard]] session::Numbers stored_numbers(const SessionEntry& entry) const noexcept;
  [[nodiscard]] Entries& entries() noexcept { return entries_; }
  [[nodiscard]] store::StoreResult<void> adopt_former_names(
      std::span<const SessionSettings> sessions);

  [[nodiscard]] const Entries& entries() const noexcept { return entries_; }
  [[nodiscard]] const SessionEntry* find(std::string_view name) const noexcept;
  // By the name in its counterparty's Logon. Null: no acceptor has this name.
  [[nodiscard]] SessionEntry* find_acceptor(std::string_view name) const noexcept;
  // From now on the Logons of its counterparty are refused.
  void remove_acceptor(SessionEntry& entry) noexcept;
  // Whether the store may have the session's messages under another session's name.
  [[nodiscard]] bool is_doubtful(std::string_view name) const {
    return doubtful_names_.contains(name);
  }
  void clear_doubts() noexcept { doubtful_names_.clear(); }

 private:
  LoopContext& loop_;
  CommitGate& commit_;

  Entries entries_;
  Entries destroyed_;
  // Views of their names.
  std::map<std::string_view, SessionEntry*> by_name_;
  // By the name in the counterparty's Logon; views of the names.
  std::map<std::string_view, SessionEntry*> acceptors_;
  // Sessions that the store may have under another session's name, and the reason.
  std::map<std::string, std::string, std::less<>> doubtful_names_;
  std::vector<SessionEntry*> by_key_;              // null: this loop has no session of the key
  std::map<std::uint32_t, SessionEntry*> trials_;  // by handle key
  std::uint32_t next_trial_ = kTrialKeysBegin;
  std::vector<SessionEntry*> leaving_;
};

}  // namespace nexusfix::engine
