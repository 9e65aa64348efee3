#include "tester/run/run.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include "transport/api/tls.hpp"

extern char** environ;

namespace nexusfix::tester {
namespace {

// Restarts the engine and logs it out by the user's commands, and waits until a command has ended.
class CommandedEngine final : public EngineUnderTest {
 public:
  explicit CommandedEngine(const RunOptions& options) : options_{options} {}

  std::optional<std::string> restart() override { return run("restart", options_.restart_command); }
  std::optional<std::string> log_out() override { return run("logout", options_.logout_command); }

 private:
  std::optional<std::string> run(std::string_view option_name, std::string command) const {
    const std::string name = "the command of --" + std::string{option_name};
    std::string shell = "sh";
    std::string option = "-c";
    char* const arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    pid_t process = 0;
    // A group of its own, so that its programs end with it at an interrupt.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawnp(&process, "sh", nullptr, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) return name + " could not be started";
    int status = 0;
    bool is_ended_by_us = false;
    for (pid_t ended = 0; ended != process; ended = ::waitpid(process, &status, WNOHANG)) {
      if (ended < 0 && errno != EINTR) return name + " could not be waited for";
      if (options_.play.is_interrupted() && !std::exchange(is_ended_by_us, true))
        ::kill(-process, SIGTERM);
      ::poll(nullptr, 0, kTurnMilliseconds);
    }
    if (status == 0) return std::nullopt;
    return name + " failed: " + command;
  }

  static constexpr int kTurnMilliseconds = 10;

  const RunOptions& options_;
};

// What `let` lines say, and --set before them.
Names definitions_of(const Script& script, const Names& lets) {
  constexpr std::string_view kEquals = " = ";
  Names names = lets;
  for (const Statement& statement : script.statements) {
    const std::size_t at = statement.argument.find(kEquals);
    if (statement.verb != Verb::Let || at == std::string::npos) continue;
    names.try_emplace(statement.argument.substr(0, at),
                      statement.argument.substr(at + kEquals.size()));
  }
  return names;
}

// The Logon of the part that most cases begin with is answered by a Logout or a Reject.
bool is_logon_refused(const Failure& failure) {
  return failure.place.starts_with("logged_on.part:") && failure.tag == "35" &&
         (failure.got.contains("|35=5|") || failure.got.contains("|35=3|"));
}

// What the workers share.
class Runner {
 public:
  Runner(const std::vector<Case>& cases, const RunOptions& options)
      : cases_{cases}, options_{options} {
    run_.results.reserve(cases.size());
    for (const Case& one : cases) {
      run_.results.push_back(
          {.suite = one.suite, .name = one.script.name, .title = one.script.title});
    }
  }

  std::expected<Run, std::string> run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < options_.senders.size(); ++i) {
      threads.emplace_back([this, i] { work(i); });
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (!error_.empty()) return std::unexpected{error_};
    const bool is_whole = std::ranges::none_of(
        run_.results, [](const Result& one) { return one.verdict == Verdict::NotRun; });
    run_.is_interrupted = options_.play.is_interrupted() && run_.ended_early.empty() && !is_whole;
    if (run_.is_interrupted) run_.ended_early = kInterrupted;
    return std::move(run_);
  }

 private:
  // Plays one case after another.
  void work(std::size_t worker) {
    auto network = transport::make_epoll_network();
    if (!network) return give_up(network.error().text);
    const auto tls = transport::make_tls_network(**network);
    SystemClock clock;
    Wire wire{tls ? *tls : **network, clock};
    if (options_.listener) {
      const auto port = wire.listen(*options_.listener);
      if (!port) return give_up(port.error());
      options_.on_listening(*port);
    }
    CommandedEngine engine{options_};
    PlayOptions play_options = options_.play;
    play_options.sender_comp_id = options_.senders[worker];
    if (!options_.own.empty()) play_options.own = options_.own[worker].get();
    while (!is_over_ && !options_.play.is_interrupted()) {
      const std::size_t i = next_++;
      if (i >= cases_.size()) return;
      const Script& script = cases_[i].script;
      Result result;
      if (script.restarts && options_.restart_command.empty()) {
        result = {.verdict = Verdict::Skipped, .reason = "it needs --restart"};
      } else if (script.logs_out && options_.logout_command.empty()) {
        result = {.verdict = Verdict::Skipped, .reason = "it needs --logout"};
      } else if (cases_[i].load != nullptr) {
        result = play_load(cases_[i], play_options, wire, clock, engine);
      } else {
        result = play(script, play_options, wire, clock, engine);
      }
      // An interrupted case is not judged, and keeps what has been said so far.
      if (result.verdict == Verdict::NotRun) result.reason = kInterrupted;
      finish(i, std::move(result), wire.bytes_received() > 0);
    }
  }

  Result play_load(const Case& one, const PlayOptions& play_options, Wire& wire, Clock& clock,
                   EngineUnderTest& engine) const {
    const Names definitions = definitions_of(one.script, play_options.lets);
    return one.load->play({.play = play_options,
                           .load = options_.load,
                           .definitions = definitions,
                           .wire = wire,
                           .clock = clock,
                           .engine = engine,
                           .name = one.load->name,
                           .can_restart = !options_.restart_command.empty()});
  }

  void give_up(const std::string& error) {
    const std::lock_guard lock{mutex_};
    error_ = error;
    is_over_ = true;
  }

  void finish(std::size_t i, Result result, bool has_answered) {
    const std::lock_guard lock{mutex_};
    result.suite = cases_[i].suite;
    result.name = cases_[i].script.name;
    result.title = cases_[i].script.title;
    has_connected_ = has_connected_ || result.was_connected;
    has_answered_ = has_answered_ || has_answered;
    has_passed_ = has_passed_ || result.verdict == Verdict::Passed;
    run_.results[i] = std::move(result);
    const Result& shown = run_.results[i];
    options_.on_result(shown);
    if (shown.verdict != Verdict::Failed || is_over_) return;
    // There is nothing to learn from cases that would all end like this one.
    if (!has_connected_ || shown.failure->expected == "a connection") {
      is_over_ = true;
      run_.ended_early = "no connection to the engine under test: " + shown.failure->what;
    } else if (!has_answered_ && shown.failure->got == "nothing") {
      is_over_ = true;
      run_.ended_early = "the engine under test has not sent a byte";
    } else if (!has_passed_ && is_logon_refused(*shown.failure)) {
      // A venue locks an account after some refused Logons.
      is_over_ = true;
      run_.ended_early = "the engine under test refuses the Logon: " + shown.failure->what;
    }
  }

  const std::vector<Case>& cases_;
  const RunOptions& options_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;  // of all below
  Run run_;
  std::string error_;
  bool has_connected_ = false;
  bool has_answered_ = false;
  bool has_passed_ = false;
};

}  // namespace

std::expected<Run, std::string> run_cases(const std::vector<Case>& cases,
                                          const RunOptions& options) {
  return Runner{cases, options}.run();
}

}  // namespace nexusfix::tester
