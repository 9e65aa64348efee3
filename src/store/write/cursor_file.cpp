#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "store/api/crc32c.hpp"
#include "store/api/journal_cursor.hpp"

namespace nexusfix::store {
namespace {

// "cursor 12 log 1764034800000000000 segment 3 position 4711 last 4600 crc32c 123456789, checked
// 987654321", then spaces and a line feed: one sector of text.
constexpr std::size_t kSectorBytes = 512;
constexpr std::array<std::string_view, 6> kWords{"cursor ",    " log ",  " segment ",
                                                 " position ", " last ", " crc32c "};
constexpr std::string_view kCheckWord = ", checked ";
constexpr std::size_t kNameBytesMax = 64;

struct Slot {
  std::uint64_t count = 0;
  JournalCursor cursor;
};

std::string encode(const Slot& slot) {
  const std::array<std::uint64_t, kWords.size()> values{
      slot.count,          static_cast<std::uint64_t>(slot.cursor.log_id),
      slot.cursor.segment, slot.cursor.position,
      slot.cursor.last,    slot.cursor.last_crc};
  std::string text;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    (text += kWords[i]) += std::to_string(values[i]);
  }
  const std::uint32_t crc = crc32c(0, text);
  (text += kCheckWord) += std::to_string(crc);
  text.resize(kSectorBytes - 1, ' ');
  return text + '\n';
}

// Takes a word and the number after it from the begin of text.
bool take(std::string_view& text, std::string_view word, std::uint64_t& value) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<Slot> decode(std::string_view sector) {
  std::array<std::uint64_t, kWords.size()> values{};
  std::string_view rest = sector;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (!take(rest, kWords[i], values[i])) return std::nullopt;
  }
  const std::string_view checked = sector.substr(0, sector.size() - rest.size());
  std::uint64_t crc = 0;
  if (!take(rest, kCheckWord, crc) || crc != crc32c(0, checked)) return std::nullopt;
  return Slot{.count = values[0],
              .cursor = {.log_id = static_cast<std::int64_t>(values[1]),
                         .segment = values[2],
                         .position = values[3],
                         .last = values[4],
                         .last_crc = static_cast<std::uint32_t>(values[5])}};
}

// What the file of a cursor holds.
struct FileContent {
  bool is_empty = true;      // a cursor that was never saved
  std::optional<Slot> slot;  // the newer one
};

DiskResult<FileContent> read_content(File& file) {
  std::array<char, 2 * kSectorBytes> bytes{};
  const DiskResult<std::size_t> got = file.read_at(0, bytes);
  if (!got) return std::unexpected{got.error()};
  const std::string_view text{bytes.data(), *got};
  FileContent content{.is_empty = std::ranges::all_of(text, [](char c) { return c == 0; }),
                      .slot = std::nullopt};
  for (std::size_t at = 0; at < text.size(); at += kSectorBytes) {
    const auto slot = decode(text.substr(at, kSectorBytes));
    if (slot && (!content.slot || slot->count > content.slot->count)) content.slot = slot;
  }
  return content;
}

std::string cursors_folder(const std::string& folder) { return folder + "/cursors"; }

}  // namespace

bool is_cursor_name(std::string_view name) noexcept {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         std::ranges::all_of(name, is_allowed);
}

std::expected<CursorFile, std::string> CursorFile::open(Disk& disk, const std::string& folder,
                                                        std::string_view name) {
  const auto failure = [](const DiskError& error) { return std::unexpected{error.what()}; };
  const std::string parent = cursors_folder(folder);
  const std::string path = parent + '/' + std::string{name};
  if (auto made = disk.make_directories(parent); !made) return failure(made.error());
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return failure(file.error());
  if (auto synced = disk.sync_directory(parent); !synced) return failure(synced.error());
  const DiskResult<bool> locked = (*file)->try_lock();
  if (!locked) return failure(locked.error());
  if (!*locked) return std::unexpected{path + ": another process uses this cursor"};
  const DiskResult<FileContent> content = read_content(**file);
  if (!content) return failure(content.error());
  if (!content->is_empty && !content->slot) {
    return std::unexpected{path +
                           ": the cursor is damaged. Delete the file to send everything again "
                           "that the journal still has; the headers mark what is repeated"};
  }
  CursorFile opened{path, std::move(*file)};
  if (content->slot) {
    opened.cursor_ = content->slot->cursor;
    opened.count_ = content->slot->count;
  }
  return opened;
}

DiskResult<void> CursorFile::save(const JournalCursor& cursor) {
  const std::string text = encode({.count = count_ + 1, .cursor = cursor});
  const std::uint64_t offset = (count_ + 1) % 2 * kSectorBytes;
  if (auto written = file_->write_at(offset, text); !written) return written;
  if (auto synced = file_->sync(); !synced) return synced;
  ++count_;
  cursor_ = cursor;
  return {};
}

DiskResult<std::vector<FoundCursor>> read_cursors(Disk& disk, const std::string& folder) {
  const std::string parent = cursors_folder(folder);
  const auto names = disk.list(parent);
  std::vector<FoundCursor> found;
  if (!names && names.error().error_number == ENOENT) return found;
  if (!names) return std::unexpected{names.error()};
  for (const std::string& name : *names) {
    if (!is_cursor_name(name)) continue;
    const auto file = disk.open(parent + '/' + name, OpenMode::ReadRegular);
    if (!file && file.error().error_number == ENOENT) continue;
    if (!file) return std::unexpected{file.error()};
    const DiskResult<FileContent> content = read_content(**file);
    if (!content) return std::unexpected{content.error()};
    found.push_back({.name = name, .cursor = {}});
    if (content->slot) found.back().cursor = content->slot->cursor;
  }
  return found;
}

DiskResult<std::optional<std::string>> find_holding_cursor(Disk& disk, const std::string& folder,
                                                           std::int64_t log_id,
                                                           std::uint64_t segment) {
  auto found = read_cursors(disk, folder);
  if (!found) return std::unexpected{found.error()};
  for (FoundCursor& one : *found) {
    const bool has_passed =
        one.cursor && one.cursor->log_id == log_id && one.cursor->segment > segment;
    if (!has_passed) return std::move(one.name);
  }
  return std::nullopt;
}

}  // namespace nexusfix::store
