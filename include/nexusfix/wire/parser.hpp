// From one frame to an index of its fields.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include <nexusfix/wire/data_fields.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

// Why a frame is no message. It is to be ignored without using up a MsgSeqNum (FIX test cases 2d,
// 2m, 2t, 3b, 3c).
struct ParseError {
  GarbledReason reason = GarbledReason::CheckSumWrong;
  std::uint32_t offset = 0;  // of the byte where the rule is broken
};

// Owns the index's storage and reuses it: allocates only when a message has more fields than any
// before it. One thread at a time. Movable, not copyable; one that was moved from can only be
// assigned to or destroyed.
//
//   wire::Parser parser;
//   if (auto message = parser.parse(frame)) use((*message)[tag::Symbol]);
class Parser {
 public:
  // The table of Length/data field pairs is copied.
  explicit Parser(DataFieldTable data_fields = DataFieldTable::standard());
  Parser(Parser&& other) noexcept;
  Parser& operator=(Parser&& other) noexcept;
  ~Parser();

  // Verifies BodyLength, CheckSum, the first three tags and the form of every field, and indexes
  // them. frame may be any bytes, also such that no Framer made. The view is valid until the next
  // call or until the frame's bytes change; an error leaves the Parser as usable as before.
  //
  // Rules are checked in this order, so that the answer is the same on every machine: tags 8 and 9,
  // BodyLength's form, tag 35, the trailer's form (`10=` and three digits, last), BodyLength's
  // value, CheckSum's value. Reads nothing outside of frame. O(bytes).
  [[nodiscard]] std::expected<MessageView, ParseError> parse(std::string_view frame);

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace nexusfix::wire
