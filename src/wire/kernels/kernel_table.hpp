// What an instruction set has to provide, and which one is in use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nexusfix::wire::kernels {

// Plain structs of integers and pointers only: the kernels' translation units must not instantiate
// standard templates inside their target regions.

// Where the index goes. ends doubles as the list of SOH positions on the way, so it must be as long
// as the message has SOH bytes, not only well-formed fields; ends[-1] is kBeforeFirst.
struct FieldArrays {
  std::uint32_t* tags;
  std::uint32_t* begins;  // of the values
  std::uint32_t* ends;    // of the values: positions of their SOH
  std::uint32_t capacity;
};

// The first field begins one behind it, at 0.
inline constexpr std::uint32_t kBeforeFirst = 0xffff'ffff;

// The pairs of Length and data fields: count entries that decide, and a quick test that all but a
// few other tags fail. A tag passes it if the three entries, for its lowest, second and third four
// bits, have a bit in common; they are as a byte shuffle wants them.
struct DataTags {
  alignas(16) std::uint8_t low_nibbles[16];
  alignas(16) std::uint8_t high_nibbles[16];
  alignas(16) std::uint8_t third_nibbles[16];
  const std::uint32_t* length_tags;
  const std::uint32_t* data_tags;
  std::uint32_t count;
};

// The values of FaultRule, with one for "none" in front.
enum RawFaultRule : std::uint32_t {
  kNoFault,
  kTagMalformed,
  kTagWithoutValue,
  kValueEmpty,
  kDataLengthWrong,
};

struct RawFault {
  RawFaultRule rule;
  std::uint32_t offset;
  std::uint32_t tag_bytes;
};

struct Indexed {
  std::uint32_t field_count;
  std::uint32_t byte_sum;           // of all bytes given; the low eight bits count
  std::uint32_t capacity_exceeded;  // not 0: the arrays are too short and hold nothing of use
  RawFault first;
  RawFault first_but_empty;  // the first that is not kValueEmpty
};

struct KernelTable {
  const char* name;
  bool (*supported)() noexcept;
  // Indexes the fields of body[0, size), whose last byte is SOH, and sums all of its bytes. Reads
  // nothing outside of body[0, size + kReadableBehind).
  void (*index_fields)(const char* body, std::uint32_t size, const DataTags& data,
                       const FieldArrays& arrays, Indexed& out) noexcept;
};

// A message ends with the CheckSum field, which kernels do not index: its bytes may be read.
inline constexpr std::uint32_t kReadableBehind = 7;
// Entries that a kernel may write behind the last SOH position; arrays hold at least as many.
inline constexpr std::uint32_t kArraySlack = 64;

// The kernel in use: NEXUSFIX_FORCE_ISA's, or the best that this CPU has. Chosen once, on first
// use; with a wrong NEXUSFIX_FORCE_ISA it is scalar, and selected_isa() tells of the error.
[[nodiscard]] const KernelTable& selected() noexcept;

// All kernels of this build, best first, whether this CPU supports them or not.
struct KernelList {
  const KernelTable* const* tables;
  std::size_t count;
};
[[nodiscard]] KernelList all() noexcept;

}  // namespace nexusfix::wire::kernels
