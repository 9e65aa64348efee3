// One log that is streamed: where reading is, what is on its way, and the durable cursor.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "journal/api/log_follower.hpp"
#include "stream/broker.hpp"
#include "stream/record_encoder.hpp"

namespace nexusfix::stream {

// Opens a log, also a second time. The error is one line.
using OpenLog = std::function<std::expected<std::unique_ptr<store::LogFollower>, std::string>(
    const store::FollowOptions&)>;

struct LogRequest {
  std::string name;    // in metrics and errors
  std::string title;   // in events
  std::string folder;  // the cursor is in its folder `cursors`
  std::string cursor_name;
  OpenLog open;
  store::FollowOptions follow;
  EncoderOptions encoder;
};

// How far a stream is.
struct Lag {
  std::uint64_t messages = 0;       // that the log has, and the brokers have not acknowledged
  std::uint64_t bytes = 0;          // of the log, from the cursor to its end
  std::chrono::nanoseconds age{0};  // of the oldest message that is not acknowledged
};

struct StreamCounts {
  std::uint64_t acknowledged = 0;  // messages, since the start
  std::uint64_t records = 0;       // of the brokers, since the start
};

// One thread.
class FollowedLog {
 public:
  // Locks the cursor and opens the log there. number: in the ids of the records. disk
  // must outlive the result.
  [[nodiscard]] static std::expected<std::unique_ptr<FollowedLog>, std::string> open(
      Disk& disk, const LogRequest& request, std::uint64_t number);

  enum class Progress : std::uint8_t {
    More,     // there may be more to read at once
    Nothing,  // the log has no more at the moment, and everything was given to the broker
    Full,     // the broker takes no more at the moment
  };
  // Reads a few hundred records and gives them to the broker.
  [[nodiscard]] std::expected<Progress, std::string> feed(Broker& broker);
  // A record of this log has reached the brokers.
  void acknowledge(std::uint64_t id);
  // Makes the cursor durable if it has moved. The error is one line.
  [[nodiscard]] std::expected<void, std::string> save();
  [[nodiscard]] Lag measure_lag(WallTime now);

  // The log that a record belongs to.
  [[nodiscard]] static std::uint64_t number_of(std::uint64_t id) noexcept {
    return id >> kUnitBits;
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& title() const noexcept { return title_; }
  [[nodiscard]] const StreamCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] const store::JournalCursor& cursor() const noexcept { return passed_; }
  [[nodiscard]] bool has_unsent() const noexcept { return !units_.empty(); }
  [[nodiscard]] std::optional<store::StoreEvent> next_event() { return reader_->next_event(); }
  // No more is read: next_event() has what was skipped until now.
  void finish() { reader_->finish(); }

 private:
  static constexpr unsigned kUnitBits = 48;
  // Records that end at one place of the log: when all are acknowledged, the cursor passes it.
  struct Unit {
    store::JournalCursor end;
    std::uint64_t open_records = 0;
    std::uint64_t records = 0;
    std::uint64_t messages = 0;
    WallTime oldest;
  };

  FollowedLog(const LogRequest& request, std::uint64_t number, store::CursorFile file,
              std::unique_ptr<store::LogFollower> reader);
  [[nodiscard]] std::expected<bool, std::string> read_one();
  [[nodiscard]] std::expected<bool, std::string> send(Broker& broker);
  void end_unit(std::vector<Outgoing> records);
  void pass_acknowledged();

  std::string name_;
  std::string title_;
  std::uint64_t number_;
  OpenLog open_;  // owns what the readers use
  store::CursorFile file_;
  std::unique_ptr<store::LogFollower> reader_;
  RecordEncoder encoder_;
  std::vector<Outgoing> encoded_;
  std::deque<Outgoing> backlog_;  // of one unit: what the broker did not take yet
  std::deque<Unit> units_;
  std::uint64_t first_unit_ = 0;
  std::uint64_t kept_messages_ = 0;  // of the unit that is being made
  WallTime kept_oldest_;
  store::JournalCursor passed_;
  std::uint64_t read_messages_ = 0;
  StreamCounts counts_;
  // Counts what the log has while the broker takes nothing.
  std::unique_ptr<store::LogFollower> scout_;
  std::uint64_t scouted_ = 0;  // messages, after those that were read
};

}  // namespace nexusfix::stream
