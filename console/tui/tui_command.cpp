// nexusfix tui: a live screen of the sessions of running engines, by the control socket.
#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <expected>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "console/tui/engine_view.hpp"
#include "console/tui/event_files.hpp"
#include "console/tui/screen.hpp"
#include "console/tui/terminal.hpp"
#include "control/api/running_engine.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/control/engine_place.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kName = "tui";
constexpr std::chrono::seconds kBetweenLooks{1};
// An engine whose loop hangs must not keep the screen from its end for longer.
constexpr std::chrono::seconds kAnswerTimeout{2};
constexpr std::chrono::milliseconds kKeyWait{100};

using Answer = std::expected<tui::Look, std::string>;
struct News {
  Answer answer;
  std::vector<tui::Change> events;
};

Answer look_at(const std::string& place, const std::string& session) {
  tui::Look look;
  auto status = engine::status_of_running_engine(place, kAnswerTimeout);
  if (!status) return std::unexpected{engine_fault(status.error(), place)};
  look.status = *std::move(status);
  // A standby has no latencies: then their lines are absent.
  if (auto loops = engine::latencies_of_running_engine(place, {}, kAnswerTimeout)) {
    look.loops = *std::move(loops);
  }
  if (session.empty()) return look;
  if (auto rows = engine::latencies_of_running_engine(place, session, kAnswerTimeout)) {
    look.latency_session = session;
    look.latencies = *std::move(rows);
  }
  return look;
}

// Asks one engine each second, on a thread of its own, so that an engine that hangs does not hold
// up the keys.
class Poller {
 public:
  explicit Poller(std::string place)
      : place_{std::move(place)}, thread_{[this](const std::stop_token& stop) { run(stop); }} {}

  // The session whose latencies are wanted; another one is asked for at once.
  void select(const std::string& session) {
    const std::lock_guard lock{mutex_};
    if (session == session_) return;
    session_ = session;
    is_wanted_ = true;
    changed_.notify_all();
  }
  // The newest answer since the last call, and all events since then; nothing: there is none.
  [[nodiscard]] std::optional<News> newest() {
    const std::lock_guard lock{mutex_};
    return std::exchange(news_, std::nullopt);
  }

 private:
  void run(const std::stop_token& stop) {
    block_interrupts();
    tui::EventFiles files;
    std::int32_t process = 0;  // the last one that has answered
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
      is_wanted_ = false;
      const std::string session = session_;
      lock.unlock();
      Answer answer = look_at(place_, session);
      if (answer) process = answer->status.process;
      std::vector<tui::Change> events = files.read(process);
      lock.lock();
      // Events that the screen has not fetched yet are not lost.
      if (news_) events.insert(events.begin(), news_->events.begin(), news_->events.end());
      news_ = News{.answer = std::move(answer), .events = std::move(events)};
      changed_.wait_for(lock, stop, kBetweenLooks, [this] { return is_wanted_; });
    }
  }

  std::string place_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string session_;     // guarded by mutex_, as the next two
  bool is_wanted_ = false;  // before a second is over
  std::optional<News> news_;
  std::jthread thread_;  // is destroyed first
};

// The engines that the operator means, which answer now.
std::expected<std::vector<std::string>, std::string> places_of(const std::string& engine) {
  std::vector<std::string> places;
  if (engine.empty()) places = engine::find_running_engines();
  if (places.size() > 1) return places;
  auto place = engine_place(kName, engine);
  if (!place) return std::unexpected{std::move(place.error())};
  const auto status = engine::status_of_running_engine(*place, kAnswerTimeout);
  if (!status) return std::unexpected{engine_fault(status.error(), *place)};
  return std::vector{*std::move(place)};
}

void run_screen(tui::Terminal& terminal, const std::vector<std::string>& places) {
  std::vector<tui::EngineView> views;
  std::deque<Poller> pollers;
  for (const std::string& place : places) {
    views.emplace_back(place);
    pollers.emplace_back(place);
  }
  tui::Screen screen{std::move(views)};
  SystemClock clock;
  bool goes_on = true;
  while (goes_on && !is_interrupted()) {
    for (std::size_t i = 0; i < pollers.size(); ++i) {
      auto news = pollers[i].newest();
      if (!news) continue;
      if (news->answer) {
        screen.engine(i).add(*std::move(news->answer), clock.now());
      } else {
        screen.engine(i).lose(std::move(news->answer.error()), clock.now());
      }
      screen.engine(i).add_events(std::move(news->events));
    }
    pollers[screen.shown_engine()].select(screen.selected());
    terminal.draw(screen.lines(terminal.size(), clock.now().wall));
    if (const auto key = terminal.read_key(kKeyWait)) goes_on = screen.press(*key);
  }
}

}  // namespace

int run_tui(Arguments arguments) {
  std::string engine;
  CLI::App app{
      "Shows the engines that run on this machine under this user on a live screen: their "
      "sessions, those that need attention first, MsgSeqNums, messages a second, latencies and "
      "events. It changes nothing. The key ? shows the keys, q quits.",
      "nexusfix tui"};
  app.add_option("--engine", engine,
                 "its configuration file, its store's folder, or its control socket; default: all "
                 "that run")
      ->option_text("PATH");
  app.footer(
      "Example:\n"
      "  $ nexusfix tui --engine venue.cfg\n\n"
      "Exit status:\n"
      "  0  the operator has ended it\n"
      "  1  no engine answers, or there is no terminal\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  const auto places = places_of(engine);
  if (!places) return fail(kName, places.error());
  catch_interrupts();
  auto terminal = tui::Terminal::open();
  if (!terminal) return fail(kName, terminal.error());
  run_screen(**terminal, *places);
  return kSuccess;
}

}  // namespace nexusfix::command
