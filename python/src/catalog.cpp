#include "python/src/catalog.hpp"

#include <algorithm>
#include <utility>

#include "dictionary/api/nearest_name.hpp"
#include "logs/columns/column_plan.hpp"
#include "logs/fields/message_fields.hpp"
#include "logs/fields/password_mask.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "python/src/errors.hpp"
#include "python/src/field_text.hpp"

namespace nexusfix::python {

using dictionary::Dictionary;
using dictionary::FieldType;
using dictionary::Version;

namespace {

// The BeginString of the last message, and its catalog.
std::string& last_version = *new std::string;
std::shared_ptr<Catalog>& last_catalog = *new std::shared_ptr<Catalog>;

// Tags below it are found by one load.
constexpr std::size_t kLowTags = 4096;

std::shared_ptr<const Dictionary> unowned(const Dictionary& dictionary) {
  return {std::shared_ptr<const Dictionary>{}, &dictionary};
}

void mark_members(const Members& members, std::vector<char>& marks) {
  for (const Members::Member& member : members.all) {
    const auto tag = static_cast<std::size_t>(member.field->tag);
    if (marks.size() <= tag) marks.resize(tag + 1);
    marks[tag] = 1;
    if (member.group != nullptr) mark_members(member.group->members, marks);
  }
}

}  // namespace

ValueKind value_kind(FieldType type) noexcept {
  using enum logs::ColumnType;
  if (type == FieldType::MultipleCharValue || type == FieldType::MultipleStringValue ||
      type == FieldType::MultipleValueString) {
    return ValueKind::Multiple;
  }
  switch (logs::column_type(type)) {
    case Decimal:
      return ValueKind::Decimal;
    case Integer:
      return ValueKind::Integer;
    case Boolean:
      return ValueKind::Boolean;
    case Bytes:
      return ValueKind::Bytes;
    case Date:
      return ValueKind::Date;
    case Timestamp:
      return ValueKind::Timestamp;
    case TimeOfDay:
      return ValueKind::TimeOfDay;
    default:
      return ValueKind::Text;
  }
}

Field::~Field() {
  Py_XDECREF(enumeration);
  for (PyObject* const letter : letters) Py_XDECREF(letter);
  for (const auto& [text, member] : values) Py_XDECREF(member);
}

const Members::Member* Message::find(wire::Tag tag) const {
  for (const Members* const part : {&body, &header, &trailer}) {
    if (const Members::Member* const member = part->find(tag)) return member;
  }
  return nullptr;
}

Catalog::Catalog(std::string label, std::shared_ptr<const Dictionary> application,
                 std::shared_ptr<const Dictionary> transport)
    : label_{std::move(label)},
      application_{std::move(application)},
      transport_{std::move(transport)},
      low_tags_(kLowTags),
      parser_{dictionary::data_fields(*application_)} {
  add_fields(*application_);
  if (is_over_fixt()) add_fields(*transport_);
}

void Catalog::add_fields(const Dictionary& dictionary) {
  for (const dictionary::FieldDefinition& definition : dictionary.fields) {
    auto& made = by_tag_[definition.tag];
    if (made != nullptr) continue;
    made = std::make_unique<Field>();
    made->tag = definition.tag;
    made->name = definition.name;
    made->type = definition.type;
    made->kind = value_kind(definition.type);
    made->is_secret = logs::is_password(definition.tag);
    made->has_values = !definition.values.empty();
    made->length_tag = definition.length_tag;
    made->definition = &definition;
    made->prefix = std::to_string(definition.tag) + "=";
    if (definition.tag < kLowTags) low_tags_[definition.tag] = made.get();
    by_name_.emplace(made->name, made.get());
    fields_.push_back(made.get());
  }
}

std::shared_ptr<Catalog> Catalog::builtin(Version version) {
  // Not destroyed: objects of the interpreter may outlive every other owner.
  static auto& kept = *new std::array<std::shared_ptr<Catalog>, dictionary::kVersions.size()>{};
  std::shared_ptr<Catalog>& catalog = kept[static_cast<std::size_t>(version)];
  if (catalog != nullptr) return catalog;
  const auto application = unowned(dictionary::builtin_dictionary(version));
  const bool is_later = version >= Version::Fix50 && version != Version::Fixt11;
  const auto transport =
      is_later ? unowned(dictionary::builtin_dictionary(Version::Fixt11)) : application;
  catalog = std::shared_ptr<Catalog>{
      new Catalog{std::string{dictionary::to_string(version)}, application, transport}};
  return catalog;
}

const std::shared_ptr<Catalog>& Catalog::of_message(const wire::MessageView& message) {
  const std::string_view begin_string = message.begin_string();
  if (is_same(begin_string, last_version) && last_catalog != nullptr) return last_catalog;
  Version version = dictionary::version_of_begin_string(begin_string).value_or(Version::Fix50Sp2);
  const bool is_fixed = version < Version::Fix50;
  if (!is_fixed) {
    const auto named = message[tag::ApplVerID];
    if (named) version = dictionary::version_of_appl_ver_id(*named).value_or(Version::Fix50Sp2);
    if (version == Version::Fixt11) version = Version::Fix50Sp2;
  }
  last_catalog = builtin(version);
  last_version = is_fixed ? begin_string : std::string_view{};
  return last_catalog;
}

std::shared_ptr<Catalog> Catalog::load(const std::string& text, const std::string& file_name) {
  auto loaded = dictionary::load_dictionary(text, file_name);
  if (!loaded) raise_dictionary_error(loaded.error());
  auto complete = std::make_shared<Dictionary>(std::move(*loaded));
  command::complete_session(*complete);
  std::shared_ptr<const Dictionary> transport = complete;
  if (complete->begin_string.starts_with("FIX.5")) {
    transport = unowned(dictionary::builtin_dictionary(Version::Fixt11));
  }
  std::shared_ptr<Catalog> catalog{new Catalog{file_name, complete, transport}};
  catalog->text_ = text;
  catalog->names_.emplace(*complete);
  catalog->name_table_ = catalog->names_->table();
  return catalog;
}

std::string_view Catalog::begin_string() const noexcept { return transport_->begin_string; }

const Field& Catalog::other_field(wire::Tag tag) {
  auto& found = by_tag_[tag];
  if (found == nullptr) {
    found = std::make_unique<Field>();
    found->tag = tag;
    found->is_secret = logs::is_password(tag);
    found->prefix = std::to_string(tag) + "=";
  }
  return *found;
}

const Field* Catalog::field(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::optional<std::string> Catalog::nearest_field(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Field* const field : fields_) names.push_back(field->name);
  const auto nearest = dictionary::nearest_name(name, names);
  if (!nearest) return std::nullopt;
  return std::string{*nearest};
}

const Message* Catalog::message(std::string_view msg_type) {
  if (last_ != nullptr && is_same(last_->msg_type, msg_type)) return last_;
  const auto made = messages_.find(msg_type);
  if (made != messages_.end()) return last_ = made->second.get();
  for (const Dictionary* const dictionary : {application_.get(), transport_.get()}) {
    if (const auto* const definition = dictionary->message(msg_type)) {
      return last_ = make_message(*dictionary, *definition);
    }
  }
  return nullptr;
}

const Message* Catalog::message_of_name(std::string_view name) {
  for (const Dictionary* const dictionary : {application_.get(), transport_.get()}) {
    const auto found =
        std::ranges::find(dictionary->messages, name, &dictionary::MessageDefinition::name);
    if (found != dictionary->messages.end()) return message(found->msg_type);
  }
  return nullptr;
}

std::vector<std::string_view> Catalog::message_names() const {
  std::vector<std::string_view> names;
  for (const auto& message : application_->messages) names.push_back(message.name);
  if (!is_over_fixt()) return names;
  for (const auto& message : transport_->messages) {
    if (std::ranges::find(names, message.name) == names.end()) names.push_back(message.name);
  }
  return names;
}

Members Catalog::members_of(const Dictionary& dictionary,
                            const std::vector<dictionary::Member>& members) {
  Members made;
  for (const dictionary::FlatMember& member : dictionary::flatten(dictionary, members)) {
    const wire::Tag tag = dictionary.fields[member.field].tag;
    made.places.emplace(tag, made.all.size());
    made.all.push_back({.field = &field(tag),
                        .group = member.group ? group_of(dictionary, *member.group) : nullptr,
                        .required = member.required});
  }
  return made;
}

const Group* Catalog::group_of(const Dictionary& dictionary, dictionary::Index index) {
  const auto key = std::pair{&dictionary, index};
  if (const auto found = groups_.find(key); found != groups_.end()) return found->second.get();
  auto shapes = shapes_.find(&dictionary);
  if (shapes == shapes_.end()) {
    auto made = dictionary::GroupShapes::make(dictionary);
    if (!made) throw std::runtime_error{made.error()};
    shapes = shapes_.emplace(&dictionary, std::move(*made)).first;
  }
  const dictionary::GroupDefinition& definition = dictionary.groups[index];
  auto group = std::make_unique<Group>();
  Field& count = *by_tag_.at(dictionary.fields[definition.count_field].tag);
  count.is_count = true;
  group->count = &count;
  group->shape = &shapes->second.of(index);
  group->any_field_begins = definition.any_field_begins;
  group->members = members_of(dictionary, definition.members);
  return groups_.emplace(key, std::move(group)).first->second.get();
}

const Message* Catalog::make_message(const Dictionary& dictionary,
                                     const dictionary::MessageDefinition& definition) {
  auto made = std::make_unique<Message>();
  made->name = definition.name;
  made->msg_type = definition.msg_type;
  made->header = members_of(*transport_, transport_->header);
  made->body = members_of(dictionary, definition.members);
  made->trailer = members_of(*transport_, transport_->trailer);
  for (const Members* const part : {&made->header, &made->body, &made->trailer}) {
    for (const Members::Member& member : part->all) {
      if (member.group == nullptr) continue;
      made->has_groups = true;
      mark_members(member.group->members, made->in_groups);
    }
  }
  return messages_.emplace(made->msg_type, std::move(made)).first->second.get();
}

dictionary::Validator& Catalog::validator(const dictionary::ValidationRules& rules) {
  if (const auto found = validators_.find(rules); found != validators_.end()) return found->second;
  const dictionary::FixtDictionaries both{*transport_, *application_};
  auto made = is_over_fixt() ? dictionary::Validator::make(both, rules)
                             : dictionary::Validator::make(*application_, rules);
  if (!made) throw std::runtime_error{made.error()};
  return validators_.emplace(rules, std::move(*made)).first->second;
}

dictionary::Explanation Catalog::explain(const dictionary::Violation& violation,
                                         const wire::MessageView& message) const {
  const dictionary::FixtDictionaries both{*transport_, *application_};
  return is_over_fixt() ? dictionary::explain(violation, message, both)
                        : dictionary::explain(violation, message, *application_);
}

std::optional<dictionary::Explanation> Catalog::check(const wire::MessageView& message,
                                                      const dictionary::ValidationRules& rules,
                                                      dictionary::Violation& violation) {
  const auto found = validator(rules).validate(message);
  if (!found) return std::nullopt;
  violation = *found;
  logs::PasswordMask mask;
  const std::string_view masked = mask.masked(message.bytes());
  if (masked.data() == message.bytes().data()) return explain(*found, message);
  // The violation as it is in the text without secrets: it may be elsewhere there.
  const auto shown = parser_.parse(masked);
  const auto again = shown ? validator(rules).validate(*shown) : std::nullopt;
  if (again && again->rule == found->rule && again->tag == found->tag) {
    return explain(*again, *shown);
  }
  dictionary::Explanation plain = explain(*found, message);
  if (logs::is_password(found->tag)) {
    plain.problem = "a secret field (" + std::to_string(found->tag) + ") is not valid";
  }
  plain.message_line.clear();
  plain.marks_line.clear();
  plain.nearest.clear();
  return plain;
}

std::string Catalog::decoded(std::string_view bytes) {
  if (printer_ == nullptr) {
    printing::PrintOptions options;
    if (names_) options.own_names = &name_table_;
    if (const auto version = dictionary::version_of_begin_string(label_)) {
      if (is_over_fixt()) options.default_application = *version;
    }
    printer_ = std::make_unique<printing::MessagePrinter>(options);
  }
  logs::PasswordMask mask;
  std::string text;
  printer_->append(text, mask.masked(bytes), bytes, {});
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace nexusfix::python
