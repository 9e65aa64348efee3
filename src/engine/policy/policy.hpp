// The floor of decisions: who may log on, and when an initiator connects.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/connection/repaired_frame.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// Detects whether an event loop misses its deadlines: heartbeats, timeouts and all other timers. A
// loop is late after three late alarms, until three punctual ones follow in a row, or until
// kRecent has passed. A single late alarm means nothing: the machine was suspended, or a disk was
// slow once.
class LoopLateness {
 public:
  static constexpr std::chrono::seconds kRecent{5};
  static constexpr unsigned kRow = 3;

  LoopLateness() = default;  // never late
  explicit LoopLateness(MonoTime::duration late_max) noexcept : late_max_{late_max} {}

  [[nodiscard]] MonoTime::duration late_max() const noexcept { return late_max_; }

  // Work that was due at `due` is done at `now`.
  void done(MonoTime due, MonoTime now) noexcept {
    if (due >= now - late_max_ || late_max_.count() == 0) {
      if (late_ != 0 && ++punctual_ >= kRow) late_ = 0;
      return;
    }
    late_ = is_recent(now) ? late_ + 1 : 1;
    punctual_ = 0;
    last_late_ = now;
  }
  [[nodiscard]] bool is_late(MonoTime now) const noexcept {
    return late_ >= kRow && is_recent(now);
  }

 private:
  [[nodiscard]] bool is_recent(MonoTime now) const noexcept { return now - last_late_ <= kRecent; }

  MonoTime::duration late_max_{0};  // 0: no limit
  MonoTime last_late_{};
  unsigned late_ = 0;      // late alarms, each within kRecent of the one before
  unsigned punctual_ = 0;  // punctual alarms in a row after the last late one
};

// Detects that an event loop stood still for seconds, from any cause: the disk (catalogue D16), a
// callback, a machine without a free processor, or a suspended machine.
class LoopStallDetector {
 public:
  static constexpr std::chrono::seconds kLeast{2};
  static constexpr std::chrono::minutes kLoggedAgain{1};

  // Work that was due at `due` is done at `now`. The result is the delay, if it is to be reported.
  // Work that was due before the first call was due before the loop began.
  std::optional<MonoTime::duration> done(MonoTime due, MonoTime now) noexcept {
    const bool has_begun = std::exchange(has_begun_, true);
    if (due > now - kLeast || !has_begun || now < logged_until_) [[likely]]
      return std::nullopt;
    logged_until_ = now + kLoggedAgain;
    return now - due;
  }

 private:
  bool has_begun_ = false;
  MonoTime logged_until_ = MonoTime::min();
};

struct Io;
struct Sessions;

// Decides on the first message of a connection: which session it belongs to, and whether it may log
// on now.
class LogonAdmission {
 public:
  LogonAdmission(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void record_lateness(MonoTime due);
  // The first message of a connection. The number of processed bytes; kMustWait: it must wait.
  [[nodiscard]] std::size_t on_first_frame(Connection& connection, std::string_view frame);
  [[nodiscard]] bool delays_logon(Connection& connection, const wire::MessageView& logon);
  [[nodiscard]] bool admits_delayed(Connection& connection);
  [[nodiscard]] bool bind(Connection& connection, const wire::MessageView& logon);
  [[nodiscard]] const SessionSettings* acceptor_settings(const Connection& connection,
                                                         const wire::MessageView& logon);
  [[nodiscard]] bool waits_for_credentials(Connection& connection, const wire::MessageView& logon);
  // The result of a password check. Returns the connection that continues with the bytes that it
  // carries; null: there is none.
  [[nodiscard]] Connection* finish_check(Credentials::Decision& decision);

  // ThreadSettings::logon_lateness_max.
  void limit_lateness(std::chrono::nanoseconds late_max) noexcept {
    lateness_ = LoopLateness{late_max};
  }
  // The store refused the session at the start. When its counterparty logs on, the refusal gives
  // the reason.
  void refuse_session(std::string name, std::string why) {
    refused_sessions_.emplace(std::move(name), std::move(why));
  }

 private:
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse_repaired(
      const Connection& connection, wire::GarbledReason reason, std::string_view& frame);
  struct Refusal {
    EventId id;
    std::string why;
  };
  // Nullopt: the Logon may proceed. The first overload runs before the session is found, the second
  // one after it.
  [[nodiscard]] std::optional<Refusal> refusal_of(const Connection& connection,
                                                  const wire::MessageView& logon);
  [[nodiscard]] std::optional<Refusal> refusal_of(const Connection& connection,
                                                  const SessionEntry& entry) const;
  // A refusal that the counterparty may know.
  struct AnsweredRefusal {
    EventId id;
    std::string why;
    std::string text{};  // of the Logout; empty: that of answer
    session::LogonRefusal answer{};
  };
  [[nodiscard]] std::optional<AnsweredRefusal> answered_refusal_of(const wire::MessageView& logon,
                                                                   const SessionEntry& entry) const;
  void answer(SessionEntry& entry, AnsweredRefusal refusal);
  // The loop that has the session of this Logon; unset: this one, or none.
  [[nodiscard]] std::optional<std::uint32_t> other_loop_of(const wire::MessageView& logon) const;
  // True: the session is on another loop, and the connection is migrating.
  [[nodiscard]] bool begin_migration(Connection& connection, const wire::MessageView& logon) const;
  [[nodiscard]] SessionEntry* find_acceptor(const Connection& connection,
                                            const wire::MessageView& logon);
  [[nodiscard]] SessionEntry* known_acceptor(const session::SessionId& id);
  [[nodiscard]] std::string why_unknown(const wire::MessageView& logon) const;
  void on_password_changed(Connection* connection, const Credentials::Decision& decision);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  RepairedMessage repaired_;
  LoopLateness lateness_;
  LoopStallDetector stall_detector_;
  bool logons_wait_ = false;                                          // LogonsDelayed was reported
  unsigned admitted_this_turn_ = 0;                                   // delayed Logons
  std::map<std::string, std::string, std::less<>> refused_sessions_;  // by name, with the reason
};

// Connects initiators.
class Connector {
 public:
  Connector(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void connect(SessionEntry& entry);
  void on_connected(Connection& connection);

 private:
  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

struct Policy {
  Policy(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : admission{loop, io, sessions}, connector{loop, io, sessions} {}

  LogonAdmission admission;
  Connector connector;
};

}  // namespace nexusfix::engine
