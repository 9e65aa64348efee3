#include "nexusfix/messages/print_message.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include <nexusfix/wire/session_tags.hpp>

namespace nexusfix::printing {
namespace {

using dictionary::FieldType;
using dictionary::NameTable;
using dictionary::Version;

// Looks a name up in several tables; the first that has it answers.
class Names {
 public:
  Names(const DecodedMessage& message, const PrintOptions& options) {
    if (options.own_names != nullptr) add(*options.own_names);
    const auto version = dictionary::version_of_begin_string(message.value(tag::BeginString));
    if (version && *version != Version::Fixt11) {
      add(dictionary::builtin_names(*version));
      return;
    }
    // FIXT.1.1, or an unknown version: most of its tags are in the latest version.
    const auto application = dictionary::version_of_appl_ver_id(message.value(tag::ApplVerID));
    add(dictionary::builtin_names(Version::Fixt11));
    add(dictionary::builtin_names(application.value_or(options.default_application)));
  }

  [[nodiscard]] std::string_view field(wire::Tag tag) const {
    return first([&](const NameTable& table) { return table.field_name(tag); });
  }
  [[nodiscard]] std::string_view message(std::string_view msg_type) const {
    return first([&](const NameTable& table) { return table.message_name(msg_type); });
  }

  // "BUY" for `1`; "ALL_OR_NONE, PARTICIPATE_DONT_INITIATE" for `G 6` in a field of several values.
  [[nodiscard]] std::string meaning(wire::Tag tag, std::string_view value) const {
    if (tag == tag::MsgType) return std::string{message(value)};
    if (!holds_several(tag)) return std::string{one_meaning(tag, value)};
    std::string meanings;
    while (!value.empty()) {
      const std::size_t space = std::min(value.find(' '), value.size());
      const std::string_view meaning = one_meaning(tag, value.substr(0, space));
      if (meaning.empty()) return {};
      meanings += fmt::format("{}{}", meanings.empty() ? "" : ", ", meaning);
      value.remove_prefix(std::min(space + 1, value.size()));
    }
    return meanings;
  }

 private:
  void add(const NameTable& table) { tables_[count_++] = table; }

  [[nodiscard]] bool holds_several(wire::Tag tag) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::optional<FieldType> type = tables_[i].field_type(tag);
      if (type) return dictionary::is_multiple(*type);
    }
    return false;
  }

  [[nodiscard]] std::string_view one_meaning(wire::Tag tag, std::string_view value) const {
    return first([&](const NameTable& table) { return table.value_name(tag, value); });
  }

  template <class Lookup>
  [[nodiscard]] std::string_view first(Lookup lookup) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (const std::optional<std::string_view> name = lookup(tables_[i])) return *name;
    }
    return {};
  }

  std::array<NameTable, 3> tables_;
  std::size_t count_ = 0;
};

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

std::string or_question_mark(std::string_view text) { return text.empty() ? "?" : printable(text); }

std::string heading(const DecodedMessage& message, const Names& names, const Paint& paint,
                    std::string_view prefix) {
  const std::string_view msg_type = message.value(tag::MsgType);
  const std::string_view name = names.message(msg_type);
  std::string line;
  if (!prefix.empty()) line += fmt::format("{}{}{}", paint.faint, printable(prefix), paint.off);
  return line + fmt::format("{}{} ({})  34={}  {} -> {}  {}{}\n", paint.heading,
                            name.empty() ? "unknown message" : printable(name),
                            or_question_mark(msg_type),
                            or_question_mark(message.value(tag::MsgSeqNum)),
                            or_question_mark(message.value(tag::SenderCompID)),
                            or_question_mark(message.value(tag::TargetCompID)),
                            or_question_mark(message.value(tag::SendingTime)), paint.off);
}

std::vector<DecodedField> shown_fields(const DecodedMessage& message,
                                       std::span<const wire::Tag> only) {
  if (only.empty()) return message.fields;
  std::vector<DecodedField> shown;
  std::ranges::copy_if(message.fields, std::back_inserter(shown), [&](const DecodedField& field) {
    return std::ranges::find(only, field.tag) != only.end();
  });
  return shown;
}

std::string field_lines(std::span<const DecodedField> fields, const Names& names,
                        const Paint& paint) {
  std::size_t tag_width = 4;
  std::size_t name_width = 0;
  for (const DecodedField& field : fields) {
    tag_width = std::max(tag_width, field.tag == 0 ? 1 : field.tag_text.size());
    name_width = std::max(name_width, names.field(field.tag).size());
  }
  std::string lines;
  for (const DecodedField& field : fields) {
    if (field.tag == 0) {
      const std::string_view equals = field.value.empty() ? "" : "=";
      lines += fmt::format("  {:>{}}  {:<{}}  {}{}{}\n", "?", tag_width, "", name_width,
                           printable(field.tag_text), equals, printable(field.value));
      continue;
    }
    const std::string meaning = names.meaning(field.tag, field.value);
    lines += fmt::format("  {:>{}}  {}{:<{}}{}  {}", field.tag, tag_width, paint.name,
                         printable(names.field(field.tag)), name_width, paint.off,
                         printable(field.value));
    if (!meaning.empty()) {
      lines += fmt::format(" {}({}){}", paint.faint, printable(meaning), paint.off);
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

std::size_t print_message(std::FILE* out, const DecodedMessage& message,
                          const PrintOptions& options) {
  const Names names{message, options};
  const Paint& paint = options.colour == Colour::Always ? kPaint : kNoPaint;
  std::string text = heading(message, names, paint, options.prefix);
  if (options.detail == Detail::Fields) {
    text += field_lines(shown_fields(message, options.only), names, paint);
  }
  for (const std::string& fault : message.faults) {
    text += fmt::format("  {}! {}{}\n", paint.fault, printable(fault), paint.off);
  }
  std::fwrite(text.data(), 1, text.size(), out);
  return message.faults.size();
}

std::size_t print_message(std::FILE* out, std::string_view bytes, const PrintOptions& options) {
  return print_message(out, decode_message(bytes), options);
}

}  // namespace nexusfix::printing
