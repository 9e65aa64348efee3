// Where the engine's events and its sessions' messages are logged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/observe/session_logs.hpp>
#include <nexusfix/wire/data_fields.hpp>

#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// The loop's thread, but for reopen() and stats(). Sessions are told apart by what join() gave
// them. Without logs every call but event() is one branch.
class EngineLogs {
 public:
  EngineLogs(observe::EventLog& events, bool is_standard_error) noexcept
      : events_{events}, is_standard_error_{is_standard_error} {}

  // Before this, events have only the event log; they are written to the files then. The error
  // names the folder or file that cannot be written. data_fields: of masked fields that only a
  // dictionary knows.
  [[nodiscard]] std::expected<void, std::string> open(Disk& disk, const Settings& settings,
                                                      const wire::DataFieldTable& data_fields,
                                                      std::uint32_t loop, WallTime now);
  // Where a session has its logs, whether it was there at the start or is made now. One that comes
  // back goes on where it was; with other keys, in the same files by the new ones.
  [[nodiscard]] std::size_t join(const SessionSettings& session,
                                 const wire::DataFieldTable& data_fields, WallTime now);

  void received(std::size_t session, std::string_view message, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->received(session, message, now);
  }
  void sent(std::size_t session, std::string_view message, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->sent(session, message, now);
  }
  void garbled(std::size_t session, std::string_view bytes, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->garbled(session, bytes, now);
  }
  [[nodiscard]] bool takes_sent(std::size_t session) const noexcept {
    return logs_ != nullptr && logs_->takes_sent(session);
  }
  // The log of what belongs to no session, as join() gives it.
  [[nodiscard]] std::size_t global() const noexcept { return global_.index; }
  // The first that came from who belongs to no session.
  void unknown(std::string_view bytes, bool is_message, WallTime now) noexcept;

  // session: its name; empty: the engine's own.
  void event(EventId id, std::string_view session, std::string_view text, WallTime now);

  // Once a turn.
  void turn(WallTime now) {
    if (logs_ != nullptr) take_notices(now);
  }

  // Acquire pairs with begin(): the logs may be begun while other threads ask.
  void reopen() noexcept {
    if (auto* const logs = shared_.load(std::memory_order_acquire)) logs->reopen();
  }
  [[nodiscard]] observe::SessionLogsStats stats() const noexcept {
    const auto* const logs = shared_.load(std::memory_order_acquire);
    return logs != nullptr ? logs->stats() : observe::SessionLogsStats{};
  }

 private:
  struct Place {
    std::size_t index = 0;
    bool has_standard_error = true;
  };
  struct Early {
    EventId id{};
    std::string session{};
    std::string text{};
    WallTime time{};
  };
  [[nodiscard]] std::expected<void, std::string> begin(WallTime now);
  [[nodiscard]] bool widen_global(const observe::SessionLogOptions& session);
  [[nodiscard]] std::size_t add(observe::SessionLogOptions options, bool is_global);
  [[nodiscard]] const Place& place_of(std::string_view session) const noexcept;
  void log_event(const Place& place, EventId id, std::string_view session, std::string_view text,
                 WallTime now);
  void take_notices(WallTime now);

  observe::EventLog& events_;
  bool is_standard_error_;
  bool takes_unknown_ = true;
  bool is_open_ = false;
  std::vector<Early> early_;  // events of the time before open()
  Disk* disk_ = nullptr;
  std::size_t queue_bytes_ = 0;
  std::vector<observe::SessionLogOptions> options_;  // by index
  observe::SessionLogOptions global_options_;        // masks whatever any session does
  Place global_;
  std::map<std::string, Place, std::less<>> places_;  // by a session's name
  std::unique_ptr<observe::SessionLogs> logs_;
  std::atomic<observe::SessionLogs*> shared_{nullptr};  // the same, for other threads
};

}  // namespace nexusfix::engine
