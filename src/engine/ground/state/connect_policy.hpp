// When an initiator connects, and to which of its addresses. An acceptor stays Off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

// The event loop's thread only. The caller opens the connection, and arms the session's timer with
// connect_at().
class ConnectPolicy {
 public:
  enum class State : std::uint8_t {
    Off,              // does not connect: logged out, removed, or an acceptor
    Waiting,          // connects at connect_at()
    Connected,        // has a connection or opens one; after its end waits for ReconnectInterval
    AgainWhenClosed,  // has a connection; after its end connects at once
    Halted,           // one side lost sequence numbers: an operator must set them
    LoggedOut,        // by an operator, who may log it on again: the engine does not end for it
  };
  [[nodiscard]] static constexpr bool can_become(State from, State to) noexcept;

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool wants_connection() const noexcept {
    return state_ != State::Off && state_ != State::Halted && state_ != State::LoggedOut;
  }
  [[nodiscard]] bool is_halted() const noexcept { return state_ == State::Halted; }
  [[nodiscard]] bool is_logged_out_by_operator() const noexcept {
    return state_ == State::LoggedOut;
  }
  [[nodiscard]] MonoTime connect_at() const noexcept { return connect_at_; }
  // An index into SessionSettings::connect.
  [[nodiscard]] std::size_t address() const noexcept { return address_; }

  // Connects now; with a connection, at once after its end.
  void log_on(bool has_connection, MonoTime now) noexcept;
  void log_out() noexcept { become(State::Off); }
  void log_out_by_operator() noexcept { become(State::LoggedOut); }
  // The sequence numbers of the two sides contradict each other. A session that is Off stays so.
  void halt() noexcept;

  // The application or the schedule has requested a reset. It runs at once, or when the connection
  // has ended.
  void on_reset_requested(bool has_connection) noexcept;
  // The sequence numbers are 1 again. True: the reset was requested, and ends a halt. A
  // ResetOnDisconnect does not end a halt, because the counterparty would refuse the session again.
  [[nodiscard]] bool on_reset(bool may_connect, bool has_connection, MonoTime now) noexcept;
  // An operator has set the sequence numbers. True: that ends a halt.
  [[nodiscard]] bool on_numbers_set(bool has_connection, MonoTime now) noexcept;

  void on_connecting() noexcept { become(State::Connected); }
  void on_logged_on() noexcept;
  // The attempt failed, or the connection has ended. If the schedule is closed, the session waits
  // until it opens.
  void on_closed(const SessionSettings& settings, std::string_view session, bool may_log_on,
                 MonoTime now);
  // Waits for the next interval, and takes the next address.
  void schedule(const SessionSettings& settings, std::string_view session, MonoTime now);
  void connect_now(MonoTime now) noexcept { connect_at_ = now; }
  void use_first_address() noexcept { address_ = 0; }
  // The next interval is the first one again.
  void restart_intervals() noexcept { attempts_ = 0; }

 private:
  enum class ResetRequest : std::uint8_t { None, WithoutConnection, WhileConnected };

  void become(State next) noexcept {
    NEXUSFIX_DEBUG_ASSERT(can_become(state_, next));
    state_ = next;
  }

  State state_ = State::Off;
  ResetRequest reset_request_ = ResetRequest::None;
  bool was_lost_ = false;       // logged on until the connection ended
  std::uint32_t attempts_ = 0;  // since the last Logon
  std::size_t address_ = 0;
  MonoTime connect_at_ = kNever;
  MonoTime first_attempt_at_{};  // since the last Logon, or since the first address was used again
};

// A state may be entered again: a session that waits logs on, and then connects at once.
constexpr bool ConnectPolicy::can_become(State from, State to) noexcept {
  using enum State;
  if (from == to || to == Off) return true;
  switch (from) {
    case Off:
      return to == Waiting || to == AgainWhenClosed || to == LoggedOut;
    case Waiting:
      return to == Connected || to == Halted;
    case Connected:
      return to == Waiting || to == AgainWhenClosed || to == Halted;
    case AgainWhenClosed:
      return to == Waiting || to == Halted;
    case Halted:
    case LoggedOut:
      return to == Waiting || to == AgainWhenClosed;
  }
  return false;
}

}  // namespace nexusfix::engine
