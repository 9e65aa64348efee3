#include "nexusfix/dictionary_diff.hpp"

#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "nexusfix/dictionary_lookup.hpp"
#include "nexusfix/print_message.hpp"
#include "nexusfix/text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using dictionary::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::Index;
using dictionary::Member;
using dictionary::MessageDefinition;
using printing::printable;

using Path = std::vector<wire::Tag>;   // the count fields around a field, then its own tag
using Members = std::map<Path, bool>;  // whether it is required

struct Message {
  std::string name;
  Members members;
};

// What of a dictionary is compared, by what identifies it.
struct Contents {
  std::map<wire::Tag, const FieldDefinition*> fields;
  std::map<std::string, Message, std::less<>> messages;  // by MsgType

  explicit Contents(const NamedDictionary& named) {
    for (const Dictionary* dictionary : named.both()) {
      for (const FieldDefinition& field : dictionary->fields) fields.emplace(field.tag, &field);
      for (const MessageDefinition& message : dictionary->messages) {
        add(*dictionary, message.msg_type, message.name, message.members);
      }
    }
    add(named.transport(), "header", "standard header", named.transport().header);
    add(named.transport(), "trailer", "standard trailer", named.transport().trailer);
  }

 private:
  void add(const Dictionary& dictionary, const std::string& msg_type, const std::string& name,
           const std::vector<Member>& members) {
    Message message{.name = name, .members = {}};
    std::unordered_set<Index> met;
    add_members(dictionary, members, {}, message.members, met);
    messages.emplace(msg_type, std::move(message));
  }

  // A group that a message has twice is looked into once: so no dictionary can make this take long.
  static void add_members(const Dictionary& dictionary, const std::vector<Member>& members,
                          const Path& around, Members& all, std::unordered_set<Index>& met) {
    for (const FlatMember& member : flatten(dictionary, members)) {
      Path path = around;
      path.push_back(dictionary.fields[member.field].tag);
      all.emplace(path, member.required);
      if (member.group && met.insert(*member.group).second) {
        add_members(dictionary, dictionary.groups[*member.group].members, path, all, met);
      }
    }
  }
};

// Calls each(key, before, after) for every key of either map, in order; null: it is not in there.
template <class Map, class Each>
void for_both(const Map& before, const Map& after, Each each) {
  std::set<typename Map::key_type> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  for (const auto& key : keys) {
    const auto old_one = before.find(key);
    const auto new_one = after.find(key);
    each(key, old_one == before.end() ? nullptr : &old_one->second,
         new_one == after.end() ? nullptr : &new_one->second);
  }
}

class Difference {
 public:
  Difference(const NamedDictionary& before, const NamedDictionary& after)
      : before_label_{before.label()},
        after_label_{after.label()},
        before_{before},
        after_{after} {}

  Answer of_everything() {
    for_both(before_.fields, after_.fields, [&](wire::Tag, const auto* before, const auto* after) {
      add_field(before ? *before : nullptr, after ? *after : nullptr);
    });
    for_both(before_.messages, after_.messages,
             [&](const std::string& type, const Message* before, const Message* after) {
               add_message(type, before, after);
             });
    return result();
  }

  std::optional<Answer> of_message(const std::string& msg_type) {
    const auto before = before_.messages.find(msg_type);
    const auto after = after_.messages.find(msg_type);
    add_message(msg_type, before == before_.messages.end() ? nullptr : &before->second,
                after == after_.messages.end() ? nullptr : &after->second);
    return result();
  }

 private:
  void add_field(const FieldDefinition* before, const FieldDefinition* after) {
    const auto told = [](const FieldDefinition& field) {
      return fmt::format("{} {}", printable(field.name), to_string(field.type));
    };
    const wire::Tag tag = before != nullptr ? before->tag : after->tag;
    if (before == nullptr) {
      line(fields_, "  + {} {}", tag, told(*after));
    } else if (after == nullptr) {
      line(fields_, "  - {} {}", tag, told(*before));
    } else {
      if (told(*before) != told(*after)) {
        line(fields_, "  ~ {} {} -> {}", tag, told(*before), told(*after));
      }
      add_values(*before, *after);
      if (told(*before) == told(*after)) return;
    }
    json_item(json_fields_, R"({{"tag": {}, "before": {}, "after": {}}})", tag, json(before),
              json(after));
  }

  static std::string json(const FieldDefinition* field) {
    if (field == nullptr) return "null";
    return fmt::format(R"({{"name": {}, "type": {}}})", json_text(field->name),
                       json_text(to_string(field->type)));
  }

  void add_values(const FieldDefinition& before, const FieldDefinition& after) {
    const auto by_value = [](const FieldDefinition& field) {
      std::map<std::string, std::string> names;
      for (const EnumValue& value : field.values) names.emplace(value.value, value.name);
      return names;
    };
    std::string lines;
    for_both(by_value(before), by_value(after),
             [&](const std::string& value, const std::string* was, const std::string* is) {
               if (was == nullptr) {
                 line(lines, "      + {} {}", printable(value), printable(*is));
               } else if (is == nullptr) {
                 line(lines, "      - {} {}", printable(value), printable(*was));
               } else if (*was != *is) {
                 line(lines, "      ~ {} {} -> {}", printable(value), printable(*was),
                      printable(*is));
               } else {
                 return;
               }
               json_item(json_values_, R"({{"tag": {}, "value": {}, "before": {}, "after": {}}})",
                         after.tag, json_text(value), was != nullptr ? json_text(*was) : "null",
                         is != nullptr ? json_text(*is) : "null");
             });
    if (!lines.empty()) line(values_, "  ~ {} {}\n{}", after.tag, printable(after.name), lines);
    if (values_.ends_with("\n\n")) values_.pop_back();
  }

  void add_message(const std::string& msg_type, const Message* before, const Message* after) {
    static const Message kNone;
    const Message& was = before != nullptr ? *before : kNone;
    const Message& is = after != nullptr ? *after : kNone;
    const std::string& name = after != nullptr ? is.name : was.name;
    const std::string sign = before == nullptr ? "+" : after == nullptr ? "-" : "~";
    std::string lines;
    std::string json_members;
    // Of a message that is new, or gone, nobody asks for the fields here.
    if (before != nullptr && after != nullptr) {
      for_both(was.members, is.members,
               [&](const Path& path, const bool* old_one, const bool* new_one) {
                 add_member(path, old_one, new_one, lines, json_members);
               });
    }
    const bool is_renamed = before != nullptr && after != nullptr && was.name != is.name;
    if (sign == "~" && lines.empty() && !is_renamed) return;
    line(messages_, "  {} {}{} ({})", sign,
         is_renamed ? printable(was.name) + " -> " : std::string{}, printable(name),
         printable(msg_type));
    messages_ += lines;
    json_item(json_messages_, R"({{"msg_type": {}, "before": {}, "after": {}, "members": [{}]}})",
              json_text(msg_type), before != nullptr ? json_text(was.name) : "null",
              after != nullptr ? json_text(is.name) : "null", json_members);
  }

  void add_member(const Path& path, const bool* was, const bool* is, std::string& lines,
                  std::string& json_members) {
    const auto told = [](bool required) { return required ? "required" : "optional"; };
    if (was != nullptr && is != nullptr && *was == *is) return;
    const std::string name = name_of_path(path);
    if (was == nullptr) {
      line(lines, "      + {}{}", name, *is ? " required" : "");
    } else if (is == nullptr) {
      line(lines, "      - {}", name);
    } else {
      line(lines, "      ~ {} {} -> {}", name, told(*was), told(*is));
    }
    json_item(json_members, R"({{"tags": [{}], "before": {}, "after": {}}})", tags_text(path, ", "),
              was == nullptr ? "null"
              : *was         ? R"("required")"
                             : R"("optional")",
              is == nullptr ? "null"
              : *is         ? R"("required")"
                            : R"("optional")");
  }

  // "453 NoPartyIDs > 448 PartyID"
  [[nodiscard]] std::string name_of_path(const Path& path) const {
    std::string name;
    for (const wire::Tag tag : path) {
      const auto after = after_.fields.find(tag);
      const FieldDefinition* const field =
          after != after_.fields.end() ? after->second : before_.fields.at(tag);
      name += fmt::format("{}{} {}", name.empty() ? "" : " > ", tag, printable(field->name));
    }
    return name;
  }

  [[nodiscard]] Answer result() const {
    std::string text = fmt::format("{} -> {}\n", printable(before_label_), printable(after_label_));
    const auto section = [&](std::string_view title, const std::string& lines) {
      if (!lines.empty()) text += fmt::format("{}\n{}", title, lines);
    };
    section("fields", fields_);
    section("values", values_);
    section("messages", messages_);
    if (fields_.empty() && values_.empty() && messages_.empty()) text += "no difference\n";
    return {std::move(text),
            fmt::format(R"({{"kind": "difference", "before": {}, "after": {}, "fields": [{}], )"
                        R"("values": [{}], "messages": [{}]}})",
                        json_text(before_label_), json_text(after_label_), json_fields_,
                        json_values_, json_messages_)};
  }

  template <class... Arguments>
  static void line(std::string& lines, fmt::format_string<Arguments...> format,
                   Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(lines), format, std::forward<Arguments>(arguments)...);
    lines += '\n';
  }
  template <class... Arguments>
  static void json_item(std::string& items, fmt::format_string<Arguments...> format,
                        Arguments&&... arguments) {
    if (!items.empty()) items += ", ";
    fmt::format_to(std::back_inserter(items), format, std::forward<Arguments>(arguments)...);
  }

  std::string before_label_;
  std::string after_label_;
  Contents before_;
  Contents after_;
  std::string fields_;
  std::string values_;
  std::string messages_;
  std::string json_fields_;
  std::string json_values_;
  std::string json_messages_;
};

}  // namespace

std::optional<Answer> difference(const NamedDictionary& before, const NamedDictionary& after,
                                 std::string_view message) {
  if (message.empty()) return Difference{before, after}.of_everything();
  auto found = find_message(before, message);
  if (!found) found = find_message(after, message);
  if (!found) return std::nullopt;
  return Difference{before, after}.of_message(found->message->msg_type);
}

}  // namespace nexusfix::command
