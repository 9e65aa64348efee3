// From one frame to an index of its fields.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include <nexusfix/wire/data_fields.hpp>
#include <nexusfix/wire/field_index.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/frame_shape.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

// Why a frame is not a message. Ignore it and do not increment the expected MsgSeqNum (FIX test
// cases 2d, 2m, 2t, 3b, 3c).
struct ParseError {
  GarbledReason reason = GarbledReason::CheckSumWrong;  // the rule that is broken
  std::uint32_t offset = 0;                             // of the byte where the rule is broken
};

// The checks that a parser makes. Omit one only for bytes that are known to be intact, such as
// those of our own journal; a session needs all of them. The form of every field, the first three
// tags and the trailer's form are always checked, because the index is made of what these checks
// find.
struct Checks {
  bool check_sum = true;    // CheckSum is the sum of the bytes
  bool body_length = true;  // BodyLength is a number, and the right one
};

namespace kernels {
struct KernelTable;
struct IndexWork;
}  // namespace kernels

// The common part of the parsers of every policy: the storage of the index, and the kernel that
// fills it. Applications use Parser; tests name a kernel.
class ParserIndex {
 public:
  // Uses this kernel.
  ParserIndex(const DataFieldTable& data_fields, const kernels::KernelTable& kernel,
              Checks checks = {});
  // Uses the kernel for this CPU (isa.hpp).
  ParserIndex(const DataFieldTable& data_fields, Checks checks);
  // Takes the storage of other. Views that other has made stay valid.
  ParserIndex(ParserIndex&& other) noexcept;
  // Takes the storage of other. Views that this parser has made are no longer valid.
  ParserIndex& operator=(ParserIndex&& other) noexcept;
  // Views that the parser has made are no longer valid.
  ~ParserIndex();

  // See BasicParser::find_shape().
  [[nodiscard, gnu::always_inline]] FrameShape* find_shape(std::string_view bytes) noexcept {
    FrameShape& shape = shapes_[bytes.size() % kShapes];
    if (!shape.is_of(bytes.size()) || !fits_(bytes.data(), bytes.size(), shape.ranges()))
      return nullptr;
    shape.note_fit();
    return &shape;
  }
  // See BasicParser::parse(). Inlined, so that the view is not copied in memory.
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse(
      std::string_view frame) {
    FrameShape& shape = shapes_[frame.size() % kShapes];
    if (shape.is_of(frame.size())) {
      if (fits_(frame.data(), frame.size(), shape.ranges())) [[likely]] {
        shape.note_fit();
        return std::expected<MessageView, ParseError>{std::in_place, frame, shape};
      }
      shape.forget();
    }
    // 0: not a message; negative: one with a fault. The slow path distinguishes the two.
    Indexed indexed{index_frame_(frame.data(), frame.size(), *work_), &MessageView::kNoFaults};
    if (static_cast<std::int32_t>(indexed.count) <= 0) [[unlikely]] {
      indexed = index_slow_path(frame, indexed.count);
      if (indexed.count == 0) return std::unexpected{diagnosed(frame)};
    }
    if (shape.awaits(frame.size())) [[unlikely]]
      learn(shape, frame, indexed);
    return std::expected<MessageView, ParseError>{std::in_place, frame, index_of(indexed.count),
                                                  *indexed.faults};
  }

 private:
  struct Storage;
  // By the size of the frame. A power of two.
  static constexpr std::size_t kShapes = 16;
  // A bit of index_frame_'s result.
  static constexpr std::uint32_t kNarrowPlaces = 0x4000'0000;

  // What a view is made of. In registers: a view that a call returned would have to be in memory.
  struct Indexed {
    std::uint32_t count;  // as that of index_frame_; 0: not a message
    const Faults* faults;
  };
  [[nodiscard]] Indexed index_slow_path(std::string_view frame, std::uint32_t count);
  [[nodiscard]] ParseError diagnosed(std::string_view frame) const noexcept;
  void learn(FrameShape& shape, std::string_view frame, const Indexed& indexed) const noexcept;
  void reserve(std::uint32_t fields);
  [[nodiscard]] FieldIndex index_of(std::uint32_t count) const noexcept {
    const std::uint32_t fields = count & ~kNarrowPlaces;
    return {index_.keys, index_.places, index_.narrow_places, fields,
            (count & kNarrowPlaces) != 0 ? fields : 0};
  }

  std::uint32_t (*index_frame_)(const char* frame, std::size_t size, kernels::IndexWork& work);
  bool (*fits_)(const char* frame, std::size_t size, const ByteRanges& ranges);
  FrameShape* shapes_ = nullptr;  // kShapes of them
  kernels::IndexWork* work_ = nullptr;
  FieldIndex index_;
  Checks checks_;
  std::unique_ptr<Storage> storage_;
};

// Owns the storage of the index and reuses it: allocates only when a message has more fields than
// every earlier one. One thread at a time. Movable, not copyable; a moved-from parser can only be
// assigned to or destroyed.
//
//   wire::Parser parser;
//   if (auto message = parser.parse(frame)) use((*message)[tag::Symbol]);
template <Checks kChecks = Checks{}>
class BasicParser {
 public:
  // The table of Length/data field pairs is copied.
  explicit BasicParser(const DataFieldTable& data_fields = DataFieldTable::standard())
      : index_{data_fields, kChecks} {}

  // Verifies BodyLength, CheckSum, the first three tags and the form of every field, and indexes
  // them. frame may be any bytes. The view is valid until the next call or until the bytes of frame
  // change. After an error, the parser works as before.
  //
  // Checks the rules in this order, so that the result is the same on every machine: tags 8 and 9,
  // BodyLength's form, tag 35, the trailer's form (`10=` and three digits, last), BodyLength's
  // value, CheckSum's value. Reads nothing outside of frame. O(bytes).
  [[nodiscard, gnu::always_inline]] std::expected<MessageView, ParseError> parse(
      std::string_view frame) {
    return index_.parse(frame);
  }
  // The shape of an earlier frame that these bytes fit; null: none. Then the bytes are one message:
  // with the same tags, BeginString and BodyLength, and the right CheckSum. Any bytes that were
  // received, so that most messages need no search for their end: MessageView{bytes, *shape}.
  [[nodiscard, gnu::always_inline]] FrameShape* find_shape(std::string_view bytes) noexcept {
    return index_.find_shape(bytes);
  }

 private:
  ParserIndex index_;
};

// The parser of a session: it makes all checks.
using Parser = BasicParser<>;

}  // namespace nexusfix::wire
