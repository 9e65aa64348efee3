// Frames as any bytes, and as a stream that arrives in any parts.
#include <algorithm>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {
namespace {

FrameHeader any_header() {
  return {.kind = FrameKind{*rc::gen::inRange<std::uint8_t>(1, 10)},
          .flags = *rc::gen::arbitrary<std::uint16_t>(),
          .session = *rc::gen::arbitrary<std::uint32_t>(),
          .code = *rc::gen::arbitrary<std::uint32_t>(),
          .epoch = *rc::gen::arbitrary<std::uint64_t>(),
          .msg_seq_num = *rc::gen::arbitrary<std::uint64_t>(),
          .number = *rc::gen::arbitrary<std::uint64_t>()};
}

RC_GTEST_PROP(GatewayFrameProperty, a_written_frame_is_read_as_it_was, ()) {
  const FrameHeader header = any_header();
  const auto body = *rc::gen::arbitrary<std::string>();
  std::vector<char> bytes;
  append_frame(bytes, header, body);
  const auto frame = read_frame(bytes);
  RC_ASSERT(frame.has_value());
  RC_ASSERT(frame->header == header);
  RC_ASSERT(frame->body == body);
}

RC_GTEST_PROP(GatewayFrameProperty, the_parts_of_a_stream_do_not_matter, ()) {
  const auto bodies = *rc::gen::arbitrary<std::vector<std::string>>();
  std::vector<char> stream;
  for (const std::string& body : bodies) append_frame(stream, any_header(), body);
  std::vector<char> buffer;
  std::vector<std::string> seen;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t part = std::min(stream.size() - at, *rc::gen::inRange<std::size_t>(1, 60));
    buffer.insert(buffer.end(), stream.begin() + static_cast<std::ptrdiff_t>(at),
                  stream.begin() + static_cast<std::ptrdiff_t>(at + part));
    at += part;
    for (;;) {
      const auto length = frame_bytes(buffer);
      RC_ASSERT(length.has_value());
      if (*length == 0 || *length > buffer.size()) break;
      const auto frame = read_frame({buffer.data(), *length});
      RC_ASSERT(frame.has_value());
      seen.emplace_back(frame->body);
      buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*length));
    }
  }
  RC_ASSERT(buffer.empty());
  RC_ASSERT(seen == bodies);
}

RC_GTEST_PROP(GatewayFrameProperty, any_bytes_are_a_frame_or_a_fault, ()) {
  auto bytes = *rc::gen::arbitrary<std::vector<char>>();
  // Most bytes are no length: some get a header that is nearly valid.
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<char> framed;
    append_frame(framed, any_header(), {bytes.data(), bytes.size()});
    bytes = framed;
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  const auto length = frame_bytes(bytes);
  if (length && *length != 0) {
    RC_ASSERT(*length >= kHeaderBytes);
    RC_ASSERT(*length <= kFrameBytesMax);
  }
  const auto frame = read_frame(bytes);
  RC_ASSERT(!frame || frame->body.size() + kHeaderBytes == bytes.size());
}

RC_GTEST_PROP(GatewayHelloProperty, any_text_is_a_hello_or_an_error_of_one_line, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const auto hello = read_hello(text);
  if (hello) {
    const bool is_same = read_hello(write_hello(*hello)) == hello;
    RC_ASSERT(is_same);
  } else {
    RC_ASSERT(!hello.error().contains('\n'));
  }
}

}  // namespace
}  // namespace nexusfix::gateway
