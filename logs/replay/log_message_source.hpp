// Reads logs on a thread of its own, and chooses the messages that are sent.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "logs/fields/message_fields.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/source/log_reader.hpp"

namespace nexusfix::logs {

// A message that is to be sent.
struct ChosenMessage {
  std::string bytes;
  std::optional<WallTime> time;  // in the log
  std::uint64_t offset = 0;      // in its file
};

struct LeftOutCounts {
  std::uint64_t administrative = 0;  // left out: the session sends its own
  std::uint64_t of_others = 0;       // left out: of another SenderCompID
  std::uint64_t resends = 0;         // left out: with PossDupFlag
  std::uint64_t unmatched = 0;       // left out: the expression does not hold
};

// The thread ends when the source is stopped or the log has ended. While it waits for standard
// input, only the end of the process ends it: is_reading() is then true.
class LogMessageSource {
 public:
  struct Choice {
    std::shared_ptr<Matcher> matcher;  // null: every message
    std::string sent_by;               // SenderCompID; empty: that of the first chosen message
  };

  // disk must outlive the thread.
  LogMessageSource(Disk& disk, LogRequest request, Choice choice);
  ~LogMessageSource();
  LogMessageSource(const LogMessageSource&) = delete;
  LogMessageSource& operator=(const LogMessageSource&) = delete;

  // The messages that were read since the last call, in order; empty: none yet, or the end.
  [[nodiscard]] std::vector<ChosenMessage> take();
  // Gives back what take() has returned: the next call returns it again.
  void put_back(std::vector<ChosenMessage> messages);
  // Waits for a message or for the end, at most for this time. True: one of them has come.
  [[nodiscard]] bool wait(std::chrono::milliseconds time);
  // All messages were taken, and no other will come.
  [[nodiscard]] bool has_ended();
  [[nodiscard]] bool is_reading();
  [[nodiscard]] LeftOutCounts counts();
  // The errors of files since the last call, one line each.
  [[nodiscard]] std::vector<std::string> consume_errors();
  [[nodiscard]] bool has_unopened();
  [[nodiscard]] bool has_unread();

 private:
  struct Shared;
  static void read(Disk& disk, const LogRequest& request, Choice choice,
                   const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace nexusfix::logs
