// The faults of a simulated world, and how often each one struck.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::simulator {

// A kind of fault. Tear to Alter strike the network, PowerLoss to DieInRoll and Remount the disk,
// ClockDrift and ClockJump the clocks. Kill to DieInReset are of processes and operators,
// ResetWithin and AskAgain of counterparties with other engines. docs/guide/simulator.md says how
// often each one strikes.
enum class Fault : std::uint8_t {
  Tear,        // bytes are sent and received in pieces of any size
  Delay,       // bytes of one direction of a connection are delayed
  Reorder,     // events of several connections are reported in any order
  Drop,        // a connection breaks, in the middle of a byte stream
  HalfOpen,    // a connection carries nothing any more, and neither side is notified
  Refuse,      // a connect is refused, or never answered
  Congest,     // a connection takes few bytes until they are read
  Alter,       // a message arrives changed; its checksum or its form shows it
  PowerLoss,   // the process dies, and a part of the unsynced writes is lost
  TornWrite,   // the process dies in the middle of a write
  DiskFull,    // writes fail for a while
  WriteError,  // one write fails, half done
  SyncError,   // one sync fails; the unsynced writes may be lost
  // The process dies, or the machine loses power, while the journal begins a new segment.
  DieInRoll,
  ClockDrift,   // both clocks of a machine run too fast or too slow
  ClockJump,    // the wall clock of a machine is set forwards or back
  Kill,         // the process dies between any two calls that it makes
  Pause,        // the process is stopped for a while
  Throw,        // an application's callback throws, after it has sent
  Logout,       // an operator logs a session out, and on again
  Reset,        // operators agree on new sequence numbers
  DieInReset,   // they do, and one of the two processes dies during the reset
  Remount,      // the disk fails, and its file system is mounted again in the same boot
  ResetWithin,  // both sides reset their sequence numbers within the session
  AskAgain,     // more ResendRequests come while one is being answered
  // The wall clock of a venue jumps ten minutes ahead while orders are on their way to it.
  JumpInFlight,
};
// The number of kinds.
inline constexpr std::size_t kFaults = 26;

// The name in a scenario: "torn-write". Static lifetime.
[[nodiscard]] std::string_view to_string(Fault fault) noexcept;

// A set of kinds.
class FaultSet {
 public:
  // An empty set.
  constexpr FaultSet() = default;
  // A set of these kinds.
  constexpr FaultSet(std::initializer_list<Fault> faults) noexcept {
    for (const Fault fault : faults) add(fault);
  }
  // A set of all kinds.
  [[nodiscard]] static constexpr FaultSet all() noexcept {
    FaultSet set;
    set.bits_ = (1U << kFaults) - 1;
    return set;
  }
  // Whether the set has this kind.
  [[nodiscard]] constexpr bool has(Fault fault) const noexcept {
    return (bits_ >> static_cast<unsigned>(fault) & 1U) != 0;
  }
  // Adds a kind.
  constexpr void add(Fault fault) noexcept { bits_ |= 1U << static_cast<unsigned>(fault); }
  // Removes a kind.
  constexpr void remove(Fault fault) noexcept { bits_ &= ~(1U << static_cast<unsigned>(fault)); }
  // Whether the set has no kind.
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  // Whether both have the same kinds.
  friend constexpr bool operator==(const FaultSet&, const FaultSet&) = default;

 private:
  std::uint32_t bits_ = 0;
};

// Reads a set: "all", "none", or names separated by commas, such as "kill,torn-write". An error
// names the unknown word.
[[nodiscard]] std::expected<FaultSet, std::string> parse_faults(std::string_view text);
// The set as such a text.
[[nodiscard]] std::string to_string(FaultSet faults);

// How often each kind struck, by Fault.
using FaultCounts = std::array<std::uint64_t, kFaults>;

// Counts one fault.
inline void count(FaultCounts& counts, Fault fault) noexcept {
  ++counts[static_cast<std::size_t>(fault)];
}

}  // namespace nexusfix::simulator
