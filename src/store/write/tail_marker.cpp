#include "store/write/tail_marker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <expected>
#include <new>
#include <utility>

#include "store/api/crc32c.hpp"
#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "store/journal/ownership.hpp"

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
constexpr std::size_t kPositionDigitsAt = kPositionWord.size();
constexpr std::size_t kSegmentAt = kPositionDigitsAt + kDigits + kSegmentWord.size();
constexpr std::size_t kSizeAt = kSegmentAt + kDigits + kSizeWord.size();
constexpr std::size_t kStateAt = kSizeAt + kDigits + kStateWord.size();
static_assert(kClosedWord.size() == kBegunWord.size());
static_assert(kClosedWord.size() == kFailedWord.size());
constexpr std::size_t kWrittenAt = kStateAt + kClosedWord.size() + kWrittenWord.size();
static_assert(kWrittenAt + kDigits + kCrcWord.size() + 8 < kTailMarkerBytes);

// "this file is inode 000000000012abcd, handle 89abcdef01234567, crc32c 0123abcd", then spaces.
constexpr std::size_t kHexDigits = 16;
constexpr std::string_view kInodeWord = "this file is inode ";
constexpr std::string_view kHandleWord = ", handle ";
constexpr std::size_t kInodeAt = kInodeWord.size();
constexpr std::size_t kHandleAt = kInodeAt + kHexDigits + kHandleWord.size();
static_assert(kHandleAt + kHexDigits + kCrcWord.size() + 8 < kOwnerIdentityBytes);

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

std::string_view word_of(TailMarker::State state) noexcept {
  switch (state) {
    case TailMarker::State::Open:
      break;
    case TailMarker::State::Closed:
      return kClosedWord;
    case TailMarker::State::Failed:
      return kFailedWord;
  }
  return kBegunWord;
}

// An unknown word counts as Open: encode() then returns other bytes than were decoded.
TailMarker::State state_of(std::string_view word) noexcept {
  if (word == kClosedWord) return TailMarker::State::Closed;
  return word == kFailedWord ? TailMarker::State::Failed : TailMarker::State::Open;
}

std::string encode(const TailMarker& marker, bool has_written) {
  std::string text{kPositionWord};
  append_number(text, marker.position, kDigits, 10);
  text += kSegmentWord;
  append_number(text, marker.segment, kDigits, 10);
  text += kSizeWord;
  append_number(text, marker.segment_bytes, kDigits, 10);
  text += kStateWord;
  text += word_of(marker.state);
  if (has_written) {
    text += kWrittenWord;
    append_number(text, marker.written, kDigits, 10);
  }
  return sealed(std::move(text), kTailMarkerBytes);
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

std::string encode_tail_marker(const TailMarker& marker) { return encode(marker, true); }

std::optional<TailMarker> decode_tail_marker(std::string_view bytes) {
  if (bytes.size() != kTailMarkerBytes) return std::nullopt;
  const auto position = number_at(bytes, kPositionDigitsAt);
  const auto segment = number_at(bytes, kSegmentAt);
  const auto size = number_at(bytes, kSizeAt);
  if (!position || !segment || !size) return std::nullopt;
  const auto written = number_at(bytes, kWrittenAt);
  const std::string_view state = bytes.substr(kStateAt, kClosedWord.size());
  const TailMarker marker{.segment = *segment,
                          .position = *position,
                          .segment_bytes = *size,
                          .state = state_of(state),
                          .written = written.value_or(0)};
  // Equal bytes mean that its words and its checksum are valid, too.
  return encode(marker, written.has_value()) == bytes ? std::optional{marker} : std::nullopt;
}

FoundTailMarker read_tail_marker(Disk& disk, const std::string& folder) {
  const std::string path = folder + "/owner";
  const auto fault = [&](const std::string& why) {
    return FoundTailMarker{.marker = {},
                           .fault = path + ": its record of the log's end cannot be read (" + why +
                                    "): whether the end of the log is missing is not known"};
  };
  const auto text = read_part(disk, path, kTailMarkerAt, kTailMarkerBytes);
  if (!text) return fault(text.error());
  // An older version has written the file, or an owner that has not recorded a marker yet.
  if (!*text || (*text)->find_first_not_of('\0') == std::string::npos) return {};
  if (const auto marker = decode_tail_marker(**text)) return {.marker = marker, .fault = {}};
  return fault("it does not check");
}

std::string lost_end_text(const std::string& folder, const TailMarker& marker, const LogEnd& end) {
  const std::string noted = segment_file_name(marker.segment);
  std::string text = end.segment == 0
                         ? "journal " + folder + ": there is no segment"
                         : path_of_segment(folder, end.segment) + ": the log ends at offset " +
                               std::to_string(end.offset) + " of it, position " +
                               std::to_string(end.position);
  text += ", but the file owner records that ";
  text += marker.is_closed() ? "it was closed in order in " + noted + " at position "
                             : noted + " was opened, and the log went on to position ";
  return text + std::to_string(marker.position) + (marker.is_closed() ? "" : " at least") +
         ". The end of the log is missing, and with it the sequence numbers that were used there";
}

std::string lost_end_advice(const std::string& folder) {
  return ". Nothing was changed. Put back what is missing, or restore the folder from a copy; to "
         "go on without it: nexusfix journal repair " +
         folder + " (--dry-run says what that loses)";
}

std::uint64_t lost_end_bytes(const TailMarker& marker, LogPosition end) noexcept {
  return std::max(marker.position, marker.written) - end +
         (marker.is_closed() ? 0 : marker.segment_bytes);
}

std::string encode_owner_identity(const OwnerIdentity& identity) {
  std::string text{kInodeWord};
  append_number(text, identity.inode, kHexDigits, 16);
  text += kHandleWord;
  append_number(text, identity.handle, kHexDigits, 16);
  return sealed(std::move(text), kOwnerIdentityBytes);
}

std::optional<OwnerIdentity> decode_owner_identity(std::string_view bytes) {
  if (bytes.size() != kOwnerIdentityBytes) return std::nullopt;
  const auto inode = hex_at(bytes, kInodeAt);
  const auto handle = hex_at(bytes, kHandleAt);
  if (!inode || !handle) return std::nullopt;
  const OwnerIdentity identity{.inode = *inode, .handle = *handle};
  return encode_owner_identity(identity) == bytes ? std::optional{identity} : std::nullopt;
}

OwnerIdentity identity_of(const File::Status& owner) noexcept {
  return {.inode = owner.lasting_inode, .handle = owner.lasting_handle};
}

FoundOwnerIdentity read_owner_identity(Disk& disk, const std::string& folder) {
  const std::string path = folder + "/owner";
  const auto text = read_part(disk, path, kOwnerIdentityAt, kOwnerIdentityBytes);
  FoundOwnerIdentity found;
  if (text && *text) found.identity = decode_owner_identity(**text);
  const DiskResult<File::Status> status = disk.status(path);
  if (!found.identity || !status) return found;
  const OwnerIdentity now = identity_of(*status);
  if (now.handle != 0 && found.identity->handle != 0) {
    found.is_other_file = now.handle != found.identity->handle;
  } else if (now.inode != 0 && found.identity->inode != 0) {
    found.is_other_file = now.inode != found.identity->inode;
  }
  return found;
}

void TailMarkerWriter::put(const TailMarker& marker) noexcept {
  if (owner_ == nullptr) return;
  try {
    const std::lock_guard lock{mutex_};
    if (is_over_ || marker.position < last_.position || marker == last_) return;
    const std::optional<std::string> fault = write(marker);
    if (!fault) {
      last_ = marker;
      return;
    }
    // A failed sync is not repeated. Whichever marker the file has now, it is true.
    is_over_ = true;
    events_.put(EventId::OwnerFileNotWritten,
                "journal " + folder_ + ": the file owner could not be written (" + *fault +
                    "). Nothing is lost by it; but should the end of the log go missing before "
                    "the journal is opened again, that would not be noticed");
  } catch (const std::bad_alloc&) {
    // There is no memory for an event either; the next marker says what this one does.
  }
}

bool TailMarkerWriter::put_failure(TailMarker marker) noexcept {
  if (owner_ == nullptr) return true;
  try {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
    if (marker.position < last_.position) marker = last_;
    // Bytes that were written and not synced may be gone.
    marker.written = 0;
    marker.state = TailMarker::State::Failed;
    return !write(marker).has_value();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::optional<std::string> TailMarkerWriter::write(const TailMarker& marker) {
  // An owner that was replaced must not write in the name of its successor.
  if (!owner_->is_current()) return std::nullopt;
  if (auto owned = owner_->check_by_reading(); !owned) return std::nullopt;
  if (auto done = owner_->write_tail_marker(marker); !done) return done.error().what();
  return std::nullopt;
}

}  // namespace nexusfix::store
