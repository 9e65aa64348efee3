#include "wasm/src/log_decoder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "logs/validate/verdict.hpp"
#include "nexusfix/messages/decoded_message.hpp"
#include "wasm/src/json_text.hpp"
#include "wasm/src/printed_fields.hpp"

namespace nexusfix::browser {
namespace {

printing::PrintOptions print_options(Answer answer) {
  const bool is_object = answer == Answer::Messages || answer == Answer::Fields;
  printing::PrintOptions options;
  if (is_object) options.colour = printing::Colour::Always;
  if (answer == Answer::Summary) options.detail = printing::Detail::HeadingOnly;
  return options;
}

void append_verdict(std::string& to, const dictionary::Explanation& wrong) {
  to += ",{\"tag\":";
  append_json(to, static_cast<std::uint64_t>(wrong.tag));
  to += ",\"reason\":";
  to += wrong.reason ? std::to_string(std::to_underlying(*wrong.reason)) : "null";
  append_member(to, "problem", std::string_view{wrong.problem});
  append_member(to, "offset", static_cast<std::uint64_t>(wrong.offset));
  append_member(to, "size", static_cast<std::uint64_t>(wrong.size));
  append_member(to, "definition", std::string_view{wrong.definition});
  append_member(to, "nearest", std::string_view{wrong.nearest});
  append_member(to, "text", std::string_view{wrong.text()});
  to += '}';
}

}  // namespace

LogDecoder::LogDecoder(Answer answer, std::string name, bool shows_passwords)
    : answer_{answer},
      name_{std::move(name)},
      shows_passwords_{shows_passwords},
      printer_{print_options(answer)} {}

std::uint64_t LogDecoder::take(std::string& to, std::uint64_t messages_max, std::size_t bytes_max) {
  std::uint64_t taken = 0;
  printing::ScannedMessage message;
  while (taken < messages_max && to.size() < bytes_max && scanner_.next(message)) {
    ++taken;
    ++counts_.messages;
    answer(to, message);
  }
  return taken;
}

DecoderCounts LogDecoder::counts() const {
  DecoderCounts counts = counts_;
  counts.skipped = scanner_.skipped().count;
  return counts;
}

void LogDecoder::answer(std::string& to, const printing::ScannedMessage& message) {
  switch (answer_) {
    case Answer::Text:
    case Answer::Summary:
      append_text(to, message);
      break;
    case Answer::Verdicts:
    case Answer::Faults:
      append_checked(to, message.bytes);
      break;
    case Answer::Messages:
    case Answer::Fields:
      append_object(to, message);
      break;
  }
}

void LogDecoder::append_text(std::string& to, const printing::ScannedMessage& message) {
  const bool is_summary = answer_ == Answer::Summary;
  if (counts_.messages > 1 && !is_summary) to += '\n';
  // A summary shows no field that may be a password.
  const std::string_view shown =
      shows_passwords_ || is_summary ? message.bytes : mask_.masked(message.bytes);
  if (printer_.append(to, shown, message.bytes, message.prefix) > 0) ++counts_.faulty;
}

void LogDecoder::append_checked(std::string& to, std::string_view bytes) {
  const printing::DecodedMessage message = printing::decode_message(bytes);
  const auto checked = checkers_.check(message, bytes);
  if (!checked) return;  // the default rules fit every built-in dictionary
  if (*checked) ++counts_.invalid;
  const command::MessagePlace place{.file = name_, .number = counts_.messages};
  if (answer_ == Answer::Verdicts) {
    to.append(command::verdict_json(place, message, *checked).line()) += '\n';
  } else if (*checked) {
    to.append(command::verdict_text(place, **checked)).append("\n\n");
  }
}

// The number of a word. Its first use is a line before the message.
std::size_t LogDecoder::word(std::string& to, std::string_view text) {
  const auto known = words_.find(text);
  if (known != words_.end()) return known->second;
  append_json(to, text);
  to += '\n';
  return words_.emplace(texts_.emplace_back(text), words_.size()).first->second;
}

// [tag, the name's number, value, the meaning's number, and so on]. Without a tag, its text.
void LogDecoder::append_fields(std::string& to, const printing::DecodedMessage& message,
                               const PrintedMessage& printed) {
  numbers_.clear();
  const std::size_t count = std::min(message.fields.size(), printed.fields.size());
  for (std::size_t i = 0; i < count; ++i) {
    numbers_.push_back(word(to, printed.fields[i].name));
    numbers_.push_back(word(to, printed.fields[i].meaning));
  }
  fields_ = ",[";
  for (std::size_t i = 0; i < count; ++i) {
    const printing::DecodedField& field = message.fields[i];
    if (i > 0) fields_ += ',';
    if (field.tag != 0) {
      append_json(fields_, static_cast<std::uint64_t>(field.tag));
    } else {
      append_json(fields_, field.tag_text);
    }
    fields_ += ',';
    append_json(fields_, std::uint64_t{numbers_[2 * i]});
    fields_ += ',';
    append_json(fields_, field.value);
    fields_ += ',';
    append_json(fields_, std::uint64_t{numbers_[2 * i + 1]});
  }
  fields_ += ']';
}

// [offset, prefix, heading, MsgType, fields, faults, verdict]
void LogDecoder::append_object(std::string& to, const printing::ScannedMessage& message) {
  const std::string_view bytes = message.bytes;
  const std::string_view shown = shows_passwords_ ? bytes : mask_.masked(bytes);
  printed_.clear();
  if (printer_.append(printed_, shown, bytes, {}) > 0) ++counts_.faulty;
  const PrintedMessage printed = read_printed(printed_);
  const printing::DecodedMessage decoded = printing::decode_message(shown);
  append_fields(to, decoded, printed);
  to += '[';
  append_json(to, message.offset);
  for (const std::string_view text :
       {message.prefix, printed.heading, decoded.value(tag::MsgType)}) {
    to += ',';
    append_json(to, text);
  }
  to += fields_;
  to += ",[";
  for (std::size_t i = 0; i < printed.faults.size(); ++i) {
    if (i > 0) to += ',';
    append_json(to, printed.faults[i]);
  }
  to += ']';
  if (answer_ == Answer::Messages) {
    const auto checked = checkers_.check(decoded, bytes);
    if (checked && *checked) {
      ++counts_.invalid;
      const bool is_same = shown.data() == bytes.data();
      append_verdict(to, is_same ? **checked : without_password(**checked, decoded, shown));
    } else {
      to += ",null";
    }
  }
  to += "]\n";
}

// An explanation quotes the message. Of one with a password it quotes the masked message, or
// nothing.
dictionary::Explanation LogDecoder::without_password(dictionary::Explanation wrong,
                                                     const printing::DecodedMessage& message,
                                                     std::string_view shown) {
  auto masked = checkers_.check(message, shown);
  if (masked && *masked) return std::move(**masked);
  if (logs::is_password(wrong.tag)) wrong.problem = "the value of a password is invalid";
  wrong.message_line.clear();
  wrong.marks_line.clear();
  return wrong;
}

}  // namespace nexusfix::browser
