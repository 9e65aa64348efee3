#include "observe/writer/log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <poll.h>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <nexusfix/deferred.hpp>

#include "base/api/secret.hpp"
#include "base/api/utc_text.hpp"
#include "observe/shown_text.hpp"
#include "observe/writer/log_record.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::size_t kEventLineBytesMax = 2'000;
// At most this number of records, and about this number of bytes, become lines before the lines are
// written.
constexpr std::size_t kRoundRecordsMax = 4'096;
constexpr std::size_t kRoundBytesMax = 1U << 20U;

WallTime to_time(std::int64_t nanoseconds) noexcept {
  return WallTime{std::chrono::nanoseconds{nanoseconds}};
}

std::string_view to_text(std::span<const std::byte> bytes) noexcept {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

// A password must not stay in the queue until another record overwrites it.
void wipe(std::span<const std::byte> record) noexcept {
  // Valid: the record lies in the queue's own memory, which is not const, and only its reader
  // touches it until release().
  auto* const bytes = const_cast<std::byte*>(record.data());
  wipe_bytes({static_cast<char*>(static_cast<void*>(bytes)), record.size()});
  wipe_traces();
}

constexpr int kWaitMilliseconds = 100;

}  // namespace

SessionLogs::Writer::Writer(Disk& disk, const SessionLogsOptions& options)
    : folders_{disk, notices_},
      files_{disk, notices_, options.compression},
      screen_{options.screen_descriptor} {}

SessionLogs::Writer::Stream SessionLogs::Writer::make_stream(SessionLogOptions options) {
  Stream stream{std::move(options), MessageLine{Masking{{}}}};
  stream.line = MessageLine{Masking{stream.options.masked}};
  return stream;
}

std::expected<void, std::string> SessionLogs::Writer::open(std::vector<SessionLogOptions> sessions,
                                                           WallTime now) {
  for (const SessionLogOptions& options : sessions) {
    ++prefix_claims_[options.prefix];
    if (options.former_prefix != options.prefix) ++prefix_claims_[options.former_prefix];
  }
  for (SessionLogOptions& options : sessions) {
    const bool is_last = &options == &sessions.back();
    const LogFiles::OpenWhen when = files_.can_keep_open() || is_last
                                        ? LogFiles::OpenWhen::Now
                                        : LogFiles::OpenWhen::WithFirstLine;
    Stream stream = make_stream(std::move(options));
    if (auto opened = open_files(stream, now, when); !opened) {
      return std::unexpected{opened.error().what()};
    }
    streams_.push_back(std::move(stream));
  }
  global_stream_ = streams_.size() - 1;
  return {};
}

DiskResult<void> SessionLogs::Writer::open_files(Stream& stream, WallTime now,
                                                 LogFiles::OpenWhen when) {
  const LogFileOptions& of_files = stream.options.files;
  if (of_files.folder.empty()) return {};
  const auto is_new = folders_.make(of_files);
  if (!is_new) return std::unexpected{is_new.error()};
  // The first file in a folder shows whether files can be made there.
  if (*is_new) when = LogFiles::OpenWhen::Now;
  const std::string prefix = prefix_of(stream.options);
  LogFileOptions of_messages = of_files;
  of_messages.event_format = EventFormat::Text;
  const auto messages = files_.open(of_messages, prefix + ".messages", now, when);
  if (!messages) return std::unexpected{messages.error()};
  const auto events = files_.open(of_files, prefix + ".event", now, when);
  if (!events) return std::unexpected{events.error()};
  stream.messages = *messages;
  stream.events = *events;
  stream.folder = folders_.index_of(of_files.folder);
  return {};
}

// The former prefix if files with it exist, files with the present prefix do not, and no other
// session can have written them.
std::string SessionLogs::Writer::prefix_of(const SessionLogOptions& session) {
  const std::string& former = session.former_prefix;
  if (former.empty() || former == session.prefix) return session.prefix;
  const auto claims = prefix_claims_.find(former);
  if (claims != prefix_claims_.end() && claims->second > 1) return session.prefix;
  const std::set<std::string>& names = folders_.names_in(session.files.folder);
  const auto has_files = [&](const std::string& prefix) {
    return names.contains(prefix + ".messages.current.log") ||
           names.contains(prefix + ".event.current.log");
  };
  if (!has_files(former) || has_files(session.prefix)) return session.prefix;
  // Another session may write to them now.
  const std::string path = LogFile{session.files, former + ".messages"}.path();
  const auto writes_there = [&](const Stream& other) {
    return other.messages != nullptr && other.messages->path() == path &&
           other.options.name != session.name;
  };
  return std::ranges::any_of(streams_, writes_there) ? session.prefix : former;
}

SessionLogs::Writer::Stream& SessionLogs::Writer::stream_of(std::size_t session) {
  if (session >= streams_.size()) {
    added_.consume_all([this](const AddedSession& added) { open_added(added); });
  }
  return streams_[session];
}

void SessionLogs::Writer::open_added(const AddedSession& session) {
  Stream stream = make_stream(session.options);
  if (const auto opened = open_files(stream, now_, LogFiles::OpenWhen::Now); !opened) {
    use_global_files(stream, opened.error().what());
  }
  // Nothing may throw after push_back(): the session would be added twice.
  streams_.push_back(std::move(stream));
  if (session.is_global) global_stream_ = streams_.size() - 1;
}

void SessionLogs::Writer::use_global_files(Stream& stream, const std::string& why) {
  const Stream& global = streams_[global_stream_];
  stream.messages = global.messages;
  stream.events = global.events;
  stream.folder = global.folder;
  stream.uses_global_files = !stream.options.name.empty();
  const std::string& name =
      stream.options.name.empty() ? stream.options.prefix : stream.options.name;
  const std::string where =
      stream.messages == nullptr ? " has no log" : " logs to " + global.options.prefix;
  notices_.post({EventId::SessionLogNotMade,
                 name + where + ", because its own files cannot be made: " + why});
}

void SessionLogs::Writer::append_message(Stream& stream, const MessageToLog& message) {
  const bool heartbeat = is_heartbeat(message.bytes);
  stream.line.take(message);
  const ScreenLogOptions& shown = stream.options.screen;
  const bool on_screen =
      message.direction == Direction::In ? shown.has_incoming : shown.has_outgoing;
  if (on_screen && (!heartbeat || shown.has_heartbeats)) {
    stream.line.append_to_screen(screen_lines_, stream.options.name, shown.fraction_digits);
  }
  const LogFileOptions& of_files = stream.options.files;
  if (stream.messages == nullptr || (heartbeat && !of_files.has_heartbeats)) return;
  // Events are still logged: they are few, and report that the disk fills up.
  if (of_files.free_bytes_min > 0 &&
      folders_.is_nearly_full(stream.folder, of_files.free_bytes_min, message.time)) {
    stream.messages->lose(message.time, "the disk was nearly full");
    files_.count_lost();
    return;
  }
  stream.line.append_to_file(files_.begin_line(*stream.messages, message.time),
                             of_files.has_message_times ? &of_files.fraction_digits : nullptr);
}

// A line in a session's own file does not repeat the name of the session.
void SessionLogs::Writer::append_event(Stream& stream, const Event& event) {
  const LogFileOptions& of_files = stream.options.files;
  if (stream.options.screen.has_events) {
    screen_lines_ += format_event(event, stream.options.screen.fraction_digits);
    screen_lines_ += '\n';
  }
  if (stream.events == nullptr) return;
  std::string& lines = files_.begin_line(*stream.events, event.time);
  if (of_files.event_format == EventFormat::Json) {
    lines += format_event_as_json(event, of_files.fraction_digits);
    lines += '\n';
    return;
  }
  append_utc(lines, event.time, UtcForm::Fix, of_files.fraction_digits);
  lines += ' ';
  lines += to_string(event.severity());
  lines += ' ';
  append_identifier(lines, event.id);
  lines += " : ";
  std::string text;
  if (stream.uses_global_files || event.session != stream.options.name) {
    text = std::string{event.session} + ": ";
  }
  text += event.text;
  std::string shown;
  append_shown_or_cut(shown, text, kEventLineBytesMax);
  lines += shown;
  lines += '\n';
}

void SessionLogs::Writer::append_loss(Stream& stream, WallTime now, const Loss& loss) {
  const std::string_view what =
      loss.count == 1 ? "message or event was" : "messages and events were";
  if (stream.messages != nullptr) {
    observe::append_loss(files_.begin_line(*stream.messages, now), loss, now, what, kFullQueue);
  }
  const ScreenLogOptions& shown = stream.options.screen;
  if (shown.has_incoming || shown.has_outgoing || shown.has_events) {
    observe::append_loss(screen_lines_, loss, now, what, kFullQueue);
  }
}

void SessionLogs::Writer::append_loss(std::size_t session, const Loss& loss) {
  if (!streams_.empty()) append_loss(stream_of(session), loss.last, loss);
}

void SessionLogs::Writer::append(std::span<const std::byte> record) {
  LogRecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const std::span<const std::byte> rest = record.subspan(sizeof head);
  now_ = to_time(head.time_ns);
  Stream& stream = stream_of(head.session);
  switch (static_cast<Kind>(head.kind)) {
    case Kind::Received:
    case Kind::Sent:
    case Kind::Garbled: {
      const auto kind = static_cast<Kind>(head.kind);
      append_message(stream, {.time = now_,
                              .direction = kind == Kind::Sent ? Direction::Out : Direction::In,
                              .is_garbled = kind == Kind::Garbled,
                              .bytes = to_text(rest),
                              .cut_bytes = head.cut_bytes});
      if (stream.line.is_masked()) wipe(record);
      break;
    }
    case Kind::Event: {
      const std::string_view bytes = to_text(rest);
      const std::string_view about = bytes.substr(0, head.cut_bytes);
      append_event(stream, {now_, head.event, about.empty() ? stream.options.name : about,
                            bytes.substr(about.size())});
      break;
    }
    case Kind::Lost: {
      LogLossRecord loss;
      std::memcpy(&loss, rest.data(), sizeof loss);
      append_loss(stream, now_, {loss.count, to_time(loss.first_ns), to_time(loss.last_ns)});
      break;
    }
  }
}

bool SessionLogs::Writer::round(deferred::RecordQueue& queue) {
  // Acquire pairs with the release in reopen(): the files were moved before.
  if (is_reopen_wanted_.exchange(false, std::memory_order_acquire)) {
    // Without memory the next round tries again.
    is_reopening_ = deferred::detail::returns_normally([&] { files_.begin_reopening(); });
    if (!is_reopening_) is_reopen_wanted_.store(true, std::memory_order_relaxed);
  }
  const bool has_more_to_reopen = files_.reopen_some(now_);
  if (is_reopening_ && !has_more_to_reopen) {
    is_reopening_ = false;
    not_reopened_.store(files_.not_reopened(), std::memory_order_relaxed);
    reopenings_.fetch_add(1, std::memory_order_release);
  }
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < kRoundRecordsMax && bytes < kRoundBytesMax) {
    const std::optional<std::span<const std::byte>> record = queue.read();
    if (!record) break;
    ++count;
    bytes += record->size();
    // Without memory the line is lost, like one that the disk does not take.
    if (!deferred::detail::returns_normally([&] { append(*record); })) files_.count_lost();
  }
  if (count == 0) return has_more_to_reopen;
  // Release before the slow write to the disk, so that the event loop has the room in the meantime.
  queue.release();
  write();
  return true;
}

void SessionLogs::Writer::write() {
  files_.write(now_);
  screen_.write(screen_lines_);
  screen_lines_.clear();
  lost_on_screen_.store(screen_.lost(), std::memory_order_relaxed);
}

void SessionLogs::Writer::finish() {
  write();
  files_.finish(now_);
}

// A descriptor that is ready takes PIPE_BUF bytes without blocking.
std::size_t Screen::write_some(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    const int count = ::poll(&ready, 1, is_stuck_ ? 0 : kWaitMilliseconds);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || (ready.revents & POLLOUT) == 0) break;
    const std::size_t piece = std::min<std::size_t>(bytes.size() - taken, PIPE_BUF);
    const ssize_t written = ::write(descriptor_, bytes.data() + taken, piece);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    taken += static_cast<std::size_t>(written);
    is_stuck_ = false;
  }
  is_stuck_ = taken < bytes.size();
  if (taken > 0) is_mid_line_ = bytes[taken - 1] != '\n';
  return taken;
}

void Screen::write(std::string_view lines) {
  if (lines.empty()) return;
  std::string before = is_mid_line_ ? "\n" : "";
  const std::uint64_t unreported = lost_ - lost_reported_;
  if (unreported > 0) {
    before += std::to_string(unreported);
    before += unreported == 1 ? " line was not shown\n" : " lines were not shown\n";
  }
  if (!before.empty()) {
    if (write_some(before) < before.size()) {
      lost_ += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
      return;
    }
    lost_reported_ += unreported;
  }
  const std::size_t taken = write_some(lines);
  lost_ += static_cast<std::uint64_t>(std::ranges::count(lines.substr(taken), '\n'));
}

}  // namespace nexusfix::observe
