#include "nexusfix/dictionary/dictionary_answers.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include <nexusfix/explanation.hpp>

#include "dictionary/api/nearest_name.hpp"
#include "nexusfix/dictionary/dictionary_lookup.hpp"
#include "nexusfix/dictionary/member_tree.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::MessageDefinition;
using OtherValues = dictionary::FieldDefinition::OtherValues;
using printing::printable;

void append(std::optional<Answer>& all, Answer more) {
  if (!all) {
    all = std::move(more);
  } else {
    all->text += "\n" + more.text;
    all->json += "\n" + more.json;
  }
}

Json values_json(const FieldDefinition& field) {
  return Json::array(field.values, [](const EnumValue& value) {
    return Json::object({{"value", value.value}, {"name", value.name}});
  });
}

Answer field_answer(const NamedDictionary& named, const FieldDefinition& field) {
  std::string text = fmt::format("{} {}, {}  ({})\n", field.tag, printable(field.name),
                                 to_string(field.type), printable(named.label()));
  std::size_t width = 0;
  for (const EnumValue& value : field.values) width = std::max(width, value.value.size());
  for (const EnumValue& value : field.values) {
    text += fmt::format("  {:<{}}  {}\n", printable(value.value), width, printable(value.name));
  }
  if (field.other_values != OtherValues::None && !field.values.empty()) {
    text += fmt::format("  and {}\n", words_of(field.other_values));
  }

  std::string places;
  Json messages = Json::array();
  for (const FieldUse& use : uses_of(named, field.tag)) {
    const std::string where = use.path.empty() ? "" : " in " + tags_text(use.path, " > ");
    places += fmt::format("{}{}{}{}{}", places.empty() ? "  in: " : ", ", printable(use.name),
                          use.msg_type.empty() ? "" : " (" + printable(use.msg_type) + ")", where,
                          use.required ? " required" : "");
    messages.push_back(Json::object({{"name", use.name},
                                     {"msg_type", use.msg_type},
                                     {"groups", Json::array(use.path)},
                                     {"required", use.required}}));
  }
  if (!places.empty()) text += places + "\n";
  for (const GroupPlace& place : groups_counted_by(named, field.tag)) {
    text += fmt::format("  an entry, in {}:\n", printable(place.owner));
    text += members_text(*place.dictionary, *place.members, 2);
  }
  const bool allows_others = field.values.empty() || field.other_values != OtherValues::None;
  return {std::move(text), Json::object({{"kind", "field"},
                                         {"dictionary", named.label()},
                                         {"tag", field.tag},
                                         {"name", field.name},
                                         {"type", to_string(field.type)},
                                         {"values", values_json(field)},
                                         {"other_values", allows_others},
                                         {"messages", std::move(messages)}})
                               .line()};
}

std::optional<Answer> value_answer(const NamedDictionary& named, const FieldDefinition& field,
                                   std::string_view text) {
  const EnumValue* const value = find_value(field, text);
  std::string meaning;
  std::string_view wire_value = text;
  if (value != nullptr) {
    meaning = value->name;
    wire_value = value->value;
  } else if (dictionary::is_multiple(field.type)) {
    meaning = several_meanings(field, text);
  }
  const bool is_valid = !meaning.empty() || field.values.empty() ||
                        (!text.empty() && is_other_value(field.other_values, text));
  if (!is_valid) return std::nullopt;
  const bool is_typed = !field.values.empty() && field.other_values != OtherValues::Any;
  const std::string says = !meaning.empty() ? printable(meaning)
                           : is_typed ? fmt::format("one of the {}", words_of(field.other_values))
                                      : "any value of its type";
  return Answer{fmt::format("{} {} = {}: {}  ({})\n", field.tag, printable(field.name),
                            printable(wire_value), says, printable(named.label())),
                Json::object({{"kind", "value"},
                              {"dictionary", named.label()},
                              {"tag", field.tag},
                              {"name", field.name},
                              {"type", to_string(field.type)},
                              {"value", wire_value},
                              {"meaning", meaning.empty() ? Json{} : Json{meaning}}})
                    .line()};
}

Answer message_answer(const NamedDictionary& named, const Dictionary& owner,
                      const MessageDefinition& message) {
  std::string text =
      fmt::format("{} ({}), {} message  ({})\n\nrequired:\n", printable(message.name),
                  printable(message.msg_type), message.admin ? "administrative" : "application",
                  printable(named.label()));
  const auto required_of = [](const Dictionary& dictionary, const auto& members) {
    std::string names;
    for (const FlatMember& member : flatten(dictionary, members)) {
      if (!member.required) continue;
      const FieldDefinition& field = dictionary.fields[member.field];
      names +=
          fmt::format("{}{} ({})", names.empty() ? "" : ", ", printable(field.name), field.tag);
    }
    return names;
  };
  const std::string body = required_of(owner, message.members);
  text += fmt::format("  header   {}\n  body     {}\n  trailer  {}\n\nall fields of the body:\n",
                      required_of(named.transport(), named.transport().header),
                      body.empty() ? "nothing" : body,
                      required_of(named.transport(), named.transport().trailer));
  text += members_text(owner, message.members, 1);
  return {std::move(text), Json::object({{"kind", "message"},
                                         {"dictionary", named.label()},
                                         {"name", message.name},
                                         {"msg_type", message.msg_type},
                                         {"category", message.admin ? "admin" : "app"},
                                         {"members", members_json(owner, message.members)}})
                               .line()};
}

Answer component_answer(const NamedDictionary& named, const Dictionary& owner,
                        const dictionary::ComponentDefinition& component) {
  return {
      fmt::format("{}, component  ({})\n", printable(component.name), printable(named.label())) +
          members_text(owner, component.members, 1),
      Json::object({{"kind", "component"},
                    {"dictionary", named.label()},
                    {"name", component.name},
                    {"members", members_json(owner, component.members)}})
          .line()};
}

}  // namespace

std::optional<Answer> answer(const NamedDictionary& named, std::string_view question) {
  std::optional<Answer> all;
  if (const std::size_t equals = question.find('='); equals != question.npos) {
    const FieldDefinition* const field = find_field(named, question.substr(0, equals));
    if (field != nullptr) all = value_answer(named, *field, question.substr(equals + 1));
    return all;
  }
  if (const FieldDefinition* const field = find_field(named, question)) {
    append(all, field_answer(named, *field));
  }
  if (const auto found = find_message(named, question)) {
    append(all, message_answer(named, *found->dictionary, *found->message));
  }
  for (const Dictionary* dictionary : named.both()) {
    const auto found =
        find_by_name(dictionary->components, question, &dictionary::ComponentDefinition::name);
    if (found != nullptr) {
      append(all, component_answer(named, *dictionary, *found));
      break;
    }
  }
  return all;
}

Answer overview(const NamedDictionary& named) {
  const Dictionary& d = named.application();
  std::string text =
      fmt::format("{}: {}, {}, {}, {}\n", printable(named.label()),
                  counted(d.fields.size(), "field"), counted(d.messages.size(), "message"),
                  counted(d.components.size(), "component"), counted(d.groups.size(), "group"));
  Json messages = Json::array();
  for (const MessageDefinition& message : d.messages) {
    text += fmt::format("  {:<3} {}\n", printable(message.msg_type), printable(message.name));
    messages.push_back(Json::object({{"name", message.name}, {"msg_type", message.msg_type}}));
  }
  return {std::move(text), Json::object({{"kind", "dictionary"},
                                         {"dictionary", named.label()},
                                         {"fields", d.fields.size()},
                                         {"components", d.components.size()},
                                         {"groups", d.groups.size()},
                                         {"messages", std::move(messages)}})
                               .line()};
}

std::vector<std::string> nearest_questions(const NamedDictionary& named,
                                           std::string_view question) {
  std::vector<std::string> nearest;
  const std::size_t equals = std::min(question.find('='), question.size());
  const FieldDefinition* const field = find_field(named, question.substr(0, equals));
  if (equals != question.size() && field != nullptr) {
    for (const EnumValue* value : nearest_values(*field, question.substr(equals + 1))) {
      nearest.push_back(fmt::format("{}={} ({})", field->tag, value->value, value->name));
    }
    return nearest;
  }
  std::vector<std::string_view> names;
  for (const Dictionary* dictionary : named.both()) {
    for (const FieldDefinition& one : dictionary->fields) names.push_back(one.name);
    for (const MessageDefinition& one : dictionary->messages) names.push_back(one.name);
    for (const auto& one : dictionary->components) names.push_back(one.name);
  }
  const std::string_view asked = question.substr(0, equals);
  if (const auto name = dictionary::nearest_name(asked, names)) {
    nearest.emplace_back(*name);
    return nearest;
  }
  constexpr std::size_t kLettersMin = 3;
  constexpr std::size_t kNamesMax = 4;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (const std::string_view name : names) {
    if (asked.size() < kLettersMin || nearest.size() == kNamesMax) break;
    const bool is_part = !std::ranges::search(name, asked, {}, lower, lower).empty();
    if (is_part && std::ranges::find(nearest, name) == nearest.end()) nearest.emplace_back(name);
  }
  return nearest;
}

std::string values_to_ask_for(const NamedDictionary& named, std::string_view question) {
  const std::size_t equals = question.find('=');
  if (equals == question.npos) return {};
  const FieldDefinition* const field = find_field(named, question.substr(0, equals));
  return field == nullptr ? std::string{} : dictionary::field_summary(*field);
}

}  // namespace nexusfix::command
