// Frames of both directions by JSON and back, and JSON of any bytes.
#include <algorithm>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "base/api/utf8.hpp"
#include "gateway/json/json_reader.hpp"
#include "gateway/json/json_writer.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {
namespace {

const FieldNames kNoNames;

std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f'));
}
std::uint64_t any_number() { return *rc::gen::arbitrary<std::uint64_t>(); }

FrameHeader any_header(FrameKind kind) {
  FrameHeader header{.kind = kind};
  const bool has_session = kind != FrameKind::Hello && kind != FrameKind::Welcome &&
                           kind != FrameKind::CaughtUp && kind != FrameKind::Closed;
  if (has_session) header.session = *rc::gen::arbitrary<std::uint32_t>();
  switch (kind) {
    case FrameKind::Welcome:
    case FrameKind::Send:
      header.number = any_number();
      break;
    case FrameKind::Accepted:
      header.number = any_number();
      [[fallthrough]];
    case FrameKind::Message:
      header.flags = *rc::gen::inRange<std::uint16_t>(0, 4);
      header.epoch = any_number();
      header.msg_seq_num = any_number();
      break;
    case FrameKind::Refused:
      header.number = any_number();
      header.code = *rc::gen::inRange<std::uint32_t>(1, 8);
      header.msg_seq_num = any_number();
      if (header.code != 4 && header.msg_seq_num != 0) header.epoch = any_number();
      break;
    case FrameKind::Closed:
      header.code = *rc::gen::arbitrary<std::uint32_t>();
      break;
    case FrameKind::SessionState:
      header.code = *rc::gen::inRange<std::uint32_t>(0, 2);
      header.epoch = any_number();
      break;
    default:
      break;
  }
  return header;
}

std::string any_body(FrameKind kind) {
  switch (kind) {
    case FrameKind::Hello: {
      HelloText hello{
          .name = any_text(), .token = any_text(), .is_in_order = *rc::gen::arbitrary<bool>()};
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        hello.cursors.push_back(
            {any_text(), *rc::gen::arbitrary<bool>(), {any_number(), any_number()}});
      }
      return write_hello(hello);
    }
    case FrameKind::Welcome: {
      WelcomeText welcome{.gateway = any_text(), .role = any_text(), .sessions = {}};
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        welcome.sessions.push_back({*rc::gen::arbitrary<std::uint32_t>(), any_number(),
                                    any_number(), any_number(), *rc::gen::arbitrary<bool>(),
                                    any_text()});
      }
      return write_welcome(welcome);
    }
    case FrameKind::Send:
    case FrameKind::Message:
      return *rc::gen::arbitrary<std::string>();  // any bytes
    case FrameKind::Accepted:
    case FrameKind::CaughtUp:
      return {};
    default:
      return any_text();
  }
}

// The text of a greeting may say less than it seems, as with an empty name.
bool is_normal(FrameKind kind, const std::string& body) {
  if (kind == FrameKind::Hello) {
    const auto hello = read_hello(body);
    return hello && write_hello(*hello) == body;
  }
  if (kind != FrameKind::Welcome) return true;
  const auto welcome = read_welcome(body);
  return welcome && write_welcome(*welcome) == body;
}

RC_GTEST_PROP(GatewayJsonProperty, each_frame_comes_back_from_json_byte_for_byte, ()) {
  const auto kind = FrameKind{*rc::gen::inRange<std::uint8_t>(1, 10)};
  const std::string body = any_body(kind);
  RC_PRE(is_normal(kind, body));
  std::vector<char> bytes;
  append_frame(bytes, any_header(kind), body);
  std::string json;
  append_json_of(json, *read_frame(bytes));
  std::string_view rest = json;
  while (const std::size_t size = utf8_size(rest)) rest.remove_prefix(size);
  RC_ASSERT(rest.empty());
  std::vector<char> again;
  const auto made = append_frame_of(again, json, kNoNames);
  if (!made) RC_FAIL(made.error().text + ": " + json);
  RC_ASSERT(again == bytes);
}

// One byte of a valid text is another one, or is missing.
RC_GTEST_PROP(GatewayJsonProperty, damaged_json_is_a_frame_or_a_fault_of_one_line, ()) {
  const auto kind = FrameKind{*rc::gen::inRange<std::uint8_t>(1, 10)};
  std::vector<char> bytes;
  append_frame(bytes, any_header(kind), any_body(kind));
  std::string json;
  append_json_of(json, *read_frame(bytes));
  const auto at = *rc::gen::inRange<std::size_t>(0, json.size());
  if (*rc::gen::arbitrary<bool>()) {
    json[at] = *rc::gen::arbitrary<char>();
  } else {
    json.erase(at, *rc::gen::inRange<std::size_t>(1, 5));
  }
  std::vector<char> again;
  const auto made = append_frame_of(again, json, kNoNames);
  if (made) {
    RC_ASSERT(read_frame(again).has_value());
  } else {
    RC_ASSERT(again.empty());
    RC_ASSERT(!made.error().text.contains('\n'));
  }
}

}  // namespace
}  // namespace nexusfix::gateway
