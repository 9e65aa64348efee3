// Prints a message for people: a heading, then each field with its name and meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/printable_text.hpp"
#include "nexusfix/messages/decoded_message.hpp"

namespace nexusfix::printing {

enum class Colour : std::uint8_t { Never, Always };
enum class Detail : std::uint8_t { Fields, HeadingOnly };

struct PrintOptions {
  Colour colour = Colour::Never;
  Detail detail = Detail::Fields;
  // These names come first. The built-in dictionary of the message's version has the others.
  const dictionary::NameTable* own_names = nullptr;
  // For FIXT.1.1 messages without ApplVerID.
  dictionary::Version default_application = dictionary::Version::Fix50Sp2;
  std::string_view prefix{};          // printed before the heading
  std::span<const wire::Tag> only{};  // prints only these fields; empty: all
};

class MessageNames;

// Prints many messages, and keeps the names that it looked up. The text of a message:
//
// NewOrderSingle (D)  34=2  TRADER -> VENUE  20240115-10:30:00.123
//      8  BeginString  FIX.4.4
//     54  Side         1 (BUY)
//
// A fault is a line that begins with `!`. Control bytes, which a terminal would obey, are printed
// as \x1b and the like. One thread.
class MessagePrinter {
 public:
  // The prefix of the options is not used. Their names and tags must outlive the printer.
  explicit MessagePrinter(const PrintOptions& options);
  ~MessagePrinter();
  MessagePrinter(const MessagePrinter&) = delete;
  MessagePrinter& operator=(const MessagePrinter&) = delete;

  // Appends one message. bytes: with SOH after each field. faults_of: the bytes whose faults are
  // printed, if they are others: those with a password. prefix: the text before the heading.
  // Returns the number of faults. A DefaultApplVerID counts for the messages after it; FIX.4.x has
  // no such field.
  std::size_t append(std::string& to, std::string_view bytes, std::string_view faults_of,
                     std::string_view prefix);

 private:
  struct ShownField;

  // bytes: of a message without a fault, with this index.
  void append_sound(std::string& to, const wire::MessageView& message, std::string_view prefix);
  void append_decoded(std::string& to, const DecodedMessage& message, std::string_view bytes,
                      std::string_view prefix);
  // value(tag): the first value of a field; empty: there is none.
  template <class Value>
  void choose_names(Value value);
  template <class Value>
  void append_heading(std::string& to, std::string_view prefix, std::string_view bytes,
                      Value value);
  void append_fields(std::string& to);
  [[nodiscard]] bool is_shown(wire::Tag tag) const noexcept;

  PrintOptions options_;
  wire::Parser parser_;
  std::vector<std::unique_ptr<MessageNames>> names_;  // of the versions that occurred
  MessageNames* named_ = nullptr;                     // of the present message
  std::string begin_string_;                          // of the last message
  std::optional<dictionary::Version> version_;        // that it names
  std::string heading_;                               // of the present message, as received
  std::vector<ShownField> fields_;                    // of the present message
};

// Prints one message. Returns the number of faults.
std::size_t print_message(std::FILE* out, std::string_view bytes, const PrintOptions& options = {});

using nexusfix::printable;

}  // namespace nexusfix::printing
