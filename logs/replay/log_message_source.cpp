#include "logs/replay/log_message_source.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>

#include "logs/source/log_time.hpp"

namespace nexusfix::logs {
namespace {

// What may wait to be sent, at most.
constexpr std::size_t kWaitingBytesMax = 16U << 20U;
constexpr std::size_t kWaitingMax = 65'536;

// Chooses the messages that are sent, and counts the others.
class Chooser {
 public:
  explicit Chooser(LogMessageSource::Choice choice) : choice_{std::move(choice)} {}

  [[nodiscard]] bool chooses(std::string_view bytes, LeftOutCounts& counts) {
    fields_.read(bytes);
    if (session::is_administrative(fields_.value(tag::MsgType))) {
      ++counts.administrative;
      return false;
    }
    const std::string_view sender = fields_.value(tag::SenderCompID);
    if (!choice_.sent_by.empty() && sender != choice_.sent_by) {
      ++counts.of_others;
      return false;
    }
    if (choice_.matcher != nullptr && !choice_.matcher->matches(bytes)) {
      ++counts.unmatched;
      return false;
    }
    if (fields_.value(tag::PossDupFlag) == "Y") {
      ++counts.resends;
      return false;
    }
    choice_.sent_by = sender;
    return true;
  }

 private:
  LogMessageSource::Choice choice_;
  MessageFields fields_;
};

}  // namespace

struct LogMessageSource::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ChosenMessage> waiting;
  std::size_t waiting_bytes = 0;
  std::vector<std::string> errors;
  LeftOutCounts counts;
  bool is_stopped = false;
  bool is_read = false;
  bool has_unopened = false;
  bool has_unread = false;

  AfterMessage put(ChosenMessage message, const LeftOutCounts& now) {
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] {
      return is_stopped || (waiting_bytes < kWaitingBytesMax && waiting.size() < kWaitingMax);
    });
    counts = now;
    waiting_bytes += message.bytes.size();
    waiting.push_back(std::move(message));
    changed.notify_all();
    return is_stopped ? AfterMessage::Stop : AfterMessage::Continue;
  }
};

void LogMessageSource::read(Disk& disk, const LogRequest& request, Choice choice,
                            const std::shared_ptr<Shared>& shared) {
  Chooser chooser{std::move(choice)};
  LeftOutCounts counts;
  const auto each = [&](const LogMessage& message) {
    if (!chooser.chooses(message.bytes, counts)) return AfterMessage::Continue;
    return shared->put({std::string{message.bytes}, time_of_message(message), message.offset},
                       counts);
  };
  const auto failed = [&](std::string_view error) {
    const std::lock_guard lock{shared->mutex};
    shared->errors.emplace_back(error);
  };
  LogReport report;
  try {
    report = read_logs(disk, request, {each, [] {}, failed});
  } catch (const std::exception& error) {
    failed(error.what());
    report.files.push_back({.path = {}, .skipped = {}, .error = error.what()});
  }
  const std::lock_guard lock{shared->mutex};
  shared->counts = counts;
  shared->has_unopened = report.has_unopened();
  shared->has_unread = report.has_unread();
  shared->is_read = true;
  shared->changed.notify_all();
}

LogMessageSource::LogMessageSource(Disk& disk, LogRequest request, Choice choice)
    : shared_{std::make_shared<Shared>()},
      thread_{[&disk, request = std::move(request), choice = std::move(choice),
               shared = shared_]() mutable { read(disk, request, std::move(choice), shared); }} {}

LogMessageSource::~LogMessageSource() {
  bool is_reading = false;
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->is_stopped = true;
    is_reading = !shared_->is_read;
    shared_->changed.notify_all();
  }
  // A thread that waits for standard input does not see that it is stopped.
  if (is_reading) {
    std::unique_lock lock{shared_->mutex};
    constexpr std::chrono::milliseconds kPatience{200};
    is_reading = !shared_->changed.wait_for(lock, kPatience, [&] { return shared_->is_read; });
  }
  if (is_reading) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

std::vector<ChosenMessage> LogMessageSource::take() {
  const std::lock_guard lock{shared_->mutex};
  shared_->waiting_bytes = 0;
  shared_->changed.notify_all();
  return std::exchange(shared_->waiting, {});
}

void LogMessageSource::put_back(std::vector<ChosenMessage> messages) {
  const std::lock_guard lock{shared_->mutex};
  auto& waiting = shared_->waiting;
  waiting.insert(waiting.begin(), std::make_move_iterator(messages.begin()),
                 std::make_move_iterator(messages.end()));
}

bool LogMessageSource::wait(std::chrono::milliseconds time) {
  std::unique_lock lock{shared_->mutex};
  return shared_->changed.wait_for(lock, time,
                                   [&] { return shared_->is_read || !shared_->waiting.empty(); });
}

bool LogMessageSource::has_ended() {
  const std::lock_guard lock{shared_->mutex};
  return shared_->is_read && shared_->waiting.empty();
}

bool LogMessageSource::is_reading() {
  const std::lock_guard lock{shared_->mutex};
  return !shared_->is_read;
}

LeftOutCounts LogMessageSource::counts() {
  const std::lock_guard lock{shared_->mutex};
  return shared_->counts;
}

std::vector<std::string> LogMessageSource::consume_errors() {
  const std::lock_guard lock{shared_->mutex};
  return std::exchange(shared_->errors, {});
}

bool LogMessageSource::has_unopened() {
  const std::lock_guard lock{shared_->mutex};
  return shared_->has_unopened;
}

bool LogMessageSource::has_unread() {
  const std::lock_guard lock{shared_->mutex};
  return shared_->has_unread;
}

}  // namespace nexusfix::logs
