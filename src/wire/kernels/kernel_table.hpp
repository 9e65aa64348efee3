// What an instruction set has to provide, and which one is in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/field_index.hpp>

namespace nexusfix::wire::kernels {

// Plain structs of integers and pointers only: the kernels' translation units must not instantiate
// standard templates inside their target regions.

// Where the index goes; FieldIndex of field_index.hpp is what its readers see. Kernels may write
// kEntriesAtOnce entries wherever they write one, so capacity is that much short of the storage.
struct FieldArrays {
  std::uint16_t* keys;
  FieldPlace* places;
  NarrowPlace* narrow_places;  // room for kEntriesAtOnce
  std::uint32_t capacity;
};

inline constexpr std::uint32_t kEntriesAtOnce = 64;

// The pairs of Length and data fields: count entries that decide, sorted by length tag, and a quick
// test that nearly all other tags fail: a Length tag has a bit in common in the two entries for its
// last two digits and for the two in front of those modulo 64.
struct DataTags {
  alignas(64) std::uint8_t low_two[128];
  alignas(64) std::uint8_t high_two[64];
  // The same test with smaller tables: a bit in common in the three entries for its lowest four
  // bits, the four above them and the four above those. For tags of up to four digits.
  alignas(64) std::uint8_t nibbles[3][16];
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

// Fills nibbles from the length tags.
void fill_nibbles(DataTags& data) noexcept;

// How the last Length field and the data field behind it began, `=` included. Most often the next
// pair is like it, and its tags need not be read again.
struct DataPair {
  std::uint64_t length_text;
  std::uint64_t length_bits;  // of the bytes of length_text that count
  std::uint64_t data_text;
  std::uint64_t data_bits;
  std::uint32_t length_bytes;  // of length_text; 0: there was none yet
  std::uint32_t data_bytes;
  std::uint16_t length_key;
  std::uint16_t data_key;
};

// What a parser keeps for its kernel from one frame to the next.
struct IndexWork {
  DataTags data;
  FieldArrays arrays;
  RawFault first;
  RawFault first_but_empty;  // the first that is not kValueEmpty
  DataPair last_pair;
  std::uint32_t more_capacity;  // set where the arrays were too short for the frame
};

// Set in the answer when the message has a fault, which IndexWork then holds.
inline constexpr std::uint32_t kFaultyMessage = 0x8000'0000;
// Set when the places are in narrow_places. Not together with kFaultyMessage.
inline constexpr std::uint32_t kNarrowPlaces = 0x4000'0000;
inline constexpr std::uint32_t kNarrowBytesMax = 255;

// Verifies and indexes frame[0, size) and returns the number of its fields, all of them with
// CheckSum. 0: the frame is no message, or work.more_capacity says why not; the arrays then hold
// nothing of use, and who asked finds out which rule is broken. Reads nothing outside of the frame.
using IndexFrame = std::uint32_t (*)(const char* frame, std::size_t size, IndexWork& work);

// The bits of a policy: which checks a parser leaves out. Each combination is compiled.
inline constexpr unsigned kLeaveOutCheckSum = 1;
inline constexpr unsigned kLeaveOutBodyLength = 2;
inline constexpr unsigned kPolicies = 4;

struct KernelTable {
  const char* name;
  bool (*supported)() noexcept;
  IndexFrame index_frame[kPolicies];
};

// The shortest frame that can be a message is longer; shorter ones are not looked at. Nor are those
// whose offsets would not be kMessageBytesMax at most.
inline constexpr std::uint32_t kFrameBytesMin = 16;
inline constexpr std::uint32_t kFrameBytesMax = 0x7fff'ffff;
inline constexpr std::uint32_t kTrailerBytes = 7;  // 10=ddd and SOH

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
