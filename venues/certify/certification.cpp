#include "venues/certify/certification.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"
#include "tester/report/report.hpp"
#include "venues/certify/engine_process.hpp"
#include "venues/kit/kit_folder.hpp"

namespace nexusfix::venues {
namespace {

using tester::Case;
using tester::Result;
using tester::Verdict;

// What a program has sent before its end is read first.
constexpr std::chrono::milliseconds kAfterEnd{500};
constexpr std::size_t kLinesShown = 5;
constexpr std::uint64_t kLogBytesShown = 4'096;
constexpr int kRuns = -1;            // instead of a status
constexpr int kCannotExecute = 126;  // of the shell
constexpr int kNotFound = 127;
constexpr int kSignalBase = 128;

std::string status_text(int status) {
  return status > kSignalBase ? fmt::format("status {} (signal {})", status, status - kSignalBase)
                              : fmt::format("status {}", status);
}

class Certification {
 public:
  Certification(const Certified& certified, const tester::RunOptions& options, Examiner& examiner,
                Disk& disk)
      : certified_{certified}, options_{options}, disk_{disk} {
    options_.on_listening = [this](std::uint16_t port) { start(port); };
    options_.on_result = [](const Result&) {};
    options_.play.is_interrupted = [this, is_interrupted = options.play.is_interrupted] {
      return is_interrupted() || is_over();
    };
    options_.play.examine = [this, &examiner](std::string_view message) {
      return examiner.breach_of(message, clock_.now().wall);
    };
    is_interrupted_ = options.play.is_interrupted;
  }

  std::expected<tester::Run, std::string> run(const std::vector<Case>& cases) {
    tester::Run total;
    for (const Case& one : cases) {
      total.results.push_back(
          {.suite = one.suite, .name = one.script.name, .title = one.script.title});
    }
    for (std::size_t i = 0; i < cases.size() && total.ended_early.empty(); ++i) {
      if (is_interrupted_()) break;
      auto result = play(cases[i]);
      if (!result && i == 0) return std::unexpected{result.error()};
      if (!result) {
        total.ended_early = result.error();
        break;
      }
      fmt::print("{}", result_lines(*result));
      std::fflush(stdout);
      const bool is_lost = result->verdict == Verdict::Failed && !result->was_connected;
      // One that has connected before may miss one case.
      if (is_lost && (i == 0 || is_lost_)) {
        total.ended_early = "no connection of the program under test: " + result->failure->what;
      }
      is_lost_ = is_lost;
      total.results[i] = std::move(*result);
    }
    total.is_interrupted = is_interrupted_();
    if (total.is_interrupted) total.ended_early = tester::kInterrupted;
    return total;
  }

 private:
  std::expected<Result, std::string> play(const Case& one) {
    process_.reset();
    ended_at_.reset();
    failure_.clear();
    const auto log = disk_.status(log_path());
    log_begin_ = log ? log->size_bytes : 0;
    auto run = tester::run_cases({one}, options_);
    const int status = process_ ? process_->status().value_or(kRuns) : kRuns;
    process_.reset();
    if (!run) return std::unexpected{run.error()};
    if (!failure_.empty()) return std::unexpected{failure_};
    Result result = std::move(run->results.front());
    if (is_interrupted_()) return result;
    if (status == kNotFound || status == kCannotExecute) {
      return std::unexpected{fmt::format("--engine: the command does not start: {}{}",
                                         certified_.command, last_line())};
    }
    if (result.verdict == Verdict::NotRun) end_of_program(result, status);
    if (result.verdict == Verdict::Failed && !result.was_connected && status == kRuns) {
      result.failure->what += "; the program runs" + last_line();
    }
    if (result.verdict == Verdict::Failed && (status != kRuns || !result.was_connected)) {
      for (const std::string& line : last_lines()) result.remarks.push_back("engine.log: " + line);
    }
    return result;
  }

  void end_of_program(Result& result, int status) {
    result.verdict = Verdict::Failed;
    result.reason.clear();
    const std::string_view before = result.was_connected ? "the case was over" : "it connected";
    result.failure = tester::Failure{.place = result.name,
                                     .statement = "the program under test",
                                     .what = fmt::format("it has ended with {} before {}{}",
                                                         status_text(status), before, last_line()),
                                     .expected = "it runs",
                                     .got = "it has ended"};
  }

  // The port is open: the program may connect.
  void start(std::uint16_t port) {
    const Place place{.host = certified_.host, .port = port};
    const std::string& folder = certified_.folder;
    const Endpoint& endpoint = certified_.endpoint;
    if (auto done = place_client(certified_.kit, endpoint, folder, place, disk_); !done) {
      failure_ = done.error();
      return;
    }
    const std::string key =
        certified_.key.empty() ? client_key_path(endpoint, folder) : certified_.key;
    const Variables values{{"host", place.host},
                           {"port", std::to_string(port)},
                           {"key", key},
                           {"folder", folder},
                           {"config", folder + "/" + endpoint.client}};
    std::string command = certified_.command;
    Variables variables;
    for (const auto& [name, value] : values) {
      const std::string placeholder = "{" + name + "}";
      for (std::size_t at = command.find(placeholder); at != std::string::npos;
           at = command.find(placeholder, at + value.size())) {
        command.replace(at, placeholder.size(), value);
      }
      std::string variable = "NEXUSFIX_VENUE_" + name;
      std::ranges::transform(variable, variable.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
      variables.emplace_back(std::move(variable), value);
    }
    auto process = EngineProcess::start(command, variables, log_path());
    if (process) {
      process_.emplace(std::move(*process));
    } else {
      failure_ = "--engine: " + process.error();
    }
  }

  // Whether nothing more can come. A command that ends with status 0 may have started a program
  // elsewhere, which has the time of an expected message to connect.
  bool is_over() {
    if (!failure_.empty()) return true;
    if (!process_) return false;
    const auto status = process_->status();
    if (!status || (*status == 0 && process_->is_running())) return false;
    const MonoTime now = clock_.now().mono;
    if (!ended_at_) ended_at_ = now;
    return now - *ended_at_ >
           (*status == 0 ? std::max(options_.play.timeout, kAfterEnd) : kAfterEnd);
  }

  [[nodiscard]] std::string log_path() const { return certified_.folder + "/engine.log"; }

  // What the program has printed last, since it was started for this case.
  [[nodiscard]] std::vector<std::string> last_lines() {
    const auto text = end_of_log();
    std::vector<std::string> lines;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (end > 0) append_printable(lines.emplace_back(), rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines.size() > kLinesShown) lines.erase(lines.begin(), lines.end() - kLinesShown);
    return lines;
  }

  [[nodiscard]] std::string last_line() {
    const auto lines = last_lines();
    return lines.empty() ? std::string{} : ": " + lines.back();
  }

  std::string end_of_log() {
    const auto status = disk_.status(log_path());
    if (!status || status->size_bytes <= log_begin_) return {};
    const std::uint64_t size = std::min(status->size_bytes - log_begin_, kLogBytesShown);
    auto file = disk_.open(log_path(), OpenMode::Read);
    if (!file) return {};
    std::string text(size, '\0');
    const auto read = (*file)->read_at(status->size_bytes - size, text);
    text.resize(read ? *read : 0);
    return text;
  }

  Certified certified_;
  tester::RunOptions options_;
  Disk& disk_;
  SystemClock clock_;
  std::function<bool()> is_interrupted_;
  std::optional<EngineProcess> process_;
  std::optional<MonoTime> ended_at_;
  std::uint64_t log_begin_ = 0;  // bytes of engine.log before this case
  std::string failure_;
  bool is_lost_ = false;  // the last case had no connection
};

}  // namespace

std::expected<tester::Run, std::string> run_certification(const Certified& certified,
                                                          const std::vector<Case>& cases,
                                                          const tester::RunOptions& options,
                                                          Examiner& examiner, Disk& disk) {
  return Certification{certified, options, examiner, disk}.run(cases);
}

}  // namespace nexusfix::venues
