// Lines to the standard input of a command.
#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"
#include "stream/sinks/back_off.hpp"
#include "stream/sinks/child_process.hpp"
#include "stream/sinks/line_window.hpp"
#include "stream/sinks/sinks.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
using Acknowledged = FunctionRef<void(std::uint64_t id)>;
using Result = std::expected<void, std::string>;
using Failed = std::unexpected<std::string>;

constexpr std::size_t kAnswerBytesMax = 256;  // a line that the command prints

class CommandSink final : public Broker {
 public:
  CommandSink(const CommandSettings& settings, const LineOptions& options)
      : settings_{settings}, limits_{options.batch}, window_{options.is_object} {
    std::signal(SIGPIPE, SIG_IGN);
  }
  std::expected<Sent, std::string> send(const Outgoing& record) override {
    if (window_.empty()) last_progress_ = first_ = now();
    return window_.add(record) ? Sent::Queued : Sent::Full;
  }
  Result serve(std::chrono::milliseconds wait, Acknowledged acknowledged) override;
  std::string fault() const override { return fault_; }
  std::string_view name() const noexcept override { return "the command"; }
  void finish() override { is_finishing_ = true; }

 private:
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }
  [[nodiscard]] bool is_by_line() const noexcept { return settings_.ack == CommandAck::Line; }
  // How many lines may be written to the process that runs, or to the next one.
  [[nodiscard]] std::size_t offered() const noexcept {
    return is_by_line() ? window_.size() : batch_;
  }
  void start_if_due();
  void await_events(std::chrono::milliseconds wait);
  void write_lines();
  void read_answers(Acknowledged acknowledged);
  void accept(std::string_view id, Acknowledged acknowledged);
  [[nodiscard]] Result see_end(Acknowledged acknowledged);
  void pop(std::size_t count, Acknowledged acknowledged);
  void fail(std::string why);

  CommandSettings settings_;
  BatchLimits limits_;
  LineWindow window_;
  SystemClock clock_;
  ChildProcess child_;
  BackOff back_off_;
  std::size_t batch_ = 0;          // CommandAck::Exit: lines for the process that runs
  std::size_t written_ = 0;        // lines that this process has, counted from the first
  std::size_t written_bytes_ = 0;  // of the line after them
  std::string answers_;            // without a line break yet
  bool was_started_ = false;
  bool is_finishing_ = false;
  MonoTime first_;  // CommandAck::Exit: when the first line of the next batch came
  MonoTime last_progress_;
  std::string fault_;
};

void CommandSink::fail(std::string why) {
  child_.kill();
  was_started_ = false;
  written_ = written_bytes_ = batch_ = 0;
  answers_.clear();
  fault_ = std::move(why);
  back_off_.fail(now());
}

void CommandSink::start_if_due() {
  if (child_.is_running() || window_.empty() || !back_off_.is_over(now())) return;
  if (!is_by_line()) {
    const bool is_due = is_finishing_ || window_.size() >= limits_.lines || !fault_.empty() ||
                        now() - first_ >= limits_.wait;
    if (!is_due) return;
    batch_ = std::min(window_.size(), limits_.lines);
  }
  written_ = written_bytes_ = 0;
  const auto output = is_by_line() ? ChildProcess::Output::Read : ChildProcess::Output::Inherited;
  if (auto started = child_.start(settings_.command, output); !started) {
    fail(started.error());
    return;
  }
  was_started_ = true;
  last_progress_ = now();
}

void CommandSink::await_events(std::chrono::milliseconds wait) {
  std::array<pollfd, 2> all{pollfd{.fd = child_.output(), .events = POLLIN, .revents = 0},
                            pollfd{.fd = child_.input(), .events = POLLOUT, .revents = 0}};
  // A process that waits for lines is always writable.
  if (written_ >= offered()) all[1].fd = -1;
  ::poll(all.data(), all.size(), static_cast<int>(wait.count()));
}

void CommandSink::write_lines() {
  while (written_ < offered() && child_.input() >= 0) {
    const std::string_view text = window_[written_].text;
    const auto done = child_.write(text.substr(written_bytes_));
    // It reads no more: see_end() has the reason.
    if (!done) return child_.close_input();
    written_bytes_ += *done;
    if (written_bytes_ < text.size()) return;
    written_bytes_ = 0;
    ++written_;
  }
  if (written_ >= offered() && (is_finishing_ || !is_by_line())) child_.close_input();
}

void CommandSink::pop(std::size_t count, Acknowledged acknowledged) {
  for (std::size_t i = 0; i < count; ++i) acknowledged(window_.pop());
  written_ -= std::min(written_, count);
  last_progress_ = first_ = now();
  fault_.clear();
  back_off_.succeed();
}

void CommandSink::accept(std::string_view id, Acknowledged acknowledged) {
  for (std::size_t i = 0; i < written_; ++i) {
    if (window_[i].id == id) return pop(i + 1, acknowledged);
  }
  fail(fmt::format("the command acknowledged {}, which it did not get", printable(id)));
}

void CommandSink::read_answers(Acknowledged acknowledged) {
  while (child_.output() >= 0) {
    const std::size_t before = answers_.size();
    const bool is_open = child_.read_output(answers_);
    for (;;) {
      const std::size_t end = answers_.find('\n');
      if (std::min(end, answers_.size()) > kAnswerBytesMax) {
        return fail("the command printed a line that is no id of a record");
      }
      if (end == answers_.npos) break;
      accept(answers_.substr(0, end), acknowledged);
      if (!was_started_) return;  // fail()
      answers_.erase(0, end + 1);
    }
    if (!is_open || answers_.size() == before) return;
  }
}

// After the end of a process.
Result CommandSink::see_end(Acknowledged acknowledged) {
  if (!was_started_ || !child_.has_ended()) return {};
  if (is_by_line()) read_answers(acknowledged);
  if (!was_started_) return {};  // an answer was wrong
  was_started_ = false;
  if (!is_by_line() && child_.has_succeeded()) {
    pop(batch_, acknowledged);
    batch_ = 0;
    return {};
  }
  if (window_.empty()) return {};
  if (is_finishing_ && child_.has_succeeded()) {
    return Failed{fmt::format("{}, and has not acknowledged {} lines", child_.how_it_ended(),
                              window_.size())};
  }
  fail(child_.how_it_ended());
  return {};
}

Result CommandSink::serve(std::chrono::milliseconds wait, Acknowledged acknowledged) {
  start_if_due();
  await_events(wait);
  if (was_started_) write_lines();
  if (was_started_ && is_by_line()) read_answers(acknowledged);
  if (auto seen = see_end(acknowledged); !seen) return seen;
  if (!window_.empty() && was_started_ && fault_.empty() && now() - last_progress_ > kSilenceMax) {
    fault_ = "no acknowledgement for 10 s";
  }
  return {};
}

}  // namespace

std::unique_ptr<Broker> open_command(const CommandSettings& settings, const LineOptions& options) {
  return std::make_unique<CommandSink>(settings, options);
}

}  // namespace nexusfix::stream
