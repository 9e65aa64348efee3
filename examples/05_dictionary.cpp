// Reads the repeating groups of a message, and explains the error in another one. It needs a
// dictionary, and no generated code.
//
// Usage: example_05_dictionary
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire.hpp>

namespace wire = nexusfix::wire;
namespace dictionary = nexusfix::dictionary;

namespace {

// A log shows SOH as `|`. The order has an error: Side is BUY in place of 1.
constexpr std::string_view kSnapshot =
    "8=FIX.4.4|9=120|35=W|34=2|49=VENUE|56=TRADER|52=20240115-10:30:00|55=AAPL|268=2|"
    "269=0|270=150.20|271=300|269=1|270=150.25|271=100|346=2|10=102|";
constexpr std::string_view kOrder =
    "8=FIX.4.4|9=111|35=D|34=2|49=TRADER|56=VENUE|52=20240115-10:30:00|11=A1|55=AAPL|54=BUY|"
    "60=20240115-10:30:00|38=100|40=2|44=150|10=047|";

std::string from_log(std::string_view text) {
  std::string bytes{text};
  for (char& byte : bytes) byte = byte == '|' ? wire::kSoh : byte;
  return bytes;
}

void print(std::string_view lead, std::string_view value) {
  std::printf("%.*s%.*s", static_cast<int>(lead.size()), lead.data(),
              static_cast<int>(value.size()), value.data());
}

}  // namespace

int main() {
  const dictionary::Dictionary& fix44 = dictionary::builtin_dictionary(dictionary::Version::Fix44);
  const auto shapes = dictionary::GroupShapes::make(fix44);
  const auto validator = dictionary::Validator::make(fix44, {});
  if (!shapes || !validator) return 1;

  const std::string snapshot = from_log(kSnapshot);
  wire::Parser parser;
  // [groups]
  if (auto message = parser.parse(snapshot)) {
    for (const wire::GroupEntry entry : message->group(shapes->of("W", 268))) {
      print("type ", entry[269].value_or("?"));
      print(", price ", entry[270].value_or("?"));
      print(", size ", entry[271].value_or("?"));
      std::printf("\n");
    }
  }
  // [end]

  const std::string order = from_log(kOrder);
  // [explain]
  const auto message = parser.parse(order);
  if (!message) {
    std::cout << nexusfix::explain(message.error(), order);
  } else if (const auto wrong = validator->validate(*message)) {
    std::cout << explain(*wrong, *message, fix44);
  }
  // [end]
  return 0;
}
