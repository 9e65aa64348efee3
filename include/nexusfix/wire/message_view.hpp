// A parsed message: an index over bytes that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/wire/conversions.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

// The rule that a field breaks. A message with a fault still is a message: it has a MsgSeqNum, and
// the session answers it with a Reject.
enum class FaultRule : std::uint8_t {
  TagMalformed,     // not a number, leading zero, zero, negative, above kTagMax
  TagWithoutValue,  // no `=` in the field
  ValueEmpty,
  DataLengthWrong,  // the Length field of a data field does not lead to a SOH
};

// The first malformed field. tag_text is what stands before the `=`, as it was sent.
struct Fault {
  FaultRule rule = FaultRule::TagMalformed;
  std::uint32_t offset = 0;  // of the field's first byte
  std::string_view tag_text;
};

// Trivially copyable; valid as long as both the bytes and the Parser that made it are unchanged:
// that is, until the callback that received it returns, or the parser's next parse().
class MessageView {
 public:
  MessageView() = default;

  [[nodiscard]] std::string_view bytes() const noexcept;
  [[nodiscard]] std::string_view begin_string() const noexcept;  // 8
  [[nodiscard]] std::string_view msg_type() const noexcept;      // 35

  // All well-formed fields in wire order, BeginString and CheckSum included. A malformed field is
  // not in the index; it is described by fault() if it is the first one.
  [[nodiscard]] std::size_t field_count() const noexcept;
  [[nodiscard]] FieldView field(std::size_t index) const noexcept;  // index < field_count()
  [[nodiscard]] const std::optional<Fault>& fault() const noexcept;

  // The first field with this tag at or behind the field with index from; nothing if absent. An
  // empty value is a value of size 0. O(fields), by vector compare over the tags.
  [[nodiscard]] std::optional<std::string_view> operator[](Tag tag) const noexcept;
  [[nodiscard]] std::optional<FieldView> find(Tag tag, std::size_t from = 0) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_index(Tag tag, std::size_t from = 0) const noexcept;
  [[nodiscard]] bool has(Tag tag) const noexcept { return find_index(tag).has_value(); }

  // Typed read of the first field with this tag. T: std::string_view, char, bool, std::int64_t,
  // std::uint64_t, Decimal, WallTime (UTCTimestamp), Date (UTCDateOnly, LocalMktDate),
  // TimeOfDay (UTCTimeOnly).
  template <class T>
  [[nodiscard]] FieldResult<T> get(Tag tag) const noexcept;
};

}  // namespace nexusfix::wire
