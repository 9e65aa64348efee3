#include "gateway/protocol/greeting.hpp"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "base/api/printable_text.hpp"

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;

constexpr std::size_t kCursorsMax = 10'000;
constexpr std::size_t kShownBytesMax = 80;
constexpr int kRingKeyBase = 16;

// The text up to the next separator, which is removed with it.
std::string_view consume(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

std::optional<std::uint64_t> consume_number(std::string_view& rest, int base = 10) {
  const std::string_view text = consume(rest, ' ');
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Failed bad_line(std::string_view what, std::string_view line) {
  return Failed{fmt::format("{}: {}", what, printable(line.substr(0, kShownBytesMax)))};
}

}  // namespace

std::expected<HelloText, std::string> read_hello(std::string_view body) {
  if (body.size() > kHelloBytesMax) return Failed{"a Hello has at most 64 KiB"};
  HelloText hello;
  while (!body.empty()) {
    std::string_view rest = consume(body, '\n');
    if (rest.empty()) continue;
    const std::string_view line = rest;
    const std::string_view key = consume(rest, '=');
    if (key == "name") {
      hello.name = rest;
    } else if (key == "token") {
      hello.token = rest;
    } else if (key == "ring") {
      const auto version = consume_number(rest);
      if (!version || *version == 0 || *version > UINT32_MAX || !rest.empty()) {
        return bad_line("a layout version of the shared memory was expected", line);
      }
      hello.ring_version = static_cast<std::uint32_t>(*version);
    } else if (key == "in-order") {
      if (rest != "1") return bad_line("in-order=1 was expected", line);
      hello.is_in_order = true;
    } else if (key == "cursor" || key == "sent") {
      const auto epoch = consume_number(rest);
      const auto msg_seq_num = epoch ? consume_number(rest) : std::nullopt;
      if (!msg_seq_num || rest.empty()) {
        return bad_line("EPOCH MSGSEQNUM SESSION was expected", line);
      }
      if (hello.cursors.size() == kCursorsMax) return Failed{"a Hello has at most 10,000 cursors"};
      hello.cursors.push_back({std::string{rest}, key == "sent", {*epoch, *msg_seq_num}});
    } else {
      return bad_line("an unknown line of a Hello", key);
    }
  }
  if (hello.name.empty()) return Failed{"the Hello has no name"};
  return hello;
}

std::string write_hello(const HelloText& hello) {
  std::string text = fmt::format("name={}\ntoken={}\n", hello.name, hello.token);
  if (hello.ring_version != 0) text += fmt::format("ring={}\n", hello.ring_version);
  if (hello.is_in_order) text += "in-order=1\n";
  for (const Cursor& one : hello.cursors) {
    fmt::format_to(std::back_inserter(text), "{}={} {} {}\n", one.is_sent ? "sent" : "cursor",
                   one.place.epoch, one.place.msg_seq_num, one.session);
  }
  return text;
}

std::expected<WelcomeText, std::string> read_welcome(std::string_view body) {
  WelcomeText welcome;
  while (!body.empty()) {
    std::string_view rest = consume(body, '\n');
    const std::string_view line = rest;
    const std::string_view key = consume(rest, '=');
    if (key == "gateway") {
      welcome.gateway = rest;
    } else if (key == "role") {
      welcome.role = rest;
    } else if (key == "ring") {
      const auto ring_key = consume_number(rest, kRingKeyBase);
      if (!ring_key || rest.empty()) return bad_line("KEY PATH was expected", line);
      welcome.ring = {*ring_key, std::string{rest}};
    } else if (key == "session") {
      const auto index = consume_number(rest);
      const auto epoch = consume_number(rest);
      const auto received = consume_number(rest);
      const auto sent = consume_number(rest);
      const std::string_view state = consume(rest, ' ');
      if (!index || !epoch || !received || !sent || rest.empty()) {
        return bad_line("INDEX EPOCH RECEIVED SENT STATE NAME was expected", line);
      }
      welcome.sessions.push_back({static_cast<std::uint32_t>(*index), *epoch, *received, *sent,
                                  state == "on", std::string{rest}});
    }
  }
  return welcome;
}

std::string write_welcome(const WelcomeText& welcome) {
  std::string text = fmt::format("gateway={}\nrole={}\n", welcome.gateway, welcome.role);
  if (!welcome.ring.path.empty()) {
    text += fmt::format("ring={:016x} {}\n", welcome.ring.key, welcome.ring.path);
  }
  for (const WelcomeSession& one : welcome.sessions) {
    fmt::format_to(std::back_inserter(text), "session={} {} {} {} {} {}\n", one.index, one.epoch,
                   one.received, one.sent, one.is_logged_on ? "on" : "off", one.name);
  }
  return text;
}

}  // namespace nexusfix::gateway
