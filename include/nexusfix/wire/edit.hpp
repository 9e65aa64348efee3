// A copy of an encoded message with some of its fields changed, for an application that must adapt
// a message before it is sent.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/session_tags.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>
#include <nexusfix/wire/values/value_text.hpp>

namespace nexusfix::wire {

// The changes to make in a message. Values are copied. Keeps its storage when it is cleared. One
// thread at a time.
class FieldEdits {
 public:
  // Gives the value to the first field with this tag. If there is none, adds a field at the end of
  // the header or of the body, as the tag requires. In a repeating group, the first entry's field
  // changes. A second edit of a tag replaces the first. edited_copy() reports a value that cannot
  // be sent.
  template <FieldValue Value>
  void set(Tag tag, const Value& value) {
    if constexpr (std::convertible_to<Value, std::string_view>) {
      set_text(tag, value);
    } else {
      std::array<char, detail::kValueTextBytesMax> text;
      set_text(tag, {text.data(), detail::value_text(value, text.data())});
    }
  }
  // A typed field: set(OrderQty{100_d}), set(Side::Buy).
  template <TypedField Field>
    requires(!DataTypedField<Field>)
  void set(const Field& field) {
    if constexpr (DictionaryEnum<Field>) {
      set_text(EnumTraits<Field>::kTag, EnumTraits<Field>::text(field));
    } else {
      set(Field::kTag, field.value);
    }
  }
  // Omits the first field with this tag, if there is one.
  void remove(Tag tag);

  // Removes all edits and keeps their storage.
  void clear() noexcept;
  // Whether a password (554, 925, 1402, 1404) is set.
  [[nodiscard]] bool has_password() const noexcept;
  // Whether there is no edit.
  [[nodiscard]] bool empty() const noexcept { return edits_.empty(); }
  // The maximum number of bytes by which a copy is longer than its message.
  [[nodiscard]] std::size_t growth_bytes() const noexcept;

 private:
  friend class EditedCopy;
  struct Edit {
    Tag tag = 0;
    bool removes = false;
    std::size_t begin = 0;  // of the value within text_
    std::size_t size = 0;
  };
  void set_text(Tag tag, std::string_view value);
  Edit& edit_of(Tag tag);

  std::vector<Edit> edits_;
  std::string text_;
};

// Writes a copy of message into out. Every field keeps its value and its position, except the
// edited ones; BodyLength and CheckSum are new. The result lies within out; message.bytes().size()
// + edits.growth_bytes() bytes suffice. Errors: TagInvalid (belongs_to_session(); not a tag; a
// standard data field or its length), EmptyValue, SohInValue; BufferFull; MessageMalformed if the
// message has a fault. Any thread; allocates in its first call only.
[[nodiscard]] std::expected<std::string_view, EncodeError> edited_copy(const MessageView& message,
                                                                       const FieldEdits& edits,
                                                                       std::span<char> out);

}  // namespace nexusfix::wire
