// The logs that a configuration names: events and messages go to files, to the screen, to the
// program and to readers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/wire/field.hpp>

#include "config/api/settings.hpp"
#include "control/api/notice_limiter.hpp"
#include "observe/api/message_tap.hpp"
#include "observe/api/session_logs.hpp"

namespace nexusfix::engine {

// The logs of the engine's events and of its sessions' messages. The loop's thread, except reopen()
// and stats(). join() gives the index of a session's log. Without logs every call but event() is
// one branch.
class EngineLogs {
 public:
  // messages: null: the program has no message log. loop: the index of the loop.
  EngineLogs(observe::EventLog& events, bool is_standard_error, observe::MessageLog* messages,
             std::uint32_t loop);
  EngineLogs(const EngineLogs&) = delete;
  EngineLogs& operator=(const EngineLogs&) = delete;
  // Without open(), standard error gets the events that were kept for it.
  ~EngineLogs();

  // A reader gets copies of the messages from here on.
  void add_reader(std::shared_ptr<observe::TapChannel> reader);
  // Every event goes to this log as well; null: to none.
  void tap_events(observe::EventLog* tap) noexcept { event_tap_ = tap; }

  // Before this call, only a program's event log receives events; open() then writes them to the
  // files and, by ScreenLogShowEvents, to standard error or to the screen. The error names the
  // folder or file that cannot be written. data_fields: for masked fields that only a dictionary
  // knows.
  [[nodiscard]] std::expected<void, std::string> open(Disk& disk, const config::Settings& settings,
                                                      const wire::DataFieldTable& data_fields,
                                                      const Parts& parts, std::uint32_t loop,
                                                      WallTime now);
  // Returns the index of a session's logs, at the start or later. A session that comes back
  // continues its logs; with changed keys it gets a new index, and the same files by the new keys.
  [[nodiscard]] std::size_t join(const config::SessionSettings& session,
                                 const wire::DataFieldTable& data_fields, WallTime now);

  void received(std::size_t session, std::string_view message, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->received(session, message, now);
    if (messages_ != nullptr) pass_on(session, observe::MessageKind::Received, message, now);
  }
  void sent(std::size_t session, std::string_view message, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->sent(session, message, now);
    if (messages_ != nullptr) pass_on(session, observe::MessageKind::Sent, message, now);
  }
  void garbled(std::size_t session, std::string_view bytes, WallTime now) noexcept {
    if (logs_ != nullptr) logs_->garbled(session, bytes, now);
    if (messages_ != nullptr) pass_on(session, observe::MessageKind::Garbled, bytes, now);
  }
  // False: no log takes any message.
  [[nodiscard]] bool is_open_for_messages() const noexcept { return is_open_for_messages_; }
  [[nodiscard]] bool takes_sent(std::size_t session) const noexcept {
    return (logs_ != nullptr && logs_->takes_sent(session)) || messages_ != nullptr;
  }
  // The messages for which the program's message log threw, with the last reason.
  [[nodiscard]] NoticeTally& refused() noexcept { return refused_; }
  // The log of lines that belong to no session: an index like those of join().
  [[nodiscard]] std::size_t global() const noexcept { return global_.index; }
  // The first bytes of a peer that belongs to no session.
  void unknown(std::string_view bytes, bool is_message, WallTime now) noexcept;

  // session: its name; empty: an event of the engine.
  void event(EventId id, std::string_view session, std::string_view text, WallTime now);

  // Once a turn.
  void turn(WallTime now) {
    if (logs_ != nullptr) report_notices(now);
  }

  // Acquire pairs with begin(): the logs may be opened while other threads call this.
  void reopen() noexcept {
    if (auto* const logs = shared_.load(std::memory_order_acquire)) logs->reopen();
  }
  [[nodiscard]] bool has_files() const noexcept {
    return shared_.load(std::memory_order_acquire) != nullptr;
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
  [[nodiscard]] std::size_t append(observe::SessionLogOptions options);
  void update_open() noexcept { is_open_for_messages_ = logs_ != nullptr || messages_ != nullptr; }
  [[nodiscard]] const Place& place_of(std::string_view session) const noexcept;
  void log_event(const Place& place, EventId id, std::string_view session, std::string_view text,
                 WallTime now);
  void report_notices(WallTime now);
  void pass_on(std::size_t session, observe::MessageKind kind, std::string_view bytes,
               WallTime now) noexcept;

  observe::EventLog& events_;
  observe::EventLog* event_tap_ = nullptr;
  bool is_standard_error_;
  bool takes_unknown_ = true;
  bool is_open_ = false;
  bool is_open_for_messages_ = false;
  std::vector<Early> early_;  // events before open()
  std::size_t held_ = 0;      // of them, the first ones, which standard error has not received
  Disk* disk_ = nullptr;
  std::size_t queue_bytes_ = 0;
  const observe::LogCompressionPart* compression_ = nullptr;
  std::vector<observe::SessionLogOptions> options_;  // by index
  observe::SessionLogOptions global_options_;        // masks every field that any session masks
  Place global_;
  std::map<std::string, Place, std::less<>> places_;  // by the session's name
  std::unique_ptr<observe::SessionLogs> logs_;
  observe::MessageTap tap_;
  observe::MaskedMessageLog masked_;                    // before tap_
  observe::MaskedMessageLog* messages_ = nullptr;       // equals masked_; null: no reader listens
  NoticeTally refused_;                                 // by the program's message log
  std::atomic<observe::SessionLogs*> shared_{nullptr};  // equals logs_, for other threads
};

}  // namespace nexusfix::engine
