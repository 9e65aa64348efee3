#include "nexusfix/messages/print_message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::printing {

using dictionary::FieldType;
using dictionary::NameTable;
using dictionary::Version;

namespace {

// What is printed of each field with a tag.
struct NamedField {
  std::string name;           // printable; empty: no table has the field
  bool has_values = false;    // it is enumerated, or MsgType
  bool is_multiple = false;   // its value is a list
  bool is_elsewhere = false;  // only other versions have it
};

// The most used first.
std::span<const NameTable> every_version() {
  using enum Version;
  static const std::array kTables{
      dictionary::builtin_names(Fix44),   dictionary::builtin_names(Fix50Sp2),
      dictionary::builtin_names(Fixt11),  dictionary::builtin_names(Fix42),
      dictionary::builtin_names(Fix43),   dictionary::builtin_names(Fix50),
      dictionary::builtin_names(Fix41),   dictionary::builtin_names(Fix40),
      dictionary::builtin_names(Fix50Sp1)};
  return kTables;
}

}  // namespace

// The names of messages of one version. The first of several tables that has a name answers. A
// field that none of them has, and a message, have the name of another version.
class MessageNames {
 public:
  MessageNames(std::optional<Version> version, Version application, const NameTable* own)
      : version_{version}, application_{application} {
    if (own != nullptr) add(*own);
    if (version && *version < Version::Fix50) {
      add(dictionary::builtin_names(*version));
      return;
    }
    // From FIX 5.0 on, FIXT.1.1 has the header and the session messages, also if BeginString names
    // the application version. An unknown version: most of its tags are in the latest one.
    const bool is_named = version && *version != Version::Fixt11;
    add(dictionary::builtin_names(Version::Fixt11));
    add(dictionary::builtin_names(is_named ? *version : application));
  }

  [[nodiscard]] bool is_of(std::optional<Version> version, Version application) const noexcept {
    return version_ == version && application_ == application;
  }

  // Valid until the next call.
  [[nodiscard]] const NamedField& field(wire::Tag tag) {
    const auto place = static_cast<std::size_t>(tag);
    if (place >= kKeptTags) {
      other_ = find_field(tag);
      return other_;
    }
    std::unique_ptr<NamedField>& kept = kept_[place];
    if (kept == nullptr) kept = std::make_unique<NamedField>(find_field(tag));
    return *kept;
  }

  // Empty: no table has the message. Valid until the next call.
  [[nodiscard]] std::string_view message(std::string_view msg_type) {
    if (msg_type.size() != 1) return other_message_ = find_message(msg_type);
    std::optional<std::string>& kept = messages_[static_cast<unsigned char>(msg_type.front())];
    if (!kept) kept = find_message(msg_type);
    return *kept;
  }

  // Appends "BUY" for `1`; "ALL_OR_NONE, PARTICIPATE_DONT_INITIATE" for `G 6` in a field of several
  // values; nothing if a value has no name. before and after: what surrounds it.
  void append_meaning(std::string& to, wire::Tag tag, const NamedField& field,
                      std::string_view value, std::string_view before, std::string_view after) {
    if (tag == tag::MsgType) return append_one(to, message(value), before, after);
    if (!field.is_multiple) return append_one(to, value_name(tag, field, value), before, after);
    std::string meanings;
    while (!value.empty()) {
      const std::size_t space = std::min(value.find(' '), value.size());
      const std::string_view meaning = value_name(tag, field, value.substr(0, space));
      if (meaning.empty()) return;
      if (!meanings.empty()) meanings += ", ";
      meanings += meaning;
      value.remove_prefix(std::min(space + 1, value.size()));
    }
    append_one(to, meanings, before, after);
  }

 private:
  static constexpr std::size_t kKeptTags = 4096;

  static void append_one(std::string& to, std::string_view meaning, std::string_view before,
                         std::string_view after) {
    if (meaning.empty()) return;
    to += before;
    append_printable(to, meaning);
    to += after;
  }

  void add(const NameTable& table) { tables_[count_++] = table; }

  [[nodiscard]] std::string find_message(std::string_view msg_type) const {
    const auto name = [&](const NameTable& table) { return table.message_name(msg_type); };
    const std::string_view found = first(tables(), name);
    return printable(found.empty() ? first(every_version(), name) : found);
  }

  [[nodiscard]] NamedField find_field(wire::Tag tag) const {
    NamedField found;
    const auto name = [&](const NameTable& table) { return table.field_name(tag); };
    found.name = printable(first(tables(), name));
    found.is_elsewhere = found.name.empty();
    if (found.is_elsewhere) found.name = printable(first(every_version(), name));
    found.has_values = tag == tag::MsgType;
    bool has_type = false;
    for (const NameTable& table : tables_of(found)) {
      found.has_values = found.has_values || table.has_values(tag);
      const std::optional<FieldType> type = table.field_type(tag);
      if (!has_type && type) found.is_multiple = dictionary::is_multiple(*type);
      has_type = has_type || type.has_value();
    }
    return found;
  }

  [[nodiscard]] std::string_view value_name(wire::Tag tag, const NamedField& field,
                                            std::string_view value) const {
    return first(tables_of(field),
                 [&](const NameTable& table) { return table.value_name(tag, value); });
  }

  template <class Lookup>
  [[nodiscard]] static std::string_view first(std::span<const NameTable> tables, Lookup lookup) {
    for (const NameTable& table : tables) {
      if (const std::optional<std::string_view> name = lookup(table)) return *name;
    }
    return {};
  }

  [[nodiscard]] std::span<const NameTable> tables_of(const NamedField& field) const {
    return field.is_elsewhere ? every_version() : tables();
  }

  [[nodiscard]] std::span<const NameTable> tables() const noexcept {
    return std::span{tables_}.first(count_);
  }

  std::optional<Version> version_;
  Version application_;
  std::array<NameTable, 3> tables_;
  std::size_t count_ = 0;
  std::vector<std::unique_ptr<NamedField>> kept_{kKeptTags};  // by tag
  NamedField other_;
  std::array<std::optional<std::string>, 256> messages_;  // by MsgType of one character
  std::string other_message_;
};

struct MessagePrinter::ShownField {
  wire::Tag tag = 0;            // 0: tag_text is no tag
  std::string_view tag_text{};  // only if tag is 0
  std::string_view value{};
  std::size_t name_size = 0;
};

namespace {

struct Paint {
  std::string_view heading;
  std::string_view faint;
  std::string_view name;
  std::string_view fault;
  std::string_view off;
};

constexpr Paint kNoPaint{};
constexpr Paint kPaint{.heading = "\x1b[1m",
                       .faint = "\x1b[2m",
                       .name = "\x1b[36m",
                       .fault = "\x1b[31m",
                       .off = "\x1b[0m"};

const Paint& paint_of(Colour colour) { return colour == Colour::Always ? kPaint : kNoPaint; }

std::size_t digits_of(wire::Tag tag) noexcept {
  std::size_t digits = 1;
  for (; tag >= 10; tag /= 10) ++digits;
  return digits;
}

void append_tag(std::string& to, wire::Tag tag, std::size_t width) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), tag).ptr;
  const auto size = static_cast<std::size_t>(end - digits.data());
  to.append(2 + width - size, ' ').append(digits.data(), size).append(2, ' ');
}

}  // namespace

MessagePrinter::MessagePrinter(const PrintOptions& options) : options_{options} {}
MessagePrinter::~MessagePrinter() = default;

bool MessagePrinter::is_shown(wire::Tag tag) const noexcept {
  return options_.only.empty() || std::ranges::find(options_.only, tag) != options_.only.end();
}

template <class Value>
void MessagePrinter::choose_names(Value value) {
  if (const std::string_view begin_string = value(tag::BeginString);
      begin_string_ != begin_string || named_ == nullptr) {
    begin_string_ = begin_string;
    version_ = dictionary::version_of_begin_string(begin_string);
  }
  const std::optional<Version> version = version_;
  Version application = options_.default_application;
  if (!version || *version >= Version::Fix50) {
    Version& agreed = options_.default_application;
    agreed = dictionary::version_of_appl_ver_id(value(tag::DefaultApplVerID)).value_or(agreed);
    application = dictionary::version_of_appl_ver_id(value(tag::ApplVerID)).value_or(agreed);
  }
  if (named_ != nullptr && named_->is_of(version, application)) return;
  const auto known = std::ranges::find_if(
      names_, [&](const auto& names) { return names->is_of(version, application); });
  if (known == names_.end()) {
    names_.push_back(std::make_unique<MessageNames>(version, application, options_.own_names));
    named_ = names_.back().get();
  } else {
    named_ = known->get();
  }
}

template <class Value>
void MessagePrinter::append_heading(std::string& to, std::string_view prefix,
                                    std::string_view bytes, Value value) {
  const Paint& paint = paint_of(options_.colour);
  if (!prefix.empty()) {
    to += paint.faint;
    append_printable(to, prefix);
    to += paint.off;
  }
  // Beyond the end of a value 32 bytes are copied, too: a copy of constant size is fast.
  constexpr std::size_t kUsual = 32;
  constexpr std::size_t kOtherBytes = 64;  // more than those between the values
  const char* const readable = bytes.data() + bytes.size();
  const auto put = [](char* out, std::string_view text)
                       __attribute__((always_inline)) { return out + text.copy(out, text.size()); };
  const auto put_value = [&](char* out, std::string_view text) __attribute__((always_inline)) {
    if (text.empty()) return put(out, "?");
    if (text.size() > kUsual || readable - text.data() < std::ptrdiff_t{kUsual}) {
      return put(out, text);
    }
    std::memcpy(out, text.data(), kUsual);
    return out + text.size();
  };
  const std::string_view msg_type = value(tag::MsgType);
  const std::string_view known = named_->message(msg_type);
  const std::string_view name = known.empty() ? "unknown message" : known;
  // The values are different parts of the message.
  const std::size_t most = name.size() + bytes.size() + kOtherBytes + kUsual;
  heading_.resize_and_overwrite(most, [&](char* data, std::size_t) {
    char* out = put(data, name);
    out = put_value(put(out, " ("), msg_type);
    out = put_value(put(out, ")  34="), value(tag::MsgSeqNum));
    out = put_value(put(out, "  "), value(tag::SenderCompID));
    out = put_value(put(out, " -> "), value(tag::TargetCompID));
    out = put_value(put(out, "  "), value(tag::SendingTime));
    return static_cast<std::size_t>(out - data);
  });
  to += paint.heading;
  append_printable(to, heading_);
  to.append(paint.off) += '\n';
}

void MessagePrinter::append_fields(std::string& to) {
  const Paint& paint = paint_of(options_.colour);
  std::size_t tag_width = 4;
  std::size_t name_width = 0;
  for (ShownField& field : fields_) {
    if (field.tag == 0) continue;
    field.name_size = named_->field(field.tag).name.size();
    tag_width = std::max(tag_width, digits_of(field.tag));
    name_width = std::max(name_width, field.name_size);
  }
  const std::string meaning_begin = std::string{" "}.append(paint.faint) + '(';
  const std::string meaning_end = std::string{")"}.append(paint.off);
  for (const ShownField& field : fields_) {
    if (field.tag == 0) {
      to.append(1 + tag_width, ' ').append("?").append(name_width + 4, ' ');
      append_printable(to, field.tag_text);
      if (!field.value.empty()) to += '=';
      append_printable(to, field.value);
      to += '\n';
      continue;
    }
    const NamedField& named = named_->field(field.tag);
    append_tag(to, field.tag, tag_width);
    to.append(paint.name).append(named.name).append(name_width - field.name_size, ' ');
    to.append(paint.off).append(2, ' ');
    append_printable(to, field.value);
    if (named.has_values) {
      named_->append_meaning(to, field.tag, named, field.value, meaning_begin, meaning_end);
    }
    to += '\n';
  }
}

void MessagePrinter::append_sound(std::string& to, const wire::MessageView& message,
                                  std::string_view prefix) {
  const auto value = [&](wire::Tag tag) { return message[tag].value_or(std::string_view{}); };
  choose_names(value);
  append_heading(to, prefix, message.bytes(), value);
  if (options_.detail == Detail::HeadingOnly) return;
  fields_.clear();
  for (const wire::FieldView field : message) {
    if (is_shown(field.tag)) fields_.push_back({.tag = field.tag, .value = field.value});
  }
  append_fields(to);
}

void MessagePrinter::append_decoded(std::string& to, const DecodedMessage& message,
                                    std::string_view bytes, std::string_view prefix) {
  const auto value = [&](wire::Tag tag) { return message.value(tag); };
  choose_names(value);
  append_heading(to, prefix, bytes, value);
  if (options_.detail == Detail::Fields) {
    fields_.clear();
    for (const DecodedField& field : message.fields) {
      if (is_shown(field.tag)) {
        fields_.push_back({.tag = field.tag, .tag_text = field.tag_text, .value = field.value});
      }
    }
    append_fields(to);
  }
  const Paint& paint = paint_of(options_.colour);
  for (const std::string& fault : message.faults) {
    to.append("  ").append(paint.fault).append("! ");
    append_printable(to, fault);
    to.append(paint.off) += '\n';
  }
}

std::size_t MessagePrinter::append(std::string& to, std::string_view bytes,
                                   std::string_view faults_of, std::string_view prefix) {
  // The parser of a session finds each fault that decode_message() finds, in a tenth of the time.
  const bool is_same = faults_of.data() == bytes.data();
  const auto message = parser_.parse(bytes);
  if (is_same && message && !message->fault()) {
    append_sound(to, *message, prefix);
    return 0;
  }
  DecodedMessage decoded = decode_message(bytes);
  if (!is_same) decoded.faults = decode_message(faults_of).faults;
  append_decoded(to, decoded, bytes, prefix);
  return decoded.faults.size();
}

std::size_t print_message(std::FILE* out, std::string_view bytes, const PrintOptions& options) {
  std::string text;
  const std::size_t faults = MessagePrinter{options}.append(text, bytes, bytes, options.prefix);
  std::fwrite(text.data(), 1, text.size(), out);
  return faults;
}

}  // namespace nexusfix::printing
