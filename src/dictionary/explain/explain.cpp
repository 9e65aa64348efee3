#include <algorithm>
#include <charconv>
#include <ostream>
#include <utility>
#include <vector>

#include <nexusfix/dictionary/clipped.hpp>
#include <nexusfix/dictionary/explain.hpp>
#include <nexusfix/dictionary/nearest_name.hpp>

#include "dictionary/explain/explain_value.hpp"
#include "dictionary/explain/field_places.hpp"
#include "dictionary/explain/field_search.hpp"
#include "dictionary/explain/marked_text.hpp"

namespace nexusfix::dictionary {
namespace {

using wire::Tag;

constexpr Tag kMsgTypeTag = 35;

// The value, or of a list the first word, that is no value of the enumeration.
std::string_view wrong_word(const FieldDefinition& field, std::string_view value) {
  if (!is_multiple(field.type)) return value;
  while (true) {
    const std::size_t space = value.find(' ');
    const std::string_view word = value.substr(0, space);
    if (std::ranges::find(field.values, word, &EnumValue::value) == field.values.end()) return word;
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
    told_.tag = violation_.rule == ViolationRule::MsgTypeUnknown ? kMsgTypeTag : violation_.tag;
    told_.reason = violation_.reason();
    if (const FieldDefinition* const known = field(told_.tag)) {
      told_.definition = field_summary(*known);
    }
    tell();
    if (told_.message_line.empty()) mark_field();
    return std::move(told_);
  }

 private:
  void tell() {
    switch (violation_.rule) {
      case ViolationRule::TagMalformed:
        return tag_malformed();
      case ViolationRule::TagWithoutValue:
        return tag_without_value();
      case ViolationRule::ValueEmpty:
        mark_bytes(violation_.offset, violation_.tag_text.size() + 1);
        told_.problem = name(told_.tag) + " has no value";
        told_.nearest = "a value, or no such field at all";
        return;
      case ViolationRule::DataLengthWrong:
        return data_length_wrong();
      case ViolationRule::MsgTypeUnknown:
        return msg_type_unknown();
      case ViolationRule::TagUnknown:
        told_.problem = "the dictionary has no field " + std::to_string(told_.tag);
        return suggest_version();
      case ViolationRule::TagNotInMessage:
        return tag_not_in_message();
      case ViolationRule::TagOutOfSection:
        return tag_out_of_section();
      case ViolationRule::TagRepeated:
        return tag_repeated();
      case ViolationRule::TypeWrong:
        mark_value();
        return type_wrong();
      case ViolationRule::ValueNotInEnumeration:
        mark_value();
        return value_not_in_enumeration();
      case ViolationRule::DelimiterMissing:
        return delimiter_missing();
      case ViolationRule::GroupOrderWrong:
        return group_order_wrong();
      case ViolationRule::GroupCountWrong:
        mark_value();
        return group_count_wrong();
      case ViolationRule::LengthMissing:
        told_.problem =
            name(here().tag) + " has no " + name(told_.tag) + " directly in front of it";
        told_.nearest = std::to_string(told_.tag) + "=" + std::to_string(value().size()) +
                        " in front of it, if the data holds no SOH";
        return;
      case ViolationRule::DataMissing:
        told_.problem = name(here().tag) + " announces " + name(told_.tag) +
                        ", which does not stand directly behind it";
        told_.nearest = std::to_string(told_.tag) + "= and as many bytes behind it, or neither";
        return;
      case ViolationRule::DataOutOfOrder:
        return data_out_of_order();
      case ViolationRule::RequiredTagMissing:
        return required_tag_missing();
    }
  }

  void tag_malformed() {
    mark_bytes(violation_.offset, violation_.tag_text.size());
    told_.problem = clipped_quote(violation_.tag_text) +
                    " is no tag: that is a number from 1 to 2147483647 without leading zeros";
    std::string_view digits = violation_.tag_text;
    while (digits.starts_with('0') || digits.starts_with(' ')) digits.remove_prefix(1);
    Tag tag = 0;
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), tag);
    const FieldDefinition* nearest = nullptr;
    if (fault == std::errc{} && stop == digits.data() + digits.size()) nearest = field(tag);
    if (nearest == nullptr) nearest = field_named(violation_.tag_text);
    if (nearest != nullptr)
      told_.nearest = std::to_string(nearest->tag) + " (" + nearest->name + ")";
  }

  void tag_without_value() {
    mark_bytes(violation_.offset, violation_.tag_text.size());
    told_.problem = "the field " + clipped_quote(violation_.tag_text) + " has no `=`";
    if (told_.tag != 0) told_.nearest = std::to_string(told_.tag) + "= and a value";
  }

  void data_length_wrong() {
    const std::size_t size = message_.bytes().find(wire::kSoh, violation_.offset);
    mark_bytes(violation_.offset, std::min(size, message_.bytes().size()) - violation_.offset);
    told_.problem = name(told_.tag) + " does not lead to the end of the data field behind it";
    if (violation_.field_index + 1 >= message_.field_count()) return;
    // The data field that follows ends at its first SOH, as the parser read it.
    const wire::FieldView length = message_.field(violation_.field_index);
    const wire::FieldView data = message_.field(violation_.field_index + 1);
    if (length.tag != told_.tag) return;
    told_.nearest = std::to_string(told_.tag) + "=" + std::to_string(data.value.size()) +
                    ", if the data holds no SOH";
  }

  void data_out_of_order() {
    const FieldDefinition* const data = field(told_.tag);
    const std::string length = name(data == nullptr ? 0 : data->length_tag);
    told_.problem = name(told_.tag) + " does not stand directly behind " + length;
    told_.nearest = length + " and " + name(told_.tag) + " one behind the other";
  }

  void msg_type_unknown() {
    mark_value();
    const std::string_view type = value();
    told_.problem =
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
      told_.nearest = "35=" + clipped(nearest->msg_type) + " (" + clipped(nearest->name) + ")";
    }
  }

  void tag_out_of_section() {
    const std::vector<Tag> header = tags_of(both_.transport, both_.transport.header);
    if (has_tag(header, told_.tag)) {
      told_.problem = name(told_.tag) + " is of the header, and stands behind it";
      // The first field that is not of the header is where it ends.
      for (std::size_t i = 0; i < message_.field_count(); ++i) {
        const Tag tag = message_.field(i).tag;
        if (has_tag(header, tag)) continue;
        told_.nearest = "in front of " + name(tag) + ", with which the body begins";
        return;
      }
    } else {
      told_.problem = name(told_.tag) + " stands in the trailer";
      told_.nearest = "in the body, in front of the trailer";
    }
  }

  void tag_repeated() {
    std::size_t first = violation_.field_index;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      if (message_.field(i).tag != told_.tag) continue;
      first = i;
      break;
    }
    told_.problem = name(told_.tag) + " is here a second time";
    if (violation_.group != 0) {
      told_.problem += ", in one entry of " + name(violation_.group);
    }
    told_.nearest =
        "one of the two; the first is at byte " + std::to_string(message_.field(first).offset);
  }

  void type_wrong() {
    const FieldDefinition* const known = field(told_.tag);
    if (known == nullptr) return;
    told_.problem = name(told_.tag) + " is " + clipped_quote(value()) + ", which is no " +
                    std::string{to_string(known->type)};
    told_.nearest = right_value(*known, value());
  }

  void value_not_in_enumeration() {
    const FieldDefinition* const known = field(told_.tag);
    const std::string_view word = known == nullptr ? value() : wrong_word(*known, value());
    told_.problem = name(told_.tag) + " is " + clipped_quote(value()) + ", ";
    if (word.size() == value().size()) {
      told_.problem += "which is none of its values";
    } else {
      told_.problem += "and " + clipped_quote(word) + " in it is none of its values";
      const auto before = static_cast<std::size_t>(word.data() - value().data());
      mark_bytes(violation_.offset + before, word.size());
    }
    if (known == nullptr) return;
    for (const EnumValue* near : nearest_values(*known, word)) {
      told_.nearest += (told_.nearest.empty() ? "" : " or ") + std::to_string(told_.tag) + "=" +
                       clipped(near->value) + " (" + clipped(near->name) + ")";
    }
  }

  void group_order_wrong() {
    told_.problem = name(told_.tag) + " stands too late in its entry of " + name(violation_.group);
    const auto group = group_counted_by(violation_.group);
    if (!group) return;
    const Dictionary& owner = *group->dictionary;
    const std::vector<FlatMember> members = flatten(owner, group->group->members);
    const auto place = [&](Tag tag) {
      return std::ranges::find_if(
          members, [&](const FlatMember& member) { return owner.fields[member.field].tag == tag; });
    };
    // Back to the entry's first field, past those of groups within.
    const auto own = place(told_.tag);
    Tag before = 0;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      const Tag tag = message_.field(i).tag;
      const auto there = place(tag);
      if (there != members.end() && own < there) before = tag;
      if (tag == group->delimiter) break;
    }
    if (before != 0) told_.nearest = "in front of " + name(before);
  }

  void required_tag_missing() {
    const std::string who =
        violation_.group != 0 ? "an entry of " + name(violation_.group) : message_name();
    told_.problem = who + " needs " + name(told_.tag) + ", which is missing";
    const FieldDefinition* const known = field(told_.tag);
    if (known != nullptr) {
      told_.nearest = std::to_string(told_.tag) + "=" + example_value(*known);
    }
    if (violation_.group != 0) {
      mark_field();
    } else {
      mark_value();
    }
    // A field that is not there has no bytes; what is marked lacks it.
    told_.size = 0;
  }

  void tag_not_in_message() {
    std::vector<GroupPlace> holders = groups_of(both_, message_.msg_type());
    std::erase_if(holders, [&](const GroupPlace& place) { return !place.has(told_.tag); });
    if (!holders.empty()) return outside_of_group(holders);
    told_.problem = violation_.group == 0
                        ? name(told_.tag) + " is not a field of " + message_name()
                        : name(told_.tag) + " is a field neither of an entry of " +
                              name(violation_.group) + " nor of " + message_name();
    if (const std::string messages = messages_with(both_, told_.tag); !messages.empty()) {
      told_.nearest = "it is a field of " + messages;
    }
  }

  // A message has the field, but only in these groups.
  void outside_of_group(const std::vector<GroupPlace>& holders) {
    constexpr std::size_t kNamesMax = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(holders.size(), kNamesMax); ++i) {
      names += (names.empty() ? "" : " or ") + name(holders[i].count_tag);
    }
    told_.problem = name(told_.tag) + " stands outside of " + names + ", whose entries it is of";
    const auto there = std::ranges::find_if(
        holders, [&](const GroupPlace& place) { return message_.has(place.count_tag); });
    const GroupPlace& group = there == holders.end() ? holders.front() : *there;
    if (group.delimiter == told_.tag) {
      told_.nearest = "directly behind " + name(group.count_tag) + ", or behind the entry before";
    } else {
      told_.nearest =
          "in an entry of " + name(group.count_tag) + ", behind its " + name(group.delimiter);
    }
    if (there == holders.end()) {
      told_.nearest += ", with " + std::to_string(group.count_tag) + "=1 in front";
    }
  }

  void delimiter_missing() {
    std::size_t entry = 1;
    for (std::size_t i = violation_.field_index; i-- > 0;) {
      const Tag tag = message_.field(i).tag;
      if (tag == violation_.group) break;
      entry += tag == violation_.expected_tag ? 1 : 0;
    }
    told_.problem = (entry == 1 ? "the first entry" : "entry " + std::to_string(entry)) + " of " +
                    name(violation_.group) + " begins with " + name(told_.tag) + ", not with " +
                    name(violation_.expected_tag);
    told_.nearest = name(violation_.expected_tag) + " here, in front of it";
    if (const FieldDefinition* const first = field(violation_.expected_tag)) {
      told_.definition = field_summary(*first);
    }
  }

  void group_count_wrong() {
    const bool is_one = violation_.found_entries == 1;
    told_.problem =
        name(told_.tag) + " says " + clipped_quote(value()) + ", but there " +
        (is_one ? "is 1 entry" : "are " + std::to_string(violation_.found_entries) + " entries");
    told_.nearest = std::to_string(told_.tag) + "=" + std::to_string(violation_.found_entries);
    const auto group = group_counted_by(told_.tag);
    if (group && violation_.found_entries < violation_.expected_entries) {
      told_.nearest += ", or " + name(group->delimiter) + " in front of each entry";
    }
  }

  // Numbers that look alike mean nothing alike, so no other tag is named.
  void suggest_version() {
    const std::string versions = versions_with(told_.tag);
    if (!versions.empty()) {
      told_.nearest = "it is " + versions;
    } else if (told_.tag >= kUserDefinedTagMin) {
      told_.nearest = "user-defined: a dictionary of your own can have it";
    } else {
      told_.nearest = "no version of FIX has it";
    }
  }

  // The group in this message, in its header or trailer; of several with this count field, any.
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
    told_.message_line = std::move(marked.line);
    told_.marks_line = std::move(marked.marks);
    told_.offset = offset;
    told_.size = size;
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
  Explanation told_;
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

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.text() << '\n';
}

}  // namespace nexusfix::dictionary
