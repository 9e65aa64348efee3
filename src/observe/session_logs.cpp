#include "observe/api/session_logs.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <new>
#include <utility>

#include "observe/writer/log_record.hpp"
#include "observe/writer/log_writer.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::size_t kEventBytesMax = 4'096;

}  // namespace

void SessionLogs::Loss::add(WallTime time, std::uint64_t number) noexcept {
  if (count == 0) first = time;
  last = time;
  count += number;
}

SessionLogs::SessionLogs(Disk& disk, const SessionLogsOptions& options)
    : queue_{options.queue_bytes},
      thread_{deferred::Idle::Doze},
      writer_{std::make_unique<Writer>(disk, options)} {}

std::expected<std::unique_ptr<SessionLogs>, std::string> SessionLogs::open(
    Disk& disk, const SessionLogsOptions& options, std::vector<SessionLogOptions> sessions,
    WallTime now) {
  std::unique_ptr<SessionLogs> logs{new SessionLogs{disk, options}};
  for (const SessionLogOptions& one : sessions) logs->takes_.push_back(taken_of(one));
  logs->losses_.resize(sessions.size());
  if (auto opened = logs->writer_->open(std::move(sessions), now); !opened) {
    return std::unexpected{std::move(opened.error())};
  }
  if (!disk.takes_threads()) return logs;
  const auto round = [](void* object) noexcept {
    auto& of = *static_cast<SessionLogs*>(object);
    return of.writer_->round(of.queue_);
  };
  if (!logs->thread_.start({.round = round, .object = logs.get()})) {
    return std::unexpected{"the operating system refused a thread for the logs"};
  }
  logs->is_threaded_ = true;
  return logs;
}

SessionLogs::Takes SessionLogs::taken_of(const SessionLogOptions& session) noexcept {
  const bool in_files = !session.files.folder.empty();
  return {.incoming = in_files || session.screen.has_incoming,
          .outgoing = in_files || session.screen.has_outgoing,
          .events = in_files || session.screen.has_events};
}

// Everything that can throw comes before added().add(), which the writer sees.
std::size_t SessionLogs::add(SessionLogOptions session, bool is_global) {
  const Takes takes = taken_of(session);
  std::list<AddedSession> one;
  one.push_back({std::move(session), is_global});
  losses_.resize(takes_.size() + 1);
  takes_.push_back(takes);
  writer_->added().add(std::move(one));
  return takes_.size() - 1;
}

SessionLogs::~SessionLogs() {
  thread_.stop();
  while (writer_->round(queue_)) {
  }
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    if (losses_[i].count > 0) writer_->append_loss(i, losses_[i]);
  }
  writer_->finish();
}

void SessionLogs::garbled(std::size_t session, std::string_view bytes, WallTime time) noexcept {
  if (!takes_[session].incoming) return;
  const std::string_view kept = bytes.substr(0, kGarbledBytesMax);
  push(session, Kind::Garbled, {}, kept, time, bytes.size() - kept.size());
}

void SessionLogs::event(std::size_t session, EventId id, std::string_view text, WallTime time,
                        std::size_t about_bytes) noexcept {
  if (!takes_[session].events) return;
  push(session, Kind::Event, id, text.substr(0, kEventBytesMax), time,
       std::min(about_bytes, kEventBytesMax));
}

// Inlined: each message that is logged needs it.
[[gnu::always_inline]] inline bool SessionLogs::store(std::size_t session, Kind kind, EventId id,
                                                      std::string_view bytes, WallTime time,
                                                      std::size_t cut_bytes) noexcept {
  const auto room = queue_.claim(sizeof(LogRecordHead) + bytes.size());
  if (!room) [[unlikely]]
    return false;
  // In place: a copy would load whole words right after they were stored in parts, and the CPU
  // waits for that.
  ::new (static_cast<void*>(room->data()))
      LogRecordHead{.time_ns = time.time_since_epoch().count(),
                    .session = static_cast<std::uint32_t>(session),
                    .cut_bytes = static_cast<std::uint32_t>(cut_bytes),
                    .kind = static_cast<std::uint8_t>(kind),
                    .event = id};
  if (!bytes.empty()) {
    std::memcpy(room->data() + sizeof(LogRecordHead), bytes.data(), bytes.size());
  }
  queue_.commit(sizeof(LogRecordHead) + bytes.size());
  return true;
}

void SessionLogs::push(std::size_t session, Kind kind, EventId id, std::string_view bytes,
                       WallTime time, std::size_t cut_bytes) noexcept {
  if (losses_[session].count != 0 && !report_loss(session, bytes.size())) [[unlikely]]
    return lose(session, time);
  if (!store(session, kind, id, bytes, time, cut_bytes)) [[unlikely]]
    return lose(session, time);
  // Only this thread writes the counter: no read-modify-write is needed.
  taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void SessionLogs::lose(std::size_t session, WallTime time) noexcept {
  if (losses_[session].count == 0) ++unreported_sessions_;
  losses_[session].add(time);
  lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Reports a loss only if the record after it fits, too. Otherwise, under a lasting overload, the
// log would consist of lines about the records that were lost to make room for them.
bool SessionLogs::report_loss(std::size_t session, std::size_t room_bytes) noexcept {
  constexpr std::size_t kHeadersBytes = 64;
  Loss& loss = losses_[session];
  const LogLossRecord record{.count = loss.count,
                             .first_ns = loss.first.time_since_epoch().count(),
                             .last_ns = loss.last.time_since_epoch().count()};
  // This claim only asks for room and is never committed. A message that is too long for both
  // records is refused later, by its own claim.
  const auto both =
      queue_.claim(sizeof record + 2 * sizeof(LogRecordHead) + kHeadersBytes + room_bytes);
  if (!both && both.error() == deferred::RecordQueue::Error::Full) return false;
  const std::string_view bytes{static_cast<const char*>(static_cast<const void*>(&record)),
                               sizeof record};
  if (!store(session, Kind::Lost, {}, bytes, loss.last, 0)) return false;
  loss = {};
  --unreported_sessions_;
  return true;
}

void SessionLogs::report_losses() {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (unreported_sessions_ > 0 && !std::exchange(is_losing_, true)) {
    own_notices_.push_back(
        {EventId::LogQueueFull,
         "the logs do not keep up, and messages are not logged: " + std::string{kFullQueue}});
  }
  // A little room does not mean that the writer keeps up again.
  if (queue_.size_bytes() > queue_.record_bytes_max()) return;
  for (std::size_t i = 0; i < losses_.size() && unreported_sessions_ > 0; ++i) {
    if (losses_[i].count > 0) static_cast<void>(report_loss(i, 0));
  }
  if (unreported_sessions_ > 0 || !std::exchange(is_losing_, false)) return;
  own_notices_.push_back({EventId::LogQueueDrained, "the logs keep up again; " +
                                                        std::to_string(lost - reported_lost_) +
                                                        " messages and events were not logged"});
  reported_lost_ = lost;
}

std::vector<LogNotice> SessionLogs::turn() {
  if (unreported_sessions_ > 0 || is_losing_) [[unlikely]]
    report_losses();
  if (!is_threaded_) {
    while (writer_->round(queue_)) {
    }
  }
  std::vector<LogNotice> notices = std::exchange(own_notices_, {});
  writer_->notices().take(notices);
  return notices;
}

void SessionLogs::reopen() noexcept { writer_->reopen(); }

SessionLogsStats SessionLogs::stats() const noexcept {
  SessionLogsStats stats;
  stats.taken = taken_.load(std::memory_order_relaxed);
  stats.lost_in_queue = lost_.load(std::memory_order_relaxed);
  stats.lost_on_disk = writer_->lost_on_disk();
  stats.lost_on_screen = writer_->lost_on_screen();
  stats.reopenings = writer_->reopenings();
  stats.not_reopened = writer_->not_reopened();
  return stats;
}

}  // namespace nexusfix::observe
