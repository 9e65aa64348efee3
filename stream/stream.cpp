#include "stream/stream.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/api/printable_text.hpp"
#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
using command::counted;

constexpr auto kPause = 20ms;       // between two looks at a journal that has not grown
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
  enum class Turn : std::uint8_t { More, Idle, Failed };
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
  std::vector<std::unique_ptr<FollowedJournal>> journals_;
  MonoTime next_save_;
  MonoTime next_measure_;
  bool has_lost_brokers_ = false;
};

bool Streamer::open() {
  for (const std::string& name : options_.journals) {
    const auto place = command::find_log(parts_.disk, name);
    if (!place) return complain(place.error());
    if (!place->is_journal()) {
      return complain(place->name +
                      ": only a journal can be streamed; the database has its own replication");
    }
    JournalRequest request{.folder = place->folder,
                           .cursor_name = options_.cursor_name,
                           .follow = options_.follow,
                           .encoder = options_.encoder};
    std::error_code error;
    request.encoder.engine = options_.engine;
    if (options_.engine.empty()) {
      const auto path = std::filesystem::absolute(place->folder, error);
      request.encoder.engine = error ? place->folder : path.lexically_normal().string();
    }
    auto journal = FollowedJournal::open(parts_.disk, request, journals_.size());
    if (!journal) return complain(journal.error());
    const store::JournalCursor& cursor = (*journal)->cursor();
    report(EventId::StreamOpened,
           fmt::format("journal {}: streamed from log position {} in segment {} on, cursor {}",
                       place->folder, cursor.position, cursor.segment, options_.cursor_name));
    journals_.push_back(std::move(*journal));
  }
  next_save_ = now() + kBetweenSaves;
  next_measure_ = now();
  return true;
}

Streamer::Turn Streamer::feed_all() {
  Turn turn = Turn::Idle;
  for (const auto& journal : journals_) {
    const auto progress = journal->feed(parts_.broker);
    while (const auto gap = journal->take_gap()) report(EventId::StreamGap, *gap);
    if (!progress) {
      static_cast<void>(complain(progress.error()));
      return Turn::Failed;
    }
    if (*progress == FollowedJournal::Progress::More) turn = Turn::More;
  }
  return turn;
}

bool Streamer::serve(std::chrono::milliseconds wait) {
  const auto served = parts_.broker.serve(
      wait, [&](std::uint64_t id) { journals_[FollowedJournal::number_of(id)]->acknowledge(id); });
  report_fault();
  if (!served) return complain(served.error());
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
    report(EventId::StreamBrokerLost, "the brokers do not answer: " + fault);
  } else {
    report(EventId::StreamBrokerBack, "the brokers answer again");
  }
}

bool Streamer::save_all() {
  for (const auto& journal : journals_) {
    if (auto saved = journal->save(); !saved) return complain(saved.error());
  }
  return true;
}

void Streamer::measure() {
  if (!parts_.on_state) return;
  StreamState state{.journals = {}, .has_brokers = !has_lost_brokers_};
  for (const auto& journal : journals_) {
    state.journals.push_back({.folder = journal->folder(),
                              .lag = journal->measure_lag(parts_.clock.now().wall),
                              .counts = journal->counts(),
                              .cursor = journal->cursor().position});
  }
  parts_.on_state(state);
}

bool Streamer::has_unsent() const {
  return std::ranges::any_of(journals_, [](const auto& one) { return one->has_unsent(); });
}

bool Streamer::run() {
  bool is_read = false;
  while (!parts_.is_interrupted()) {
    const Turn turn = is_read ? Turn::Idle : feed_all();
    if (turn == Turn::Failed) {
      static_cast<void>(serve(0ms));
      return false;
    }
    if (!serve(turn == Turn::More ? 0ms : kPause)) return false;
    if (options_.follow.is_followed || turn == Turn::More) continue;
    // Without -f: until everything has arrived.
    if (!has_unsent()) return true;
  }
  return true;
}

bool Streamer::end() {
  const MonoTime deadline = now() + options_.drain;
  bool is_fine = true;
  while (is_fine && has_unsent() && now() < deadline) is_fine = serve(kPause);
  if (!save_all()) return false;
  for (const auto& journal : journals_) {
    journal->finish();
    while (const auto gap = journal->take_gap()) report(EventId::StreamGap, *gap);
    report(
        EventId::StreamEnded,
        fmt::format("journal {}: {} acknowledged, to log position {}{}", journal->folder(),
                    counted(journal->counts().acknowledged, "message"), journal->cursor().position,
                    journal->has_unsent() ? "; the rest follows at the next start" : ""));
  }
  return is_fine;
}

}  // namespace

int stream_journals(const StreamOptions& options, const StreamParts& parts) {
  Streamer streamer{options, parts};
  if (!streamer.open()) return command::kUsage;
  const bool is_fine = streamer.run();
  const bool is_ended = streamer.end();
  return is_fine && is_ended ? command::kSuccess : command::kFailure;
}

}  // namespace nexusfix::stream
