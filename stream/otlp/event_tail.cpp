#include "stream/otlp/event_tail.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "base/api/printable_text.hpp"
#include "stream/otlp/otlp_json.hpp"

namespace nexusfix::stream {
namespace {

constexpr std::string_view kEnding = ".event.current.log";
constexpr std::string_view kGlobal = "GLOBAL";

struct Severity {
  std::string_view text;
  int number;  // SeverityNumber
};
constexpr std::array kSeverities{Severity{"DEBUG", 5}, Severity{"INFO", 9}, Severity{"WARN", 13},
                                 Severity{"ERROR", 17}, Severity{"FATAL", 21}};

struct Event {
  std::optional<WallTime> time{};
  std::string id{};  // "NXF-1001"
  std::string severity{};
  std::string category{};
  std::string session{};
  std::string text{};
};

// {"time":"2024-01-15T10:30:00.123456789Z","id":"NXF-1001",...}
std::optional<Event> read_json(std::string_view line) {
  const auto found = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!found.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto member = found.find(name);
    return member != found.end() && member->is_string() ? member->get<std::string>()
                                                        : std::string{};
  };
  std::string time = text("time");
  std::erase_if(time, [](char byte) { return byte == '-' || byte == 'Z'; });
  std::ranges::replace(time, 'T', '-');
  const auto read = wire::to_utc_timestamp(time);
  if (!read) return std::nullopt;
  return Event{.time = *read,
               .id = text("id"),
               .severity = text("severity"),
               .category = text("category"),
               .session = text("session"),
               .text = text("text")};
}

// "20240115-10:30:00.123456789 INFO NXF-1001 : logged on"
std::optional<Event> read_text(std::string_view line) {
  const auto word = [&] {
    const std::string_view found = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), found.size() + 1));
    return found;
  };
  const auto time = wire::to_utc_timestamp(word());
  if (!time) return std::nullopt;
  Event event{.time = *time};
  event.severity = word();
  event.id = word();
  if (!event.id.starts_with("NXF-")) return std::nullopt;
  if (line.starts_with(": ")) line.remove_prefix(2);
  event.text = line;
  return event;
}

// "VENUE%2DX": "VENUE-X".
std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    unsigned byte = 0;
    const char* const digits = text.data() + 1;
    if (text.size() >= 3 && text[0] == '%' &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      result += static_cast<char>(byte);
      text.remove_prefix(3);
    } else {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace

std::string session_of_file(std::string_view file) {
  if (file == kGlobal) return {};
  const auto count = std::ranges::count(file, '-');
  const std::size_t first = file.find('-');
  const std::size_t second = file.find('-', first == file.npos ? first : first + 1);
  if (count != 2 || second == first + 1) return std::string{file};
  return fmt::format("{}:{}->{}", unescaped(file.substr(0, first)),
                     unescaped(file.substr(first + 1, second - first - 1)),
                     unescaped(file.substr(second + 1)));
}

std::string to_log_record(std::string_view line, std::string_view file, WallTime now) {
  auto event = line.starts_with('{') ? read_json(line) : read_text(line);
  if (!event) event = Event{.text = std::string{line}};
  if (event->session.empty()) event->session = session_of_file(file);
  std::string to = "{";
  const auto out = std::back_inserter(to);
  if (event->time) {
    fmt::format_to(out, R"("timeUnixNano":"{}",)", event->time->time_since_epoch().count());
  }
  fmt::format_to(out, R"("observedTimeUnixNano":"{}")", now.time_since_epoch().count());
  const auto severity = std::ranges::find(kSeverities, event->severity, &Severity::text);
  if (severity != kSeverities.end()) {
    fmt::format_to(out, R"(,"severityNumber":{},"severityText":"{}")", severity->number,
                   severity->text);
  }
  to += R"(,"body":{"stringValue":)";
  append_json_text(to, event->text);
  to += R"(},"attributes":[)";
  if (!event->session.empty()) append_attribute(to, "fix.session", event->session);
  if (!event->id.empty()) append_attribute(to, "nexusfix.event_id", event->id);
  if (!event->category.empty()) append_attribute(to, "nexusfix.category", event->category);
  to += ']';
  if (!event->id.empty()) {
    to += R"(,"eventName":)";
    append_json_text(to, event->id);
  }
  to += '}';
  return to;
}

EventTail::EventTail(Disk& disk, std::string folder) : disk_{disk}, folder_{std::move(folder)} {
  open_new(/*from_end=*/true);
}

void EventTail::open_new(bool from_end) {
  const auto names = disk_.list(folder_);
  fault_ = names ? std::string{} : names.error().what();
  if (!names) return;
  for (const std::string& name : *names) {
    if (!name.ends_with(kEnding) || files_.contains(name)) continue;
    auto file = disk_.open(folder_ + '/' + name, OpenMode::ReadRegular);
    if (!file) {
      fault_ = file.error().what();
      continue;
    }
    const auto status = (*file)->status();
    if (!status) continue;
    if (files_.size() >= kOpenMax) file->reset();
    files_[name] = {
        .file = std::move(*file), .status = *status, .done = from_end ? status->size_bytes : 0};
  }
}

// False: the file has no more at the moment.
bool EventTail::read_lines(File& file, Followed& one, std::string_view name, WallTime now,
                           std::vector<std::string>& to) {
  const auto size = file.size();
  if (size && *size < one.done) one.done = 0;  // it was cut
  std::string bytes(kBytesMax, '\0');
  const auto got = file.read_at(one.done, bytes);
  if (!got || *got == 0) return false;
  bytes.resize(*got);
  // The end of a line that is being written, unless it is longer than what is read at once.
  const std::size_t whole = bytes.rfind('\n') + 1;
  if (whole == 0 && bytes.size() < kBytesMax) return false;
  if (whole != 0) bytes.resize(whole);
  one.done += bytes.size();
  for (std::string_view rest{bytes}; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty()) to.push_back(to_log_record(line, name, now));
  }
  return true;
}

std::vector<std::string> EventTail::read(WallTime now) {
  std::vector<std::string> records;
  for (auto at = files_.begin(); at != files_.end();) {
    auto& [name, one] = *at;
    const std::string path = folder_ + '/' + name;
    const auto named = disk_.status(path);
    const bool is_same = named && named->is_same_as(one.status);
    if (is_same && named->size_bytes == one.done) {
      ++at;
      continue;
    }
    std::unique_ptr<File> opened;
    if (one.file == nullptr && is_same) {
      opened = disk_.open(path, OpenMode::ReadRegular).value_or(nullptr);
    }
    File* const file = one.file ? one.file.get() : opened.get();
    const std::string_view stem = std::string_view{name}.substr(0, name.size() - kEnding.size());
    const bool has_more = file != nullptr && read_lines(*file, one, stem, now, records);
    // A file that was rotated is read to its end first.
    at = is_same || has_more ? std::next(at) : files_.erase(at);
  }
  open_new(/*from_end=*/false);
  return records;
}

}  // namespace nexusfix::stream
