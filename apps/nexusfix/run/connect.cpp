// nexusfix connect: an initiator that a person or a script drives.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "nexusfix/run/script.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kConnectCommand = "connect";
constexpr std::size_t kReceivedMax = 10'000;  // messages that no `wait` or `expect` has taken yet

struct ConnectOptions {
  std::string config;
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  std::string script;  // empty: standard input
  bool names = false;
  std::uint32_t logon_seconds = 30;
};

std::string with_bars(std::string_view bytes) {
  std::string text{bytes};
  for (char& byte : text) byte = byte == wire::kSoh ? '|' : byte < ' ' ? '?' : byte;
  return text;
}

// Keeps received messages until a step takes them. It copies the bytes, because the views of a
// callback end with it.
class Client {
 public:
  Client(bool names, const config::OutboundLimitSettings& limit) : names_{names}, limit_{limit} {}

  void on_logon(engine::Session&) { note("logged on"); }
  void on_logout(engine::Session&) { note("logged out"); }
  void on_message(engine::Session&, const wire::MessageView& message) {
    last_ = message.bytes();
    if (names_) {
      print_last();
    } else {
      note("< " + with_bars(last_));
    }
    received_.emplace_back(message.bytes());
    if (received_.size() > kReceivedMax) received_.pop_front();
  }

  void on_sent(engine::Session&, const engine::SentMessage& sent) {
    if (sent.kind != engine::SentMessage::Kind::Application) return;
    note(fmt::format("> {} sent as {}{}", msg_type_of(sent.bytes), sent.msg_seq_num,
                     sent.is_transmitted ? "" : ", stored until the next logon"));
  }
  void on_not_sent(engine::Session&, const engine::NotSentMessage& message) {
    has_lost_ = true;
    fail(kConnectCommand,
         fmt::format("{} is not sent: {}", msg_type_of(message.bytes), message.why.what()));
  }

  [[nodiscard]] bool has_lost() const noexcept { return has_lost_; }
  [[nodiscard]] const config::OutboundLimitSettings& limit() const noexcept { return limit_; }
  [[nodiscard]] std::deque<std::string>& received() noexcept { return received_; }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }

  void print_last() const {
    printing::PrintOptions options;
    if (::isatty(STDOUT_FILENO) == 1) options.colour = printing::Colour::Always;
    printing::print_message(stdout, last_, options);
    std::fflush(stdout);
  }

  static void note(std::string_view text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] std::string msg_type_of(std::string_view bytes) {
    const auto message = parser_.parse(bytes);
    return message ? std::string{message->msg_type()} : "a message";
  }

  bool names_;
  config::OutboundLimitSettings limit_;
  bool has_lost_ = false;
  wire::Parser parser_;
  std::deque<std::string> received_;
  std::string last_;
};

// The lines of a script or of standard input. Reading never blocks.
class Lines {
 public:
  explicit Lines(std::optional<std::string> script)
      : from_input_{!script}, text_{std::move(script).value_or("")}, ended_{!from_input_} {}

  [[nodiscard]] bool wants_input() const noexcept { return from_input_ && !ended_; }
  void read_input() {
    char buffer[4096];
    const ssize_t size = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (size > 0) text_.append(buffer, static_cast<std::size_t>(size));
    if (size == 0) ended_ = true;
  }
  [[nodiscard]] std::optional<std::string> next() {
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos && (!ended_ || text_.empty())) return std::nullopt;
    std::string line = text_.substr(0, end);
    text_.erase(0, end == std::string::npos ? end : end + 1);
    ++number_;
    return line;
  }
  [[nodiscard]] bool at_end() const noexcept { return ended_ && text_.empty(); }
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  bool from_input_;
  std::string text_;
  bool ended_;
  std::size_t number_ = 0;
};

enum class StepResult { Done, Waiting, Failed };

// Performs the steps one after another. It tries a step again until it is done or its time is over.
class Interpreter {
 public:
  Interpreter(engine::Engine& engine, Client& client, Clock& clock, std::string source)
      : engine_{engine},
        session_{engine.session(0)},
        client_{client},
        clock_{clock},
        source_{std::move(source)} {}

  [[nodiscard]] bool idle() const noexcept { return !step_.has_value(); }
  [[nodiscard]] bool quit() const noexcept { return quit_; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

  void take(std::string_view line, std::size_t number) {
    line_ = number;
    auto step = parse_step(line);
    if (!step) return complain(step.error());
    step_ = std::move(*step);
    started_ = clock_.now().mono;
    if (step_ && step_->kind == StepKind::Logon) session_.log_on();
    if (step_ && (step_->kind == StepKind::Logout || step_->kind == StepKind::Quit))
      step_->time += client_.limit().interval;
  }

  // Waits for the session's first logon, as a step before the first line.
  void await_logon(std::chrono::seconds time) {
    step_ = Step{.kind = StepKind::Logon, .msg_type = {}, .fields = {}};
    step_->time = time;
    started_ = clock_.now().mono;
  }

  void turn() {
    if (!step_) return;
    const StepResult result = perform();
    if (result != StepResult::Waiting) step_.reset();
  }

 private:
  [[nodiscard]] bool late() const { return clock_.now().mono - started_ >= step_->time; }

  void complain(std::string_view text) {
    failed_ = true;
    if (line_ == 0) {  // the first logon, which is no line of the script
      fail(kConnectCommand, text);
    } else {
      fmt::print(stderr, "{}:{}: {}\n", source_, line_, text);
    }
  }

  StepResult wait_until(bool condition, std::string_view what, std::string_view why = {}) {
    if (condition) return StepResult::Done;
    if (!late()) return StepResult::Waiting;
    complain(fmt::format("{} within {} s{}{}", what,
                         std::chrono::duration<double>(step_->time).count(),
                         why.empty() ? "" : ": ", why));
    return StepResult::Failed;
  }

  [[nodiscard]] std::string why_not_logged_on() const {
    return late() ? engine_.statistics().sessions.front().why : std::string{};
  }

  StepResult perform() {
    switch (step_->kind) {
      case StepKind::Send:
        return send();
      case StepKind::Wait:
        return wait();
      case StepKind::Expect:
        return expect();
      case StepKind::Logon:
        return wait_until(session_.is_logged_on(), "not logged on", why_not_logged_on());
      case StepKind::Logout:
        return log_out();
      case StepKind::Sleep:
        return late() ? StepResult::Done : StepResult::Waiting;
      case StepKind::Print:
        return print();
      case StepKind::Help:
        fmt::print("{}", script_help());
        std::fflush(stdout);
        return StepResult::Done;
      case StepKind::Quit:
        break;
    }
    quit_ = !waits();
    return quit_ ? StepResult::Done : StepResult::Waiting;
  }

  // Whether messages wait for the outbound limit. Each that leaves begins the step's time again.
  bool waits() {
    const std::uint64_t left = engine_.statistics().sessions.front().queued_messages;
    if (std::exchange(queued_, left) != left) started_ = clock_.now().mono;
    return left != 0 && !late();
  }

  StepResult log_out() {
    if (!logs_out_ && waits()) return StepResult::Waiting;
    if (!std::exchange(logs_out_, true)) {
      started_ = clock_.now().mono;
      session_.log_out();
    }
    const StepResult result = wait_until(!session_.is_logged_on(), "not logged out");
    logs_out_ = result == StepResult::Waiting;
    return result;
  }

  StepResult send() {
    wire::Encoder encoder = session_.begin(step_->msg_type);
    for (const StepField& field : step_->fields) {
      if (field.value == "now") {
        encoder.field(field.tag, session_.now());
      } else {
        encoder.field(field.tag, std::string_view{field.value});
      }
    }
    const engine::SendResult sent = session_.finish(encoder);
    if (!sent) {
      complain(sent.error().what());
      return StepResult::Failed;
    }
    if (sent->is_queued) {
      const auto& limit = client_.limit();
      Client::note(fmt::format("> {} waits: {}", step_->msg_type,
                               limit.by_type.empty()
                                   ? fmt::format("OutboundMessages={}", limit.messages_max)
                                   : "OutboundMessagesByType"));
    }
    return StepResult::Done;
  }

  [[nodiscard]] bool front_matches() {
    const auto message = parser_.parse(client_.received().front());
    return message && matches(*message, step_->fields);
  }

  StepResult wait() {
    bool found = false;
    while (!found && !client_.received().empty()) {
      found = front_matches();
      client_.received().pop_front();
    }
    return wait_until(found, "no such message came");
  }

  StepResult expect() {
    if (client_.received().empty()) return wait_until(false, "no message came");
    const bool found = front_matches();
    const std::string message = std::move(client_.received().front());
    client_.received().pop_front();
    if (found) return StepResult::Done;
    complain("another message came: " + with_bars(message));
    return StepResult::Failed;
  }

  StepResult print() {
    if (client_.last().empty()) {
      Client::note("no message was received yet");
    } else {
      client_.print_last();
    }
    return StepResult::Done;
  }

  engine::Engine& engine_;
  engine::Session& session_;
  Client& client_;
  Clock& clock_;
  wire::Parser parser_;
  std::string source_;
  std::size_t line_ = 0;
  std::optional<Step> step_;
  MonoTime started_{};
  std::uint64_t queued_ = 0;
  bool logs_out_ = false;
  bool quit_ = false;
  bool failed_ = false;
};

// Waits until the engine or standard input has something, at most for a tick.
void wait_for_something(const engine::Engine& engine, Lines& lines, bool wants_line) {
  constexpr int kTickMillis = 20;  // steps look at the clock this often
  pollfd sources[2] = {{engine.descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  const bool input = wants_line && lines.wants_input();
  ::poll(sources, input ? 2 : 1, kTickMillis);
  if (input && sources[1].revents != 0) lines.read_input();
}

int converse(engine::Engine& engine, Client& client, Lines lines, const ConnectOptions& options) {
  SystemClock clock;
  const bool interactive = lines.wants_input() && ::isatty(STDIN_FILENO) == 1;
  Interpreter interpreter{engine, client, clock,
                          options.script.empty() ? "standard input" : options.script};
  interpreter.await_logon(std::chrono::seconds{options.logon_seconds});
  bool failed = false;
  while (!interpreter.quit() && !engine::StopSignals::received()) {
    engine.poll(std::chrono::nanoseconds{0});
    interpreter.turn();
    if (interpreter.idle()) {
      failed = interpreter.failed() && !interactive;
      if (failed) break;
      if (const auto line = lines.at_end() ? std::optional<std::string>{"quit"} : lines.next()) {
        interpreter.take(*line, lines.number());
        continue;
      }
    }
    wait_for_something(engine, lines, interpreter.idle());
  }
  engine.stop();
  while (engine.poll(std::chrono::milliseconds{100})) {
  }
  return failed || client.has_lost() ? kFailure : kSuccess;
}

int connect(const ConnectOptions& options) {
  constexpr std::uint64_t kScriptBytesMax = 64U << 20U;
  PosixDisk disk;
  std::optional<std::string> script;
  if (!options.script.empty()) {
    auto text = read_file(disk, options.script, kScriptBytesMax);
    if (!text) return fail(kConnectCommand, text.error().what());
    script = std::move(*text);
  }
  auto settings = read_settings(disk, options.config, options.unknown_keys);
  if (!settings) return fail(kConnectCommand, settings.error());
  settings->event_loops = 1;  // One session needs no more.
  if (!is_one_initiator(*settings))
    return fail(kConnectCommand, options.config + ": exactly one session, an initiator, is needed");
  Client client{options.names, settings->sessions.front().outbound};
  auto engine = engine::Engine::open(std::move(*settings), client, engine_options(false));
  if (!engine) return fail(kConnectCommand, engine.error().what());
  const engine::StopSignals signals{*engine};
  return converse(*engine, client, Lines{std::move(script)}, options);
}

}  // namespace

int run_connect(Arguments arguments) {
  ConnectOptions options;
  CLI::App app{
      "Logs on as the only session of CONFIG, runs commands from a script or from standard input, "
      "and prints the messages that it receives. If a command of a script fails, the status is 1, "
      "so a script can be a test.",
      "nexusfix connect"};
  app.add_option("CONFIG", options.config, "the configuration file, with one initiator session")
      ->required();
  app.add_option("--script", options.script, "read the commands from FILE")->option_text("FILE");
  app.add_option("--logon-timeout", options.logon_seconds,
                 "fail if the session is not logged on after this time")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600))
      ->option_text("SECONDS");
  add_strict(app, options.unknown_keys);
  app.add_flag("--names", options.names, "print messages field by field, with names");
  app.footer("Commands, one a line:\n" + std::string{script_help()} +
             "\nExamples:\n"
             "  $ nexusfix connect client.cfg\n"
             "  $ nexusfix connect client.cfg --script order.txt\n\n"
             "Exit status:\n"
             "  0  every command succeeded\n"
             "  1  a command failed, no Logon came, a message was not sent, or the engine\n"
             "     could not start\n"
             "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return connect(options);
}

}  // namespace nexusfix::command
