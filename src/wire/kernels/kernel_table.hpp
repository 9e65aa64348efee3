// What an instruction set must provide, and which one is in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::wire::kernels {

using detail::ByteRanges, detail::FieldPlace, detail::NarrowPlace, detail::TagSequence,
    detail::TagTexts;

// Plain structs of integers and pointers only, because the kernels' translation units must not
// instantiate standard templates inside their target regions.

// Where the index is written. Its readers see it as FieldIndex of field_index.hpp. Kernels may
// write kEntriesAtOnce entries wherever they write one, so the storage exceeds capacity by that
// number.
struct FieldArrays {
  std::uint16_t* keys;
  FieldPlace* places;
  NarrowPlace* narrow_places;  // room for kEntriesAtOnce
  std::uint32_t capacity;
};

inline constexpr std::uint32_t kEntriesAtOnce = 64;

// The pairs of Length and data fields. The `count` entries, sorted by length tag, decide. A quick
// test rejects nearly all other tags first: a Length tag has a common bit in the two entries for
// its last two digits and for the two digits before them modulo 64.
struct DataTags {
  alignas(64) std::uint8_t low_two[128];
  alignas(64) std::uint8_t high_two[64];
  // The test with smaller tables, for tags of up to three digits: a common bit in the three
  // entries for its ones, tens and hundreds.
  alignas(64) std::uint8_t digits[3][16];
  const std::uint32_t* length_tags;
  const std::uint32_t* data_tags;
  std::uint32_t count;
};

// The values of Fault::Rule, preceded by one for "none".
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

// How the last Length field and its data field began, with their `=`. The next pair is usually like
// it, and then its tags need not be read again.
struct DataPair {
  std::uint64_t length_text;
  std::uint64_t length_bits;  // the bytes of length_text that count
  std::uint64_t data_text;
  std::uint64_t data_bits;
  std::uint32_t length_bytes;  // of length_text; 0: no pair yet
  std::uint32_t data_bytes;
  std::uint16_t length_key;
  std::uint16_t data_key;
};

// What a parser keeps from one frame to the next for its kernel.
struct IndexWork {
  DataTags data;
  FieldArrays arrays;
  RawFault first;
  RawFault first_but_empty;  // the first that is not kValueEmpty
  DataPair last_pair;
  std::uint32_t more_capacity;  // set where the arrays were too short for the frame
};

// Set in the result if the message has a fault. IndexWork then holds the fault.
inline constexpr std::uint32_t kFaultyMessage = 0x8000'0000;
// Set if the places are in narrow_places. Never set together with kFaultyMessage.
inline constexpr std::uint32_t kNarrowPlaces = 0x4000'0000;
inline constexpr std::uint32_t kNarrowBytesMax = 255;

// Verifies and indexes frame[0, size). Returns the number of its fields, CheckSum included. 0: the
// frame is not a message, or the arrays are too short and work.more_capacity is set. The arrays
// then hold nothing useful, and the caller finds out which rule is broken. Reads nothing outside of
// the frame.
using IndexFrame = std::uint32_t (*)(const char* frame, std::size_t size, IndexWork& work);

// The bits of a policy: which checks a parser omits. Every combination is compiled.
inline constexpr unsigned kLeaveOutCheckSum = 1;
inline constexpr unsigned kLeaveOutBodyLength = 2;
inline constexpr unsigned kPolicies = 4;

// Whether each byte of frame[0, size), which has the size of a FrameShape, is within its range, and
// its CheckSum is valid. Reads nothing outside of the frame.
using Fits = bool (*)(const char* frame, std::size_t size, const ByteRanges& ranges);

// Where a parser keeps the tags of frames: by the number of their fields, the first character of
// MsgType, and the second byte of the last field before CheckSum. With the shifts, orders and their
// changes, with and without Text (58), have places of their own.
inline constexpr std::uint32_t kSequences = 32;
inline constexpr std::uint32_t slot_of(std::uint32_t fields, char msg_type, char last) noexcept {
  constexpr std::uint32_t kTypeShift = 3;
  constexpr std::uint32_t kLastShift = 4;
  return (fields ^ static_cast<std::uint32_t>(static_cast<unsigned char>(msg_type)) << kTypeShift ^
          static_cast<std::uint32_t>(static_cast<unsigned char>(last)) << kLastShift) %
         kSequences;
}

// Those of short frames: by MsgType alone.
inline constexpr std::uint32_t short_slot_of(char msg_type) noexcept {
  return static_cast<unsigned char>(msg_type) % kSequences;
}

// Which of the kSequences has the tags of frame[0, size), which is a message without a fault; null:
// none, or it is no such message. Writes the places of its values. The size is
// TagSequence::has_size(). Reads nothing outside of the frame.
using FindSequence = TagSequence* (*)(const char* frame, std::size_t size, TagSequence* sequences);

struct KernelTable {
  const char* name;
  bool (*supported)() noexcept;
  IndexFrame index_frame[kPolicies];
  Fits fits;                   // null: no shape is used, because indexing a frame takes no longer
  FindSequence find_sequence;  // null: no tags are remembered
  // Comparing the tags of a frame up to this size takes no longer than indexing it. Otherwise it
  // pays only where a validator knows the rest of such a message.
  std::size_t compared_bytes_max = 0;
};

// Frames below this size are not examined: the shortest message is longer. Nor are frames whose
// offsets would exceed kMessageBytesMax.
inline constexpr std::uint32_t kFrameBytesMin = 16;
inline constexpr std::uint32_t kFrameBytesMax = 0x7fff'ffff;
inline constexpr std::uint32_t kTrailerBytes = 7;  // 10=ddd and SOH

// The kernel in use: the one that NEXUSFIX_FORCE_ISA names, or the best that this CPU supports.
// Chosen once, on first use. If NEXUSFIX_FORCE_ISA is wrong it is scalar, and selected_isa()
// reports the error.
[[nodiscard]] const KernelTable& selected() noexcept;

// All kernels of this build, best first, supported by this CPU or not.
struct KernelList {
  const KernelTable* const* tables;
  std::size_t count;
};
[[nodiscard]] KernelList all() noexcept;

}  // namespace nexusfix::wire::kernels
