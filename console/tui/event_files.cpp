#include "console/tui/event_files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/convert.hpp>

namespace nexusfix::tui {
namespace {

constexpr std::string_view kEnd = ".event.current.log";
constexpr std::uint64_t kUnread = UINT64_MAX;
constexpr std::string_view kGlobal = "GLOBAL";

// The whole lines of the file from this byte on. Fewer: the file has become shorter.
std::string lines_from(File& file, std::uint64_t begin, std::uint64_t size) {
  std::string bytes(size - begin, '\0');
  bytes.resize(file.read_at(begin, bytes).value_or(0));
  bytes.resize(bytes.rfind('\n') + 1);
  return bytes;
}

}  // namespace

std::optional<Change> read_event(std::string_view line) {
  std::string time{line.substr(0, line.find(' '))};
  Change event;
  if (const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      json.is_object()) {
    const auto text = [&](const char* name) {
      const auto found = json.find(name);
      return found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
    };
    // 2024-01-15T10:30:00.123456789Z, as FIX has it.
    time = text("time");
    std::erase_if(time, [](char byte) { return byte == '-' || byte == 'Z'; });
    std::ranges::replace(time, 'T', '-');
    event.session = text("session");
    event.text = fmt::format("{} {} {}", text("severity"), text("id"), text("text"));
  } else {
    event.text = line.substr(std::min(line.size(), time.size() + 1));
  }
  const auto read = wire::to_utc_timestamp(time);
  if (!read) return std::nullopt;
  event.seen_at = *read;
  return event;
}

void EventFiles::find_files(std::int64_t process) {
  std::error_code error;
  const auto folder = processes_ / std::to_string(process) / "fd";
  std::filesystem::directory_iterator open{folder, error};
  for (; !error && open != std::filesystem::directory_iterator{}; open.increment(error)) {
    std::error_code closed;
    const auto file = std::filesystem::read_symlink(open->path(), closed);
    if (!closed && file.native().ends_with(kEnd)) read_.try_emplace(file, kUnread);
  }
}

std::vector<Change> EventFiles::read(std::int64_t process) {
  find_files(process);
  std::vector<Change> events;
  PosixDisk disk;
  for (auto& [file, done] : read_) {
    const auto open = disk.open(file, OpenMode::ReadRegular);
    const auto found = open ? (*open)->size() : std::unexpected{open.error()};
    if (!found || *found == done) continue;
    const std::uint64_t size = *found;
    const bool is_first = done == kUnread;
    // A file that is smaller than before is another: the engine has begun a new one.
    std::uint64_t begin = is_first || done > size ? 0 : done;
    const std::uint64_t most = is_first ? kOldBytesMax : kNewBytesMax;
    begin = std::max(begin, size - std::min(size, most));
    const std::string bytes = lines_from(**open, begin, size);
    done = begin + bytes.size();
    std::string name = file.filename().string();
    name.resize(name.size() - kEnd.size());
    for (std::string_view rest{bytes}; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      auto event = read_event(rest.substr(0, rest.find('\n')));
      if (!event) continue;  // the rest of a line
      if (event->session.empty() && name != kGlobal) event->session = name;
      const auto after = std::ranges::upper_bound(events, event->seen_at, {}, &Change::seen_at);
      events.insert(after, *std::move(event));
    }
  }
  return events;
}

}  // namespace nexusfix::tui
