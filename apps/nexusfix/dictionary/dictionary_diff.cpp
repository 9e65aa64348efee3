#include "nexusfix/dictionary/dictionary_diff.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "nexusfix/dictionary/dictionary_lookup.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::Index;
using dictionary::Member;
using dictionary::MessageDefinition;
using OtherValues = dictionary::FieldDefinition::OtherValues;
using printing::printable;

using Path = std::vector<wire::Tag>;   // the count fields around a field, then its own tag
using Members = std::map<Path, bool>;  // whether it is required
// For each group, by its path: the tags of an entry in their order. A message's body has no order.
using Orders = std::map<Path, std::vector<wire::Tag>>;

struct Holder {
  std::string name;
  Members members;
  Orders orders;
};

// The parts of a dictionary that are compared, each by its identifier.
struct Contents {
  std::map<wire::Tag, const FieldDefinition*> fields;
  std::map<std::string, Holder, std::less<>> messages;    // by MsgType
  std::map<std::string, Holder, std::less<>> components;  // by name

  explicit Contents(const NamedDictionary& named) {
    for (const Dictionary* dictionary : named.both()) {
      for (const FieldDefinition& field : dictionary->fields) fields.emplace(field.tag, &field);
      for (const MessageDefinition& message : dictionary->messages) {
        messages.emplace(message.msg_type, holder(*dictionary, message.name, message.members));
      }
      for (const auto& component : dictionary->components) {
        components.emplace(component.name, holder(*dictionary, component.name, component.members));
      }
    }
    const Dictionary& transport = named.transport();
    messages.emplace("header", holder(transport, "standard header", transport.header));
    messages.emplace("trailer", holder(transport, "standard trailer", transport.trailer));
  }

 private:
  static Holder holder(const Dictionary& dictionary, const std::string& name,
                       const std::vector<Member>& members) {
    Holder made{.name = name, .members = {}, .orders = {}};
    std::unordered_set<Index> met;
    add_members(dictionary, members, {}, made, met);
    return made;
  }

  // Visits a group once, even if a message has it twice: this bounds the time for any dictionary.
  static void add_members(const Dictionary& dictionary, const std::vector<Member>& members,
                          const Path& around, Holder& all, std::unordered_set<Index>& met) {
    for (const FlatMember& member : flatten(dictionary, members)) {
      Path path = around;
      path.push_back(dictionary.fields[member.field].tag);
      if (!around.empty()) all.orders[around].push_back(path.back());
      all.members.emplace(path, member.required);
      if (member.group && met.insert(*member.group).second) {
        add_members(dictionary, dictionary.groups[*member.group].members, path, all, met);
      }
    }
  }
};

// Calls each(key, before, after) for every key of either map, in order. A pointer is null if its
// map does not have the key.
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
             [&](const std::string& type, const Holder* before, const Holder* after) {
               add_holder(type, before, after);
             });
    return result();
  }

  void compare_message(const std::string& msg_type) {
    add_holder(msg_type, find(before_.messages, msg_type), find(after_.messages, msg_type));
  }
  void compare_component(const std::string& name) {
    add_holder({}, find(before_.components, name), find(after_.components, name));
  }
  void compare_field(wire::Tag tag) {
    const auto* const before = find(before_.fields, tag);
    const auto* const after = find(after_.fields, tag);
    add_field(before ? *before : nullptr, after ? *after : nullptr);
  }

  // Call it once: it moves the lists out of the object.
  [[nodiscard]] Answer result() {
    std::string text = fmt::format("{} -> {}\n", printable(before_label_), printable(after_label_));
    const auto section = [&](std::string_view title, const std::string& lines) {
      if (!lines.empty()) text += fmt::format("{}\n{}", title, lines);
    };
    section("fields", fields_);
    section("values", values_);
    section("messages", messages_);
    section("components", components_);
    if (fields_.empty() && values_.empty() && messages_.empty() && components_.empty()) {
      text += "no difference\n";
    }
    return {std::move(text), Json::object({{"kind", "difference"},
                                           {"before", before_label_},
                                           {"after", after_label_},
                                           {"fields", std::move(json_fields_)},
                                           {"values", std::move(json_values_)},
                                           {"messages", std::move(json_messages_)},
                                           {"components", std::move(json_components_)}})
                                 .line()};
  }

 private:
  template <class Map>
  static const typename Map::mapped_type* find(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }

  void add_field(const FieldDefinition* before, const FieldDefinition* after) {
    const auto description = [](const FieldDefinition& field) {
      const bool is_open = field.other_values != OtherValues::None && !field.values.empty();
      return fmt::format("{} {}{}", printable(field.name), to_string(field.type),
                         is_open ? fmt::format(", {} allowed", words_of(field.other_values)) : "");
    };
    const wire::Tag tag = before != nullptr ? before->tag : after->tag;
    if (before == nullptr) {
      line(fields_, "  + {} {}", tag, description(*after));
    } else if (after == nullptr) {
      line(fields_, "  - {} {}", tag, description(*before));
    } else {
      if (description(*before) != description(*after)) {
        line(fields_, "  ~ {} {} -> {}", tag, description(*before), description(*after));
      }
      add_values(*before, *after);
      if (description(*before) == description(*after)) return;
    }
    json_fields_.push_back(
        Json::object({{"tag", tag}, {"before", json(before)}, {"after", json(after)}}));
  }

  static Json json(const FieldDefinition* field) {
    if (field == nullptr) return {};
    const bool allows_others = field->values.empty() || field->other_values != OtherValues::None;
    return Json::object(
        {{"name", field->name}, {"type", to_string(field->type)}, {"other_values", allows_others}});
  }
  static Json json(const std::string* text) { return text == nullptr ? Json{} : Json{*text}; }
  static Json json(const bool* is_required) {
    return is_required == nullptr ? Json{} : Json{*is_required ? "required" : "optional"};
  }

  void add_values(const FieldDefinition& before, const FieldDefinition& after) {
    const auto by_value = [](const FieldDefinition& field) {
      std::map<std::string, std::string> names;
      for (const EnumValue& value : field.values) names.emplace(value.value, value.name);
      return names;
    };
    std::string lines;
    for_both(
        by_value(before), by_value(after),
        [&](const std::string& value, const std::string* was, const std::string* is) {
          if (was == nullptr) {
            line(lines, "      + {} {}", printable(value), printable(*is));
          } else if (is == nullptr) {
            line(lines, "      - {} {}", printable(value), printable(*was));
          } else if (*was != *is) {
            line(lines, "      ~ {} {} -> {}", printable(value), printable(*was), printable(*is));
          } else {
            return;
          }
          json_values_.push_back(Json::object(
              {{"tag", after.tag}, {"value", value}, {"before", json(was)}, {"after", json(is)}}));
        });
    if (!lines.empty()) line(values_, "  ~ {} {}\n{}", after.tag, printable(after.name), lines);
    if (values_.ends_with("\n\n")) values_.pop_back();
  }

  // A component has an empty msg_type.
  void add_holder(const std::string& msg_type, const Holder* before, const Holder* after) {
    static const Holder kNone;
    const Holder& was = before != nullptr ? *before : kNone;
    const Holder& is = after != nullptr ? *after : kNone;
    const std::string& name = after != nullptr ? is.name : was.name;
    const std::string sign = before == nullptr ? "+" : after == nullptr ? "-" : "~";
    std::string lines;
    Json json_members = Json::array();
    Json json_orders = Json::array();
    // The fields of an added or removed message are not listed.
    if (before != nullptr && after != nullptr) {
      for_both(was.members, is.members,
               [&](const Path& path, const bool* old_one, const bool* new_one) {
                 add_member(path, old_one, new_one, lines, json_members);
               });
      for_both(was.orders, is.orders,
               [&](const Path& path, const auto* old_one, const auto* new_one) {
                 if (old_one != nullptr && new_one != nullptr) {
                   add_order(path, *old_one, *new_one, lines, json_orders);
                 }
               });
    }
    const bool is_renamed = before != nullptr && after != nullptr && was.name != is.name;
    if (sign == "~" && lines.empty() && !is_renamed) return;
    const bool is_message = !msg_type.empty();
    std::string& texts = is_message ? messages_ : components_;
    line(texts, "  {} {}{}{}", sign, is_renamed ? printable(was.name) + " -> " : std::string{},
         printable(name), is_message ? " (" + printable(msg_type) + ")" : std::string{});
    texts += lines;
    Json holder = Json::object();
    if (is_message) holder.set("msg_type", msg_type);
    holder.set("before", json(before != nullptr ? &was.name : nullptr));
    holder.set("after", json(after != nullptr ? &is.name : nullptr));
    holder.set("members", std::move(json_members));
    holder.set("orders", std::move(json_orders));
    (is_message ? json_messages_ : json_components_).push_back(std::move(holder));
  }

  // Reports another order of the fields that both have, and another first field: the first field
  // delimits the entries on the wire.
  void add_order(const Path& path, std::vector<wire::Tag> was, std::vector<wire::Tag> is,
                 std::string& lines, Json& json_orders) {
    const bool is_delimiter_another = was.front() != is.front();
    if (is_delimiter_another) {
      line(lines, "      ~ {}: an entry begins with {} -> {}", name_of_path(path),
           name_of_path({was.front()}), name_of_path({is.front()}));
    }
    const auto keep_common = [](std::vector<wire::Tag>& tags, const std::set<wire::Tag>& others) {
      std::erase_if(tags, [&](wire::Tag tag) { return !others.contains(tag); });
    };
    const std::set<wire::Tag> old_tags{was.begin(), was.end()};
    keep_common(was, {is.begin(), is.end()});
    keep_common(is, old_tags);
    if (was != is) {
      const auto [was_from, is_from] = std::ranges::mismatch(was, is);
      line(lines, "      ~ {}: order {} -> {}", name_of_path(path),
           first_tags({was_from, was.end()}), first_tags({is_from, is.end()}));
    } else if (!is_delimiter_another) {
      return;
    }
    json_orders.push_back(Json::object(
        {{"tags", Json::array(path)}, {"before", Json::array(was)}, {"after", Json::array(is)}}));
  }

  // tags: from the first difference on.
  static std::string first_tags(std::vector<wire::Tag> tags) {
    constexpr std::size_t kTagsMax = 8;
    if (tags.size() <= kTagsMax) return tags_text(tags, " ");
    tags.resize(kTagsMax);
    return tags_text(tags, " ") + " ...";
  }

  void add_member(const Path& path, const bool* was, const bool* is, std::string& lines,
                  Json& json_members) {
    const auto word_of = [](bool required) { return required ? "required" : "optional"; };
    if (was != nullptr && is != nullptr && *was == *is) return;
    const std::string name = name_of_path(path);
    if (was == nullptr) {
      line(lines, "      + {}{}", name, *is ? " required" : "");
    } else if (is == nullptr) {
      line(lines, "      - {}", name);
    } else {
      line(lines, "      ~ {} {} -> {}", name, word_of(*was), word_of(*is));
    }
    json_members.push_back(
        Json::object({{"tags", Json::array(path)}, {"before", json(was)}, {"after", json(is)}}));
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

  template <class... Arguments>
  static void line(std::string& lines, fmt::format_string<Arguments...> format,
                   Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(lines), format, std::forward<Arguments>(arguments)...);
    lines += '\n';
  }

  std::string before_label_;
  std::string after_label_;
  Contents before_;
  Contents after_;
  std::string fields_;
  std::string values_;
  std::string messages_;
  std::string components_;
  Json json_fields_ = Json::array();
  Json json_values_ = Json::array();
  Json json_messages_ = Json::array();
  Json json_components_ = Json::array();
};

const dictionary::ComponentDefinition* find_component(const NamedDictionary& named,
                                                      std::string_view word) {
  for (const Dictionary* dictionary : named.both()) {
    const auto* const found =
        find_by_name(dictionary->components, word, &dictionary::ComponentDefinition::name);
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

std::optional<Answer> difference(const NamedDictionary& before, const NamedDictionary& after,
                                 std::string_view word) {
  Difference found{before, after};
  if (word.empty()) return found.of_everything();
  bool is_known = false;
  // A word may name several things: a number may be a tag and a MsgType.
  const auto compare = [&](const auto* in_before, const auto* in_after, auto each) {
    const auto* const one = in_before != nullptr ? in_before : in_after;
    if (one == nullptr) return;
    is_known = true;
    each(*one);
  };
  compare(find_field(before, word), find_field(after, word),
          [&](const FieldDefinition& field) { found.compare_field(field.tag); });
  const auto message_of = [&](const NamedDictionary& named) -> const MessageDefinition* {
    const auto message = find_message(named, word);
    return message ? message->message : nullptr;
  };
  compare(message_of(before), message_of(after),
          [&](const MessageDefinition& message) { found.compare_message(message.msg_type); });
  compare(find_component(before, word), find_component(after, word),
          [&](const auto& component) { found.compare_component(component.name); });
  if (!is_known) return std::nullopt;
  return found.result();
}

}  // namespace nexusfix::command
