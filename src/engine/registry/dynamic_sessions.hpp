// Sessions of templates: made for clients that the configuration does not name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/acceptor/dynamic_names.hpp"
#include "engine/loop/loop_context.hpp"
#include "engine/sessions/session_entry.hpp"

namespace nexusfix::engine {

class CommitGate;
class Listeners;
class LogonAdmission;
class SessionControl;
class SessionRegistry;

// Handle keys of sessions on trial begin here; the store's keys are far smaller.
inline constexpr std::uint32_t kTrialKeysBegin = std::uint32_t{1} << 31U;

struct SessionTemplate {
  SessionSettings settings;
  std::size_t listener = 0;
  // The text of the file that has the template; null: no file.
  std::shared_ptr<const std::string> origin{};
};

class DynamicSessions {
 public:
  DynamicSessions(LoopContext& loop, CommitGate& commit, Listeners& listeners,
                  LogonAdmission& admission, SessionRegistry& registry,
                  SessionControl& control) noexcept
      : loop_{loop},
        commit_{commit},
        listeners_{listeners},
        admission_{admission},
        registry_{registry},
        control_{control} {}

  [[nodiscard]] const SessionTemplate* template_for(const Connection& connection,
                                                    const session::SessionId& id);
  [[nodiscard]] SessionEntry* make_dynamic(const Connection& connection,
                                           const session::SessionId& id);
  void add_template(SessionTemplate& one);
  void drop(std::size_t index) noexcept;  // index: of templates()
  [[nodiscard]] bool has_template(const SessionSettings& settings) const;
  void drop_templates(const Settings& fresh);
  [[nodiscard]] static bool keeps(const SessionTemplate& one, const Settings& fresh);
  void end_trial(SessionEntry& entry, std::string_view answer);
  void record_trial(SessionEntry& entry);
  void log_received(SessionEntry& entry, std::string_view frame);

  [[nodiscard]] std::vector<SessionTemplate>& templates() noexcept { return templates_; }
  // DynamicSessionsMax and DynamicSessionsMaxPerAddress. Once, at the start.
  void limit(DynamicNames::Limits limits) { names_ = DynamicNames{limits}; }
  // Null: no session on trial has the handle key.
  [[nodiscard]] SessionEntry* find_trial(std::uint32_t handle_key) const noexcept;
  void forget(SessionEntry& entry) noexcept;

 private:
  void begin_dynamic(SessionEntry& entry, const Connection& connection,
                     const SessionTemplate& made_of);
  [[nodiscard]] bool has_dynamic_place(const Connection& connection, const std::string& name);
  [[nodiscard]] store::StoreResult<SessionEntry*> make_trial(SessionSettings settings);
  void log_trial(SessionEntry& entry);

  LoopContext& loop_;
  CommitGate& commit_;
  Listeners& listeners_;
  LogonAdmission& admission_;
  SessionRegistry& registry_;
  SessionControl& control_;

  std::vector<SessionTemplate> templates_;
  DynamicNames names_{{}};
  std::map<std::uint32_t, SessionEntry*> trials_;  // by handle key
  std::uint32_t next_trial_ = kTrialKeysBegin;
};

}  // namespace nexusfix::engine
