// The JSON of a client of the gateway: any bytes are a frame or a fault of one line, in bounded
// memory, and a frame that was made can be written as JSON and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/json/json_reader.hpp"
#include "gateway/json/json_writer.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::gateway;
using nexusfix::testing::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FieldNames kNames = FieldNames::builtin();
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  std::vector<char> bytes;
  if (const auto made = append_frame_of(bytes, text, kNames); !made) {
    require(bytes.empty());
    require(!made.error().text.empty() && !made.error().text.contains('\n'));
    return 0;
  }
  const auto frame = read_frame(bytes);
  require(frame.has_value());
  std::string json;
  append_json_of(json, *frame);
  std::vector<char> again;
  const auto made = append_frame_of(again, json, kNames);
  // A name or a token of a Hello may be one that a Hello cannot have.
  require(made.has_value() || frame->header.kind == FrameKind::Hello);
  return 0;
}
