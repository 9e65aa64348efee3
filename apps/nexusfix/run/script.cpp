#include "nexusfix/run/script.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::command {
namespace {

using Parsed = std::expected<std::optional<Step>, std::string>;

// The session writes these itself: BeginString, BodyLength, CheckSum, MsgSeqNum, SenderCompID,
// SendingTime, TargetCompID.
constexpr std::array<wire::Tag, 7> kWrittenBySession{8, 9, 10, 34, 49, 52, 56};

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view read_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = trim(text.substr(word.size()));
  return word;
}

std::expected<StepField, std::string> parse_field(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view tag_text = text.substr(0, equals);
  StepField field;
  const char* end = tag_text.data() + tag_text.size();
  const auto read = std::from_chars(tag_text.data(), end, field.tag);
  if (equals == std::string_view::npos || read.ec != std::errc{} || read.ptr != end ||
      field.tag == 0 || field.tag > wire::kTagMax) {
    return std::unexpected{fmt::format("'{}': tag=value was expected, as in 55=AAPL", text)};
  }
  field.value = text.substr(equals + 1);
  if (field.value.empty()) return std::unexpected{fmt::format("'{}': the value is empty", text)};
  return field;
}

// | or SOH separates the fields; one at the end is allowed.
Parsed parse_send(std::string_view text) {
  Step step{.kind = StepKind::Send, .msg_type = {}, .fields = {}};
  constexpr std::string_view kSeparators{"|\x01", 2};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kSeparators), text.size());
    auto field = parse_field(text.substr(0, end));
    if (!field) return std::unexpected{field.error()};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::ranges::find(kWrittenBySession, field->tag) != kWrittenBySession.end()) {
      return std::unexpected{
          fmt::format("field {} is written by the session itself: leave it out", field->tag)};
    }
    if (field->tag == tag::MsgType) {
      step.msg_type = std::move(field->value);
    } else {
      step.fields.push_back(std::move(*field));
    }
  }
  if (step.msg_type.empty())
    return std::unexpected{"send needs a message with its MsgType, as in: send 35=D|11=A1|55=AAPL"};
  return step;
}

std::expected<std::chrono::milliseconds, std::string> parse_seconds(std::string_view text) {
  constexpr double kSecondsMax = 86'400;
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (read.ec != std::errc{} || read.ptr != end || !(seconds >= 0) || seconds > kSecondsMax)
    return std::unexpected{fmt::format("'{}': seconds from 0 to 86400 were expected", text)};
  return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
}

Parsed parse_wait(StepKind kind, std::string_view text) {
  Step step{.kind = kind, .msg_type = {}, .fields = {}};
  while (!text.empty()) {
    const std::string_view word = read_word(text);
    if (word == "timeout") {
      const auto time = parse_seconds(read_word(text));
      if (!time) return std::unexpected{"timeout: " + time.error()};
      step.time = *time;
      continue;
    }
    auto field = parse_field(word);
    if (!field) return std::unexpected{field.error()};
    if (field->tag == tag::MsgType && session::is_administrative(field->value)) {
      return std::unexpected{
          fmt::format("a message of type {} is the session's: wait and expect see application "
                      "messages only, and the event log has the others",
                      field->value)};
    }
    step.fields.push_back(std::move(*field));
  }
  if (step.fields.empty())
    return std::unexpected{"what to wait for was expected, as in: wait 35=8 150=F timeout 5"};
  return step;
}

}  // namespace

std::string_view script_help() noexcept {
  return "  send 35=D|11=A1|...  send a message; the session adds header and trailer,\n"
         "                       and a value `now` becomes the time\n"
         "  wait 35=8 150=F      wait for a message with these fields, and skip others;\n"
         "                       `timeout 5` at the end sets the limit in seconds (10)\n"
         "  expect 35=8 39=2     the next message must have these fields\n"
         "  print                print the last message again, field by field\n"
         "  sleep 1.5            wait 1.5 seconds\n"
         "  logout, logon        end the session; start it again\n"
         "  quit                 log out and end\n"
         "  help                 print this list; empty lines and # are skipped\n";
}

Parsed parse_step(std::string_view line) {
  std::string_view rest = trim(line);
  if (rest.empty() || rest.front() == '#') return std::nullopt;
  const std::string_view word = read_word(rest);
  if (word == "send") return parse_send(rest);
  if (word == "wait") return parse_wait(StepKind::Wait, rest);
  if (word == "expect") return parse_wait(StepKind::Expect, rest);
  if (word == "sleep") {
    const auto time = parse_seconds(rest);
    if (!time) return std::unexpected{"sleep: " + time.error()};
    return Step{.kind = StepKind::Sleep, .msg_type = {}, .fields = {}, .time = *time};
  }
  struct Plain {
    std::string_view word;
    StepKind kind;
  };
  constexpr std::array kPlain{Plain{"logon", StepKind::Logon}, Plain{"logout", StepKind::Logout},
                              Plain{"print", StepKind::Print}, Plain{"help", StepKind::Help},
                              Plain{"quit", StepKind::Quit}};
  for (const Plain& plain : kPlain) {
    if (word != plain.word) continue;
    if (!rest.empty())
      return std::unexpected{fmt::format("'{}': nothing was expected after '{}'", rest, word)};
    return Step{.kind = plain.kind, .msg_type = {}, .fields = {}};
  }
  return std::unexpected{
      fmt::format("'{}' is no command: send, wait, expect, print, sleep, logon, logout, help or "
                  "quit was expected",
                  word)};
}

bool matches(const wire::MessageView& message, const std::vector<StepField>& fields) {
  return std::ranges::all_of(
      fields, [&](const StepField& field) { return message[field.tag] == field.value; });
}

}  // namespace nexusfix::command
