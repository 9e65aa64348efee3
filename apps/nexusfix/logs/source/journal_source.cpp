#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include <nexusfix/base/utc_text.hpp>

#include "nexusfix/journal/archive/journal_archive.hpp"
#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/logs/source/byte_source.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kTextBytesMax = 4U << 20U;

// A journal passes its messages to a visitor, and a reader asks for them: a thread visits, and
// waits while the reader has enough.
class JournalSource final : public ByteSource {
 public:
  JournalSource(Disk& disk, std::string folder) : disk_{disk}, folder_{std::move(folder)} {}
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
      changed_.wait(lock, [&] { return !ready_.empty() || is_done_; });
      if (ready_.empty() && !error_.empty()) return std::unexpected{error_};
      std::swap(taken_, ready_);
      lock.unlock();
      changed_.notify_all();
    }
    const std::size_t size = std::min(bytes.size(), taken_.size() - at_);
    std::copy_n(taken_.data() + at_, size, bytes.data());
    at_ += size;
    return size;
  }

 private:
  struct Abandoned {};

  void visit() {
    std::string error;
    try {
      error = scan();
    } catch (const Abandoned&) {
    } catch (const std::exception& cause) {
      error = cause.what();
    }
    const std::lock_guard lock{mutex_};
    error_ = std::move(error);
    is_done_ = true;
    changed_.notify_all();
  }

  std::string scan() {
    command::WholeJournalDisk whole{disk_, folder_};
    auto opened = command::open_for_reading(whole, folder_);
    if (!opened) return std::move(opened.error());
    const auto scanned = opened->store->scan_all([&](const store::Store::LogMessage& message) {
      using enum store::Store::LogKind;
      if (message.kind != Sent && message.kind != Received) return;
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
    return scanned ? std::string{} : scanned.error().text;
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
  std::string line_;   // of the visitor
  std::string taken_;  // of the reader
  std::size_t at_ = 0;
  std::mutex mutex_;  // of these four
  std::string ready_;
  std::string error_;
  bool is_done_ = false;
  bool is_abandoned_ = false;
  std::condition_variable changed_;
  std::jthread visitor_;  // last: it uses the others
};

}  // namespace

Source journal_source(Disk& disk, std::string folder) {
  return std::make_unique<JournalSource>(disk, std::move(folder));
}

}  // namespace nexusfix::logs
