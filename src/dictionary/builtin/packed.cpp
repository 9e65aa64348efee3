#include "dictionary/builtin/packed.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace nexusfix::dictionary {
namespace {

// Numbers of packed dictionaries: seven bits a byte, the low ones first. Private to the layer.
inline constexpr unsigned kDigitBits = 7;  // of a byte; the eighth bit: another byte follows
inline constexpr std::uint64_t kDigitMask = (1U << kDigitBits) - 1;

inline void append_number(std::string& to, std::uint64_t value) {
  for (; value > kDigitMask; value >>= kDigitBits) {
    to.push_back(static_cast<char>((value & kDigitMask) | (kDigitMask + 1)));
  }
  to.push_back(static_cast<char>(value));
}

// next_byte() returns one byte after the other.
template <class NextByte>
[[nodiscard]] std::uint64_t read_number(NextByte&& next_byte) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += kDigitBits) {
    const std::uint64_t digit = static_cast<unsigned char>(next_byte());
    value |= (digit & kDigitMask) << shift;
    if (digit <= kDigitMask) return value;
  }
}

constexpr unsigned kOthersBits = 3;  // of FieldDefinition::OtherValues
static_assert(static_cast<unsigned>(FieldDefinition::OtherValues::Tenor) < 1U << kOthersBits);

class Packer {
 public:
  explicit Packer(TextPool& pool) : pool_{pool} {}

  void number(std::uint64_t value) { append_number(bytes_, value); }
  void text(const std::string& text) {
    const detail::TextPlace place = pool_.place(text);
    number(place.size);
    number(place.offset);
  }
  void members(const std::vector<Member>& members) {
    number(members.size());
    for (const Member& member : members) {
      number((std::uint64_t{member.index} << 3U) | (static_cast<std::uint64_t>(member.kind) << 1U) |
             (member.required ? 1U : 0U));
    }
  }
  void field(const FieldDefinition& field) {
    number(field.tag);
    text(field.name);
    number((static_cast<std::uint64_t>(field.type) << kOthersBits) |
           static_cast<std::uint64_t>(field.other_values));
    number(field.length_tag);
    number(enumerations_.at(&field.values));
  }
  // Many fields share an enumeration, so each one is written once, before the fields.
  void enumerations(const std::vector<FieldDefinition>& fields) {
    std::map<std::vector<FieldDefinition::EnumValue>, std::size_t> numbers;
    std::vector<const std::vector<FieldDefinition::EnumValue>*> distinct;
    for (const FieldDefinition& field : fields) {
      const auto [entry, is_new] = numbers.emplace(field.values, distinct.size());
      if (is_new) distinct.push_back(&field.values);
      enumerations_.emplace(&field.values, entry->second);
    }
    number(distinct.size());
    for (const std::vector<FieldDefinition::EnumValue>* values : distinct) {
      number(values->size());
      for (const FieldDefinition::EnumValue& value : *values) {
        text(value.value);
        text(value.name);
      }
    }
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  TextPool& pool_;
  std::map<const std::vector<FieldDefinition::EnumValue>*, std::size_t>
      enumerations_;  // a field's, to its number
  std::string bytes_;
};

class Unpacker {
 public:
  Unpacker(std::string_view packed, std::string_view text) : bytes_{packed}, text_{text} {}

  std::uint64_t number() {
    return read_number([this] { return bytes_[at_++]; });
  }
  std::string text() {
    const std::uint64_t size = number();
    return std::string{text_.substr(number(), size)};
  }
  std::vector<Member> members() {
    std::vector<Member> members(number());
    for (Member& member : members) {
      const std::uint64_t packed = number();
      member = {static_cast<Member::Kind>((packed >> 1U) & 3U), static_cast<Index>(packed >> 3U),
                (packed & 1U) != 0};
    }
    return members;
  }
  FieldDefinition field() {
    FieldDefinition field;
    field.tag = static_cast<wire::Tag>(number());
    field.name = text();
    const std::uint64_t type = number();
    field.type = static_cast<FieldType>(type >> kOthersBits);
    field.other_values =
        static_cast<FieldDefinition::OtherValues>(type & ((1U << kOthersBits) - 1));
    field.length_tag = static_cast<wire::Tag>(number());
    field.values = enumerations_[number()];
    return field;
  }
  void enumerations() {
    enumerations_.resize(number());
    for (std::vector<FieldDefinition::EnumValue>& values : enumerations_) {
      values.resize(number());
      for (FieldDefinition::EnumValue& value : values) {
        value.value = text();
        value.name = text();
      }
    }
  }

 private:
  std::string_view bytes_;
  std::string_view text_;
  std::vector<std::vector<FieldDefinition::EnumValue>> enumerations_;
  std::size_t at_ = 0;
};

}  // namespace

std::string pack(const Dictionary& dictionary, TextPool& pool) {
  Packer packer{pool};
  packer.text(dictionary.begin_string);
  packer.number(dictionary.service_pack);
  packer.enumerations(dictionary.fields);
  packer.number(dictionary.fields.size());
  for (const FieldDefinition& field : dictionary.fields) packer.field(field);
  packer.number(dictionary.components.size());
  for (const ComponentDefinition& component : dictionary.components) {
    packer.text(component.name);
    packer.members(component.members);
  }
  packer.number(dictionary.groups.size());
  for (const GroupDefinition& group : dictionary.groups) {
    packer.number((std::uint64_t{group.count_field} << 1U) | (group.any_field_begins ? 1U : 0U));
    packer.members(group.members);
  }
  packer.members(dictionary.header);
  packer.members(dictionary.trailer);
  packer.number(dictionary.messages.size());
  for (const MessageDefinition& message : dictionary.messages) {
    packer.text(message.name);
    packer.text(message.msg_type);
    packer.number(message.admin ? 1 : 0);
    packer.members(message.members);
  }
  return packer.take();
}

Dictionary unpack(std::string_view packed, std::string_view text) {
  Unpacker unpacker{packed, text};
  Dictionary dictionary;
  dictionary.begin_string = unpacker.text();
  dictionary.service_pack = static_cast<unsigned>(unpacker.number());
  unpacker.enumerations();
  dictionary.fields.resize(unpacker.number());
  for (FieldDefinition& field : dictionary.fields) field = unpacker.field();
  dictionary.components.resize(unpacker.number());
  for (ComponentDefinition& component : dictionary.components) {
    component.name = unpacker.text();
    component.members = unpacker.members();
  }
  dictionary.groups.resize(unpacker.number());
  for (GroupDefinition& group : dictionary.groups) {
    const std::uint64_t head = unpacker.number();
    group.count_field = static_cast<Index>(head >> 1U);
    group.any_field_begins = (head & 1U) != 0;
    group.members = unpacker.members();
  }
  dictionary.header = unpacker.members();
  dictionary.trailer = unpacker.members();
  dictionary.messages.resize(unpacker.number());
  for (MessageDefinition& message : dictionary.messages) {
    message.name = unpacker.text();
    message.msg_type = unpacker.text();
    message.admin = unpacker.number() != 0;
    message.members = unpacker.members();
  }
  return dictionary;
}

}  // namespace nexusfix::dictionary
