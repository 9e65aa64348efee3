// Frames that are like an earlier one: the same fields in the same places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/wire/field_index.hpp>

namespace nexusfix::wire {

// What each byte of a frame may be: byte i is within its range if byte - lowest[i], which may wrap,
// is at most width[i]. After the frame, any byte is.
struct ByteRanges {
  // More than the longest frame that has a shape.
  static constexpr std::size_t kBytes = 256;

  // The least value of each byte.
  alignas(64) std::uint8_t lowest[kBytes];
  // How much more than that each byte may be.
  alignas(64) std::uint8_t width[kBytes];
};

// What a validator has found out about all messages of a shape. Only validators set and read it.
struct ShapeProof {
  std::uint64_t number = ~std::uint64_t{0};  // of a sequence of tags; nothing is known: of none
  std::size_t place = 0;                     // of that sequence in its memory
};

// The shape of the frames of one size that a parser has seen before. Most messages of a
// counterparty differ by a few digits. A kernel compares such a frame with the ranges of its shape,
// instead of indexing it again: if each byte is within its range, the frame has the fields of the
// one that the shape was learned from. The bytes of tags, `=` and SOH must be the same, and the
// values of BeginString, BodyLength and MsgType. A byte of another value may be any but SOH and 0,
// until a validator narrows its range to bytes that need no further check.
//
// The parser owns it. Only the parser's thread uses it.
class FrameShape {
 public:
  // The shortest frame that has a shape: kernels load whole vectors.
  static constexpr std::size_t kBytesMin = 64;
  // The longest one: its places are narrow.
  static constexpr std::size_t kBytesMax = 255;
  // The fields of one frame.
  static constexpr std::size_t kFieldsMax = 32;
  static_assert(kBytesMax < ByteRanges::kBytes);

  // Whether it is the shape of frames of this size.
  [[nodiscard]] bool is_of(std::size_t bytes) const noexcept { return bytes_ == bytes; }
  // What a kernel compares a frame with.
  [[nodiscard]] const ByteRanges& ranges() const noexcept { return ranges_; }
  // The index of a frame that fits.
  [[nodiscard]] FieldIndex index() const noexcept {
    return {keys_, kNoPlaces, places_, count_, count_};
  }
  // A frame fits.
  void note_fit() noexcept { ++fits_; }
  // A frame of this size does not fit.
  void forget() noexcept;
  // A frame was indexed. Whether a shape should be learned from it: the frame before it had this
  // size, too.
  [[nodiscard]] bool awaits(std::size_t bytes) noexcept {
    return --wait_ == 0 && is_repeated(bytes);
  }
  // From a frame without a fault that has no Length field. False: it cannot be learned.
  [[nodiscard]] bool learn(std::string_view frame, const FieldIndex& index) noexcept;
  // Limits the byte at this place. Another byte is then left to those who index and check messages.
  void narrow(std::size_t at, std::uint8_t lowest, std::uint8_t highest) noexcept {
    ranges_.lowest[at] = lowest;
    ranges_.width[at] = static_cast<std::uint8_t>(highest - lowest);
  }
  // What the last set_proof() has set; at first, and after learn(), nothing is known.
  [[nodiscard]] const ShapeProof& proof() const noexcept { return proof_; }
  // For the validator that has narrowed the ranges.
  void set_proof(const ShapeProof& proof) noexcept { proof_ = proof; }
  // It cannot be learned from frames of this size: the next attempt comes late.
  void put_off() noexcept { wait_ = kWaitMax; }

 private:
  // Nothing reads them, as the narrow ones are read. An entry of a group adds to their address.
  static constexpr FieldPlace kNoPlaces[kFieldsMax] = {};
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::uint16_t kWaitMax = 1'024;
  // Fewer do not pay for learning it.
  static constexpr std::uint64_t kFitsLeast = 16;
  [[nodiscard]] bool is_repeated(std::size_t bytes) noexcept;

  std::size_t bytes_ = kNone;      // of the frame; kNone: there is no shape
  std::size_t candidate_ = kNone;  // the size of the first one of two that are compared
  std::uint32_t count_ = 0;        // of the fields
  // So that frames that do not repeat cost little: how many are indexed before the next two are
  // compared, at first one, and each time twice as many if that was in vain.
  std::uint16_t wait_ = 1;
  std::uint16_t next_wait_ = 1;
  std::uint64_t fits_ = 0;       // since the shape was learned
  std::uint64_t fits_seen_ = 0;  // by is_repeated()
  ShapeProof proof_;
  alignas(kKeysAlignment) std::uint16_t keys_[kFieldsMax + kKeysReadable] = {};
  NarrowPlace places_[kFieldsMax] = {};
  ByteRanges ranges_{};
};

}  // namespace nexusfix::wire
