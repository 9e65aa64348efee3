// The templates that sessions are made of for clients that the configuration does not name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/session/identity.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/session/registry/dynamic_names.hpp"

namespace nexusfix::engine {

struct Io;
class Listeners;
class SessionRegistry;
struct Sessions;

struct SessionTemplate {
  SessionSettings settings;
  std::size_t listener = 0;
  // The text of the file that has the template; null: no file.
  std::shared_ptr<const std::string> origin{};
};

class SessionTemplates {
 public:
  explicit SessionTemplates(LoopContext& loop) noexcept : loop_{loop} {}

  [[nodiscard]] std::vector<SessionTemplate>& all() noexcept { return templates_; }
  [[nodiscard]] const std::vector<SessionTemplate>& all() const noexcept { return templates_; }
  // all() has room for it.
  void add(SessionTemplate& one);
  void drop(std::size_t index) noexcept;  // index: of all()
  // Drops those that the fresh file does not have.
  void drop_missing(const Settings& fresh);
  [[nodiscard]] bool has(const SessionSettings& settings) const;
  // Whether the template stays with the fresh file.
  [[nodiscard]] static bool keeps(const SessionTemplate& one, const Settings& fresh);
  // Null: no template of the listener stands for this identity.
  [[nodiscard]] const SessionTemplate* find(std::size_t listener,
                                            const session::SessionId& id) const;

 private:
  LoopContext& loop_;
  std::vector<SessionTemplate> templates_;
};

// Closes the ports that no session and no template uses any more.
void close_unused(Listeners& listeners, const SessionRegistry& registry,
                  const SessionTemplates& templates);

// Sessions of templates: made for clients that the configuration does not name.
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
