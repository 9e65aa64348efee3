// How many wrong passwords lock a client out, and for how long.
#pragma once

#include <chrono>
#include <cstdint>

namespace nexusfix::engine {

struct LockoutRule {
  std::uint32_t failures_max = 5;       // MaxLogonFailures; 0: no pair is locked out
  std::chrono::seconds first_time{60};  // LogonLockout: it doubles with each further failure
};

struct AddressLockoutRule {
  std::uint32_t failures_max = 100;    // MaxLogonFailuresPerAddress; 0: no address is locked out
  std::chrono::seconds interval{600};  // also the time of the lock-out
};

}  // namespace nexusfix::engine
