#include "stream/stream.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/api/printable_text.hpp"
#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/journal/archive/journal_archive.hpp"
#include "nexusfix/text/text.hpp"
#include "stream/journal_reader.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
using command::counted;

constexpr auto kPause = 20ms;       // between two looks at a log that has not grown
constexpr auto kBetweenSaves = 1s;  // a sync costs the disk of the engine
constexpr auto kBetweenMeasures = 500ms;

class Streamer {
 public:
  Streamer(const StreamOptions& options, const StreamParts& parts)
      : options_{options}, parts_{parts} {}

  [[nodiscard]] bool open();
  [[nodiscard]] bool run();
  [[nodiscard]] bool end();

 private:
  enum class Turn : std::uint8_t {
    More,
    Full,  // the broker takes no more at the moment
    Idle,  // the logs have no more
    Failed,
  };
  [[nodiscard]] LogRequest request_of(const std::string& name) const;
  [[nodiscard]] std::expected<LogRequest, std::string> request_journal(
      const command::LogPlace& place);
  [[nodiscard]] std::expected<LogRequest, std::string> request_database(
      const command::LogPlace& place);
  void report_events(FollowedLog& log);
  [[nodiscard]] Turn feed_all();
  [[nodiscard]] bool serve(std::chrono::milliseconds wait);
  [[nodiscard]] bool save_all();
  void measure();
  void report_fault();
  [[nodiscard]] bool has_unsent() const;
  [[nodiscard]] MonoTime now() { return parts_.clock.now().mono; }

  [[nodiscard]] bool complain(const std::string& text) {
    command::fail("stream", printable(text));
    return false;
  }
  void report(EventId id, const std::string& text) {
    parts_.events.write({.time = parts_.clock.now().wall, .id = id, .session = {}, .text = text});
  }

  const StreamOptions& options_;
  const StreamParts& parts_;
  std::vector<std::unique_ptr<FollowedLog>> logs_;
  MonoTime next_save_;
  MonoTime next_measure_;
  bool has_lost_brokers_ = false;
  bool has_refused_ = false;  // the broker, a record for good
};

bool Streamer::open() {
  for (const std::string& name : options_.journals) {
    const auto place = command::find_log(parts_.disk, name);
    if (!place) return complain(place.error());
    auto request = place->is_journal() ? request_journal(*place) : request_database(*place);
    if (!request) return complain(request.error());
    auto log = FollowedLog::open(parts_.disk, *request, logs_.size());
    if (!log) return complain(log.error());
    const store::JournalCursor& cursor = (*log)->cursor();
    const std::string segment =
        place->is_journal() ? fmt::format(" in segment {}", cursor.segment) : std::string{};
    report(EventId::StreamOpened,
           fmt::format("{}: streamed from log position {}{} on, cursor {}", (*log)->title(),
                       cursor.position, segment, options_.cursor_name));
    logs_.push_back(std::move(*log));
  }
  next_save_ = now() + kBetweenSaves;
  next_measure_ = now();
  return true;
}

std::expected<LogRequest, std::string> Streamer::request_journal(const command::LogPlace& place) {
  const std::string& folder = place.folder;
  // Before the file of the cursor is made: a wrong folder gets no file.
  auto whole = std::make_shared<command::WholeJournalDisk>(parts_.disk, folder);
  const auto names = whole->list(folder);
  if (!names) return std::unexpected{names.error().what()};
  const auto is_segment = [](const std::string& name) { return name.ends_with(".journal"); };
  if (std::ranges::none_of(*names, is_segment)) {
    return std::unexpected{folder + ": there is no journal in this folder"};
  }
  LogRequest request = request_of(folder);
  request.title = "journal " + folder;
  request.folder = folder;
  std::error_code error;
  const auto path = std::filesystem::absolute(folder, error);
  if (options_.engine.empty()) {
    request.encoder.engine = error ? folder : path.lexically_normal().string();
  }
  request.open = [whole, folder](const store::FollowOptions& follow) {
    return JournalReader::open_log(*whole, folder, follow);
  };
  return request;
}

std::expected<LogRequest, std::string> Streamer::request_database(const command::LogPlace& place) {
  if (parts_.postgres == nullptr) {
    return std::unexpected{place.name + std::string{command::kNoPostgres}};
  }
  const store::PostgresOptions& database = place.database;
  const std::string& parent =
      options_.cursor_folder.empty() ? database.note_folder : options_.cursor_folder;
  if (parent.empty()) {
    return std::unexpected{place.name + ": --cursor-folder or FileStorePath was expected"};
  }
  LogRequest request = request_of(place.name);
  request.folder = parent + "/postgresql-" + database.schema;
  if (options_.engine.empty()) request.encoder.engine = database.schema;
  request.open = [follow = parts_.postgres->follow, database](const store::FollowOptions& how) {
    return follow(database, how);
  };
  return request;
}

LogRequest Streamer::request_of(const std::string& name) const {
  LogRequest request{.name = name,
                     .title = name,
                     .folder = {},
                     .cursor_name = options_.cursor_name,
                     .open = {},
                     .follow = options_.follow,
                     .encoder = options_.encoder};
  request.encoder.engine = options_.engine;
  return request;
}

Streamer::Turn Streamer::feed_all() {
  Turn turn = Turn::Idle;
  for (const auto& log : logs_) {
    const auto progress = log->feed(parts_.broker);
    report_events(*log);
    if (!progress) {
      static_cast<void>(complain(progress.error()));
      return Turn::Failed;
    }
    if (*progress == FollowedLog::Progress::More) turn = Turn::More;
    if (*progress == FollowedLog::Progress::Full && turn == Turn::Idle) turn = Turn::Full;
  }
  return turn;
}

void Streamer::report_events(FollowedLog& log) {
  while (const auto event = log.next_event()) report(event->id, event->text);
}

bool Streamer::serve(std::chrono::milliseconds wait) {
  const auto served = parts_.broker.serve(
      wait, [&](std::uint64_t id) { logs_[FollowedLog::number_of(id)]->acknowledge(id); });
  report_fault();
  if (!served) {
    has_refused_ = true;
    return complain(served.error());
  }
  const MonoTime time = now();
  if (time >= next_measure_) {
    next_measure_ = time + kBetweenMeasures;
    measure();
  }
  if (time < next_save_) return true;
  next_save_ = time + kBetweenSaves;
  return save_all();
}

void Streamer::report_fault() {
  const std::string fault = parts_.broker.fault();
  if (fault.empty() == !has_lost_brokers_) return;
  has_lost_brokers_ = !fault.empty();
  if (has_lost_brokers_) {
    report(EventId::StreamBrokerLost,
           fmt::format("no answer from {}: {}", parts_.broker.name(), fault));
  } else {
    report(EventId::StreamBrokerBack,
           fmt::format("answers from {} come again", parts_.broker.name()));
  }
}

bool Streamer::save_all() {
  for (const auto& log : logs_) {
    if (auto saved = log->save(); !saved) return complain(saved.error());
  }
  return true;
}

void Streamer::measure() {
  if (!parts_.on_state) return;
  StreamState state{.journals = {}, .has_brokers = !has_lost_brokers_};
  for (const auto& log : logs_) {
    state.journals.push_back({.folder = log->name(),
                              .lag = log->measure_lag(parts_.clock.now().wall),
                              .counts = log->counts(),
                              .cursor = log->cursor().position});
  }
  parts_.on_state(state);
}

bool Streamer::has_unsent() const {
  return std::ranges::any_of(logs_, [](const auto& one) { return one->has_unsent(); });
}

bool Streamer::run() {
  bool is_read = false;
  while (!parts_.is_interrupted()) {
    const Turn turn = is_read ? Turn::Idle : feed_all();
    if (turn == Turn::Failed) {
      static_cast<void>(serve(0ms));
      return false;
    }
    if (turn == Turn::Idle && !options_.follow.is_followed && !is_read) {
      is_read = true;
      parts_.broker.finish();
    }
    if (!serve(turn == Turn::More ? 0ms : kPause)) return false;
    // Without -f: until everything has arrived.
    if (is_read && !has_unsent()) return true;
  }
  return true;
}

bool Streamer::end() {
  const MonoTime deadline = now() + options_.drain;
  bool is_fine = true;
  parts_.broker.finish();
  while (is_fine && !has_refused_ && has_unsent() && now() < deadline) is_fine = serve(kPause);
  if (!save_all()) return false;
  for (const auto& log : logs_) {
    log->finish();
    report_events(*log);
    report(EventId::StreamEnded,
           fmt::format("{}: {} acknowledged, to log position {}{}", log->title(),
                       counted(log->counts().acknowledged, "message"), log->cursor().position,
                       log->has_unsent() ? "; the rest follows at the next start" : ""));
  }
  return is_fine;
}

}  // namespace

int stream_logs(const StreamOptions& options, const StreamParts& parts) {
  Streamer streamer{options, parts};
  if (!streamer.open()) return command::kUsage;
  const bool is_fine = streamer.run();
  const bool is_ended = streamer.end();
  return is_fine && is_ended ? command::kSuccess : command::kFailure;
}

}  // namespace nexusfix::stream
