// Adds sessions to a running loop: all of them or none.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

// New sessions and templates. They admit no client before they are activated.
struct NewSessions {
  std::vector<SessionEntry*> entries;
  std::vector<SessionTemplate> templates;
};

class SessionInstaller {
 public:
  SessionInstaller(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  [[nodiscard]] std::expected<NewSessions, EngineError> make_sessions(
      Settings settings, const config::InDictionaries* read);
  [[nodiscard]] std::expected<void, EngineError> add_sessions(Settings settings);
  void admit(SessionEntry& entry);
  void discard_new(NewSessions& made) noexcept;

 private:
  [[nodiscard]] std::optional<EngineError> find_conflict(const Settings& settings) const;
  [[nodiscard]] std::expected<void, EngineError> read_what_is_named(Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> make_session(SessionSettings settings,
                                                              const std::string& file,
                                                              NewSessions& made);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

}  // namespace nexusfix::engine
