#include "gateway/json/json_writer.hpp"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/api/utf8.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {
namespace {

// Writes the members of one object.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_{out} { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_ += '}'; }

  // Bytes that are no UTF-8 become U+FFFD.
  void text(std::string_view key, std::string_view value) {
    begin(key);
    using Json = nlohmann::json;
    out_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void number(std::string_view key, std::uint64_t value) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void flag(std::string_view key, bool value) {
    begin(key);
    out_ += value ? "true" : "false";
  }
  // Calls write(object) for each item.
  template <class Items, class Write>
  void array(std::string_view key, const Items& items, Write write) {
    begin(key);
    char separator = '[';
    if (items.empty()) out_ += '[';
    for (const auto& item : items) {
      out_ += std::exchange(separator, ',');
      ObjectWriter object{out_};
      write(object, item);
    }
    out_ += ']';
  }
  // The bytes of a message.
  void message(std::string_view bytes) {
    std::string_view rest = bytes;
    while (const std::size_t size = utf8_size(rest)) rest.remove_prefix(size);
    if (rest.empty()) return text("fix", bytes);
    std::string characters;  // one for each byte
    for (const char one : bytes) {
      const auto byte = static_cast<unsigned char>(one);
      if (byte < 0x80) {
        characters += one;
      } else {
        characters += static_cast<char>(0xc0U | byte >> 6U);
        characters += static_cast<char>(0x80U | (byte & 0x3fU));
      }
    }
    text("latin1", characters);
  }

 private:
  void begin(std::string_view key) {
    out_ += std::exchange(is_first_, false) ? "\"" : ",\"";
    out_ += key;
    out_ += "\":";
  }

  std::string& out_;
  bool is_first_ = true;
};

void write_place(ObjectWriter& out, const FrameHeader& header) {
  out.number("epoch", header.epoch);
  out.number("msgSeqNum", header.msg_seq_num);
}

void write_hello_json(ObjectWriter& out, const HelloText& hello) {
  out.text("type", "hello");
  out.text("name", hello.name);
  out.text("token", hello.token);
  if (hello.is_in_order) out.flag("inOrder", true);
  if (hello.cursors.empty()) return;
  out.array("cursors", hello.cursors, [](ObjectWriter& item, const Cursor& one) {
    item.text("session", one.session);
    item.number("epoch", one.place.epoch);
    item.number("msgSeqNum", one.place.msg_seq_num);
    if (one.is_sent) item.flag("sent", true);
  });
}

void write_welcome_json(ObjectWriter& out, const WelcomeText& welcome, std::uint64_t last) {
  out.text("type", "welcome");
  out.text("gateway", welcome.gateway);
  out.text("role", welcome.role);
  out.number("lastAccepted", last);
  out.array("sessions", welcome.sessions, [](ObjectWriter& item, const WelcomeSession& one) {
    item.number("session", one.index);
    item.text("name", one.name);
    item.number("epoch", one.epoch);
    item.number("received", one.received);
    item.number("sent", one.sent);
    item.flag("loggedOn", one.is_logged_on);
  });
}

void write_accepted(ObjectWriter& out, const FrameHeader& header) {
  out.text("type", "accepted");
  out.number("session", header.session);
  out.number("number", header.number);
  write_place(out, header);
  if ((header.flags & kFlagDuplicate) != 0) out.flag("duplicate", true);
  if ((header.flags & kFlagStored) != 0) out.flag("stored", true);
}

void write_refused(ObjectWriter& out, const Frame& frame) {
  out.text("type", "refused");
  out.number("session", frame.header.session);
  out.number("number", frame.header.number);
  out.number("code", frame.header.code);
  if (frame.header.code == static_cast<std::uint32_t>(RefuseCode::RateLimited)) {
    out.number("waitMs", frame.header.msg_seq_num);
  } else if (frame.header.msg_seq_num != 0) {
    write_place(out, frame.header);
  }
  out.text("reason", frame.body);
}

void write_message(ObjectWriter& out, const Frame& frame) {
  out.text("type", "message");
  out.number("session", frame.header.session);
  write_place(out, frame.header);
  if ((frame.header.flags & kFlagFromJournal) != 0) out.flag("fromJournal", true);
  if ((frame.header.flags & kFlagSent) != 0) out.flag("sent", true);
  out.message(frame.body);
}

void write_state(ObjectWriter& out, const Frame& frame) {
  out.text("type", "state");
  out.number("session", frame.header.session);
  out.number("epoch", frame.header.epoch);
  out.flag("loggedOn", frame.header.code == 1);
  out.text("reason", frame.body);
}

}  // namespace

void append_json_of(std::string& text, const Frame& frame) {
  ObjectWriter out{text};
  switch (frame.header.kind) {
    case FrameKind::Hello:
      return write_hello_json(out, read_hello(frame.body).value_or(HelloText{}));
    case FrameKind::Welcome:
      return write_welcome_json(out, read_welcome(frame.body).value_or(WelcomeText{}),
                                frame.header.number);
    case FrameKind::Send:
      out.text("type", "send");
      out.number("session", frame.header.session);
      out.number("number", frame.header.number);
      return out.message(frame.body);
    case FrameKind::Accepted:
      return write_accepted(out, frame.header);
    case FrameKind::Refused:
      return write_refused(out, frame);
    case FrameKind::Message:
      return write_message(out, frame);
    case FrameKind::SessionState:
      return write_state(out, frame);
    case FrameKind::CaughtUp:
      return out.text("type", "caughtUp");
    case FrameKind::Closed:
      out.text("type", "closed");
      out.number("code", frame.header.code);
      return out.text("reason", frame.body);
  }
}

}  // namespace nexusfix::gateway
