#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "base/api/utc_text.hpp"
#include "journal/api/journal_tools.hpp"
#include "logs/source/byte_source.hpp"
#include "nexusfix/journal/archive/journal_archive.hpp"
#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/text/text.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kTextBytesMax = 4U << 20U;

// What cannot be read of a journal, although its records go on or went on there; empty: nothing. A
// write at its end that is not done, or was interrupted, is no damage.
std::string damage_of(Disk& disk, const std::string& folder, const store::JournalReport& report) {
  std::vector<std::string> damages = report.damages;
  // Opening would cut the log after a loss of power or in a copy, most often a torn record.
  if (report.cut_bytes > 0) {
    const auto check = store::verify_journal(disk, folder);
    if (!check) damages.push_back(check.error().text);
    if (check && !check->damages.empty()) {
      const store::FoundDamage& first = check->damages.front();
      damages.push_back(fmt::format(
          "{}: damaged at offset {} ({} bytes): {}; the {} bytes from there on are not read",
          first.file, first.offset, first.bytes, first.what, report.cut_bytes));
    }
  }
  std::string text;
  if (!damages.empty()) {
    text = damages.front();
    if (damages.size() > 1) {
      text += fmt::format("; {} damaged, too",
                          command::counted(damages.size() - 1, "more place is", "more places are"));
    }
  }
  const std::string lost_end =
      report.missing_bytes > 0
          ? fmt::format("its end is missing, {} bytes at least", report.missing_bytes)
          : report.lost_end;
  if (!text.empty() && !lost_end.empty()) text += "; ";
  text += lost_end;
  if (!text.empty()) text += " (nexusfix journal verify shows more)";
  return text;
}

// A journal passes its messages to a visitor, and a reader asks for them: a thread visits, and
// waits while the reader has enough.
class JournalSource final : public ByteSource {
 public:
  JournalSource(Disk& disk, std::string folder, Follow follow)
      : disk_{disk}, folder_{std::move(folder)}, is_followed_{follow == Follow::Yes} {}
  JournalSource(const JournalSource&) = delete;
  JournalSource& operator=(const JournalSource&) = delete;
  ~JournalSource() override {
    {
      const std::lock_guard lock{mutex_};
      is_abandoned_ = true;
    }
    changed_.notify_all();
  }

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    if (at_ == taken_.size()) {
      if (!visitor_.joinable()) visitor_ = std::jthread{[this] { visit(); }};
      taken_.clear();
      at_ = 0;
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [&] { return !ready_.empty() || is_done_ || is_read_; });
      if (ready_.empty() && !error_.empty()) return std::unexpected{error_};
      if (ready_.empty() && is_done_ && !damage_.empty()) return std::unexpected{damage_};
      std::swap(taken_, ready_);
      lock.unlock();
      changed_.notify_all();
    }
    const std::size_t size = std::min(bytes.size(), taken_.size() - at_);
    std::copy_n(taken_.data() + at_, size, bytes.data());
    at_ += size;
    return size;
  }
  [[nodiscard]] SourceEnd end() const override {
    return is_followed_ ? SourceEnd::Waits : SourceEnd::Final;
  }
  [[nodiscard]] std::string damage() const override {
    const std::lock_guard lock{mutex_};
    return damage_;
  }

 private:
  struct Abandoned {};

  void visit() {
    std::string error;
    try {
      error = is_followed_ ? follow() : scan();
    } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): no error
    } catch (const std::exception& cause) {
      error = cause.what();
    }
    const std::lock_guard lock{mutex_};
    error_ = std::move(error);
    is_done_ = true;
    changed_.notify_all();
  }

  // Reads the journal again when it has grown.
  std::string follow() {
    constexpr std::chrono::milliseconds kBetweenReads{100};
    constexpr int kShareOfTime = 10;
    for (;;) {
      const MonoTime begin = clock_.now().mono;
      if (std::string error = scan(); !error.empty()) return error;
      const auto taken = clock_.now().mono - begin;
      std::unique_lock lock{mutex_};
      is_read_ = true;
      changed_.notify_all();
      changed_.wait_for(lock,
                        std::max<std::chrono::nanoseconds>(kBetweenReads, taken * kShareOfTime),
                        [&] { return is_abandoned_; });
      if (is_abandoned_) return {};
    }
  }

  std::string scan() {
    command::WholeJournalDisk whole{disk_, folder_};
    auto opened = command::open_for_reading(whole, folder_);
    if (!opened) return std::move(opened.error());
    if (is_followed_ && opened->store->appended() == appended_) return {};
    appended_ = opened->store->appended();
    std::uint64_t number = 0;
    const auto scanned = opened->store->scan_all([&](const store::Store::LogMessage& message) {
      using enum store::Store::LogKind;
      if (message.kind != Sent && message.kind != Received) return;
      if (number++ < passed_) return;
      ++passed_;
      line_.clear();
      if (message.time != WallTime{}) {
        append_utc(line_, message.time, UtcForm::Fix, kUtcFractionDigitsMax);
        line_ += ' ';
      }
      fmt::format_to(std::back_inserter(line_), "{} {} epoch {} : ", message.session,
                     message.kind == Sent ? "OUT" : "IN", message.epoch);
      line_.append(message.bytes).push_back('\n');
      pass_on();
    });
    const bool is_damaged = !scanned && scanned.error().code == store::StoreErrorCode::Corrupt;
    if (!scanned && !is_damaged) return scanned.error().text;
    std::string damage = damage_of(whole, folder_, opened->report);
    if (damage.empty() && is_damaged) damage = scanned.error().text;
    const std::lock_guard lock{mutex_};
    damage_ = std::move(damage);
    return {};
  }

  void pass_on() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return ready_.size() < kTextBytesMax || is_abandoned_; });
    if (is_abandoned_) throw Abandoned{};
    const bool was_empty = ready_.empty();
    ready_ += line_;
    lock.unlock();
    if (was_empty) changed_.notify_all();
  }

  Disk& disk_;
  std::string folder_;
  bool is_followed_;
  // What the last scan has found.
  SystemClock clock_;
  store::LogPosition appended_ = 0;
  std::uint64_t passed_ = 0;
  std::string line_;
  std::string taken_;  // of the reader
  std::size_t at_ = 0;
  mutable std::mutex mutex_;  // of the members after it
  std::string ready_;
  std::string error_;
  std::string damage_;  // that the last scan has passed over
  bool is_done_ = false;
  bool is_read_ = false;  // at least once, to its end
  bool is_abandoned_ = false;
  std::condition_variable changed_;
  std::jthread visitor_;  // last: it uses the others
};

}  // namespace

Source journal_source(Disk& disk, std::string folder, Follow follow) {
  return std::make_unique<JournalSource>(disk, std::move(folder), follow);
}

}  // namespace nexusfix::logs
