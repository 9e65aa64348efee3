// Whether the loop serves a session.
#pragma once

#include <cstdint>

#include <nexusfix/base/assert.hpp>

namespace nexusfix::engine {

enum class MembershipState : std::uint8_t {
  Prepared,  // made, and not in service: a reload may still be refused
  Active,    // an acceptor admits its counterparty, an initiator connects
  Removed,   // not in the file: admits no client; may come back
  Closing,   // destroyed when its connection has ended
};

[[nodiscard]] constexpr bool can_become(MembershipState from, MembershipState to) noexcept {
  using enum MembershipState;
  switch (from) {
    case Prepared:
    case Removed:
      return to == Active || to == Closing;
    case Active:
      return to == Removed || to == Closing;
    case Closing:
      return false;
  }
  return false;
}

// Only the SessionRegistry changes the state.
class Membership {
 public:
  [[nodiscard]] MembershipState state() const noexcept { return state_; }
  [[nodiscard]] bool is_active() const noexcept { return state_ == MembershipState::Active; }
  // It admits no client, and needs no port.
  [[nodiscard]] bool is_out() const noexcept {
    return state_ == MembershipState::Prepared || state_ == MembershipState::Removed;
  }
  [[nodiscard]] bool is_closing() const noexcept { return state_ == MembershipState::Closing; }

  // Made of a template, for the client that logged on.
  [[nodiscard]] bool is_dynamic() const noexcept { return is_dynamic_; }
  void set_dynamic() noexcept { is_dynamic_ = true; }
  // Since it was made.
  [[nodiscard]] bool has_logged_on() const noexcept { return has_logged_on_; }
  void on_logged_on() noexcept { has_logged_on_ = true; }

 private:
  friend class SessionRegistry;

  void become(MembershipState next) noexcept {
    NEXUSFIX_DEBUG_ASSERT(can_become(state_, next));
    state_ = next;
  }

  MembershipState state_ = MembershipState::Prepared;
  bool is_dynamic_ = false;
  bool has_logged_on_ = false;
};

}  // namespace nexusfix::engine
