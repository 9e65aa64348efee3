// Reports the events of one event loop: every one has a stable identifier
// (nexusfix/base/event_id.hpp). Events that others can cause have limits, so that a flood of them
// is no flood of lines.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/transport/network.hpp>

#include "control/api/engine_logs.hpp"
#include "control/api/notice_limiter.hpp"
#include "engine/ground/loop_clock.hpp"

namespace nexusfix::engine {

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
