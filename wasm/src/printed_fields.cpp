#include "wasm/src/printed_fields.hpp"

#include <cstddef>

namespace nexusfix::browser {
namespace {

constexpr std::string_view kHeading = "\x1b[1m";
constexpr std::string_view kName = "\x1b[36m";
constexpr std::string_view kMeaning = " \x1b[2m(";
constexpr std::string_view kMeaningEnd = ")\x1b[0m";
constexpr std::string_view kFault = "\x1b[31m! ";
constexpr std::string_view kOff = "\x1b[0m";

// What is between begin and end in the line; empty: one of them is missing.
std::string_view between(std::string_view line, std::string_view begin, std::string_view end) {
  const std::size_t from = line.find(begin);
  if (from == line.npos) return {};
  line.remove_prefix(from + begin.size());
  const std::size_t to = line.rfind(end);
  return to == line.npos ? std::string_view{} : line.substr(0, to);
}

PrintedField read_field(std::string_view line) {
  PrintedField field;
  const std::size_t from = line.find(kName);
  if (from == line.npos) return field;
  line.remove_prefix(from + kName.size());
  const std::size_t off = line.find(kOff);
  const std::string_view name = line.substr(0, off);
  field.name = name.substr(0, name.find_last_not_of(' ') + 1);
  field.meaning = between(line.substr(off + kOff.size()), kMeaning, kMeaningEnd);
  return field;
}

}  // namespace

PrintedMessage read_printed(std::string_view text) {
  PrintedMessage printed;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.starts_with(kHeading)) {
      printed.heading = between(line, kHeading, kOff);
    } else if (line.find(kFault) != line.npos) {
      printed.faults.push_back(between(line, kFault, kOff));
    } else {
      printed.fields.push_back(read_field(line));
    }
  }
  return printed;
}

}  // namespace nexusfix::browser
