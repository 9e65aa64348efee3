#include "cluster/postgres/position_marker.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <utility>

#include "store/api/crc32c.hpp"

namespace nexusfix::store::postgres {
namespace {

// Two records take turns, each in a page of its own: a loss of power tears at most one of them.
constexpr std::size_t kNoteBytes = 1'024;
constexpr std::uint64_t kSlotBytes = 4'096;
constexpr std::uint64_t kSlots = 2;
constexpr std::size_t kRaisesMax = 4;
constexpr std::size_t kIdMax = 64;
constexpr std::chrono::seconds kSyncInterval{1};

constexpr std::string_view kTitle = "nexusfix note of a log in PostgreSQL, version 1\n";
// After the first number; an owner's record has no such line.
constexpr std::string_view kSeenWord = "seen";
constexpr std::string_view kSeenOnStandby = "standby";
constexpr std::string_view kSeenOnOneServer = "server";
constexpr std::string_view kCrcWord = "crc32c ";
constexpr std::size_t kCrcDigits = 8;

void add_line(std::string& text, std::string_view word, std::string_view value) {
  text.append(word).append(" ").append(value).append("\n");
}

void add_line(std::string& text, std::string_view word, std::uint64_t value) {
  add_line(text, word, std::to_string(value));
}

// Takes lines off a text, in the order in which they were added.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_{text} {}

  [[nodiscard]] std::string_view next_word() const { return rest_.substr(0, rest_.find(' ')); }
  [[nodiscard]] bool take(std::string_view word, std::string& value) {
    const std::size_t end = rest_.find('\n');
    if (end == rest_.npos || !rest_.starts_with(word) || rest_[word.size()] != ' ') return false;
    value = rest_.substr(word.size() + 1, end - word.size() - 1);
    rest_.remove_prefix(end + 1);
    return value.size() <= kIdMax;
  }
  template <class Number>
  [[nodiscard]] bool take(std::string_view word, Number& value) {
    std::string text;
    if (!take(word, text)) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
  }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

void add_raise(PositionRecord& record, const Raise& raise) {
  std::vector<Raise>& raises = record.raises;
  raises.push_back(raise);
  while (raises.size() > kRaisesMax) {
    raises[1].numbers += raises[0].numbers;
    raises.erase(raises.begin());
  }
}

std::string encode_position(const PositionRecord& record) {
  std::string text{kTitle};
  add_line(text, "serial", record.serial);
  add_line(text, "log", record.log_id);
  add_line(text, "claim", record.claim);
  add_line(text, "cluster", record.cluster);
  add_line(text, "timeline", record.timeline);
  add_line(text, "begin", record.begin);
  add_line(text, "confirmed", record.confirmed);
  add_line(text, "sessions", record.sessions);
  add_line(text, "first-number", record.first_number);
  if (record.by != RecordedBy::Owner) {
    add_line(text, kSeenWord, record.by == RecordedBy::Waiter ? kSeenOnStandby : kSeenOnOneServer);
  }
  for (const Raise& raise : record.raises) {
    add_line(text, "raised-until", raise.until);
    add_line(text, "raised-by", raise.numbers);
  }
  const std::uint32_t crc = crc32c(0, text);
  std::array<char, kCrcDigits> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), crc, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  text.append(kCrcWord).append(kCrcDigits - count, '0').append(digits.data(), count).append("\n");
  text.resize(kNoteBytes, ' ');
  return text;
}

std::optional<PositionRecord> decode_position(std::string_view bytes) {
  const std::size_t crc_at = bytes.find(kCrcWord);
  if (!bytes.starts_with(kTitle) || crc_at == bytes.npos) return std::nullopt;
  const std::string_view text = bytes.substr(0, crc_at);
  const std::string_view digits = bytes.substr(crc_at + kCrcWord.size(), kCrcDigits);
  std::uint32_t crc = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), crc, 16);
  if (error != std::errc{} || end != digits.data() + kCrcDigits || crc != crc32c(0, text)) {
    return std::nullopt;
  }
  PositionRecord record;
  Lines lines{text.substr(kTitle.size())};
  const bool is_whole =
      lines.take("serial", record.serial) && lines.take("log", record.log_id) &&
      lines.take("claim", record.claim) && lines.take("cluster", record.cluster) &&
      lines.take("timeline", record.timeline) && lines.take("begin", record.begin) &&
      lines.take("confirmed", record.confirmed) && lines.take("sessions", record.sessions) &&
      lines.take("first-number", record.first_number);
  if (!is_whole) return std::nullopt;
  if (lines.next_word() == kSeenWord) {
    std::string seen;
    if (!lines.take(kSeenWord, seen)) return std::nullopt;
    if (seen != kSeenOnStandby && seen != kSeenOnOneServer) return std::nullopt;
    record.by = seen == kSeenOnStandby ? RecordedBy::Waiter : RecordedBy::WaiterOneCopy;
  }
  while (!lines.empty()) {
    Raise& raise = record.raises.emplace_back();
    if (!lines.take("raised-until", raise.until) || !lines.take("raised-by", raise.numbers)) {
      return std::nullopt;
    }
  }
  return record;
}

PositionMarker::PositionMarker(const PostgresOptions& options)
    : place_{"PostgreSQL store " + options.schema + ": "},
      path_{options.note_folder + "/postgresql-" + options.schema + ".note"} {}

PositionMarker::~PositionMarker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

StoreResult<std::unique_ptr<PositionMarker>> PositionMarker::open(const PostgresOptions& options) {
  std::unique_ptr<PositionMarker> marker{new PositionMarker{options}};
  auto opened = marker->open_file(options.note_folder);
  DiskResult<bool> is_whole = true;
  if (opened) is_whole = marker->read_found();
  if (!opened || !is_whole) {
    const DiskError& error = opened ? is_whole.error() : opened.error();
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Disk,
        .text = marker->place_ + "how far the log was confirmed is recorded on this machine, and " +
                error.what()}};
  }
  if (!*is_whole) {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Corrupt,
        .text =
            marker->place_ + marker->path_ +
            ": the record of how far the log was confirmed is damaged, so what the database may "
            "have lost since is not known. Compare the sessions' numbers with the "
            "counterparties', set them (nexusfix journal set), and remove the file"}};
  }
  return marker;
}

DiskResult<void> PositionMarker::open_file(const std::string& folder) {
  if (auto made = disk_.make_directories(folder); !made) return made;
  auto opened = disk_.open(path_, OpenMode::Create);
  if (!opened) return std::unexpected{std::move(opened.error())};
  file_ = std::move(*opened);
  return {};
}

// False: the file has content, and it is no record.
DiskResult<bool> PositionMarker::read_found() {
  bool is_empty = true;
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    std::array<char, kNoteBytes> bytes{};
    const auto got = file_->read_at(slot * kSlotBytes, bytes);
    if (!got) return std::unexpected{got.error()};
    const std::string_view text{bytes.data(), *got};
    is_empty = is_empty && std::ranges::all_of(text, [](char byte) { return byte == '\0'; });
    auto record = decode_position(text);
    if (record && (!record_ || record_->serial < record->serial)) record_ = std::move(record);
  }
  return record_.has_value() || is_empty;
}

DiskResult<void> PositionMarker::write() {
  ++record_->serial;
  const std::string text = encode_position(*record_);
  return file_->write_at(record_->serial % kSlots * kSlotBytes, text);
}

StoreResult<void> PositionMarker::begin(PositionRecord record) {
  record.serial = record_ ? record_->serial : 0;
  record_ = std::move(record);
  auto done = write();
  if (done) done = file_->sync();
  if (done) done = disk_.sync_directory(path_.substr(0, path_.rfind('/')));
  if (!done) {
    return std::unexpected{
        StoreError{.code = StoreErrorCode::Disk, .text = place_ + done.error().what()}};
  }
  if (!thread_.joinable()) thread_ = std::thread{[this] { sync_now_and_then(); }};
  return {};
}

void PositionMarker::set_timeline(std::uint32_t timeline) {
  record_->timeline = timeline;
  static_cast<void>(write());
}

std::optional<std::string> PositionMarker::record(LogPosition confirmed, std::uint64_t opened,
                                                  std::uint64_t raised) {
  record_->confirmed = confirmed;
  record_->sessions += opened;
  if (raised > 0) add_raise(*record_, {.until = confirmed, .numbers = raised});
  auto done = write();
  if (!done) {
    if (std::exchange(has_failed_, true)) return std::nullopt;
    return done.error().what();
  }
  {
    const std::lock_guard lock{mutex_};
    if (std::exchange(is_unsynced_, true)) return std::nullopt;
  }
  changed_.notify_all();
  return std::nullopt;
}

void PositionMarker::sync_now_and_then() {
  std::unique_lock lock{mutex_};
  while (!ends_) {
    changed_.wait(lock, [this] { return ends_ || is_unsynced_; });
    changed_.wait_for(lock, kSyncInterval, [this] { return ends_; });
    if (!std::exchange(is_unsynced_, false)) continue;
    lock.unlock();
    // An error matters only after a loss of power of this machine.
    static_cast<void>(file_->sync());
    lock.lock();
  }
}

}  // namespace nexusfix::store::postgres
