// From one frame to an index of its fields.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include <nexusfix/wire/data_fields.hpp>
#include <nexusfix/wire/field_index.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

// Why a frame is no message. It is to be ignored without using up a MsgSeqNum (FIX test cases 2d,
// 2m, 2t, 3b, 3c).
struct ParseError {
  GarbledReason reason = GarbledReason::CheckSumWrong;
  std::uint32_t offset = 0;  // of the byte where the rule is broken
};

// Which checks a parser makes. Leaving one out is for bytes that are known to be whole, such as
// one's own journal; a session needs all of them. The form of every field, the first three tags and
// the trailer's form are always checked: the index is made of what those checks find.
struct Checks {
  bool check_sum = true;    // CheckSum is the sum of the bytes
  bool body_length = true;  // BodyLength is a number, and the right one
};

namespace kernels {
struct KernelTable;
struct IndexWork;
}  // namespace kernels

// What the parsers of every policy share: the storage of the index, and the kernel that fills it.
// Users write Parser; tests name a kernel.
class ParserIndex {
 public:
  ParserIndex(const DataFieldTable& data_fields, const kernels::KernelTable& kernel,
              Checks checks = {});
  // With the kernel that suits this CPU (isa.hpp).
  ParserIndex(const DataFieldTable& data_fields, Checks checks);
  ParserIndex(ParserIndex&& other) noexcept;
  ParserIndex& operator=(ParserIndex&& other) noexcept;
  ~ParserIndex();

  [[nodiscard]] std::expected<MessageView, ParseError> parse(std::string_view frame) {
    // 0: no message; negative: one with a fault. Both are told apart out of line.
    const std::uint32_t count = index_frame_(frame.data(), frame.size(), *work_);
    if (static_cast<std::int32_t>(count) <= 0) [[unlikely]]
      return parse_unusual(frame, count);
    return MessageView{frame, index_of(count)};
  }

 private:
  struct Storage;
  // A bit of index_frame_'s answer.
  static constexpr std::uint32_t kNarrowPlaces = 0x4000'0000;

  [[nodiscard]] std::expected<MessageView, ParseError> parse_unusual(std::string_view frame,
                                                                     std::uint32_t count);
  [[nodiscard]] ParseError diagnosed(std::string_view frame) const noexcept;
  void reserve(std::uint32_t fields);
  [[nodiscard]] FieldIndex index_of(std::uint32_t count) const noexcept {
    FieldIndex index = index_;
    index.count = count & ~kNarrowPlaces;
    index.narrow_count = (count & kNarrowPlaces) != 0 ? index.count : 0;
    return index;
  }

  std::uint32_t (*index_frame_)(const char* frame, std::size_t size, kernels::IndexWork& work);
  kernels::IndexWork* work_ = nullptr;
  FieldIndex index_;
  Checks checks_;
  std::unique_ptr<Storage> storage_;
};

// Owns the index's storage and reuses it: allocates only when a message has more fields than any
// before it. One thread at a time. Movable, not copyable; one that was moved from can only be
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
  // them. frame may be any bytes, also such that no Framer made. The view is valid until the next
  // call or until the frame's bytes change; an error leaves the parser as usable as before.
  //
  // Rules are checked in this order, so that the answer is the same on every machine: tags 8 and 9,
  // BodyLength's form, tag 35, the trailer's form (`10=` and three digits, last), BodyLength's
  // value, CheckSum's value. Reads nothing outside of frame. O(bytes).
  [[nodiscard]] std::expected<MessageView, ParseError> parse(std::string_view frame) {
    return index_.parse(frame);
  }

 private:
  ParserIndex index_;
};

using Parser = BasicParser<>;

}  // namespace nexusfix::wire
