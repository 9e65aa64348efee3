#include <nexusfix/base/disk.hpp>

#include "c/src/dictionary_data.hpp"
#include "c/src/results.hpp"

using nexusfix::c::DictionaryData;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
namespace dictionary = nexusfix::dictionary;

namespace {

nxf_status give(const DictionaryData::Shared& data, nxf_dictionary** to) {
  *to = new nxf_dictionary{data};
  return NXF_OK;
}

nxf_status parse(std::string_view text, std::string_view name, nxf_dictionary** to,
                 nxf_error* error) {
  const auto loaded = DictionaryData::load(text, name);
  if (!loaded) return report(error, NXF_DICTIONARY, {.text = loaded.error()});
  return give(*loaded, to);
}

const dictionary::FieldDefinition::EnumValue* find_value(const nxf_dictionary* dictionary,
                                                         std::uint32_t tag,
                                                         std::string_view value) {
  const auto* const field = dictionary->data->field(tag);
  if (field == nullptr) return nullptr;
  const auto found =
      std::ranges::find(field->values, value, &dictionary::FieldDefinition::EnumValue::value);
  return found == field->values.end() ? nullptr : &*found;
}

}  // namespace

nxf_status nxf_dictionary_builtin(const char* version, nxf_dictionary** dictionary,
                                  nxf_error* error) {
  if (version == nullptr || dictionary == nullptr) {
    return refuse_argument(error, "nxf_dictionary_builtin: an argument is NULL");
  }
  *dictionary = nullptr;
  return guarded(error, [&] {
    const auto found = dictionary::version_of_begin_string(version);
    if (found) return give(DictionaryData::builtin(*found), dictionary);
    std::string text = "there is no FIX version '" + std::string{version, strnlen(version, 40)};
    text += "'; there are";
    for (const auto one : dictionary::kVersions) {
      text.append(" ").append(dictionary::to_string(one));
    }
    return report(error, NXF_DICTIONARY, {.text = text});
  });
}

nxf_status nxf_dictionary_load(const char* path, nxf_dictionary** dictionary, nxf_error* error) {
  if (path == nullptr || dictionary == nullptr) {
    return refuse_argument(error, "nxf_dictionary_load: an argument is NULL");
  }
  *dictionary = nullptr;
  return guarded(error, [&] {
    nexusfix::PosixDisk disk;
    const auto text = nexusfix::read_file(disk, path, dictionary::kDictionaryBytesMax);
    if (!text) return report(error, NXF_IO, {.text = text.error().what()});
    return parse(*text, path, dictionary, error);
  });
}

nxf_status nxf_dictionary_parse(const char* text, size_t size, const char* name,
                                nxf_dictionary** dictionary, nxf_error* error) {
  if (text == nullptr || name == nullptr || dictionary == nullptr) {
    return refuse_argument(error, "nxf_dictionary_parse: an argument is NULL");
  }
  *dictionary = nullptr;
  return guarded(error, [&] { return parse(text_of(text, size), name, dictionary, error); });
}

void nxf_dictionary_free(nxf_dictionary* dictionary) { delete dictionary; }

const char* nxf_dictionary_begin_string(const nxf_dictionary* dictionary) {
  return dictionary == nullptr ? nullptr : dictionary->data->transport().begin_string.c_str();
}

const char* nxf_dictionary_field_name(const nxf_dictionary* dictionary, uint32_t tag) {
  const auto* const field = dictionary == nullptr ? nullptr : dictionary->data->field(tag);
  return field == nullptr ? nullptr : field->name.c_str();
}

uint32_t nxf_dictionary_field_tag(const nxf_dictionary* dictionary, const char* name) {
  if (dictionary == nullptr || name == nullptr) return 0;
  const auto* const field = dictionary->data->field(std::string_view{name});
  return field == nullptr ? 0 : field->tag;
}

const char* nxf_dictionary_field_type(const nxf_dictionary* dictionary, uint32_t tag) {
  const auto* const field = dictionary == nullptr ? nullptr : dictionary->data->field(tag);
  // The names of types are literals, and end with a zero byte.
  return field == nullptr ? nullptr : dictionary::to_string(field->type).data();
}

uint32_t nxf_dictionary_field_at(const nxf_dictionary* dictionary, size_t index) {
  if (dictionary == nullptr || index >= dictionary->data->tags().size()) return 0;
  return dictionary->data->tags()[index];
}

const char* nxf_dictionary_value_name(const nxf_dictionary* dictionary, uint32_t tag,
                                      const char* value, size_t size) {
  if (dictionary == nullptr || value == nullptr) return nullptr;
  const auto* const found = find_value(dictionary, tag, text_of(value, size));
  return found == nullptr ? nullptr : found->name.c_str();
}

nxf_status nxf_dictionary_value_at(const nxf_dictionary* dictionary, uint32_t tag, size_t index,
                                   const char** value, const char** name) {
  if (dictionary == nullptr) return NXF_INVALID_ARGUMENT;
  const auto* const field = dictionary->data->field(tag);
  if (field == nullptr || index >= field->values.size()) return NXF_MISSING;
  if (value != nullptr) *value = field->values[index].value.c_str();
  if (name != nullptr) *name = field->values[index].name.c_str();
  return NXF_OK;
}

const char* nxf_dictionary_message_name(const nxf_dictionary* dictionary, const char* msg_type,
                                        size_t size) {
  if (dictionary == nullptr || msg_type == nullptr) return nullptr;
  const auto* const found = dictionary->data->message(text_of(msg_type, size));
  return found == nullptr ? nullptr : found->name.c_str();
}

const char* nxf_dictionary_message_type(const nxf_dictionary* dictionary, const char* name) {
  if (dictionary == nullptr || name == nullptr) return nullptr;
  const auto* const found = dictionary->data->message_named(name);
  return found == nullptr ? nullptr : found->msg_type.c_str();
}

const char* nxf_dictionary_message_at(const nxf_dictionary* dictionary, size_t index) {
  if (dictionary == nullptr || index >= dictionary->data->messages().size()) return nullptr;
  return dictionary->data->messages()[index]->msg_type.c_str();
}

nxf_status nxf_dictionary_member_at(const nxf_dictionary* dictionary, const char* msg_type,
                                    const uint32_t* groups, size_t depth, size_t index,
                                    nxf_member* member) {
  const bool has_groups = groups != nullptr || depth == 0;
  if (dictionary == nullptr || msg_type == nullptr || member == nullptr || !has_groups) {
    return NXF_INVALID_ARGUMENT;
  }
  if (member->struct_size < sizeof(nxf_member)) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> nxf_status {
    const DictionaryData& data = *dictionary->data;
    const auto members = data.members(msg_type, {groups, depth});
    if (!members || index >= members->size()) return NXF_MISSING;
    const dictionary::FlatMember& found = (*members)[index];
    nxf_member made{};
    made.tag = data.dictionary_of(msg_type).fields[found.field].tag;
    made.is_required = found.required ? 1 : 0;
    made.is_group = found.group ? 1 : 0;
    nexusfix::c::write_result(member, made);
    return NXF_OK;
  });
}
