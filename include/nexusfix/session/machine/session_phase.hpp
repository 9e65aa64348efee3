// The states of a session, and the legal transitions between them. Applications use only State.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/time.hpp>

namespace nexusfix::session {

// The state of a session, as StateMachine::state() returns it. docs/reference/session.md has the
// transitions.
enum class State : std::uint8_t {
  Disconnected,   // no connection, or the machine has returned a Disconnect
  AwaitingLogon,  // acceptor: connected, nothing received yet
  LogonSent,      // initiator: our Logon is not answered yet
  LogonReceived,  // acceptor: a valid Logon waits for the owner's decision
  LoggedOn,       // both sides have exchanged Logons
  LogoutSent,     // our Logout awaits its answer; or it is the answer, and the counterparty is to
                  // close the connection. Messages are still processed
};

namespace detail {

// A State in more detail: kStates says which.
enum class Phase : std::uint8_t {
  Disconnected,
  AwaitingLogon,
  LogonSent,
  LogonReceived,
  LoggedOn,
  ResetAsked,      // a TestRequest asks whether all messages have come, before our reset
  ResetSent,       // our Logon with ResetSeqNumFlag waits for its answer, within the session
  LogoutWaits,     // the counterparty's Logout waits for the messages before it
  LogoutSent,      // our Logout waits for its answer
  LogoutAnswered,  // our Logout was the answer: the counterparty closes the connection
  Closing,         // a Disconnect has been given to the owner, and on_disconnected() has not come
};
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::Closing) + 1;

inline constexpr std::array<State, kPhases> kStates{
    State::Disconnected, State::AwaitingLogon, State::LogonSent,    State::LogonReceived,
    State::LoggedOn,     State::LoggedOn,      State::LoggedOn,     State::LoggedOn,
    State::LogoutSent,   State::LogoutSent,    State::Disconnected,
};

template <class... Phases>
constexpr std::uint16_t phases(Phases... all) noexcept {
  return static_cast<std::uint16_t>((0U | ... | (1U << std::to_underlying(all))));
}

// What may follow each phase. Every connection may end at any moment; LoggedOn follows LoggedOn
// where a Logon resets the session. ResetAsked and LogoutWaits follow themselves while they wait.
inline constexpr std::array<std::uint16_t, kPhases> kNextPhases{
    // Disconnected
    phases(Phase::AwaitingLogon, Phase::LogonSent, Phase::Disconnected),
    // AwaitingLogon
    phases(Phase::LogonReceived, Phase::LoggedOn, Phase::ResetSent, Phase::Closing,
           Phase::Disconnected),
    // LogonSent
    phases(Phase::LoggedOn, Phase::Closing, Phase::Disconnected),
    // LogonReceived
    phases(Phase::LoggedOn, Phase::ResetSent, Phase::Closing, Phase::Disconnected),
    // LoggedOn
    phases(Phase::LoggedOn, Phase::ResetAsked, Phase::LogoutWaits, Phase::LogoutSent,
           Phase::LogoutAnswered, Phase::Closing, Phase::Disconnected),
    // ResetAsked
    phases(Phase::LoggedOn, Phase::ResetAsked, Phase::ResetSent, Phase::LogoutWaits,
           Phase::LogoutSent, Phase::LogoutAnswered, Phase::Closing, Phase::Disconnected),
    // ResetSent
    phases(Phase::LoggedOn, Phase::LogoutSent, Phase::LogoutAnswered, Phase::Closing,
           Phase::Disconnected),
    // LogoutWaits
    phases(Phase::LoggedOn, Phase::LogoutWaits, Phase::LogoutAnswered, Phase::Closing,
           Phase::Disconnected),
    // LogoutSent
    phases(Phase::Closing, Phase::Disconnected),
    // LogoutAnswered
    phases(Phase::Closing, Phase::Disconnected),
    // Closing
    phases(Phase::Disconnected),
};

class SessionPhase {
 public:
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] State state() const noexcept { return kStates[std::to_underlying(phase_)]; }
  [[nodiscard]] bool is(Phase phase) const noexcept { return phase_ == phase; }
  [[nodiscard]] bool is_connected() const noexcept { return phase_ != Phase::Disconnected; }
  // Our Logon and the counterparty's have been exchanged, and no end of the session is complete.
  [[nodiscard]] bool has_logged_on() const noexcept {
    return phase_ >= Phase::LoggedOn && phase_ <= Phase::LogoutAnswered;
  }
  // has_logged_on(), and we have not sent a Logout.
  [[nodiscard]] bool is_logged_on() const noexcept {
    return phase_ >= Phase::LoggedOn && phase_ <= Phase::LogoutWaits;
  }
  [[nodiscard]] bool has_sent_logout() const noexcept {
    return phase_ == Phase::LogoutSent || phase_ == Phase::LogoutAnswered;
  }
  // Whether the counterparty has our Logon, and has not got our Logout.
  [[nodiscard]] bool is_open() const noexcept {
    constexpr auto kOpen = phases(Phase::LogonSent, Phase::LoggedOn, Phase::ResetAsked,
                                  Phase::ResetSent, Phase::LogoutWaits);
    return ((kOpen >> std::to_underlying(phase_)) & 1U) != 0;
  }
  // For the Logon, the owner's decision or the Logout that is awaited.
  [[nodiscard]] MonoTime deadline() const noexcept { return deadline_; }

  void enter(Phase next, MonoTime deadline = kNever) noexcept {
    NEXUSFIX_ASSERT((kNextPhases[std::to_underlying(phase_)] & phases(next)) != 0);
    phase_ = next;
    deadline_ = deadline;
  }

 private:
  Phase phase_ = Phase::Disconnected;
  MonoTime deadline_ = kNever;
};

}  // namespace detail
}  // namespace nexusfix::session
