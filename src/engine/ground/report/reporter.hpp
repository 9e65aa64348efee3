// Reports the events of one event loop: every one has a stable identifier
// (nexusfix/base/event_id.hpp). Events that others can cause have limits, so that a flood of them
// is no flood of lines.
#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/field.hpp>

#include "engine/ground/loop_clock.hpp"
#include "engine/ground/report/notice_limiter.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "observe/api/logs.hpp"
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
  [[nodiscard]] std::expected<void, std::string> open(Disk& disk, const Settings& settings,
                                                      const wire::DataFieldTable& data_fields,
                                                      const Parts& parts, std::uint32_t loop,
                                                      WallTime now);
  // Returns the index of a session's logs, at the start or later. A session that comes back
  // continues its logs; with changed keys it gets a new index, and the same files by the new keys.
  [[nodiscard]] std::size_t join(const SessionSettings& session,
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

// The text of an event, in pieces: its caller needs no memory to compose it. A text, which must
// outlive the piece, or a number.
class TextPiece {
 public:
  explicit(false) TextPiece(std::string_view text) noexcept : text_{text} {}
  explicit(false) TextPiece(const std::string& text) noexcept : text_{text} {}
  explicit(false) TextPiece(const char* text) noexcept : text_{text} {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char>)
  explicit(false) TextPiece(Number number) noexcept
      : digits_{static_cast<std::size_t>(
            std::to_chars(number_, number_ + sizeof number_, number).ptr - number_)} {}

  [[nodiscard]] std::string_view view() const noexcept {
    return digits_ == 0 ? text_ : std::string_view{number_, digits_};
  }

 private:
  std::string_view text_;
  char number_[20];  // the longest: 2^64 - 1, or -2^63
  std::size_t digits_ = 0;
};

// A view: for the parameters of functions only.
class EventText {
 public:
  explicit(false) EventText(std::string_view text) noexcept : text_{text} {}
  explicit(false) EventText(const std::string& text) noexcept : text_{text} {}
  explicit(false) EventText(const char* text) noexcept : text_{text} {}
  EventText(std::initializer_list<TextPiece> pieces) noexcept
      : pieces_{pieces.begin(), pieces.size()} {}

  // The whole text. joined: its memory, if it has several pieces.
  [[nodiscard]] std::string_view join(std::string& joined) const {
    if (pieces_.empty()) return text_;
    for (const TextPiece& piece : pieces_) joined += piece.view();
    return joined;
  }

 private:
  std::string_view text_;
  std::span<const TextPiece> pieces_;
};

class Connection;
class SessionEntry;

// Connections that are closed before a Logon, because there is no room for them. They are counted,
// and reported together, at most once a second.
enum class NoRoom : std::uint8_t { Descriptors, Address, Port, Displaced };

// The loop's thread. Without memory nothing throws: the failure is counted, and reported when there
// is memory again.
class Reporter {
 public:
  // messages: null: the program has no message log. loop: the index of the loop.
  Reporter(observe::EventLog& events, bool is_standard_error, observe::MessageLog* messages,
           std::uint32_t loop, LoopClock& time)
      : logs_{events, is_standard_error, messages, loop}, time_{time} {}

  // Always logged: only for events that no counterparty can repeat at will.
  void engine(EventId id, const EventText& text) { report(id, {}, text); }
  void session(EventId id, const SessionEntry& entry, const EventText& text);
  // name: the loop may not have this session, or not yet.
  void session(EventId id, std::string_view name, const EventText& text) { report(id, name, text); }

  // Events that others cause. Before an acceptor's counterparty has logged on, a session's events
  // count as those of an unauthenticated peer, which may know only the session's name. ended: the
  // connection that the session had.
  void peer(EventId id, SessionEntry& entry, const EventText& text,
            const Connection* ended = nullptr);
  void unauthenticated(EventId id, transport::Source source, std::string_view session,
                       const EventText& text);
  void refused(EventId id, transport::Source source, std::string_view peer, std::string_view why);
  void engine_limited(EventId id, const EventText& text);

  void count(NoRoom why, std::uint64_t connections, std::string last = {}) noexcept {
    tallies_[static_cast<std::size_t>(why)].add(connections, std::move(last));
    has_counted_ = true;
  }
  // Once a turn: reports the counted connections, and the failures for lack of memory.
  void report_counted() {
    if (has_counted_) [[unlikely]]
      report_tallies();
  }
  void report_memory() {
    if (memory_failures_ != 0) [[unlikely]]
      report_memory_failures();
  }
  // Once a turn: reports the messages that the program's message log lacks.
  void report_refused() {
    if (logs_.refused().has_any()) [[unlikely]]
      report_refused_messages();
  }
  // With the timers: reports the number of events that a limit has left out.
  void report_suppressed();

  void memory_failed() noexcept { ++memory_failures_; }

  [[nodiscard]] EngineLogs& logs() noexcept { return logs_; }

 private:
  void report_tallies();
  void report_memory_failures();
  void report_refused_messages();
  bool report(EventId id, std::string_view session, const EventText& text);
  void report_if(bool is_allowed, EventId id, std::string_view session, const EventText& text);

  static constexpr std::size_t kTallies = static_cast<std::size_t>(NoRoom::Displaced) + 1;

  EngineLogs logs_;
  LoopClock& time_;
  NoticeLimiter limiter_;
  SecondLimit own_lines_;
  std::array<NoticeTally, kTallies> tallies_;
  bool has_counted_ = false;           // there are connections that no event has reported yet
  std::uint64_t memory_failures_ = 0;  // not reported yet
};

}  // namespace nexusfix::engine
