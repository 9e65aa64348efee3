#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <nexusfix/explanation.hpp>

#include "dictionary/api/nearest_name.hpp"
#include "explanation/clipped.hpp"
#include "explanation/explain_value.hpp"
#include "explanation/field_places.hpp"
#include "explanation/marked_text.hpp"

namespace nexusfix::dictionary {
namespace {

using wire::Tag;

constexpr Tag kMsgTypeTag = 35;

// The value that is not in the enumeration. Of a list, the first such word.
std::string_view invalid_word(const FieldDefinition& field, std::string_view value) {
  if (!is_multiple(field.type)) return value;
  while (true) {
    const std::size_t space = value.find(' ');
    const std::string_view word = value.substr(0, space);
    if (std::ranges::find(field.values, word, &FieldDefinition::EnumValue::value) ==
        field.values.end())
      return word;
    if (space == std::string_view::npos) return word;
    value.remove_prefix(space + 1);
  }
}

class Explainer {
 public:
  Explainer(const Violation& violation, const wire::MessageView& message,
            const FixtDictionaries& both)
      : violation_{violation}, message_{message}, both_{both} {
    const std::string_view type = message.msg_type();
    for (const Dictionary* dictionary : {&both.application, &both.transport}) {
      if (definition_ = dictionary->message(type); definition_ != nullptr) break;
    }
  }

  Explanation explain() {
    result_.tag = violation_.rule == Violation::Rule::MsgTypeUnknown ? kMsgTypeTag : violation_.tag;
    result_.reason = violation_.reason();
    if (const FieldDefinition* const known = field(result_.tag)) {
      result_.definition = field_summary(*known);
    }
    explain_rule();
    if (result_.message_line.empty()) mark_field();
    return std::move(result_);
  }

 private:
  void explain_rule() {
    switch (violation_.rule) {
      case Violation::Rule::TagMalformed:
        return tag_malformed();
      case Violation::Rule::TagWithoutValue:
        return tag_without_value();
      case Violation::Rule::ValueEmpty:
        mark_bytes(violation_.offset, violation_.tag_text.size() + 1);
        result_.problem = name(result_.tag) + " has no value";
        result_.nearest = "a value, or omit the field";
        return;
      case Violation::Rule::DataLengthWrong:
        return wrong_data_length();
      case Violation::Rule::MsgTypeUnknown:
        return msg_type_unknown();
      case Violation::Rule::TagUnknown:
        result_.problem = "the dictionary has no field " + std::to_string(result_.tag);
        return suggest_version();
      case Violation::Rule::TagNotInMessage:
        return tag_not_in_message();
      case Violation::Rule::TagOutOfSection:
        return tag_out_of_section();
      case Violation::Rule::TagRepeated:
        return tag_repeated();
      case Violation::Rule::TypeWrong:
        mark_value();
        return invalid_type("not of type");
      case Violation::Rule::ValueOutOfRange:
        mark_value();
        return invalid_type("out of the range of");
      case Violation::Rule::ValueNotInEnumeration:
        mark_value();
        return value_not_in_enumeration();
      case Violation::Rule::DelimiterMissing:
        return delimiter_missing();
      case Violation::Rule::GroupOrderWrong:
        return wrong_group_order();
      case Violation::Rule::GroupCountWrong:
        mark_value();
        return wrong_group_count();
      case Violation::Rule::LengthMissing:
        result_.problem = name(here().tag) + " has no " + name(result_.tag) + " directly before it";
        result_.nearest = std::to_string(result_.tag) + "=" + std::to_string(value().size()) +
                          " before it, if the data contains no SOH";
        return;
      case Violation::Rule::DataMissing:
        result_.problem = name(here().tag) + " announces " + name(result_.tag) +
                          ", which does not directly follow it";
        result_.nearest =
            std::to_string(result_.tag) + "= and that number of bytes after it, or neither field";
        return;
      case Violation::Rule::DataOutOfOrder:
        return data_out_of_order();
      case Violation::Rule::RequiredTagMissing:
        return required_tag_missing();
    }
  }

  void tag_malformed() {
    mark_bytes(violation_.offset, violation_.tag_text.size());
    result_.problem = clipped_quote(violation_.tag_text) +
                      " is not a tag: a tag is a number from 1 to 2147483647 without leading zeros";
    std::string_view digits = violation_.tag_text;
    while (digits.starts_with('0') || digits.starts_with(' ')) digits.remove_prefix(1);
    Tag tag = 0;
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), tag);
    const FieldDefinition* nearest = nullptr;
    if (fault == std::errc{} && stop == digits.data() + digits.size()) nearest = field(tag);
    if (nearest == nullptr) nearest = field_named(violation_.tag_text);
    if (nearest != nullptr)
      result_.nearest = std::to_string(nearest->tag) + " (" + nearest->name + ")";
  }

  void tag_without_value() {
    mark_bytes(violation_.offset, violation_.tag_text.size());
    result_.problem = "the field " + clipped_quote(violation_.tag_text) + " has no `=`";
    if (result_.tag != 0) result_.nearest = std::to_string(result_.tag) + "= and a value";
  }

  void wrong_data_length() {
    const std::size_t size = message_.bytes().find(wire::kSoh, violation_.offset);
    mark_bytes(violation_.offset, std::min(size, message_.bytes().size()) - violation_.offset);
    result_.problem = name(result_.tag) + " does not lead to the end of the data field after it";
    if (violation_.field_index + 1 >= message_.field_count()) return;
    // The parser lets the data field that follows end at its first SOH.
    const wire::FieldView length = message_.field(violation_.field_index);
    const wire::FieldView data = message_.field(violation_.field_index + 1);
    if (length.tag != result_.tag) return;
    result_.nearest = std::to_string(result_.tag) + "=" + std::to_string(data.value.size()) +
                      ", if the data contains no SOH";
  }

  void data_out_of_order() {
    const FieldDefinition* const data = field(result_.tag);
    const std::string length = name(data == nullptr ? 0 : data->length_tag);
    result_.problem = name(result_.tag) + " does not directly follow " + length;
    result_.nearest = length + ", directly followed by " + name(result_.tag);
  }

  void msg_type_unknown() {
    mark_value();
    const std::string_view type = value();
    result_.problem =
        "MsgType (35) is " + clipped_quote(type) + ": the dictionary has no such message";
    std::vector<std::string_view> names;
    const MessageDefinition* nearest = nullptr;
    for (const Dictionary* dictionary : {&both_.application, &both_.transport}) {
      for (const MessageDefinition& one : dictionary->messages) {
        names.push_back(one.name);
        const bool is_near = nearest == nullptr && one.msg_type.size() == type.size() &&
                             nearest_name(type, {one.msg_type}) && is_case_only(type, one.msg_type);
        if (is_near) nearest = &one;
      }
    }
    if (nearest == nullptr) {
      if (const auto near = nearest_name(type, names)) nearest = message_named(*near);
    }
    if (nearest != nullptr) {
      result_.nearest = "35=" + clipped(nearest->msg_type) + " (" + clipped(nearest->name) + ")";
    }
  }

  void tag_out_of_section() {
    const std::vector<Tag> header = tags_of(both_.transport, both_.transport.header);
    if (has_tag(header, result_.tag)) {
      result_.problem = name(result_.tag) + " is a header field, but it is after the header";
      // The header ends before the first field that is not a header field.
      for (std::size_t i = 0; i < message_.field_count(); ++i) {
        const Tag tag = message_.field(i).tag;
        if (has_tag(header, tag)) continue;
        result_.nearest = "before " + name(tag) + ", where the body begins";
        return;
      }
    } else {
      result_.problem = name(result_.tag) + " is in the trailer";
      result_.nearest = "in the body, before the trailer";
    }
  }

  void tag_repeated() {
    std::size_t first = violation_.field_index;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      if (message_.field(i).tag != result_.tag) continue;
      first = i;
      break;
    }
    result_.problem = name(result_.tag) + " occurs a second time";
    if (violation_.group != 0) {
      result_.problem += ", in one entry of " + name(violation_.group);
    }
    result_.nearest =
        "only one of the two; the first is at byte " + std::to_string(message_.field(first).offset);
  }

  void invalid_type(std::string_view relation) {
    const FieldDefinition* const known = field(result_.tag);
    if (known == nullptr) return;
    result_.problem = name(result_.tag) + " is " + clipped_quote(value()) + ", which is " +
                      std::string{relation} + " " + std::string{to_string(known->type)};
    result_.nearest = right_value(*known, value());
  }

  void value_not_in_enumeration() {
    const FieldDefinition* const known = field(result_.tag);
    const std::string_view word = known == nullptr ? value() : invalid_word(*known, value());
    result_.problem = name(result_.tag) + " is " + clipped_quote(value()) + ", ";
    if (word.size() == value().size()) {
      result_.problem += "which is not one of its values";
    } else {
      result_.problem += "and " + clipped_quote(word) + " in it is not one of its values";
      const auto before = static_cast<std::size_t>(word.data() - value().data());
      mark_bytes(violation_.offset + before, word.size());
    }
    if (known == nullptr) return;
    for (const FieldDefinition::EnumValue* near : nearest_values(*known, word)) {
      result_.nearest += (result_.nearest.empty() ? "" : " or ") + std::to_string(result_.tag) +
                         "=" + clipped(near->value) + " (" + clipped(near->name) + ")";
    }
  }

  void wrong_group_order() {
    result_.problem =
        name(result_.tag) + " comes too late in its entry of " + name(violation_.group);
    const auto group = group_counted_by(violation_.group);
    if (!group) return;
    const Dictionary& owner = *group->dictionary;
    const std::vector<FlatMember> members = flatten(owner, group->group->members);
    const auto place = [&](Tag tag) {
      return std::ranges::find_if(
          members, [&](const FlatMember& member) { return owner.fields[member.field].tag == tag; });
    };
    // Goes back to the entry's first field and skips the fields of nested groups.
    const auto own = place(result_.tag);
    Tag before = 0;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      const Tag tag = message_.field(i).tag;
      const auto there = place(tag);
      if (there != members.end() && own < there) before = tag;
      if (tag == group->delimiter) break;
    }
    if (before != 0) result_.nearest = "before " + name(before);
  }

  void required_tag_missing() {
    const std::string who =
        violation_.group != 0 ? "an entry of " + name(violation_.group) : message_name();
    result_.problem = who + " needs " + name(result_.tag) + ", which is missing";
    const FieldDefinition* const known = field(result_.tag);
    if (known != nullptr) {
      result_.nearest = std::to_string(result_.tag) + "=" + example_value(*known);
    }
    if (violation_.group != 0) {
      mark_field();
    } else {
      mark_value();
    }
    // A missing field has no bytes. The marks show the part that lacks it.
    result_.size = 0;
  }

  void tag_not_in_message() {
    std::vector<GroupPlace> holders = groups_of(both_, message_.msg_type());
    std::erase_if(holders, [&](const GroupPlace& place) { return !place.has(result_.tag); });
    if (!holders.empty()) return outside_of_group(holders);
    result_.problem = violation_.group == 0
                          ? name(result_.tag) + " is not a field of " + message_name()
                          : name(result_.tag) + " is neither a field of an entry of " +
                                name(violation_.group) + " nor of " + message_name();
    if (const std::string messages = messages_with(both_, result_.tag); !messages.empty()) {
      result_.nearest = "it is a field of " + messages;
    }
  }

  // A message has the field, but only in these groups.
  void outside_of_group(const std::vector<GroupPlace>& holders) {
    constexpr std::size_t kNamesMax = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(holders.size(), kNamesMax); ++i) {
      names += (names.empty() ? "" : " or ") + name(holders[i].count_tag);
    }
    result_.problem = name(result_.tag) + " is outside of " + names + ", where it belongs";
    const auto there = std::ranges::find_if(
        holders, [&](const GroupPlace& place) { return message_.has(place.count_tag); });
    const GroupPlace& group = there == holders.end() ? holders.front() : *there;
    if (group.delimiter == result_.tag) {
      result_.nearest = "directly after " + name(group.count_tag) + ", or after the previous entry";
    } else {
      result_.nearest =
          "in an entry of " + name(group.count_tag) + ", after its " + name(group.delimiter);
    }
    if (there == holders.end()) {
      result_.nearest += ", after " + std::to_string(group.count_tag) + "=1";
    }
  }

  void delimiter_missing() {
    std::size_t entry = 1;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      const Tag tag = message_.field(i).tag;
      if (tag == violation_.group) break;
      entry += tag == violation_.expected_tag ? 1 : 0;
    }
    result_.problem = (entry == 1 ? "the first entry" : "entry " + std::to_string(entry)) + " of " +
                      name(violation_.group) + " begins with " + name(result_.tag) + ", not with " +
                      name(violation_.expected_tag);
    result_.nearest = name(violation_.expected_tag) + " here, before it";
    if (const FieldDefinition* const first = field(violation_.expected_tag)) {
      result_.definition = field_summary(*first);
    }
  }

  void wrong_group_count() {
    const bool is_one = violation_.found_entries == 1;
    result_.problem =
        name(result_.tag) + " is " + clipped_quote(value()) + ", but there " +
        (is_one ? "is 1 entry" : "are " + std::to_string(violation_.found_entries) + " entries");
    result_.nearest = std::to_string(result_.tag) + "=" + std::to_string(violation_.found_entries);
    const auto group = group_counted_by(result_.tag);
    if (group && violation_.found_entries < violation_.expected_entries) {
      result_.nearest += ", or " + name(group->delimiter) + " at the beginning of each entry";
    }
  }

  // Tags with similar numbers have unrelated meanings, so no other tag is suggested.
  void suggest_version() {
    const std::string versions = versions_with(result_.tag);
    if (!versions.empty()) {
      result_.nearest = "it is " + versions;
    } else if (result_.tag >= kUserDefinedTagMin) {
      result_.nearest = "user-defined: your own dictionary can define it";
    } else {
      result_.nearest = "no version of FIX has it";
    }
  }

  // The group of this message, its header or its trailer. Any one of several with this count field.
  [[nodiscard]] std::optional<GroupPlace> group_counted_by(Tag count_tag) const {
    const std::vector<GroupPlace> groups = groups_of(both_, message_.msg_type());
    const auto found = std::ranges::find(groups, count_tag, &GroupPlace::count_tag);
    return found == groups.end() ? std::nullopt : std::optional{*found};
  }

  static bool is_case_only(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](char a, char b) {
      constexpr unsigned kCaseBit = 0x20;
      return a == b || (static_cast<unsigned>(a) ^ static_cast<unsigned>(b)) == kCaseBit;
    });
  }

  [[nodiscard]] const FieldDefinition* field(Tag tag) const {
    const FieldDefinition* const found = both_.application.field(tag);
    return found != nullptr ? found : both_.transport.field(tag);
  }
  [[nodiscard]] const FieldDefinition* field_named(std::string_view text) const {
    for (const Dictionary* dictionary : {&both_.application, &both_.transport}) {
      std::vector<std::string_view> names;
      for (const FieldDefinition& one : dictionary->fields) names.push_back(one.name);
      const auto near = nearest_name(text, names);
      if (!near) continue;
      return &*std::ranges::find(dictionary->fields, *near, &FieldDefinition::name);
    }
    return nullptr;
  }
  [[nodiscard]] const MessageDefinition* message_named(std::string_view name) const {
    for (const Dictionary* dictionary : {&both_.application, &both_.transport}) {
      const auto found = std::ranges::find(dictionary->messages, name, &MessageDefinition::name);
      if (found != dictionary->messages.end()) return &*found;
    }
    return nullptr;
  }

  // "Side (54)", or "field 5554".
  [[nodiscard]] std::string name(Tag tag) const {
    const FieldDefinition* const known = field(tag);
    if (known == nullptr) return "field " + std::to_string(tag);
    return clipped(known->name) + " (" + std::to_string(tag) + ")";
  }
  [[nodiscard]] std::string message_name() const {
    const std::string type = clipped(message_.msg_type());
    return definition_ == nullptr ? "a message of type " + type
                                  : clipped(definition_->name) + " (" + type + ")";
  }
  [[nodiscard]] wire::FieldView here() const { return message_.field(violation_.field_index); }
  [[nodiscard]] std::string_view value() const { return here().value; }

  void mark_bytes(std::size_t offset, std::size_t size) {
    MarkedText marked = mark(message_.bytes(), offset, offset + size);
    result_.message_line = std::move(marked.line);
    result_.marks_line = std::move(marked.marks);
    result_.offset = offset;
    result_.size = size;
  }
  void mark_value() { mark_bytes(violation_.offset, value().size()); }
  // Tag, `=` and value.
  void mark_field() {
    const std::string tag = std::to_string(message_.field(violation_.field_index).tag);
    mark_bytes(violation_.offset - 1 - tag.size(), tag.size() + 1 + value().size());
  }

  const Violation& violation_;
  const wire::MessageView& message_;
  FixtDictionaries both_;
  const MessageDefinition* definition_ = nullptr;
  Explanation result_;
};

}  // namespace

Explanation explain(const Violation& violation, const wire::MessageView& message,
                    const Dictionary& dictionary) {
  return Explainer{violation, message, {dictionary, dictionary}}.explain();
}

Explanation explain(const Violation& violation, const wire::MessageView& message,
                    const FixtDictionaries& both) {
  return Explainer{violation, message, both}.explain();
}

std::string Explanation::text() const {
  std::string text = problem;
  const auto line = [&](std::string_view lead, const std::string& what) {
    if (what.empty()) return;
    text += "\n  ";
    text += lead;
    text += what;
  };
  line("", message_line);
  line("", marks_line);
  line("", definition);
  line("nearest: ", nearest);
  return text;
}

}  // namespace nexusfix::dictionary
