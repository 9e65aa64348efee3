#include "gateway/json/field_names.hpp"

#include <charconv>
#include <fmt/format.h>
#include <set>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::gateway {
namespace {

using Tags = std::map<std::string, wire::Tag, std::less<>>;

// The highest tag of a built-in dictionary is below.
constexpr wire::Tag kBuiltinTagsEnd = 50'000;
constexpr wire::Tag kSeveral = 0;
constexpr std::size_t kNameBytesShown = 80;

void add(Tags& tags, std::string_view name, wire::Tag tag) {
  const auto [place, is_new] = tags.try_emplace(std::string{name}, tag);
  if (!is_new && place->second != tag) place->second = kSeveral;
}

Tags builtin_tags() {
  Tags tags;
  for (const dictionary::Version version : dictionary::kVersions) {
    const dictionary::NameTable names = dictionary::builtin_names(version);
    for (wire::Tag tag = 1; tag < kBuiltinTagsEnd; ++tag) {
      if (const auto name = names.field_name(tag)) add(tags, *name, tag);
    }
  }
  return tags;
}

void add_file(Tags& tags, const std::string& file, Disk& disk) {
  const auto text = read_regular_file(disk, file, dictionary::kDictionaryBytesMax);
  if (!text) return;
  const auto read = dictionary::load_dictionary(*text, file, dictionary::DictionaryFaults::Warn);
  if (!read) return;
  for (const dictionary::FieldDefinition& field : read->fields) add(tags, field.name, field.tag);
}

}  // namespace

FieldNames FieldNames::builtin() {
  FieldNames names;
  names.tags_ = builtin_tags();
  return names;
}

FieldNames FieldNames::of(const config::Settings& settings, Disk& disk) {
  std::set<std::string> files;
  for (const config::SessionSettings& session : settings.sessions) {
    if (!session.dictionary.file.empty()) files.insert(session.dictionary.file);
    for (const auto& [version, file] : session.dictionary.applications) files.insert(file.path);
  }
  FieldNames names;
  for (const std::string& file : files) add_file(names.tags_, file, disk);
  names.tags_.merge(builtin_tags());  // A name that is there stays.
  return names;
}

std::expected<wire::Tag, std::string> FieldNames::tag_of(std::string_view name) const {
  wire::Tag tag = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), tag);
  if (error == std::errc{} && end == name.data() + name.size() && tag != 0) return tag;
  const std::string shown = printable(name.substr(0, kNameBytesShown));
  const auto found = tags_.find(name);
  if (found == tags_.end()) {
    return std::unexpected{fmt::format("no dictionary has the field {}", shown)};
  }
  if (found->second == kSeveral) {
    return std::unexpected{
        fmt::format("the dictionaries give the name {} to several tags: write the tag", shown)};
  }
  return found->second;
}

}  // namespace nexusfix::gateway
