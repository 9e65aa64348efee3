#include "stream/followed_log.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::stream {
namespace {

constexpr int kRecordsAtOnce = 500;
constexpr int kScoutedAtOnce = 200'000;

}  // namespace

FollowedLog::FollowedLog(const LogRequest& request, std::uint64_t number, store::CursorFile file,
                         std::unique_ptr<store::LogFollower> reader)
    : name_{request.name},
      title_{request.title},
      number_{number},
      open_{request.open},
      file_{std::move(file)},
      reader_{std::move(reader)},
      encoder_{request.encoder},
      passed_{reader_->cursor()} {}

std::expected<std::unique_ptr<FollowedLog>, std::string> FollowedLog::open(
    Disk& disk, const LogRequest& request, std::uint64_t number) {
  auto file = store::CursorFile::open(disk, request.folder, request.cursor_name);
  if (!file) return std::unexpected{file.error()};
  store::FollowOptions options = request.follow;
  options.cursor = file->cursor();
  auto reader = request.open(options);
  if (!reader) {
    // A new cursor without a place would hold every segment of a journal.
    if (!file->cursor()) static_cast<void>(disk.remove(file->path()));
    return std::unexpected{reader.error()};
  }
  std::unique_ptr<FollowedLog> log{
      new FollowedLog{request, number, std::move(*file), std::move(*reader)}};
  // From now on the engine keeps what is not passed.
  if (auto saved = log->save(); !saved) return std::unexpected{saved.error()};
  return log;
}

std::expected<FollowedLog::Progress, std::string> FollowedLog::feed(Broker& broker) {
  for (int i = 0; i < kRecordsAtOnce; ++i) {
    const auto sent = send(broker);
    if (!sent) return std::unexpected{sent.error()};
    if (!*sent) return Progress::Full;
    const auto read = read_one();
    if (!read) return std::unexpected{read.error()};
    if (!*read && backlog_.empty()) return Progress::Nothing;
  }
  return Progress::More;
}

// False: the broker takes no more.
std::expected<bool, std::string> FollowedLog::send(Broker& broker) {
  while (!backlog_.empty()) {
    const auto sent = broker.send(backlog_.front());
    if (!sent) return std::unexpected{name_ + ": " + sent.error()};
    if (*sent == Broker::Sent::Full) return false;
    backlog_.pop_front();
  }
  return true;
}

// False: the log has no further record at the moment.
std::expected<bool, std::string> FollowedLog::read_one() {
  std::expected<void, std::string> added;
  const auto read = reader_->next([&](const store::FollowedMessage& message) {
    if (kept_messages_++ == 0) kept_oldest_ = message.time;
    ++read_messages_;
    if (scouted_ > 0) --scouted_;
    if (added) added = encoder_.add(message, encoded_);
  });
  if (!read) return std::unexpected{read.error()};
  if (added && (!*read || encoder_.is_full())) added = encoder_.flush(encoded_);
  if (!added) return std::unexpected{name_ + ": " + added.error()};
  if (!encoded_.empty()) {
    end_unit(std::exchange(encoded_, {}));
  } else if (kept_messages_ == 0) {
    // Nothing but bookkeeping: it is passed with what is before it.
    (units_.empty() ? passed_ : units_.back().end) = reader_->cursor();
  }
  return read;
}

void FollowedLog::end_unit(std::vector<Outgoing> records) {
  NEXUSFIX_ASSERT(backlog_.empty());
  const std::uint64_t unit = first_unit_ + units_.size();
  for (Outgoing& record : records) {
    record.id = number_ << kUnitBits | unit;
    backlog_.push_back(std::move(record));
  }
  units_.push_back({.end = reader_->cursor(),
                    .open_records = records.size(),
                    .records = records.size(),
                    .messages = std::exchange(kept_messages_, 0),
                    .oldest = kept_oldest_});
}

void FollowedLog::acknowledge(std::uint64_t id) {
  const std::uint64_t unit = id & ((std::uint64_t{1} << kUnitBits) - 1);
  NEXUSFIX_ASSERT(unit >= first_unit_ && unit - first_unit_ < units_.size());
  --units_[static_cast<std::size_t>(unit - first_unit_)].open_records;
  while (!units_.empty() && units_.front().open_records == 0) {
    passed_ = units_.front().end;
    counts_.acknowledged += units_.front().messages;
    counts_.records += units_.front().records;
    units_.pop_front();
    ++first_unit_;
  }
}

std::expected<void, std::string> FollowedLog::save() {
  if (file_.cursor() && *file_.cursor() == passed_) return {};
  if (auto saved = file_.save(passed_); !saved) return std::unexpected{saved.error().what()};
  return {};
}

Lag FollowedLog::measure_lag(WallTime now) {
  Lag lag{.messages = read_messages_ - counts_.acknowledged};
  const store::LogPosition end = reader_->end_of_log();
  lag.bytes = end - std::min(end, passed_.position);
  const WallTime oldest = !units_.empty()      ? units_.front().oldest
                          : kept_messages_ > 0 ? kept_oldest_
                                               : now;
  lag.age = std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds{now - oldest});
  if (scout_ && scout_->cursor().position <= reader_->cursor().position) scout_.reset();
  if (!scout_) scouted_ = 0;
  if (!backlog_.empty()) {
    if (!scout_) {
      if (auto forked = reader_->fork()) scout_ = std::move(*forked);
    }
    const auto count = [&](const store::FollowedMessage&) { ++scouted_; };
    for (int i = 0; scout_ && i < kScoutedAtOnce; ++i) {
      if (const auto more = scout_->next(count); !more || !*more) break;
    }
  }
  lag.messages += scouted_;
  return lag;
}

}  // namespace nexusfix::stream
