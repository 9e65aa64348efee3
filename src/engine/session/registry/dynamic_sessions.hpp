// Sessions of templates: made for clients that the configuration does not name.
#pragma once

#include <cstdint>
#include <string>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/session/registry/dynamic_names.hpp"
#include "engine/session/registry/session_templates.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class DynamicSessions {
 public:
  DynamicSessions(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  [[nodiscard]] const SessionTemplate* template_for(const Connection& connection,
                                                    const session::SessionId& id);
  [[nodiscard]] SessionEntry* make_dynamic(const Connection& connection,
                                           const session::SessionId& id);
  void end_trial(SessionEntry& entry, std::string_view answer);
  void record_trial(SessionEntry& entry);
  void log_received(SessionEntry& entry, std::string_view frame);

  // DynamicSessionsMax, and what one address may have of it. Once, at the start.
  void limit(DynamicNames::Limits limits) { names_ = DynamicNames{limits}; }
  void forget(SessionEntry& entry) noexcept;

 private:
  void begin_dynamic(SessionEntry& entry, const Connection& connection,
                     const SessionTemplate& made_of);
  [[nodiscard]] bool has_dynamic_place(const Connection& connection, const std::string& name);
  [[nodiscard]] store::StoreResult<SessionEntry*> make_trial(SessionSettings settings);
  void log_trial(SessionEntry& entry);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  DynamicNames names_{{}};
};

}  // namespace nexusfix::engine
