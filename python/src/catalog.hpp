// A dictionary as Python objects need it: fields by tag and by name, the structure of messages,
// and what is made once and kept: enumerations, validators, a parser.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix/messages/print_message.hpp"

namespace nexusfix::python {

namespace nb = nanobind;

// The Python type of a field's values.
enum class ValueKind : std::uint8_t {
  Text,       // str, or a member of an enumeration of texts
  Integer,    // int, or a member of an enumeration of numbers
  Decimal,    // decimal.Decimal
  Boolean,    // bool
  Timestamp,  // nexusfix.Timestamp
  Date,       // datetime.date
  TimeOfDay,  // datetime.time
  Bytes,      // bytes
  Multiple,   // a tuple of texts, or of members of an enumeration
};

[[nodiscard]] ValueKind value_kind(dictionary::FieldType type) noexcept;

// A field of a dictionary.
struct Field {
  wire::Tag tag = 0;
  std::string_view name;  // lives as long as the catalog; empty: the dictionary lacks the field
  dictionary::FieldType type = dictionary::FieldType::Unknown;
  ValueKind kind = ValueKind::Text;
  bool is_secret = false;
  bool has_values = false;  // of an enumeration
  bool is_count = false;  // of a group of some message; then its values are tuples of entries there
  wire::Tag length_tag = 0;                                   // of a data field
  const dictionary::FieldDefinition* definition = nullptr;    // null: the dictionary lacks it
  std::string prefix;                                         // "54="
  mutable PyObject* enumeration = nullptr;                    // the class; made on demand
  mutable std::array<PyObject*, 128> letters{};               // members with one ASCII character
  mutable std::unordered_map<std::string, PyObject*> values;  // the other members

  Field() = default;
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  ~Field();
};

struct Group;

// The fields of a message, or of an entry of a group, in the order of the dictionary.
struct Members {
  struct Member {
    const Field* field = nullptr;
    const Group* group = nullptr;  // null: it is no group
    bool required = false;
  };
  std::vector<Member> all;
  std::unordered_map<wire::Tag, std::size_t> places;  // in all

  [[nodiscard]] const Member* find(wire::Tag tag) const {
    const auto found = places.find(tag);
    return found == places.end() ? nullptr : &all[found->second];
  }
};

// A repeating group.
struct Group {
  const Field* count = nullptr;
  const wire::GroupShape* shape = nullptr;  // lives as long as the catalog
  bool any_field_begins = false;            // the first field of the first entry begins each
  Members members;                          // of an entry
};

// The structure of a message: its header, body and trailer.
struct Message {
  std::string name;
  std::string msg_type;
  Members header;
  Members body;
  Members trailer;
  std::vector<char> in_groups;  // by tag: a group of the message has it
  bool has_groups = false;

  [[nodiscard]] const Members::Member* find(wire::Tag tag) const;
  [[nodiscard]] bool may_be_in_group(wire::Tag tag) const {
    return static_cast<std::size_t>(tag) < in_groups.size() &&
           in_groups[static_cast<std::size_t>(tag)] != 0;
  }
};

// Used with the interpreter's lock held only.
class Catalog {
 public:
  // The catalog of a built-in version. Lives until the process ends.
  [[nodiscard]] static std::shared_ptr<Catalog> builtin(dictionary::Version version);
  // The catalog of a message, without a dictionary of the user: by BeginString, with FIXT by
  // ApplVerID.
  [[nodiscard]] static const std::shared_ptr<Catalog>& of_message(const wire::MessageView& message);
  // The catalog of a file in QuickFIX XML or FIX Orchestra. Raises DictionaryError.
  [[nodiscard]] static std::shared_ptr<Catalog> load(const std::string& text,
                                                     const std::string& file_name);

  // The name of a version, or of a file.
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  // The text that load() got; empty: a built-in version.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Fields and messages, without those of a transport of its own.
  [[nodiscard]] const dictionary::Dictionary& application() const noexcept { return *application_; }
  // BeginString of messages that are built.
  [[nodiscard]] std::string_view begin_string() const noexcept;

  // A tag that the dictionary lacks has a field of texts without a name.
  [[nodiscard]] const Field& field(wire::Tag tag) {
    const bool is_low = tag < low_tags_.size() && low_tags_[tag] != nullptr;
    return is_low ? *low_tags_[tag] : other_field(tag);
  }
  // Null: the dictionary has no field of this name.
  [[nodiscard]] const Field* field(std::string_view name) const;
  [[nodiscard]] const std::vector<const Field*>& fields() const noexcept { return fields_; }
  // Null: the dictionary lacks the message.
  [[nodiscard]] const Message* message(std::string_view msg_type);
  [[nodiscard]] const Message* message_of_name(std::string_view name);
  [[nodiscard]] std::vector<std::string_view> message_names() const;
  // The name that a wrong one most likely stands for, of all fields.
  [[nodiscard]] std::optional<std::string> nearest_field(std::string_view name) const;

  // Indexes one message; the result is valid until the next call.
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse(std::string_view bytes) {
    return parser_.parse(bytes);
  }
  // Unset: the message is valid. The text of the explanation has no secrets.
  [[nodiscard]] std::optional<dictionary::Explanation> check(
      const wire::MessageView& message, const dictionary::ValidationRules& rules,
      dictionary::Violation& violation);
  // The message as `nexusfix decode` prints it, without secrets.
  [[nodiscard]] std::string decoded(std::string_view bytes);

 private:
  Catalog(std::string label, std::shared_ptr<const dictionary::Dictionary> application,
          std::shared_ptr<const dictionary::Dictionary> transport);
  [[nodiscard]] const Field& other_field(wire::Tag tag);
  void add_fields(const dictionary::Dictionary& dictionary);
  [[nodiscard]] bool is_over_fixt() const noexcept { return application_ != transport_; }
  [[nodiscard]] Members members_of(const dictionary::Dictionary& dictionary,
                                   const std::vector<dictionary::Member>& members);
  [[nodiscard]] const Group* group_of(const dictionary::Dictionary& dictionary,
                                      dictionary::Index index);
  [[nodiscard]] const Message* make_message(const dictionary::Dictionary& dictionary,
                                            const dictionary::MessageDefinition& definition);
  [[nodiscard]] dictionary::Validator& validator(const dictionary::ValidationRules& rules);
  [[nodiscard]] dictionary::Explanation explain(const dictionary::Violation& violation,
                                                const wire::MessageView& message) const;

  std::string label_;
  std::string text_;
  std::shared_ptr<const dictionary::Dictionary> application_;
  std::shared_ptr<const dictionary::Dictionary> transport_;
  std::unordered_map<wire::Tag, std::unique_ptr<Field>> by_tag_;
  std::vector<const Field*> low_tags_;  // by tag
  std::unordered_map<std::string_view, const Field*> by_name_;
  std::vector<const Field*> fields_;  // those of the dictionaries
  std::map<const dictionary::Dictionary*, dictionary::GroupShapes> shapes_;
  std::map<std::pair<const dictionary::Dictionary*, dictionary::Index>, std::unique_ptr<Group>>
      groups_;
  std::map<std::string, std::unique_ptr<Message>, std::less<>> messages_;  // by MsgType
  const Message* last_ = nullptr;  // the last that was asked for
  std::map<dictionary::ValidationRules, dictionary::Validator> validators_;
  wire::Parser parser_;
  std::optional<dictionary::LoadedNames> names_;
  dictionary::NameTable name_table_;
  std::unique_ptr<printing::MessagePrinter> printer_;
};

}  // namespace nexusfix::python
