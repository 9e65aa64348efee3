#include "c/src/dictionary_data.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace nexusfix::c {

using dictionary::Dictionary;
using dictionary::GroupShapes;
using dictionary::Version;

namespace {

DictionaryData::Owned unowned(const Dictionary& dictionary) {
  return {DictionaryData::Owned{}, &dictionary};
}

bool is_after_4(Version version) { return version >= Version::Fix50 && version != Version::Fixt11; }

GroupShapes shapes_of(const Dictionary& dictionary) {
  auto made = GroupShapes::make(dictionary);
  if (!made) throw std::runtime_error{made.error()};
  return std::move(*made);
}

const wire::GroupShape& shape_of(const GroupShapes& shapes, std::string_view type,
                                 std::span<const wire::Tag> path) {
  switch (path.size()) {
    case 1:
      return shapes.of(type, path[0]);
    case 2:
      return shapes.of(type, {path[0], path[1]});
    case 3:
      return shapes.of(type, {path[0], path[1], path[2]});
    case 4:
      return shapes.of(type, {path[0], path[1], path[2], path[3]});
    case 5:
      return shapes.of(type, {path[0], path[1], path[2], path[3], path[4]});
    case 6:
      return shapes.of(type, {path[0], path[1], path[2], path[3], path[4], path[5]});
    default:
      return shapes.of(type, {path[0], path[1], path[2], path[3], path[4], path[5], path[6]});
  }
}
static_assert(NXF_GROUP_DEPTH == 7);

}  // namespace

const DictionaryData::Shared& DictionaryData::builtin(Version version) {
  struct Kept {
    std::once_flag once;
    Shared data;
  };
  // Not destroyed: threads of the program may still parse when it ends.
  static auto& kept = *new std::array<Kept, dictionary::kVersions.size()>{};
  Kept& one = kept[static_cast<std::size_t>(version)];
  std::call_once(one.once, [&] {
    const Owned application = unowned(dictionary::builtin_dictionary(version));
    const Owned transport = is_after_4(version)
                                ? unowned(dictionary::builtin_dictionary(Version::Fixt11))
                                : application;
    one.data = std::make_shared<const DictionaryData>(application, transport);
  });
  return one.data;
}

const DictionaryData::Shared& DictionaryData::of_message(const wire::MessageView& message) {
  Version version =
      dictionary::version_of_begin_string(message.begin_string()).value_or(Version::Fix50Sp2);
  if (version >= Version::Fix50) {
    const auto named = message[tag::ApplVerID];
    if (named) version = dictionary::version_of_appl_ver_id(*named).value_or(Version::Fix50Sp2);
    if (version == Version::Fixt11) version = Version::Fix50Sp2;
  }
  return builtin(version);
}

std::expected<DictionaryData::Shared, std::string> DictionaryData::load(std::string_view text,
                                                                        std::string_view name) {
  auto loaded = dictionary::load_dictionary(text, name);
  if (!loaded) {
    std::string all;
    for (const std::string& line : loaded.error().all()) {
      if (!all.empty()) all += '\n';
      all += line;
    }
    return std::unexpected{std::move(all)};
  }
  const auto version = dictionary::version_of_begin_string(loaded->begin_string);
  const bool has_own_transport = version && !(is_after_4(*version) && loaded->header.empty());
  if (has_own_transport) {
    const Version standard = is_after_4(*version) ? Version::Fixt11 : *version;
    dictionary::complete_session(*loaded, dictionary::builtin_dictionary(standard));
  }
  const Owned application = std::make_shared<const Dictionary>(std::move(*loaded));
  const bool is_complete = !application->header.empty();
  const Owned transport =
      is_complete ? application : unowned(dictionary::builtin_dictionary(Version::Fixt11));
  return std::make_shared<const DictionaryData>(application, transport);
}

DictionaryData::DictionaryData(Owned application, Owned transport)
    : application_{std::move(application)},
      transport_{std::move(transport)},
      application_groups_{shapes_of(*application_)},
      transport_groups_{shapes_of(*transport_)} {
  for (const Dictionary* const one : {application_.get(), transport_.get()}) {
    for (const dictionary::FieldDefinition& field : one->fields) {
      if (fields_.emplace(field.name, &field).second) tags_.push_back(field.tag);
    }
    for (const dictionary::MessageDefinition& message : one->messages) {
      if (one == application_.get() || application_->message(message.msg_type) == nullptr) {
        messages_.push_back(&message);
      }
    }
    if (!is_over_fixt()) break;
  }
  std::ranges::sort(tags_);
  tags_.erase(std::ranges::unique(tags_).begin(), tags_.end());
}

const dictionary::FieldDefinition* DictionaryData::field(wire::Tag tag) const noexcept {
  const auto* const found = application_->field(tag);
  return found != nullptr ? found : transport_->field(tag);
}

const dictionary::FieldDefinition* DictionaryData::field(std::string_view name) const noexcept {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : found->second;
}

const dictionary::MessageDefinition* DictionaryData::message(
    std::string_view msg_type) const noexcept {
  const auto* const found = application_->message(msg_type);
  return found != nullptr ? found : transport_->message(msg_type);
}

const dictionary::MessageDefinition* DictionaryData::message_named(
    std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(
      messages_, [&](const auto* one) { return std::string_view{one->name} == name; });
  return found == messages_.end() ? nullptr : *found;
}

const Dictionary& DictionaryData::dictionary_of(std::string_view msg_type) const noexcept {
  return application_->message(msg_type) != nullptr ? *application_ : *transport_;
}

const wire::GroupShape* DictionaryData::group(std::string_view msg_type,
                                              std::span<const wire::Tag> path) const noexcept {
  for (const GroupShapes* const shapes : {&application_groups_, &transport_groups_}) {
    const wire::GroupShape& shape = shape_of(*shapes, msg_type, path);
    if (shape.count_tag() != 0) return &shape;
  }
  return nullptr;
}

std::optional<std::vector<dictionary::FlatMember>> DictionaryData::members(
    std::string_view msg_type, std::span<const wire::Tag> path) const {
  const dictionary::MessageDefinition* const message = this->message(msg_type);
  if (message == nullptr) return std::nullopt;
  const Dictionary& dictionary = dictionary_of(msg_type);
  auto members = dictionary::flatten(dictionary, message->members);
  for (const wire::Tag count : path) {
    const auto found = std::ranges::find_if(members, [&](const dictionary::FlatMember& member) {
      return member.group.has_value() && dictionary.fields[member.field].tag == count;
    });
    if (found == members.end()) return std::nullopt;
    members = dictionary::flatten(dictionary, dictionary.groups[*found->group].members);
  }
  return members;
}

}  // namespace nexusfix::c
