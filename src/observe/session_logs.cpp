#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <nexusfix/base/secret.hpp>
#include <nexusfix/base/utc_text.hpp>
#include <nexusfix/observe/session_logs.hpp>

#include "observe/log_file.hpp"
#include "observe/message_line.hpp"
#include "observe/screen.hpp"
#include "observe/shown_text.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::size_t kGarbledBytesMax = 4'096;
constexpr std::size_t kEventBytesMax = 4'096;
constexpr std::size_t kEventLineBytesMax = 2'000;
// Records, and about as many bytes, that are made lines before these are written.
constexpr std::size_t kRoundRecordsMax = 4'096;
constexpr std::size_t kRoundBytesMax = 1U << 20U;
// More sessions' files are opened and closed by turns, so that descriptors are left for sessions.
constexpr std::size_t kOpenFilesMax = 128;
// Memory for the lines of so many files is kept for others; what more need is given back.
constexpr std::size_t kSparesMax = 16;
constexpr std::size_t kNoticesMax = 16;
// Files that are opened again in one round.
constexpr std::size_t kReopenedMax = 64;
constexpr std::string_view kFullQueue =
    "they came faster than the disk took them, and found no room in the queue";

// In front of the bytes of every record.
struct Head {
  std::int64_t time_ns = 0;
  std::uint32_t session = 0;
  std::uint32_t cut_bytes = 0;  // of an event: of the name that its text begins with
  std::uint8_t kind = 0;
  std::uint8_t unused[5]{};
  EventId event{};
};
static_assert(sizeof(Head) == 24);

// Of a record that tells of losses.
struct LossBytes {
  std::uint64_t count = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

WallTime to_time(std::int64_t nanoseconds) noexcept {
  return WallTime{std::chrono::nanoseconds{nanoseconds}};
}

std::string_view to_text(std::span<const std::byte> bytes) noexcept {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

}  // namespace

void SessionLogs::Loss::add(WallTime time, std::uint64_t number) noexcept {
  if (count == 0) first = time;
  last = time;
  count += number;
}

// What the thread in the background has.
struct SessionLogs::Writer {
  struct Stream {
    SessionLogOptions options;
    MessageLine line;
    LogFile* messages = nullptr;
    LogFile* events = nullptr;
    std::size_t folder = 0;
    bool is_elsewhere = false;  // its files cannot be made: it has those of no session
  };
  struct Added {
    SessionLogOptions options;
    bool is_of_none = false;
  };
  enum class FirstOpened : std::uint8_t { AtOnce, WithFirstLine };
  // How much is free is asked once a second.
  struct Folder {
    std::string path;
    WallTime checked_at = WallTime::min();
    std::uint64_t free_bytes = UINT64_MAX;
    bool is_short = false;
  };

  Writer(Disk& on, int screen_descriptor) : disk{on}, screen{screen_descriptor} {
    spares.reserve(kSparesMax);
  }

  [[nodiscard]] std::expected<void, std::string> begin(std::vector<SessionLogOptions> sessions,
                                                       WallTime now);
  [[nodiscard]] std::string prefix_of(const SessionLogOptions& session);
  [[nodiscard]] const std::set<std::string>& files_in(const std::string& folder);
  [[nodiscard]] DiskResult<void> begin_files(Stream& stream, WallTime now, FirstOpened when);
  [[nodiscard]] DiskResult<LogFile*> begin_file(const LogFileOptions& options,
                                                const std::string& name, WallTime now,
                                                FirstOpened when);
  [[nodiscard]] DiskResult<bool> make_folders(const LogFileOptions& options);
  [[nodiscard]] Stream& stream_of(std::size_t session);
  void take_added();
  void log_elsewhere(Stream& stream, const std::string& why);
  [[nodiscard]] std::size_t folder_of(const std::string& path);
  [[nodiscard]] bool round(deferred::RecordQueue& queue);
  void begin_reopening();
  [[nodiscard]] bool reopen_some();
  void append(std::span<const std::byte> record);
  static void forget(std::span<const std::byte> record) noexcept;
  void append_message(Stream& stream, const LoggedMessage& message);
  void append_event(Stream& stream, const Event& event);
  void append_loss_of(Stream& stream, WallTime now, const Loss& loss);
  [[nodiscard]] std::string& begin_line(LogFile& file, WallTime time);
  [[nodiscard]] bool is_short_of_room(const Stream& stream, WallTime now);
  void write();
  void write_file(LogFile& file);
  void note_open(LogFile& file);
  void finish();
  void notify(LogNotice notice);

  Disk& disk;
  Screen screen;
  std::vector<Stream> streams;
  std::size_t of_no_session = 0;                          // a stream
  std::map<std::string, std::unique_ptr<LogFile>> files;  // by path
  std::vector<Folder> folders;
  std::set<std::pair<std::string, std::string>> made;  // folders, and those of backups
  std::map<std::string, std::set<std::string>> found;  // files of a folder, for former prefixes
  std::map<std::string, std::size_t> former;  // how many sessions mean a prefix, now or before
  std::vector<LogFile*> dirty;
  std::vector<std::string> spares;   // memory for their lines
  std::vector<LogFile*> open_files;  // the one that was opened first in front
  std::vector<LogFile*> to_reopen;
  std::string screen_lines;
  WallTime now{};  // of the last record

  std::atomic<bool> reopen_wanted{false};
  std::atomic<std::uint64_t> lost_on_disk{0};
  std::atomic<std::uint64_t> lost_on_screen{0};
  // Whoever reads a record of a session finds it here, or has taken it before.
  std::mutex added_mutex;
  std::list<Added> added;
  std::list<Added> taken;  // from there, and not a stream yet

  std::atomic<bool> has_notices{false};
  std::mutex notices_mutex;
  std::vector<LogNotice> notices;
  std::size_t notices_more = 0;
};

std::size_t SessionLogs::Writer::folder_of(const std::string& path) {
  const auto found = std::ranges::find(folders, path, &Folder::path);
  if (found == folders.end()) folders.push_back({.path = path});
  return static_cast<std::size_t>(std::ranges::find(folders, path, &Folder::path) -
                                  folders.begin());
}

// Whether these are some that were not made before.
DiskResult<bool> SessionLogs::Writer::make_folders(const LogFileOptions& options) {
  std::pair both{options.folder, options.backup_folder};
  if (made.contains(both)) return false;
  for (const std::string* const folder : {&both.first, &both.second}) {
    if (folder->empty()) continue;
    if (auto begun = disk.make_directories(*folder); !begun) return std::unexpected{begun.error()};
  }
  made.insert(std::move(both));
  return true;
}

DiskResult<LogFile*> SessionLogs::Writer::begin_file(const LogFileOptions& options,
                                                     const std::string& name, WallTime at,
                                                     FirstOpened when) {
  auto file = std::make_unique<LogFile>(options, name);
  // A session that was added again goes on in its file.
  if (const auto found = files.find(file->path()); found != files.end()) {
    found->second->change(options);
    return found->second.get();
  }
  if (when == FirstOpened::AtOnce) {
    if (auto begun = file->begin(disk, at); !begun) return std::unexpected{begun.error()};
  }
  LogFile* const begun = file.get();
  files.emplace(begun->path(), std::move(file));
  if (when == FirstOpened::AtOnce) note_open(*begun);
  return begun;
}

// Names as they were when they were first wanted.
const std::set<std::string>& SessionLogs::Writer::files_in(const std::string& folder) {
  const auto [place, is_new] = found.try_emplace(folder);
  if (!is_new) return place->second;
  const auto names = disk.list(folder);
  if (names) place->second.insert(names->begin(), names->end());
  return place->second;
}

// The former one, where its files are there, the present one's are not, and no other session could
// have written them.
std::string SessionLogs::Writer::prefix_of(const SessionLogOptions& session) {
  const std::string& before = session.former_prefix;
  if (before.empty() || before == session.prefix) return session.prefix;
  const auto claims = former.find(before);
  if (claims != former.end() && claims->second > 1) return session.prefix;
  const std::set<std::string>& there = files_in(session.files.folder);
  const auto has_files = [&](const std::string& prefix) {
    return there.contains(prefix + ".messages.current.log") ||
           there.contains(prefix + ".event.current.log");
  };
  if (!has_files(before) || has_files(session.prefix)) return session.prefix;
  // Another session's that writes to them now.
  const std::string path = LogFile{session.files, before + ".messages"}.path();
  const auto writes_there = [&](const Stream& other) {
    return other.messages != nullptr && other.messages->path() == path &&
           other.options.name != session.name;
  };
  return std::ranges::any_of(streams, writes_there) ? session.prefix : before;
}

DiskResult<void> SessionLogs::Writer::begin_files(Stream& stream, WallTime at, FirstOpened when) {
  const LogFileOptions& of_files = stream.options.files;
  if (of_files.folder.empty()) return {};
  const auto is_new = make_folders(of_files);
  if (!is_new) return std::unexpected{is_new.error()};
  // One file says whether the folder takes any.
  if (*is_new) when = FirstOpened::AtOnce;
  const std::string prefix = prefix_of(stream.options);
  LogFileOptions of_messages = of_files;
  of_messages.event_format = EventFormat::Text;
  const auto messages = begin_file(of_messages, prefix + ".messages", at, when);
  if (!messages) return std::unexpected{messages.error()};
  const auto events = begin_file(of_files, prefix + ".event", at, when);
  if (!events) return std::unexpected{events.error()};
  stream.messages = *messages;
  stream.events = *events;
  stream.folder = folder_of(of_files.folder);
  return {};
}

// What can stay open is opened. More would be closed again for each other, which takes thousands of
// sessions seconds: their files are opened with their first lines.
std::expected<void, std::string> SessionLogs::Writer::begin(std::vector<SessionLogOptions> sessions,
                                                            WallTime at) {
  for (const SessionLogOptions& options : sessions) {
    ++former[options.prefix];
    if (options.former_prefix != options.prefix) ++former[options.former_prefix];
  }
  for (SessionLogOptions& options : sessions) {
    const bool is_last = &options == &sessions.back();
    const FirstOpened when = open_files.size() < kOpenFilesMax || is_last
                                 ? FirstOpened::AtOnce
                                 : FirstOpened::WithFirstLine;
    Stream stream{std::move(options), MessageLine{Masking{{}}}};
    stream.line = MessageLine{Masking{stream.options.masked}};
    if (auto begun = begin_files(stream, at, when); !begun) {
      return std::unexpected{begun.error().what()};
    }
    streams.push_back(std::move(stream));
  }
  of_no_session = streams.size() - 1;
  return {};
}

SessionLogs::Writer::Stream& SessionLogs::Writer::stream_of(std::size_t session) {
  if (session >= streams.size()) take_added();
  return streams[session];
}

// Without memory what is left is taken with the next record, in the same order.
void SessionLogs::Writer::take_added() {
  {
    const std::lock_guard lock{added_mutex};
    taken.splice(taken.end(), added);
  }
  for (; !taken.empty(); taken.pop_front()) {
    Stream stream{taken.front().options, MessageLine{Masking{{}}}};
    stream.line = MessageLine{Masking{stream.options.masked}};
    if (const auto begun = begin_files(stream, now, FirstOpened::AtOnce); !begun) {
      log_elsewhere(stream, begun.error().what());
    }
    if (taken.front().is_of_none) of_no_session = streams.size();
    streams.push_back(std::move(stream));
  }
}

void SessionLogs::Writer::log_elsewhere(Stream& stream, const std::string& why) {
  const Stream& global = streams[of_no_session];
  stream.messages = global.messages;
  stream.events = global.events;
  stream.folder = global.folder;
  stream.is_elsewhere = !stream.options.name.empty();
  const std::string& who =
      stream.options.name.empty() ? stream.options.prefix : stream.options.name;
  notify({EventId::SessionLogNotMade,
          who + (stream.messages == nullptr ? " has no log" : " logs to " + global.options.prefix) +
              ", because its own files cannot be made: " + why});
}

std::string& SessionLogs::Writer::begin_line(LogFile& file, WallTime time) {
  if (!file.has_lines()) {
    dirty.push_back(&file);
    if (!spares.empty()) {
      file.lend(std::move(spares.back()));
      spares.pop_back();
    }
  }
  return file.add_line(time);
}

// Events are few, and say what happens to a disk that fills up.
bool SessionLogs::Writer::is_short_of_room(const Stream& stream, WallTime at) {
  const std::uint64_t wanted = stream.options.files.free_bytes_min;
  if (wanted == 0) return false;
  Folder& folder = folders[stream.folder];
  constexpr std::chrono::seconds kLookAgainAfter{1};
  if (folder.checked_at == WallTime::min() || at < folder.checked_at ||
      at - folder.checked_at >= kLookAgainAfter) {
    folder.checked_at = at;
    folder.free_bytes = disk.free_bytes(folder.path).value_or(UINT64_MAX);
    const bool was_short = std::exchange(folder.is_short, folder.free_bytes < wanted);
    if (folder.is_short && !was_short) {
      notify({EventId::LogDiskNearlyFull, "only " + std::to_string(folder.free_bytes) +
                                              " bytes are free for the logs in " + folder.path +
                                              ": messages are not logged until there are " +
                                              std::to_string(wanted)});
    } else if (was_short && !folder.is_short) {
      notify({EventId::LogDiskHasRoom,
              "there is room for the logs in " + folder.path + " again: messages are logged"});
    }
  }
  return folder.is_short;
}

void SessionLogs::Writer::append_message(Stream& stream, const LoggedMessage& message) {
  const bool heartbeat = is_heartbeat(message.bytes);
  stream.line.take(message);
  const ScreenLogOptions& shown = stream.options.screen;
  const bool on_screen =
      message.direction == Direction::In ? shown.has_incoming : shown.has_outgoing;
  if (on_screen && (!heartbeat || shown.has_heartbeats)) {
    stream.line.append_to_screen(screen_lines, stream.options.name, shown.fraction_digits);
  }
  if (stream.messages == nullptr || (heartbeat && !stream.options.files.has_heartbeats)) return;
  if (is_short_of_room(stream, message.time)) {
    stream.messages->lose(message.time, "the disk was nearly full");
    lost_on_disk.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const LogFileOptions& of_files = stream.options.files;
  stream.line.append_to_file(begin_line(*stream.messages, message.time),
                             of_files.has_message_times ? &of_files.fraction_digits : nullptr);
}

// A line of a session's own file does not repeat its name; in the file of another one it does.
void SessionLogs::Writer::append_event(Stream& stream, const Event& event) {
  const LogFileOptions& of_files = stream.options.files;
  if (stream.options.screen.has_events) {
    screen_lines += format_event(event, stream.options.screen.fraction_digits);
    screen_lines += '\n';
  }
  if (stream.events == nullptr) return;
  std::string& lines = begin_line(*stream.events, event.time);
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
  if (stream.is_elsewhere || event.session != stream.options.name)
    text = std::string{event.session} + ": ";
  text += event.text;
  std::string shown;
  append_shown_or_cut(shown, text, kEventLineBytesMax);
  lines += shown;
  lines += '\n';
}

void SessionLogs::Writer::append_loss_of(Stream& stream, WallTime at, const Loss& loss) {
  const std::string_view what =
      loss.count == 1 ? "message or event was" : "messages and events were";
  if (stream.messages != nullptr) {
    append_loss(begin_line(*stream.messages, at), loss, at, what, kFullQueue);
  }
  const ScreenLogOptions& shown = stream.options.screen;
  if (shown.has_incoming || shown.has_outgoing || shown.has_events) {
    append_loss(screen_lines, loss, at, what, kFullQueue);
  }
}

// A password does not stay in the queue until others need its place.
void SessionLogs::Writer::forget(std::span<const std::byte> record) noexcept {
  // Valid: it lies in the queue's own memory, which is written to, and whoever has read it has it
  // alone until release().
  auto* const bytes = const_cast<std::byte*>(record.data());
  wipe_bytes({static_cast<char*>(static_cast<void*>(bytes)), record.size()});
  wipe_traces();
}

void SessionLogs::Writer::append(std::span<const std::byte> record) {
  Head head;
  std::memcpy(&head, record.data(), sizeof head);
  const std::span<const std::byte> rest = record.subspan(sizeof head);
  now = to_time(head.time_ns);
  Stream& stream = stream_of(head.session);
  switch (static_cast<Kind>(head.kind)) {
    case Kind::Received:
    case Kind::Sent:
    case Kind::Garbled: {
      const auto kind = static_cast<Kind>(head.kind);
      append_message(stream, {.time = now,
                              .direction = kind == Kind::Sent ? Direction::Out : Direction::In,
                              .is_garbled = kind == Kind::Garbled,
                              .bytes = to_text(rest),
                              .cut_bytes = head.cut_bytes});
      if (stream.line.is_masked()) forget(record);
      break;
    }
    case Kind::Event: {
      const std::string_view bytes = to_text(rest);
      const std::string_view about = bytes.substr(0, head.cut_bytes);
      append_event(stream, {now, head.event, about.empty() ? stream.options.name : about,
                            bytes.substr(about.size())});
      break;
    }
    case Kind::Lost: {
      LossBytes loss;
      std::memcpy(&loss, rest.data(), sizeof loss);
      append_loss_of(stream, now, {loss.count, to_time(loss.first_ns), to_time(loss.last_ns)});
      break;
    }
  }
}

bool SessionLogs::Writer::round(deferred::RecordQueue& queue) {
  // Acquire pairs with reopen()'s release: the file was moved before.
  if (reopen_wanted.exchange(false, std::memory_order_acquire)) {
    // Without memory it is tried again.
    if (!deferred::detail::returns_normally([&] { begin_reopening(); })) {
      reopen_wanted.store(true, std::memory_order_relaxed);
    }
  }
  const bool has_reopened = reopen_some();
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < kRoundRecordsMax && bytes < kRoundBytesMax) {
    const std::optional<std::span<const std::byte>> record = queue.read();
    if (!record) break;
    ++count;
    bytes += record->size();
    // Without memory a line is lost, like one that the disk does not take.
    if (!deferred::detail::returns_normally([&] { append(*record); })) {
      lost_on_disk.fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (count == 0) return has_reopened;
  // Before the disk is waited for: what waits in the meantime has the room.
  queue.release();
  write();
  return true;
}

// Those that were made are there again soon, without a line.
void SessionLogs::Writer::begin_reopening() {
  to_reopen.clear();
  to_reopen.reserve(files.size());
  for (LogFile* file : open_files) file->close();
  open_files.clear();
  for (const auto& [path, file] : files) {
    if (file->was_made()) to_reopen.push_back(file.get());
  }
}

// A part of them, so that lines do not wait for thousands.
bool SessionLogs::Writer::reopen_some() {
  for (std::size_t i = 0; i < kReopenedMax && !to_reopen.empty(); ++i) {
    LogFile& file = *to_reopen.back();
    to_reopen.pop_back();
    // A failure is reported, and the file is tried again with the next line.
    static_cast<void>(deferred::detail::returns_normally([&] { write_file(file); }));
  }
  return !to_reopen.empty();
}

void SessionLogs::Writer::write() {
  for (LogFile* file : dirty) {
    if (!deferred::detail::returns_normally([&] { write_file(*file); })) {
      // Or nobody would ask it again: it is told of with its first line.
      file->close();
      const std::uint64_t lost_before = file->lost();
      file->forget_lines();
      lost_on_disk.fetch_add(file->lost() - lost_before, std::memory_order_relaxed);
    }
    if (file->has_lines()) continue;
    std::string memory = file->give_back();
    if (spares.size() < kSparesMax) spares.push_back(std::move(memory));
  }
  dirty.clear();
  screen.write(screen_lines);
  screen_lines.clear();
  lost_on_screen.store(screen.lost(), std::memory_order_relaxed);
}

void SessionLogs::Writer::write_file(LogFile& file) {
  const bool was_open = file.is_open();
  const std::uint64_t lost_before = file.lost();
  if (auto notice = file.write(disk, now)) notify(std::move(*notice));
  lost_on_disk.fetch_add(file.lost() - lost_before, std::memory_order_relaxed);
  if (was_open == file.is_open()) return;
  if (was_open) {
    std::erase(open_files, &file);
    return;
  }
  note_open(file);
}

void SessionLogs::Writer::note_open(LogFile& file) {
  open_files.push_back(&file);
  if (open_files.size() <= kOpenFilesMax) return;
  open_files.front()->close();
  open_files.erase(open_files.begin());
}

void SessionLogs::Writer::finish() {
  write();
  for (const auto& [path, file] : files) file->finish(disk, now);
}

void SessionLogs::Writer::notify(LogNotice notice) {
  const std::lock_guard lock{notices_mutex};
  if (notices.size() < kNoticesMax) {
    notices.push_back(std::move(notice));
  } else {
    ++notices_more;
  }
  has_notices.store(true, std::memory_order_relaxed);
}

SessionLogs::SessionLogs(Disk& disk, const SessionLogsOptions& options)
    : queue_{options.queue_bytes},
      thread_{deferred::Idle::Doze},
      writer_{std::make_unique<Writer>(disk, options.screen_descriptor)} {}

std::expected<std::unique_ptr<SessionLogs>, std::string> SessionLogs::open(
    Disk& disk, const SessionLogsOptions& options, std::vector<SessionLogOptions> sessions,
    WallTime now) {
  std::unique_ptr<SessionLogs> logs{new SessionLogs{disk, options}};
  for (const SessionLogOptions& one : sessions) logs->takes_.push_back(taken_of(one));
  logs->losses_.resize(sessions.size());
  if (auto begun = logs->writer_->begin(std::move(sessions), now); !begun) {
    return std::unexpected{std::move(begun.error())};
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

// Nothing that can fail comes behind what the others have seen.
std::size_t SessionLogs::add(SessionLogOptions session, bool is_of_none) {
  const Takes takes = taken_of(session);
  std::list<Writer::Added> one;
  one.push_back({std::move(session), is_of_none});
  losses_.resize(takes_.size() + 1);
  takes_.push_back(takes);
  const std::lock_guard lock{writer_->added_mutex};
  writer_->added.splice(writer_->added.end(), one);
  return takes_.size() - 1;
}

SessionLogs::~SessionLogs() {
  thread_.stop();
  while (writer_->round(queue_)) {
  }
  for (std::size_t i = 0; i < losses_.size() && !writer_->streams.empty(); ++i) {
    if (losses_[i].count == 0) continue;
    writer_->append_loss_of(writer_->stream_of(i), losses_[i].last, losses_[i]);
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

void SessionLogs::push(std::size_t session, Kind kind, EventId id, std::string_view bytes,
                       WallTime time, std::size_t cut_bytes) noexcept {
  const bool done = losses_[session].count == 0 || tell_loss(session, bytes.size());
  if (!done || !store(session, kind, id, bytes, time, cut_bytes)) [[unlikely]] {
    return lose(session, time);
  }
  // One writer: no read-modify-write is needed.
  taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool SessionLogs::store(std::size_t session, Kind kind, EventId id, std::string_view bytes,
                        WallTime time, std::size_t cut_bytes) noexcept {
  const auto room = queue_.claim(sizeof(Head) + bytes.size());
  if (!room) [[unlikely]]
    return false;
  const Head head{.time_ns = time.time_since_epoch().count(),
                  .session = static_cast<std::uint32_t>(session),
                  .cut_bytes = static_cast<std::uint32_t>(cut_bytes),
                  .kind = static_cast<std::uint8_t>(kind),
                  .event = id};
  std::memcpy(room->data(), &head, sizeof head);
  if (!bytes.empty()) std::memcpy(room->data() + sizeof head, bytes.data(), bytes.size());
  queue_.commit(sizeof head + bytes.size());
  return true;
}

void SessionLogs::lose(std::size_t session, WallTime time) noexcept {
  if (losses_[session].count == 0) ++untold_;
  losses_[session].add(time);
  lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// Not unless there is room for what comes behind it, too: under a lasting overload the log would
// consist of lines about what was lost to make room for them.
bool SessionLogs::tell_loss(std::size_t session, std::size_t room_bytes) noexcept {
  constexpr std::size_t kHeadersBytes = 64;
  Loss& loss = losses_[session];
  const LossBytes told{.count = loss.count,
                       .first_ns = loss.first.time_since_epoch().count(),
                       .last_ns = loss.last.time_since_epoch().count()};
  // The claim is forgotten; a message too long for both is refused by itself.
  const auto both = queue_.claim(sizeof told + 2 * sizeof(Head) + kHeadersBytes + room_bytes);
  if (!both && both.error() == deferred::RecordError::Full) return false;
  const std::string_view bytes{static_cast<const char*>(static_cast<const void*>(&told)),
                               sizeof told};
  if (!store(session, Kind::Lost, {}, bytes, loss.last, 0)) return false;
  loss = {};
  --untold_;
  return true;
}

void SessionLogs::tell_losses() {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (untold_ > 0 && !std::exchange(is_losing_, true)) {
    own_notices_.push_back(
        {EventId::LogQueueFull,
         "the logs do not keep up, and messages are not logged: " + std::string{kFullQueue}});
  }
  // A little room is no sign that it goes on.
  if (queue_.size_bytes() > queue_.record_bytes_max()) return;
  for (std::size_t i = 0; i < losses_.size() && untold_ > 0; ++i) {
    if (losses_[i].count > 0) static_cast<void>(tell_loss(i, 0));
  }
  if (untold_ > 0 || !std::exchange(is_losing_, false)) return;
  own_notices_.push_back({EventId::LogQueueDrained, "the logs keep up again; " +
                                                        std::to_string(lost - told_lost_) +
                                                        " messages and events were not logged"});
  told_lost_ = lost;
}

std::vector<LogNotice> SessionLogs::turn() {
  if (untold_ > 0 || is_losing_) [[unlikely]]
    tell_losses();
  if (!is_threaded_) {
    while (writer_->round(queue_)) {
    }
  }
  std::vector<LogNotice> notices = std::exchange(own_notices_, {});
  if (!writer_->has_notices.load(std::memory_order_relaxed)) [[likely]]
    return notices;
  const std::lock_guard lock{writer_->notices_mutex};
  writer_->has_notices.store(false, std::memory_order_relaxed);
  std::ranges::move(writer_->notices, std::back_inserter(notices));
  writer_->notices.clear();
  if (const std::size_t more = std::exchange(writer_->notices_more, 0); more > 0) {
    notices.push_back({EventId::LogEventsDropped,
                       std::to_string(more) + " more events of the logs are not shown"});
  }
  return notices;
}

void SessionLogs::reopen() noexcept {
  writer_->reopen_wanted.store(true, std::memory_order_release);
}

SessionLogsStats SessionLogs::stats() const noexcept {
  SessionLogsStats stats;
  stats.taken = taken_.load(std::memory_order_relaxed);
  stats.lost_in_queue = lost_.load(std::memory_order_relaxed);
  stats.lost_on_disk = writer_->lost_on_disk.load(std::memory_order_relaxed);
  stats.lost_on_screen = writer_->lost_on_screen.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace nexusfix::observe
