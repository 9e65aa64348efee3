// The templates that sessions are made of for clients that the configuration does not name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

// Limits the number of sessions that are made from templates, by their names.
// A name that the store does not know takes a place at its first Logon attempt. After a successful
// Logon it keeps the place for good. Until then it is on trial: the store has nothing of it, and
// this class keeps its sequence numbers. While a name on trial is not connected, another name may
// take its place: first the oldest of the address that has the most such names. The caller does not
// ask for names that the store knows.
class DynamicNames {
 public:
  struct Limits {
    std::uint32_t all_max = 0;
    std::uint32_t per_source_max = 0;
  };
  enum class Answer : std::uint8_t { Yes, TooMany, TooManyOfSource };

  explicit DynamicNames(Limits limits) : limits_{limits} {}

  // Takes a place for a name that connects, if there is one. A connected name on trial counts for
  // the source of its present connection.
  [[nodiscard]] Answer connect(std::string_view name, transport::Source source);
  // The sequence numbers after its earlier connections. The name must have a place.
  [[nodiscard]] session::Numbers numbers(std::string_view name) const;
  // The session has logged on and is stored. No allocation.
  void keep(std::string_view name) noexcept;
  // The connection has ended, or was bound to no session. Unless keep() was called, the name may be
  // displaced from now on. numbers: nullopt leaves them unchanged. No allocation.
  void disconnect(std::string_view name, std::optional<session::Numbers> numbers) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

 private:
  enum class State : std::uint8_t { Idle, Connected, Kept };
  struct Name;
  using Names = std::map<std::string, Name, std::less<>>;
  using Listed = std::list<Names::iterator>;
  struct Name {
    State state = State::Idle;
    transport::Source source = 0;
    session::Numbers numbers{};
    Listed::iterator place{};  // in one of the lists of its source
  };
  struct OfSource {
    Listed idle;   // on trial and not connected; oldest first
    Listed fixed;  // connected or kept
  };
  using Sources = std::map<transport::Source, OfSource>;  // no entry is empty

  void displace_one();
  void drop_if_empty(transport::Source source) noexcept;

  Limits limits_;
  Names names_;
  Sources sources_;
  std::size_t idle_ = 0;  // number of idle names of all sources
};

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

// Why a template has made no session.
struct NotMade {
  enum class Reason : std::uint8_t { TooMany, TooManyOfSource, NotStored } reason{};
  std::string text{};  // of the store
};

// Sessions of templates: made for clients that the configuration does not name.
class DynamicSessions {
 public:
  DynamicSessions(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  [[nodiscard]] const SessionTemplate* template_for(const Connection& connection,
                                                    const session::SessionId& id);
  // Makes the session of the template that stands for this identity. The caller has decided that
  // the client may have it: its name takes a place.
  [[nodiscard]] std::expected<SessionEntry*, NotMade> make_dynamic(const Connection& connection,
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
  [[nodiscard]] DynamicNames::Answer find_place(const Connection& connection,
                                                const std::string& name);
  [[nodiscard]] store::StoreResult<SessionEntry*> make_trial(SessionSettings settings);
  void log_trial(SessionEntry& entry);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  DynamicNames names_{{}};
};

}  // namespace nexusfix::engine
