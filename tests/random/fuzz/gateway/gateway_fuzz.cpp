// Frames of a client of the gateway, which is another program: any bytes are whole frames or a
// fault, and what was read can be written again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"
#include "gateway/rights/message_fields.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::gateway;
using nexusfix::testing::require;

void read_as_hello(std::string_view body) {
  const auto hello = read_hello(body);
  if (hello) require(read_hello(write_hello(*hello)) == hello);
  const auto welcome = read_welcome(body);
  if (!welcome) require(!welcome.error().contains('\n'));
}

// A message in a Send: the fields are parts of its bytes, in their order.
void read_as_message(std::string_view body) {
  MessageFields message;
  if (const auto read = message.read(body); !read) {
    require(!read.error().contains('\n'));
    return;
  }
  require(!message.msg_type().contains('\x01'));
  const char* at = body.data();
  for (const TextField& field : message.fields()) {
    require(field.value.data() > at);
    at = field.value.data() + field.value.size();
    require(at < body.data() + body.size() && *at == '\x01');
    require(field.length_tag != 0 || !field.value.contains('\x01'));
  }
}

void read_as_stream(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto length = frame_bytes(bytes);
    if (!length || *length == 0 || *length > bytes.size()) return;
    require(*length >= kHeaderBytes && *length <= kFrameBytesMax);
    if (const auto frame = read_frame(bytes.first(*length))) {
      std::vector<char> again;
      append_frame(again, frame->header, frame->body);
      require(std::ranges::equal(again, bytes.first(*length)));
      if (frame->header.kind == FrameKind::Hello) read_as_hello(frame->body);
      if (frame->header.kind == FrameKind::Send) read_as_message(frame->body);
    }
    bytes = bytes.subspan(*length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes{reinterpret_cast<const char*>(data), size};
  read_as_stream(bytes);
  read_as_hello({bytes.data(), bytes.size()});
  read_as_message({bytes.data(), bytes.size()});
  return 0;
}
