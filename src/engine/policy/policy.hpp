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
#include "engine/policy/admission.hpp"

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

// The first message of a connection.
struct FirstMessage {
  std::size_t bytes = 0;                       // as received
  const wire::MessageView* message = nullptr;  // null: too long, or it has a fault
  std::optional<wire::GarbledReason> fault{};
};

// Collects the facts about the first message of a connection, and carries out what decide()
// decides.
class LogonAdmission {
 public:
  // What became of a first message.
  enum class Step : std::uint8_t {
    Again,  // the facts have changed
    Waits,  // it is tried again later
    Bound,  // the connection has its session, which gets the message
    Ended,  // the connection is closed, or moves to another loop
  };

  LogonAdmission(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void record_lateness(MonoTime due);
  // The first message of a connection. The number of processed bytes; kMustWait: it must wait.
  [[nodiscard]] std::size_t on_first_frame(Connection& connection, std::string_view frame);
  [[nodiscard]] Step admit(Connection& connection, const FirstMessage& first);
  // For a connection without a session. True: its bytes are processed again.
  [[nodiscard]] bool on_alarm(Connection& connection);
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
  // The session at the port of the connection, or the settings of its template.
  struct Named {
    SessionEntry* entry = nullptr;
    const SessionSettings* settings = nullptr;
  };
  struct Attempt {
    Connection* connection;
    const wire::MessageView* message;
    std::optional<session::SessionId> id{};
    std::optional<NotMade> not_made{};
  };
  [[nodiscard]] Named named_by(const Connection& connection, const session::SessionId& id) const;
  [[nodiscard]] SessionEntry* known_acceptor(const session::SessionId& id) const;
  void add_facts(LogonFacts& facts, const Connection& connection,
                 const wire::MessageView& logon) const;
  void add_facts(LogonFacts& facts, const Connection& connection, const session::SessionId& id);

  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts, const Bind& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts,
                             const RefuseByLogout& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts, const Refuse& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts,
                             const CheckPassword& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts,
                             const WaitForLoop& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts, const MoveToLoop& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts,
                             const MakeSession& decision);
  [[nodiscard]] Step perform(Attempt& attempt, const LogonFacts& facts, const TakeOver& decision);
  void bind(Connection& connection, SessionEntry& entry);
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
