// The sessions of the loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/sessions/session_entry.hpp"
#include "engine/sessions/session_services.hpp"

namespace nexusfix::engine {

class CommitGate;
class DynamicSessions;
class Listeners;
class Outbox;
class Reloader;
class ResendServer;
class SessionActions;
class SessionControl;
class SettingsChanges;
class Transactor;

class SessionRegistry {
 public:
  using Entries = std::vector<std::unique_ptr<SessionEntry>>;

  SessionRegistry(LoopContext& loop, CommitGate& commit, Listeners& listeners,
                  DynamicSessions& dynamic, SettingsChanges& changes, Reloader& reloader,
                  Transactor& transactor, SessionActions& actions, Outbox& outbox,
                  ResendServer& resends, SessionControl& control)
      : loop_{loop},
        commit_{commit},
        listeners_{listeners},
        dynamic_{dynamic},
        changes_{changes},
        reloader_{reloader},
        transactor_{transactor},
        actions_{actions},
        outbox_{outbox},
        resends_{resends},
        control_{control},
        services_{loop, commit, *this, changes, transactor, actions, outbox, control} {}

  [[nodiscard]] store::StoreResult<SessionEntry*> make_entry(SessionSettings settings);
  [[nodiscard]] store::StoreResult<SessionEntry*> make_inactive_entry(SessionSettings settings);
  [[nodiscard]] SessionEntry* add_entry(SessionSettings settings, session::Numbers numbers);
  void resume_reset(SessionEntry& entry);
  void give_key(SessionEntry& entry, store::SessionKey key);
  void activate(SessionEntry& entry);
  void deactivate(SessionEntry& entry) noexcept;
  void destroy_leaving();
  void destroy(SessionEntry& entry);
  void remove(SessionEntry& entry, std::string_view text);
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
  Listeners& listeners_;
  DynamicSessions& dynamic_;
  SettingsChanges& changes_;
  Reloader& reloader_;
  Transactor& transactor_;
  SessionActions& actions_;
  Outbox& outbox_;
  ResendServer& resends_;
  SessionControl& control_;
  SessionServices services_;

  Entries entries_;
  // Views of their names.
  std::map<std::string_view, SessionEntry*> by_name_;
  // By the name in the counterparty's Logon. Views likewise.
  std::map<std::string_view, SessionEntry*> acceptors_;
  // Sessions that the store may have under another session's name, and the reason.
  std::map<std::string, std::string, std::less<>> doubtful_names_;
  std::vector<SessionEntry*> by_key_;  // null: this loop has no session of the key
  std::vector<SessionEntry*> leaving_;
};

}  // namespace nexusfix::engine
