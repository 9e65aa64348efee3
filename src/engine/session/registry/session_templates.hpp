// The templates that sessions are made of for clients that the configuration does not name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Listeners;
class SessionRegistry;

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

}  // namespace nexusfix::engine
