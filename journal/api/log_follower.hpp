// Reads the messages of a log in its order, from a cursor on, beside the engine that writes it: of
// a journal, or of a database.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "journal/api/journal_follower.hpp"

namespace nexusfix::store {

// One thread at a time. Each call may block. An error is one line, and final.
class LogFollower {
 public:
  using Visitor = JournalFollower::Visitor;
  virtual ~LogFollower() = default;

  // Passes the messages of the next record, which may have none. False: the log has no further
  // record at the moment, or cannot be reached, which an event says.
  [[nodiscard]] virtual std::expected<bool, std::string> next(Visitor visit) = 0;
  // After the last record that next() has passed. Valid until the next call of it.
  [[nodiscard]] virtual const JournalCursor& cursor() const noexcept = 0;
  // Where the log ends, as far as is known.
  [[nodiscard]] virtual LogPosition end_of_log() = 0;
  // A gap that was accepted, or a connection that was lost or made again; no value: there is no
  // other.
  [[nodiscard]] virtual std::optional<StoreEvent> next_event() = 0;
  // No more is read: next_event() has the gaps until now.
  virtual void finish() {}
  // A second reader at the same place.
  [[nodiscard]] virtual std::expected<std::unique_ptr<LogFollower>, std::string> fork() const = 0;
};

}  // namespace nexusfix::store
