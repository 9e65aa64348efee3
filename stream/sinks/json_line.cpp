#include "stream/sinks/json_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "base/api/printable_text.hpp"
#include "logs/output/json_bytes.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::stream {
namespace {

std::string_view header(const Outgoing& record, std::string_view name) {
  const auto found = std::ranges::find(record.headers, name, &Header::name);
  return found == record.headers.end() ? std::string_view{} : found->value;
}

bool is_number(std::string_view name) {
  return name == "owner" || name == "position" || name == "epoch" || name == "seq";
}

}  // namespace

std::string id_of(const Outgoing& record) {
  return fmt::format("{}-{}-{}", header(record, "log"), header(record, "owner"),
                     header(record, "position"));
}

void append_line(std::string& to, const Outgoing& record, bool is_object) {
  fmt::format_to(std::back_inserter(to), R"({{"id":"{}")", id_of(record));
  for (const Header& one : record.headers) {
    fmt::format_to(std::back_inserter(to), R"(,"{}":)", one.name);
    if (is_number(one.name)) {
      to += one.value;
    } else {
      append_json_text(to, one.value);
    }
  }
  to += ',';
  if (is_object) {
    to.append(record.value, 1);  // after its brace
  } else if (logs::is_utf8(record.value)) {
    to += R"("message":)";
    append_json_text(to, record.value);
    to += '}';
  } else {
    to += R"("message_hex":")" + command::hex_text(record.value) + R"("})";
  }
  to += '\n';
}

}  // namespace nexusfix::stream
