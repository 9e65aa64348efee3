// Passwords of Logons: what the engine asks of the part that checks them, nexusfix::passwords.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "base/api/secret.hpp"

namespace nexusfix::engine {

// A NewPassword (925) of a Logon whose password was right, until it is in the file.
struct PasswordChange {
  std::string file{};      // PasswordFile
  std::string username{};  // 553
  std::string hash{};      // of the password that was right; the entry must still have it
  Secret new_password{};   // 925
};

// How many wrong passwords lock a client out, and for how long.
struct LockoutRule {
  std::uint32_t failures_max = 5;       // MaxLogonFailures; 0: no pair is locked out
  std::chrono::seconds first_time{60};  // LogonLockout: it doubles with each further failure
};

struct AddressLockoutRule {
  std::uint32_t failures_max = 100;    // MaxLogonFailuresPerAddress; 0: no address is locked out
  std::chrono::seconds interval{600};  // also the time of the lock-out
};

// One object for all event loops; each loop takes the decisions on its own connections. No event
// loop waits for a check. All functions: any thread.
class Credentials {
 public:
  struct Check {
    std::uint32_t loop = 0;
    transport::SocketId socket = 0;
    std::string file{};             // PasswordFile
    std::string username{};         // 553
    Secret password{};              // 554
    Secret new_password{};          // 925; empty: none
    bool is_users_session = false;  // false: the check fails, whatever the password
    std::string pair{};             // CompID and source, for lock-outs
    transport::Source source = 0;   // the queue counts the check for it
    std::string address{};          // of the source, for events
    LockoutRule lockout{};
    AddressLockoutRule address_lockout{};
    MonoTime now{};
  };
  struct Decision {
    transport::SocketId socket = 0;
    bool is_valid = false;
    bool is_guess = false;                     // the user or the password is wrong
    bool is_change = false;                    // of a Change; is_valid: it is in the file, durably
    std::unique_ptr<PasswordChange> change{};  // the Logon requests it, and its password is right
    std::string text{};                        // for the event; never a password
    std::string trouble{};  // an error of the file, whatever the result; empty: none
    std::string lockout{};  // text of a new lock-out of an address; empty: none
  };
  struct Change {
    std::uint32_t loop = 0;
    transport::SocketId socket = 0;
    PasswordChange password{};
  };

  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  virtual ~Credentials() = default;

  virtual void add_loop(std::uint32_t loop, transport::Network& network) = 0;
  // The loop gets no decisions from here on.
  virtual void remove_loop(std::uint32_t loop) = 0;

  // Nullopt: a decision follows. Otherwise why none does: the pair or its address is locked out,
  // another check of the pair is under way, or too many Logons wait.
  [[nodiscard]] virtual std::optional<std::string> submit(Check check) = 0;
  // A decision follows. The user's password was right before: the change waits for no check.
  virtual void submit(Change change) = 0;
  // The new decisions of a loop. One atomic load if there are none.
  [[nodiscard]] virtual std::vector<Decision> take(std::uint32_t loop) = 0;
  // Empty: the new password is valid. Otherwise what was expected; static lifetime.
  [[nodiscard]] virtual std::string_view new_password_error(
      std::string_view password) const noexcept = 0;
};

// What password_part() gives an engine.
struct PasswordPart {
  // waiting_max: the maximum number of Logons that wait or are being checked. If owner is not null,
  // it keeps disk alive: see PasswordService::make().
  std::shared_ptr<Credentials> (*make_service)(Disk& disk, std::shared_ptr<Disk> owner,
                                               std::size_t waiting_max) = nullptr;
  // Whether passwords can be checked with this file. The error describes the file's fault.
  std::expected<void, std::string> (*check_file)(Disk& disk, const std::string& path) = nullptr;
};

}  // namespace nexusfix::engine
