// Prints a message for people: a heading, then each field with its name and meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/printable_text.hpp>
#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/names.hpp>

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

// NewOrderSingle (D)  34=2  TRADER -> VENUE  20240115-10:30:00.123
//      8  BeginString  FIX.4.4
//     54  Side         1 (BUY)
// A fault is a line that begins with `!`. Returns the number of faults. bytes: one message, with
// SOH after each field. Control bytes, which a terminal would obey, are printed as \x1b and the
// like.
std::size_t print_message(std::FILE* out, std::string_view bytes, const PrintOptions& options = {});
std::size_t print_message(std::FILE* out, const DecodedMessage& message,
                          const PrintOptions& options = {});

using nexusfix::printable;

}  // namespace nexusfix::printing
