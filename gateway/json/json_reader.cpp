#include "gateway/json/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"
#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;

constexpr char kSoh = '\x01';
constexpr std::size_t kShownBytesMax = 80;
constexpr std::uint64_t kNumberMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSmallNumberMax = std::numeric_limits<std::uint32_t>::max();
constexpr auto kClientEnds = static_cast<std::uint32_t>(CloseCode::ClientEnds);

std::string shown(std::string_view text) { return printable(text.substr(0, kShownBytesMax)); }

// The members of an object, which are all to be asked for. The first fault stays.
class Members {
 public:
  explicit Members(const JsonValue& object) : object_{object}, is_used_(object.items.size()) {
    if (object.kind != JsonValue::Kind::Object) fail("an object was expected");
  }

  // Null: there is none.
  const JsonValue* find(std::string_view key) {
    const auto found = std::ranges::find(object_.items, key, &JsonValue::key);
    if (found == object_.items.end()) return nullptr;
    is_used_[static_cast<std::size_t>(found - object_.items.begin())] = true;
    return &*found;
  }
  std::string_view text(std::string_view key, std::optional<std::string_view> absent = {}) {
    const JsonValue* const value = find(key);
    if (value == nullptr && absent) return *absent;
    if (value == nullptr || value->kind != JsonValue::Kind::Text) {
      fail(fmt::format("\"{}\": a text was expected", key));
      return {};
    }
    return value->text;
  }
  // A text that becomes a part of a line.
  std::string line(std::string_view key) {
    const std::string_view value = text(key);
    if (value.contains('\n')) fail(fmt::format("\"{}\": it has a line feed", key));
    return std::string{value};
  }
  std::uint64_t number(std::string_view key, std::uint64_t most,
                       std::optional<std::uint64_t> absent = {}) {
    const JsonValue* const value = find(key);
    if (value == nullptr && absent) return *absent;
    std::uint64_t number = 0;
    const std::string_view digits = value == nullptr ? std::string_view{} : value->text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (value == nullptr || value->kind != JsonValue::Kind::Integer || error != std::errc{} ||
        end != digits.data() + digits.size() || number > most) {
      fail(fmt::format("\"{}\": a number of 0 to {} was expected", key, most));
    }
    return number;
  }
  std::uint32_t small_number(std::string_view key, std::optional<std::uint64_t> absent = {}) {
    return static_cast<std::uint32_t>(number(key, kSmallNumberMax, absent));
  }
  bool flag(std::string_view key) {
    const JsonValue* const value = find(key);
    if (value == nullptr) return false;
    if (value->kind != JsonValue::Kind::Boolean) {
      fail(fmt::format("\"{}\": true or false was expected", key));
    }
    return value->is_true;
  }
  std::uint16_t flag(std::string_view key, std::uint16_t bit) {
    return flag(key) ? bit : std::uint16_t{0};
  }
  // The objects of an array.
  std::span<const JsonValue> objects(std::string_view key) {
    const JsonValue* const value = find(key);
    if (value == nullptr) return {};
    if (value->kind != JsonValue::Kind::Array) {
      fail(fmt::format("\"{}\": an array was expected", key));
      return {};
    }
    return value->items;
  }
  // Takes over the fault of a part.
  void include(Members&& part) {
    part.finish();
    fail(std::move(part.fault_));
  }
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  // The fault, also of a member that was not asked for; empty: there is none.
  const std::string& finish() {
    const auto unused = std::ranges::find(is_used_, false);
    if (fault_.empty() && unused != is_used_.end()) {
      fail(fmt::format(
          "\"{}\": no such member is known here",
          shown(object_.items[static_cast<std::size_t>(unused - is_used_.begin())].key)));
    }
    return fault_;
  }

 private:
  const JsonValue& object_;
  std::vector<bool> is_used_;
  std::string fault_;
};

// Writes the fields of an object: 35= and SOH after each.
class FieldWriter {
 public:
  explicit FieldWriter(const FieldNames& names) : names_{names} {}

  std::expected<std::string, std::string> message(const JsonValue& object) {
    // MsgType is first, wherever the client has it.
    for (const JsonValue& one : object.items) {
      if (is_msg_type(one)) add(one);
    }
    if (out_.empty() && fault_.empty()) return Failed{"the message has no MsgType"};
    for (const JsonValue& one : object.items) {
      if (!is_msg_type(one)) add(one);
    }
    if (!fault_.empty()) return Failed{std::move(fault_)};
    return std::move(out_);
  }

 private:
  static bool is_msg_type(const JsonValue& one) { return one.key == "MsgType" || one.key == "35"; }

  void add(const JsonValue& value) {
    if (!fault_.empty()) return;
    const auto tag = names_.tag_of(value.key);
    if (!tag) {
      fault_ = tag.error();
    } else if (value.kind == JsonValue::Kind::Array) {
      add_group(*tag, value);
    } else {
      add_field(*tag, value);
    }
  }
  void add_group(wire::Tag tag, const JsonValue& group) {
    append(tag, fmt::to_string(group.items.size()));
    for (const JsonValue& entry : group.items) {
      if (entry.kind != JsonValue::Kind::Object || entry.items.empty()) {
        return fail(group, "the entries of a group are objects with a field each");
      }
      for (const JsonValue& one : entry.items) add(one);
    }
  }
  void add_field(wire::Tag tag, const JsonValue& value) {
    if (value.kind != JsonValue::Kind::Text && value.kind != JsonValue::Kind::Integer) {
      return fail(value, "a text, an integer or an array of objects was expected");
    }
    if (value.text.empty()) return fail(value, "the value is empty");
    // The length of a data field follows from its value.
    if (wire::standard_data_tag(tag) != 0) return;
    static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
    if (const auto length_tag = kPairs.length_tag_for(tag)) {
      append(*length_tag, fmt::to_string(value.text.size()));
    } else if (value.text.contains(kSoh)) {
      return fail(value, "the value has SOH");
    }
    append(tag, value.text);
  }
  void append(wire::Tag tag, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "{}={}{}", tag, value, kSoh);
  }
  void fail(const JsonValue& value, std::string_view what) {
    if (fault_.empty()) fault_ = fmt::format("{}: {}", shown(value.key), what);
  }

  const FieldNames& names_;
  std::string out_;
  std::string fault_;
};

// Each character is one byte.
std::expected<std::string, std::string> bytes_of(std::string_view characters) {
  std::string bytes;
  while (!characters.empty()) {
    const auto first = static_cast<unsigned char>(characters.front());
    const std::size_t size = first < 0x80 ? 1 : 2;
    if (first > 0xc3) return Failed{"\"latin1\": a character above U+00FF"};
    bytes += size == 1 ? characters.front()
                       : static_cast<char>((first & 0x03U) << 6U |
                                           (static_cast<unsigned char>(characters[1]) & 0x3fU));
    characters.remove_prefix(size);
  }
  return bytes;
}

std::expected<std::string, std::string> read_message(Members& members, const FieldNames* names) {
  const JsonValue* const fix = members.find("fix");
  const JsonValue* const latin1 = members.find("latin1");
  const JsonValue* const object = names == nullptr ? nullptr : members.find("message");
  if ((fix != nullptr) + (latin1 != nullptr) + (object != nullptr) != 1) {
    return Failed{names == nullptr ? "one of \"fix\" and \"latin1\" was expected"
                                   : "one of \"fix\", \"latin1\" and \"message\" was expected"};
  }
  if (fix != nullptr) return std::string{members.text("fix")};
  if (latin1 != nullptr) return bytes_of(members.text("latin1"));
  if (object->kind != JsonValue::Kind::Object) return Failed{"\"message\": an object was expected"};
  return FieldWriter{*names}.message(*object);
}

struct Made {
  FrameHeader header;
  std::string body;
};

Made read_hello_json(Members& members) {
  HelloText hello{.name = members.line("name"),
                  .token = members.line("token"),
                  .is_in_order = members.flag("inOrder")};
  for (const JsonValue& item : members.objects("cursors")) {
    Members cursor{item};
    hello.cursors.push_back(
        {.session = cursor.line("session"),
         .is_sent = cursor.flag("sent"),
         .place = {cursor.number("epoch", kNumberMax), cursor.number("msgSeqNum", kNumberMax)}});
    members.include(std::move(cursor));
  }
  return {{.kind = FrameKind::Hello}, write_hello(hello)};
}

Made read_welcome_json(Members& members) {
  WelcomeText welcome{
      .gateway = members.line("gateway"), .role = members.line("role"), .sessions = {}};
  for (const JsonValue& item : members.objects("sessions")) {
    Members session{item};
    welcome.sessions.push_back({.index = session.small_number("session"),
                                .epoch = session.number("epoch", kNumberMax),
                                .received = session.number("received", kNumberMax),
                                .sent = session.number("sent", kNumberMax),
                                .is_logged_on = session.flag("loggedOn"),
                                .name = session.line("name")});
    members.include(std::move(session));
  }
  return {{.kind = FrameKind::Welcome, .number = members.number("lastAccepted", kNumberMax)},
          write_welcome(welcome)};
}

void read_place(Members& members, FrameHeader& header) {
  header.session = members.small_number("session");
  header.epoch = members.number("epoch", kNumberMax);
  header.msg_seq_num = members.number("msgSeqNum", kNumberMax);
}

Made read_accepted(Members& members) {
  FrameHeader header{.kind = FrameKind::Accepted,
                     .flags = static_cast<std::uint16_t>(members.flag("duplicate", kFlagDuplicate) |
                                                         members.flag("stored", kFlagStored)),
                     .number = members.number("number", kNumberMax)};
  read_place(members, header);
  return {header, {}};
}

Made read_refused(Members& members) {
  FrameHeader header{.kind = FrameKind::Refused,
                     .session = members.small_number("session"),
                     .code = members.small_number("code"),
                     .epoch = members.number("epoch", kNumberMax, 0),
                     .msg_seq_num = members.number("msgSeqNum", kNumberMax, 0),
                     .number = members.number("number", kNumberMax)};
  header.msg_seq_num += members.number("waitMs", kNumberMax, 0);
  return {header, std::string{members.text("reason")}};
}

Made read_message_json(Members& members) {
  FrameHeader header{
      .kind = FrameKind::Message,
      .flags = static_cast<std::uint16_t>(members.flag("fromJournal", kFlagFromJournal) |
                                          members.flag("sent", kFlagSent))};
  read_place(members, header);
  auto body = read_message(members, nullptr);
  if (!body) members.fail(std::move(body.error()));
  return {header, std::move(body).value_or("")};
}

Made read_state(Members& members) {
  return {{.kind = FrameKind::SessionState,
           .session = members.small_number("session"),
           .code = members.flag("loggedOn") ? 1U : 0U,
           .epoch = members.number("epoch", kNumberMax)},
          std::string{members.text("reason")}};
}

Made read_closed(Members& members) {
  return {{.kind = FrameKind::Closed, .code = members.small_number("code", kClientEnds)},
          std::string{members.text("reason", "")}};
}

std::optional<Made> read_kind(std::string_view type, Members& members) {
  if (type == "hello") return read_hello_json(members);
  if (type == "welcome") return read_welcome_json(members);
  if (type == "accepted") return read_accepted(members);
  if (type == "refused") return read_refused(members);
  if (type == "message") return read_message_json(members);
  if (type == "state") return read_state(members);
  if (type == "caughtUp") return Made{{.kind = FrameKind::CaughtUp}, {}};
  if (type == "closed") return read_closed(members);
  return std::nullopt;
}

std::unexpected<JsonFault> fault_of(std::string text) {
  return std::unexpected{JsonFault{.text = "JSON: " + std::move(text)}};
}

std::expected<Made, JsonFault> read_send(Members& members, const FieldNames& names) {
  const FrameHeader header{.kind = FrameKind::Send,
                           .session = members.small_number("session"),
                           .number = members.number("number", kNumberMax)};
  auto body = read_message(members, &names);
  if (const std::string& fault = members.finish(); !fault.empty()) return fault_of(fault);
  if (body && body->size() > kFrameBytesMax - kHeaderBytes) {
    body = Failed{"the message is too long: more than 1 MiB"};
  }
  if (body) return Made{header, std::move(*body)};
  return std::unexpected{JsonFault{.text = std::move(body.error()),
                                   .is_of_message = true,
                                   .session = header.session,
                                   .number = header.number}};
}

}  // namespace

std::expected<void, JsonFault> append_frame_of(std::vector<char>& out, std::string_view json,
                                               const FieldNames& names) {
  const auto value = read_json(json);
  if (!value) return std::unexpected{JsonFault{.text = value.error()}};
  Members members{*value};
  const std::string_view type = members.text("type");
  if (type == "send") {
    const auto made = read_send(members, names);
    if (!made) return std::unexpected{made.error()};
    append_frame(out, made->header, made->body);
    return {};
  }
  const auto made = read_kind(type, members);
  if (!made) members.fail(fmt::format("\"type\": no frame has the type {}", shown(type)));
  if (const std::string& fault = members.finish(); !fault.empty()) return fault_of(fault);
  if (made->body.size() > kFrameBytesMax - kHeaderBytes) return fault_of("the frame is too long");
  append_frame(out, made->header, made->body);
  return {};
}

}  // namespace nexusfix::gateway
