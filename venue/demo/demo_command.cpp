// nexusfix demo: a venue and a trader as two processes on this machine, measured.
#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/write_file.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/text/text.hpp"
#include "venue/demo/child_process.hpp"
#include "venue/demo/demo_report.hpp"
#include "venue/demo/progress_bar.hpp"

namespace nexusfix::command {
namespace {

struct DemoOptions {
  std::uint64_t latency_orders = 20'000;
  std::uint64_t stream_orders = 100'000;
  std::uint64_t window = 256;
  std::uint16_t console_port = 0;  // 0: no web console
  bool spin = false;
  bool keep = false;
};

volatile std::sig_atomic_t interrupted = 0;

// A new folder under $TMPDIR. The destructor removes it with its contents, unless keep is set.
class TemporaryFolder {
 public:
  [[nodiscard]] static std::expected<TemporaryFolder, std::string> make(bool keep) {
    const char* base = std::getenv("TMPDIR");
    std::string path = (base != nullptr && *base != '\0' ? std::string{base} : "/tmp");
    path += "/nexusfix-demo-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return std::unexpected{
          fmt::format("cannot make a folder {}: {}", path, std::generic_category().message(errno))};
    }
    return TemporaryFolder{std::move(path), keep};
  }
  ~TemporaryFolder() {
    if (path_.empty() || keep_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_{std::exchange(other.path_, {})}, keep_{other.keep_} {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  [[nodiscard]] std::string at(std::string_view name) const {
    return fmt::format("{}/{}", path_, name);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  TemporaryFolder(std::string path, bool keep) : path_{std::move(path)}, keep_{keep} {}

  std::string path_;
  bool keep_;
};

std::string venue_config(const TemporaryFolder& folder, std::uint16_t console_port) {
  const std::string console =
      console_port == 0 ? "" : fmt::format("ConsolePort={}\nConsoleActs=Y\n", console_port);
  return fmt::format(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\nSocketAcceptPort=0\n"
      "FileStorePath={}\n{}[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
      "TargetCompID=TRADER\nHeartBtInt=30\n",
      folder.at("venue"), console);
}

std::string trader_config(const TemporaryFolder& folder, std::uint16_t port) {
  return fmt::format(
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort={}\n"
      "ReconnectInterval=1\nFileStorePath={}\n[SESSION]\nBeginString=FIX.4.4\n"
      "SenderCompID=TRADER\nTargetCompID=VENUE\nHeartBtInt=30\n",
      port, folder.at("trader"));
}

std::uint64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::uint64_t number = 0;
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + key.size(), line.data() + line.size(), number);
  }
  return number;
}

// The two processes, from the first line to the last.
class Demo {
 public:
  Demo(const DemoOptions& options, const TemporaryFolder& folder)
      : options_{options},
        folder_{folder},
        drawing_{::isatty(STDOUT_FILENO) == 1 ? Drawing::Terminal : Drawing::Lines},
        latency_bar_{"one at a time", std::max<std::uint64_t>(options.latency_orders, 1), drawing_},
        stream_bar_{"streamed", std::max<std::uint64_t>(options.stream_orders, 1), drawing_} {}

  std::expected<void, std::string> run() {
    if (auto done = start_venue(); !done) return done;
    if (options_.console_port != 0) {
      fmt::print("web console of the venue: http://127.0.0.1:{}/, with the token in {}\n",
                 options_.console_port, folder_.at("venue/console.token"));
      std::fflush(stdout);
    }
    if (auto done = start_trader(); !done) return done;
    if (auto done = until([this] { return trader_ended_; }, kSilence); !done) return done;
    if (!trader_->succeeded()) return std::unexpected{*trader_->ended()};
    venue_stopping_ = true;
    venue_->terminate();
    if (auto done = until([this] { return venue_ended_; }, kStop); !done) return done;
    if (!venue_->succeeded()) return std::unexpected{*venue_->ended()};
    return {};
  }

  [[nodiscard]] const Measurements& measurements() const noexcept { return measurements_; }
  [[nodiscard]] std::string last_errors() const {
    return (venue_ ? venue_->last_errors() : "") + (trader_ ? trader_->last_errors() : "");
  }

 private:
  static constexpr std::chrono::seconds kStart{10};
  static constexpr std::chrono::seconds kSilence{60};
  static constexpr std::chrono::seconds kStop{10};

  std::expected<void, std::string> start_venue() {
    const std::string path = folder_.at("venue.cfg");
    const std::string config = venue_config(folder_, options_.console_port);
    if (auto done = write_whole_file(disk_, path, config); !done) return done;
    std::vector<std::string> arguments{"serve", path};
    if (options_.spin) arguments.emplace_back("--spin");
    auto child = ChildProcess::start("venue", arguments);
    if (!child) return std::unexpected{child.error()};
    venue_.emplace(std::move(*child));
    return until([this] { return port_ != 0; }, kStart);
  }

  std::expected<void, std::string> start_trader() {
    const std::string path = folder_.at("trader.cfg");
    const auto config = trader_config(folder_, static_cast<std::uint16_t>(port_));
    if (auto done = write_whole_file(disk_, path, config); !done) return done;
    const std::uint64_t orders = options_.latency_orders + options_.stream_orders;
    std::vector<std::string> arguments{
        "trade",
        path,
        "--stream",
        "--results",
        fmt::format("--orders={}", orders),
        fmt::format("--one-at-a-time={}", options_.latency_orders),
        fmt::format("--window={}", options_.window),
        fmt::format("--progress={}", std::max<std::uint64_t>(orders / 400, 1))};
    if (options_.spin) arguments.emplace_back("--spin");
    auto child = ChildProcess::start("trader", arguments);
    if (!child) return std::unexpected{child.error()};
    trader_.emplace(std::move(*child));
    return {};
  }

  // Serves the pipes until the condition holds. Fails if no line comes for the given time, or a
  // process ends early.
  template <class Condition>
  std::expected<void, std::string> until(Condition condition, std::chrono::seconds silence) {
    constexpr int kTickMillis = 100;
    last_line_ = clock_.now().mono;
    while (true) {
      serve_pipes(kTickMillis);
      if (condition()) return {};
      if (interrupted != 0) return std::unexpected{"interrupted"};
      if (auto fault = early_end()) return std::unexpected{std::move(*fault)};
      if (clock_.now().mono - last_line_ >= silence) {
        return std::unexpected{fmt::format("no output from the {} for {} s",
                                           trader_ && !trader_ended_ ? "trader" : "venue",
                                           silence.count())};
      }
    }
  }

  std::optional<std::string> early_end() {
    if (venue_ && venue_->output().descriptor() < 0) {
      if (auto how = venue_->ended()) {
        venue_ended_ = true;
        if (!venue_stopping_) return how;
      }
    }
    if (trader_ && trader_->output().descriptor() < 0 && trader_->ended()) trader_ended_ = true;
    return std::nullopt;
  }

  void serve_pipes(int timeout_millis) {
    std::vector<LinePipe*> pipes;
    for (auto* child : {&venue_, &trader_}) {
      if (!*child) continue;
      for (LinePipe* pipe : {&(*child)->output(), &(*child)->errors()}) {
        if (pipe->descriptor() >= 0) pipes.push_back(pipe);
      }
    }
    std::vector<pollfd> sources;
    sources.reserve(pipes.size());
    for (const LinePipe* pipe : pipes) sources.push_back({pipe->descriptor(), POLLIN, 0});
    ::poll(sources.data(), sources.size(), timeout_millis);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (sources[i].revents != 0) pipes[i]->read_some();
    }
    if (venue_) {
      while (auto line = venue_->output().next_line()) read_venue_line(*line);
      venue_->collect_errors();
    }
    if (trader_) {
      while (auto line = trader_->output().next_line()) read_trader_line(*line);
      trader_->collect_errors();
    }
  }

  void read_venue_line(std::string_view line) {
    last_line_ = clock_.now().mono;
    if (line.starts_with("listening on port ")) port_ = number_after(line, "port ");
  }

  void read_trader_line(std::string_view line) {
    last_line_ = clock_.now().mono;
    if (line.starts_with("progress ")) {
      show(number_after(line, "finished="));
    } else if (line.starts_with("streamed ")) {
      measurements_.streamed = number_after(line, "orders=");
      measurements_.stream_time =
          std::chrono::nanoseconds{static_cast<std::int64_t>(number_after(line, "nanoseconds="))};
    } else if (line.starts_with("round_trips")) {
      read_round_trips(line);
    }
  }

  void read_round_trips(std::string_view line) {
    for (std::size_t at = line.find(' '); at != std::string_view::npos; at = line.find(' ', at)) {
      ++at;
      std::int64_t value = 0;
      std::from_chars(line.data() + at, line.data() + line.size(), value);
      measurements_.round_trips.emplace_back(value);
    }
  }

  void show(std::uint64_t finished) {
    std::string text = latency_bar_.update(finished);
    if (finished > options_.latency_orders) {
      text += stream_bar_.update(finished - options_.latency_orders);
    }
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  const DemoOptions& options_;
  const TemporaryFolder& folder_;
  PosixDisk disk_;
  SystemClock clock_;
  Drawing drawing_;
  ProgressBar latency_bar_;
  ProgressBar stream_bar_;
  std::optional<ChildProcess> venue_;
  std::optional<ChildProcess> trader_;
  bool venue_stopping_ = false;
  bool venue_ended_ = false;
  bool trader_ended_ = false;
  std::uint64_t port_ = 0;
  MonoTime last_line_{};
  Measurements measurements_;
};

int demo(const DemoOptions& options) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  std::signal(SIGHUP, [](int) { interrupted = 1; });  // the terminal was closed
  const auto folder = TemporaryFolder::make(options.keep);
  if (!folder) return fail("demo", folder.error());
  fmt::print(
      "A venue and a trader, two processes on loopback, each with a journal in {}\n"
      "{} orders one at a time, then {} streamed, {} unanswered at most; {}\n\n",
      folder->path(), with_thousands(options.latency_orders), with_thousands(options.stream_orders),
      options.window, options.spin ? "both processes spin" : "both processes sleep when idle");
  std::fflush(stdout);
  Demo run{options, *folder};
  if (const auto done = run.run(); !done) {
    fmt::print(stderr, "\nThe last lines of their logs:\n{}", run.last_errors());
    return fail("demo", done.error());
  }
  fmt::print("{}", measurement_text(run.measurements()));
  printing::PrintOptions printed;
  if (::isatty(STDOUT_FILENO) == 1) printed.colour = printing::Colour::Always;
  PosixDisk disk;
  const auto found = inspect_journals(disk, folder->at("venue"), folder->at("trader"));
  if (!found) return fail("demo", found.error());
  fmt::print("\n{}\nThe last order, from the trader's journal\n", found->text);
  printing::print_message(stdout, found->order, printed);
  fmt::print("\nIts fill, from the venue's journal\n");
  printing::print_message(stdout, found->fill, printed);
  if (options.keep) fmt::print("\nKept: {}\n", folder->path());
  return kSuccess;
}

}  // namespace

int run_demo(Arguments arguments) {
  DemoOptions options;
  CLI::App app{
      "Runs two processes on loopback, each with a journal in a temporary folder below $TMPDIR or "
      "/tmp. The trader sends orders one at a time (latency), then in a stream (throughput). At "
      "the end the command prints what it measured, and compares both journals.",
      "nexusfix demo"};
  const CLI::Range even_count{std::uint64_t{0}, std::uint64_t{10'000'000}};
  app.add_option("--orders-latency", options.latency_orders, "orders sent one at a time, even")
      ->capture_default_str()
      ->check(even_count)
      ->option_text("N");
  app.add_option("--orders-stream", options.stream_orders, "orders sent in a stream, even")
      ->capture_default_str()
      ->check(even_count)
      ->option_text("N");
  app.add_option("--window", options.window, "at most N streamed orders are unanswered")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}))
      ->option_text("N");
  if (linked_parts().web != nullptr) {
    app.add_option("--console", options.console_port,
                   "serve the venue's web console on 127.0.0.1 while it trades")
        ->check(CLI::Range(1, 65'535))
        ->option_text("PORT");
  }
  // On two cores, two spinning processes leave no core for other programs: any work of another
  // program then costs milliseconds of latency and most of the throughput.
  options.spin = std::thread::hardware_concurrency() > 2;
  app.add_flag("--spin,!--no-spin", options.spin,
               "poll without sleeping (default with more than two cores)");
  app.add_flag("--keep", options.keep, "keep the temporary folder");
  app.footer(
      "Examples:\n"
      "  $ nexusfix demo\n"
      "  $ nexusfix demo --orders-latency 1000 --orders-stream 1000 --keep\n"
      "  $ nexusfix demo --console 8080 --orders-latency 2000000\n\n"
      "Exit status:\n"
      "  0  all orders are filled, and the journals agree\n"
      "  1  a process failed, or the journals do not agree\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.latency_orders % 2 != 0 || options.stream_orders % 2 != 0 ||
      options.latency_orders + options.stream_orders == 0) {
    fmt::print(stderr,
               "nexusfix demo: --orders-latency and --orders-stream: even numbers, not both 0, "
               "were expected\n");
    return kUsage;
  }
  return demo(options);
}

}  // namespace nexusfix::command
