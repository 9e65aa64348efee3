// The file of rules of a running venue: read again when it changes.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>

#include "venue/rules/rules.hpp"
#include "venue/venue.hpp"

namespace nexusfix::command {

class RulesWatch {
 public:
  // All must outlive it.
  RulesWatch(Disk& disk, std::string path, venue::Venue& venue)
      : disk_{disk}, path_{std::move(path)}, venue_{venue} {}

  // Reads the file for the start. The error has a line for each fault.
  [[nodiscard]] std::expected<void, std::string> load();
  // From now on reads the file every kInterval, on the thread of the event loop, as long as one of
  // the engine's present sessions exists. A text that is the
  // same at two looks, and differs from the rules in force, is new. A line on standard output says
  // that it is in force; if it has faults, they go to standard error, and nothing changes.
  void follow(engine::Engine& engine);

 private:
  static constexpr std::chrono::milliseconds kInterval{200};
  void tick(engine::Session& session);
  // Names the sessions of the rules that the engine does not have.
  void warn_of_names(const venue::Rules& rules) const;
  void look();

  Disk& disk_;
  std::string path_;
  venue::Venue& venue_;
  std::string seen_;                            // at the last look
  std::string known_;                           // in force, or refused
  std::shared_ptr<const venue::Rules> loaded_;  // for the start
  WallTime looked_at_{};
};

// Reads and parses the file. The error has a line for each fault.
[[nodiscard]] std::expected<std::shared_ptr<const venue::Rules>, std::string> parse_rules_of(
    const std::string& text, const std::string& path);

}  // namespace nexusfix::command
