#include <array>

#include <nexusfix/deferred/logger.hpp>

#include "logger/log_lines.hpp"

namespace nexusfix::deferred {

namespace {

// At most this number of records becomes lines before their room is released and the sink is
// called.
constexpr std::size_t kRoundRecordsMax = 256;

// The line about lost records is a record like any other.
constexpr const detail::LogCallSite* kOneLost =
    &detail::kLogCallSite<"{} record lost", std::uint64_t>;
constexpr const detail::LogCallSite* kManyLost =
    &detail::kLogCallSite<"{} records lost", std::uint64_t>;
using LostRecord = std::array<std::byte, 3 * sizeof(std::uint64_t)>;

[[nodiscard]] LostRecord lost_record(std::uint64_t count, std::int64_t time_ns) noexcept {
  const detail::LogCallSite* const site = count == 1 ? kOneLost : kManyLost;
  LostRecord record;
  std::memcpy(record.data(), &site, sizeof site);
  std::memcpy(record.data() + sizeof site, &time_ns, sizeof time_ns);
  std::memcpy(record.data() + sizeof site + sizeof time_ns, &count, sizeof count);
  return record;
}

[[nodiscard]] bool is_lost_record(std::span<const std::byte> record) noexcept {
  const detail::LogCallSite* site = nullptr;
  std::memcpy(&site, record.data(), sizeof site);
  return site == kOneLost || site == kManyLost;
}

// Each counter has one writer at a time, so it needs no read-modify-write.
void count_one(std::atomic<std::uint64_t>& counter) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

class Logger::Lines : public detail::LogLines {};

Logger::Logger(const Logger::Options& options)
    : queue_{options.capacity_bytes}, thread_{options.idle}, lines_{std::make_unique<Lines>()} {}

Logger::~Logger() { stop(); }

std::expected<void, StartError> Logger::start_with(std::unique_ptr<AnySink> sink) {
  const std::lock_guard lock{starting_};
  const auto round = [](void* object) noexcept {
    AnySink& to = *static_cast<AnySink*>(object);
    return to.logger.round(to);
  };
  const auto finish = [](void* object) noexcept {
    AnySink& to = *static_cast<AnySink*>(object);
    to.logger.finish(to);
  };
  const std::expected<void, StartError> result =
      thread_.start({.round = round, .finish = finish, .object = sink.get()});
  // Only now: start() has joined a thread that ran with the earlier sink.
  if (result) sink_ = std::move(sink);
  return result;
}

void Logger::stop() noexcept { thread_.stop(); }

Logger::Stats Logger::stats() const noexcept {
  Logger::Stats stats;
  stats.written = written_.load(std::memory_order_relaxed);
  stats.lost = lost_.load(std::memory_order_relaxed);
  stats.failed = failed_.load(std::memory_order_relaxed);
  return stats;
}

bool Logger::lose(WallTime now) noexcept {
  lost_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  count_one(lost_);
  return false;
}

bool Logger::report_lost_before(std::size_t size_bytes) noexcept {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  const LostRecord record = lost_record(lost - lost_reported_.load(std::memory_order_relaxed),
                                        lost_at_.load(std::memory_order_relaxed));
  // Only if there is room for both: otherwise, under a lasting overload, the log would consist of
  // lines about the records that were lost to make room for them. The claim is not committed; a
  // record that is too long for it goes alone.
  constexpr std::size_t kHeaderBytes = 8;
  const auto both = queue_.claim(record.size() + kHeaderBytes + size_bytes);
  if (!both && both.error() == RecordQueue::Error::Full) return false;
  if (!queue_.push(record)) return false;
  lost_reported_.store(lost, std::memory_order_relaxed);
  return true;
}

void Logger::append(std::span<const std::byte> record) noexcept {
  const bool made = detail::returns_normally([&] { lines_->append_record(record); });
  if (!made) {
    count_one(failed_);
  } else if (!is_lost_record(record)) {
    count_one(written_);
  }
}

bool Logger::round(AnySink& sink) noexcept {
  std::size_t count = 0;
  while (count < kRoundRecordsMax) {
    const std::optional<std::span<const std::byte>> record = queue_.read();
    if (!record) break;
    append(*record);
    ++count;
  }
  if (count == 0) return false;
  queue_.release();
  hand_over(sink);
  return true;
}

void Logger::hand_over(AnySink& sink) noexcept {
  if (!detail::returns_normally([&] { sink.write(lines_->lines()); })) count_one(failed_);
  lines_->clear();
}

// No thread writes any more: losses after the last record have no later record to come before.
void Logger::finish(AnySink& sink) noexcept {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  const std::uint64_t reported = lost_reported_.load(std::memory_order_relaxed);
  if (lost == reported) return;
  append(lost_record(lost - reported, lost_at_.load(std::memory_order_relaxed)));
  hand_over(sink);
  lost_reported_.store(lost, std::memory_order_relaxed);
}

}  // namespace nexusfix::deferred
