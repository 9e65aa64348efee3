// std::format of fields, enumerations, messages and errors. std_format_test.py compiles it with a
// library that has std::format.
#include <cstdio>
#include <format>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/enum_names.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/wire/text.hpp>

#include "config/api/settings.hpp"

namespace fix44 = nexusfix::fix44;
using namespace nexusfix::literals;

// They are formatted by what(), which is of the engine's library.
static_assert(std::formattable<nexusfix::SendError, char>);
static_assert(std::formattable<nexusfix::EngineError, char>);
static_assert(std::formattable<nexusfix::RemoteError, char>);
static_assert(std::formattable<nexusfix::DisconnectReason, char>);
static_assert(std::formattable<nexusfix::config::SettingsError, char>);
static_assert(std::formattable<nexusfix::SendFailure, char>);

namespace {

int failures = 0;

void expect(const std::string& printed, std::string_view expected) {
  if (printed == expected) return;
  ++failures;
  std::printf("printed:  %s\nexpected: %.*s\n", printed.c_str(), static_cast<int>(expected.size()),
              expected.data());
}

std::string with_check_sum(std::string text) {
  for (char& c : text) c = c == '|' ? '\x01' : c;
  text = "8=FIX.4.4\x01" + std::format("9={}\x01", text.size()) + text;
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return text + std::format("10={:03}\x01", sum % 256);
}

void print_message() {
  const std::string bytes = with_check_sum(
      "35=8|49=V|56=T|34=2|52=20261124-10:00:00|37=O1|17=E1|150=0|39=0|55=AAPL|54=1|151=100|14=0|"
      "6=0|");
  nexusfix::wire::Parser parser;
  const auto view = parser.parse(bytes);
  const auto report = fix44::ExecutionReport::from(view.value());
  expect(std::format("{}", *report),
         "8=FIX.4.4|9=94|35=8|49=V|56=T|34=2|52=20261124-10:00:00|37=O1|17=E1|150=0|39=0|55=AAPL|"
         "54=1|151=100|14=0|6=0|10=078|");
  expect(std::format("{}", report->view()), std::format("{}", *report));
  expect(std::format("{} {:>5} {}", report->side(), report->leaves_qty(), report->price()),
         "BUY (1)   100 field 44 is missing");
  expect(std::format("{:<8}|{:.2}", report->order_id(), report->symbol()), "O1      |AA");
}

void print_values() {
  expect(std::format("{:>8}", 150.250_d), " 150.250");
  expect(std::format("{}", 100 * 150.25_d), "15025.00");
  expect(std::format("{}", fix44::OrdType::Limit), "LIMIT (2)");
  expect(std::format("{}", fix44::Price{"150.25"}), "150.25");
  using nexusfix::wire::FieldError;
  using nexusfix::wire::FieldErrorCode;
  expect(std::format("{}", FieldError{FieldErrorCode::Malformed, 44, 57}),
         "field 44 at byte 57 is not of its type");
  expect(std::format("{}", FieldErrorCode::Missing), "missing");
}

void print_draft() {
  fix44::ExecutionReport::Draft draft;
  const auto set = draft.set(fix44::OrderID{"O1"}, fix44::Side::Sell);
  expect(std::format("{}", draft), "35=8|37=O1|54=2");
  expect(std::format("{}", draft.validate().error()), "ExecID (17): the required field is missing");
  expect(std::format("{}", set.has_value()), "true");
}

}  // namespace

int main() {
  print_message();
  print_values();
  print_draft();
  return failures;
}
