// What a loop has to do beside receiving, and whether it ends.
#pragma once

namespace nexusfix::engine {

class Connection;

// Work that no event of the network announces. Its owner sets the flag, and clears it.
enum class Work : unsigned {
  Aborted = 1,  // sessions are to be disconnected
  Resends = 2,  // a resend can go on: its connection has room, or its messages were read
  Decided = 4,  // Logons were decided: the held messages of their sessions are due
};

// The loop's thread only.
class LoopWork {
 public:
  void set(Work work) noexcept {
    disturb();
    flags_ |= static_cast<unsigned>(work);
  }
  void clear(Work work) noexcept { flags_ &= ~static_cast<unsigned>(work); }
  [[nodiscard]] bool has(Work work) const noexcept {
    return (flags_ & static_cast<unsigned>(work)) != 0;
  }
  [[nodiscard]] bool has_any() const noexcept { return flags_ != 0; }

  // A turn has more to do than to receive, and to send the answers.
  void disturb() noexcept { quiet_ = nullptr; }
  // Of a spinning loop: its only connection, while nothing is to be done but to receive from it. A
  // disturbance that was not reported waits for a few receives.
  [[nodiscard]] Connection* quiet() const noexcept { return quiet_; }
  void set_quiet(Connection* only) noexcept { quiet_ = only; }

  [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
  void begin_stop() noexcept { is_stopping_ = true; }
  // No new message of the application is accepted.
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
  void begin_drain() noexcept { is_draining_ = true; }
  // From the control socket.
  [[nodiscard]] bool takes_commands() const noexcept { return takes_commands_; }
  void take_commands() noexcept { takes_commands_ = true; }

 private:
  Connection* quiet_ = nullptr;
  unsigned flags_ = 0;
  bool is_stopping_ = false;
  bool is_draining_ = false;
  bool takes_commands_ = false;
};

}  // namespace nexusfix::engine
