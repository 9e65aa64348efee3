// One journal that is streamed: where reading is, what is on its way, and the durable cursor.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "nexusfix/journal/archive/journal_archive.hpp"
#include "store/api/journal_cursor.hpp"
#include "stream/broker.hpp"
#include "stream/journal_reader.hpp"
#include "stream/record_encoder.hpp"

namespace nexusfix::stream {

struct JournalRequest {
  std::string folder;
  std::string cursor_name;
  store::FollowOptions follow;
  EncoderOptions encoder;
};

// How far a stream is.
struct Lag {
  std::uint64_t messages = 0;       // that the journal has, and the brokers have not acknowledged
  std::uint64_t bytes = 0;          // of the log, from the cursor to its end
  std::chrono::nanoseconds age{0};  // of the oldest message that is not acknowledged
};

struct StreamCounts {
  std::uint64_t acknowledged = 0;  // messages, since the start
  std::uint64_t records = 0;       // of the brokers, since the start
};

// One thread.
class FollowedJournal {
 public:
  // Locks the cursor and checks it against the journal. number: in the ids of the records. disk
  // must outlive the result.
  [[nodiscard]] static std::expected<std::unique_ptr<FollowedJournal>, std::string> open(
      Disk& disk, const JournalRequest& request, std::uint64_t number);

  enum class Progress : std::uint8_t {
    More,     // there may be more to read at once
    Nothing,  // the journal has no more at the moment, and everything was given to the broker
    Full,     // the broker takes no more at the moment
  };
  // Reads a few hundred records and gives them to the broker.
  [[nodiscard]] std::expected<Progress, std::string> feed(Broker& broker);
  // A record of this journal has reached the brokers.
  void acknowledge(std::uint64_t id);
  // Makes the cursor durable if it has moved. The error is one line.
  [[nodiscard]] std::expected<void, std::string> save();
  [[nodiscard]] Lag measure_lag(WallTime now);

  // The journal that a record belongs to.
  [[nodiscard]] static std::uint64_t number_of(std::uint64_t id) noexcept {
    return id >> kUnitBits;
  }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] const StreamCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] const store::JournalCursor& cursor() const noexcept { return passed_; }
  [[nodiscard]] bool has_unsent() const noexcept { return !units_.empty(); }
  [[nodiscard]] std::optional<std::string> take_gap() { return reader_.take_gap(); }
  // No more is read: take_gap() has what was skipped until now.
  void finish() { reader_.finish(); }

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

  FollowedJournal(Disk& disk, const JournalRequest& request, std::uint64_t number,
                  store::CursorFile file, std::unique_ptr<command::WholeJournalDisk> whole,
                  JournalReader reader);
  [[nodiscard]] std::expected<bool, std::string> read_one();
  [[nodiscard]] std::expected<bool, std::string> send(Broker& broker);
  void end_unit(std::vector<Outgoing> records);
  void pass_acknowledged();

  std::string folder_;
  std::uint64_t number_;
  std::unique_ptr<command::WholeJournalDisk> whole_;
  store::CursorFile file_;
  JournalReader reader_;
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
  // Counts what the journal has while the broker takes nothing.
  std::optional<JournalReader> scout_;
  std::uint64_t scouted_ = 0;  // messages, after those that were read
};

}  // namespace nexusfix::stream
