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

// Why a frame is no message. It is to be ignored without using up a MsgSeqNum.
struct ParseError {
  GarbledReason reason = GarbledReason::CheckSumWrong;
  std::uint32_t offset = 0;  // of the byte where the rule is broken
};

// Owns the index's storage and reuses it: allocates only when a message has more fields than any
// before it. One thread at a time. Movable, not copyable.
class Parser {
 public:
  // The table of Length/data field pairs is copied.
  explicit Parser(DataFieldTable data_fields = DataFieldTable::standard());

  // Verifies BodyLength, CheckSum, the first three tags and the form of every field, and indexes
  // them. The view is valid until the next call or until the frame's bytes change.
  [[nodiscard]] std::expected<MessageView, ParseError> parse(std::string_view frame);
};

}  // namespace nexusfix::wire
