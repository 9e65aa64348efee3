// Lines of the control socket: any bytes as a request and as an answer. A request is refused with
// a reason, or read as one that could have been written: its own line is read back the same.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "control/api/control_protocol.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::engine;
using nexusfix::testing::require;

// One line, without a control character that a terminal would obey.
void require_line(std::string_view text) {
  require(!text.empty());
  require(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }));
}

void check_request(std::string_view line) {
  const auto request = read_request(line);
  if (!request) {
    require(request.error().ends_with(": nothing was done"));
    return require_line(request.error());
  }
  require(!std::holds_alternative<RecordRequest>(*request));
  const std::string written = line_of(*request);
  require_line(written);
  const auto again = read_request(written);
  require(again.has_value() && again->index() == request->index() && line_of(*again) == written);
}

// An answer is read by the command, which prints it.
void check_answer(std::string_view line) {
  const ControlAnswer answer = read_answer(line);
  const std::string written = line_of(answer);
  require_line(written);
  require(line_of(read_answer(written)) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line{reinterpret_cast<const char*>(data), size};
  check_request(line);
  check_answer(line);
  return 0;
}
