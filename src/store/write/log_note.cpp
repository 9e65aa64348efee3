#include "store/write/log_note.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <expected>
#include <new>
#include <span>
#include <utility>

#include "store/format/crc32c.hpp"
#include "store/format/entry.hpp"
#include "store/format/journal_format.hpp"
#include "store/journal/journal_lock.hpp"
#include "store/scan/log_walk.hpp"

namespace nexusfix::store {
namespace {

// "log to 00000000000000012345 in segment 00000000000000000005 of 00000000000067108864 bytes, begun
// , written to 00000000000000012399, crc32c 0123abcd", then spaces: always of one length, as the
// owner's record. Older versions do not record what was written.
constexpr std::size_t kDigits = 20;
constexpr std::string_view kPositionWord = "log to ";
constexpr std::string_view kSegmentWord = " in segment ";
constexpr std::string_view kSizeWord = " of ";
constexpr std::string_view kStateWord = " bytes, ";
constexpr std::string_view kClosedWord = "closed";
constexpr std::string_view kBegunWord = "begun ";
constexpr std::string_view kFailedWord = "failed";
constexpr std::string_view kWrittenWord = ", written to ";
constexpr std::string_view kCrcWord = ", crc32c ";
constexpr std::size_t kPositionAt = kPositionWord.size();
constexpr std::size_t kSegmentAt = kPositionAt + kDigits + kSegmentWord.size();
constexpr std::size_t kSizeAt = kSegmentAt + kDigits + kSizeWord.size();
constexpr std::size_t kStateAt = kSizeAt + kDigits + kStateWord.size();
static_assert(kClosedWord.size() == kBegunWord.size());
static_assert(kClosedWord.size() == kFailedWord.size());
constexpr std::size_t kWrittenAt = kStateAt + kClosedWord.size() + kWrittenWord.size();
static_assert(kWrittenAt + kDigits + kCrcWord.size() + 8 < kLogNoteBytes);

// "this file is inode 000000000012abcd, handle 89abcdef01234567, crc32c 0123abcd", then spaces.
constexpr std::size_t kHexDigits = 16;
constexpr std::string_view kInodeWord = "this file is inode ";
constexpr std::string_view kHandleWord = ", handle ";
constexpr std::size_t kInodeAt = kInodeWord.size();
constexpr std::size_t kHandleAt = kInodeAt + kHexDigits + kHandleWord.size();
static_assert(kHandleAt + kHexDigits + kCrcWord.size() + 8 < kPlaceNoteBytes);

void append_number(std::string& text, std::uint64_t number, std::size_t digits, int base) {
  std::array<char, kDigits> bytes{};
  char* const end = std::to_chars(bytes.data(), bytes.data() + bytes.size(), number, base).ptr;
  const auto count = static_cast<std::size_t>(end - bytes.data());
  text.append(digits - std::min(digits, count), '0');
  text.append(bytes.data(), count);
}

std::optional<std::uint64_t> number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  const char* const begin = bytes.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + kDigits, number);
  if (error != std::errc{} || end != begin + kDigits || number > kNumberMax) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> hex_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  const char* const begin = bytes.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + kHexDigits, number, 16);
  if (error != std::errc{} || end != begin + kHexDigits) return std::nullopt;
  return number;
}

// Adds the checksum, and spaces up to this length.
std::string sealed(std::string text, std::size_t bytes) {
  const std::uint32_t crc = crc32c(0, text);
  text += kCrcWord;
  append_number(text, crc, 8, 16);
  text.resize(bytes - 1, ' ');
  return text + '\n';
}

std::string encode(const LogNote& note, bool has_written) {
  std::string text{kPositionWord};
  append_number(text, note.position, kDigits, 10);
  text += kSegmentWord;
  append_number(text, note.segment, kDigits, 10);
  text += kSizeWord;
  append_number(text, note.segment_bytes, kDigits, 10);
  text += kStateWord;
  text += note.has_failed ? kFailedWord : note.is_closed ? kClosedWord : kBegunWord;
  if (has_written) {
    text += kWrittenWord;
    append_number(text, note.written, kDigits, 10);
  }
  return sealed(std::move(text), kLogNoteBytes);
}

// Reads a file from this offset on; nothing: there is no such file. The error is a text.
std::expected<std::optional<std::string>, std::string> read_part(Disk& disk,
                                                                 const std::string& path,
                                                                 std::size_t at,
                                                                 std::size_t count) {
  const auto file = disk.open(path, OpenMode::Read);
  if (!file && file.error().error_number == ENOENT) return std::nullopt;
  if (!file) return std::unexpected{file.error().what()};
  std::string bytes(count, '\0');
  const DiskResult<std::size_t> got = (*file)->read_at(at, bytes);
  if (!got) return std::unexpected{got.error().what()};
  bytes.resize(*got);
  return bytes;
}

}  // namespace

std::string encode_log_note(const LogNote& note) { return encode(note, true); }

std::optional<LogNote> decode_log_note(std::string_view bytes) {
  if (bytes.size() != kLogNoteBytes) return std::nullopt;
  const auto position = number_at(bytes, kPositionAt);
  const auto segment = number_at(bytes, kSegmentAt);
  const auto size = number_at(bytes, kSizeAt);
  if (!position || !segment || !size) return std::nullopt;
  const auto written = number_at(bytes, kWrittenAt);
  const std::string_view state = bytes.substr(kStateAt, kClosedWord.size());
  const LogNote note{.segment = *segment,
                     .position = *position,
                     .segment_bytes = *size,
                     .is_closed = state == kClosedWord,
                     .has_failed = state == kFailedWord,
                     .written = written.value_or(0)};
  // Equal bytes mean that its words and its checksum are valid, too.
  return encode(note, written.has_value()) == bytes ? std::optional{note} : std::nullopt;
}

FoundLogNote read_log_note(Disk& disk, const std::string& folder) {
  const std::string path = folder + "/owner";
  const auto fault = [&](const std::string& why) {
    return FoundLogNote{.note = {},
                        .fault = path + ": what it notes of the log's end cannot be read (" + why +
                                 "): whether the end of the log is missing, nothing tells"};
  };
  const auto text = read_part(disk, path, kLogNoteAt, kLogNoteBytes);
  if (!text) return fault(text.error());
  // An older version has written the file, or an owner that has not recorded a marker yet.
  if (!*text || (*text)->find_first_not_of('\0') == std::string::npos) return {};
  if (const auto note = decode_log_note(**text)) return {.note = note, .fault = {}};
  return fault("it does not check");
}

std::string lost_end_text(const std::string& folder, const LogNote& note, const LogEnd& end) {
  const std::string noted = segment_file_name(note.segment);
  std::string text = end.segment == 0
                         ? "journal " + folder + ": there is no segment"
                         : path_of_segment(folder, end.segment) + ": the log ends at offset " +
                               std::to_string(end.offset) + " of it, position " +
                               std::to_string(end.position);
  text += ", but the file owner notes that ";
  text += note.is_closed ? "it was closed in order in " + noted + " at position "
                         : noted + " was begun, and the log went on to position ";
  return text + std::to_string(note.position) + (note.is_closed ? "" : " at least") +
         ". The end of the log is missing, and with it the numbers that were used there";
}

std::string lost_end_advice(const std::string& folder) {
  return ". Nothing was changed. Put back what is missing, or restore the folder from a copy; to "
         "go on without it: nexusfix journal repair " +
         folder + " (--dry-run says what that loses)";
}

std::uint64_t lost_end_bytes(const LogNote& note, LogPosition end) noexcept {
  return std::max(note.position, note.written) - end + (note.is_closed ? 0 : note.segment_bytes);
}

std::string encode_place_note(const PlaceNote& note) {
  std::string text{kInodeWord};
  append_number(text, note.inode, kHexDigits, 16);
  text += kHandleWord;
  append_number(text, note.handle, kHexDigits, 16);
  return sealed(std::move(text), kPlaceNoteBytes);
}

std::optional<PlaceNote> decode_place_note(std::string_view bytes) {
  if (bytes.size() != kPlaceNoteBytes) return std::nullopt;
  const auto inode = hex_at(bytes, kInodeAt);
  const auto handle = hex_at(bytes, kHandleAt);
  if (!inode || !handle) return std::nullopt;
  const PlaceNote note{.inode = *inode, .handle = *handle};
  return encode_place_note(note) == bytes ? std::optional{note} : std::nullopt;
}

PlaceNote place_of(const FileStatus& owner) noexcept {
  return {.inode = owner.lasting_inode, .handle = owner.lasting_handle};
}

FoundPlaceNote read_place_note(Disk& disk, const std::string& folder) {
  const std::string path = folder + "/owner";
  const auto text = read_part(disk, path, kPlaceNoteAt, kPlaceNoteBytes);
  FoundPlaceNote found;
  if (text && *text) found.note = decode_place_note(**text);
  const DiskResult<FileStatus> status = disk.status(path);
  if (!found.note || !status) return found;
  const PlaceNote now = place_of(*status);
  if (now.handle != 0 && found.note->handle != 0) {
    found.is_elsewhere = now.handle != found.note->handle;
  } else if (now.inode != 0 && found.note->inode != 0) {
    found.is_elsewhere = now.inode != found.note->inode;
  }
  return found;
}

void LogNotes::put(const LogNote& note) noexcept {
  if (owner_ == nullptr) return;
  try {
    const std::lock_guard lock{mutex_};
    if (is_over_ || note.position < last_.position || note == last_) return;
    const std::optional<std::string> fault = write(note);
    if (!fault) {
      last_ = note;
      return;
    }
    // A failed sync is not repeated. Whichever marker the file has now, it is true.
    is_over_ = true;
    events_.put(StoreEvent::Level::Warning,
                "journal " + folder_ + ": the file owner could not be written (" + *fault +
                    "). Nothing is lost by it; but should the end of the log go missing before "
                    "the journal is opened again, that would not be noticed");
  } catch (const std::bad_alloc&) {
    // There is no memory for an event either; the next marker says what this one does.
  }
}

bool LogNotes::put_failure(LogNote note) noexcept {
  if (owner_ == nullptr) return true;
  try {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
    if (note.position < last_.position) note = last_;
    // Bytes that were written and not synced may be gone.
    note.written = 0;
    note.has_failed = true;
    note.is_closed = false;
    return !write(note).has_value();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::optional<std::string> LogNotes::write(const LogNote& note) {
  // An owner that was replaced must not write in the name of its successor.
  if (!owner_->is_current()) return std::nullopt;
  if (auto owned = owner_->check_slowly(); !owned) return std::nullopt;
  if (auto done = owner_->note(note); !done) return done.error().what();
  return std::nullopt;
}

}  // namespace nexusfix::store
