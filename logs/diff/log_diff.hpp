// Compares the messages of two logs of the same sessions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "logs/fields/message_fields.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"

namespace nexusfix::logs {

// A message that waits for its other half.
struct DiffMessage {
  std::size_t side = 0;  // 0 or 1
  std::string bytes{};
  std::uint64_t offset = 0;
  LoggedDirection direction = LoggedDirection::Unknown;
  bool is_resend = false;     // it has PossDupFlag
  std::uint64_t arrival = 0;  // ascending
};

struct FieldDifference {
  wire::Tag tag = 0;  // 0: one message has no more fields, or the tags differ
  // The field in each log, "44=150.5"; empty: it has no field there.
  std::array<std::string, 2> texts{};
};

// The first field that differs; BodyLength and CheckSum only if no other field does. The texts are
// empty if all fields are equal.
[[nodiscard]] FieldDifference first_difference(std::string_view left, std::string_view right);

struct LogDifference {
  const DiffMessage* messages[2] = {nullptr, nullptr};  // null: the message is only in the other
  FieldDifference field{};                              // if both are there
};

struct DiffCounts {
  std::uint64_t equal = 0;       // in both logs, byte by byte
  std::uint64_t resent = 0;      // lost, and came by a resend
  std::uint64_t gap_filled = 0;  // session messages that were lost, and a gap fill stands for
  std::array<std::uint64_t, 2> only{};  // in one log
  std::uint64_t different = 0;
  bool is_limited = false;  // more waited than may: a difference may be none
  [[nodiscard]] bool has_difference() const noexcept { return only[0] + only[1] + different > 0; }
};

// Messages belong together by CompIDs and MsgSeqNum. At most 200,000 messages and 48 MiB wait at a
// time, and 1,000 with the same CompIDs and MsgSeqNum; the oldest ones are differences if there are
// more, and the counts say that they are limited.
class LogDiff {
 public:
  using Found = std::function<void(const LogDifference&)>;
  explicit LogDiff(Found found) : found_{std::move(found)} {}

  // In the order of SendingTime.
  void add(std::size_t side, const LogMessage& message);
  // Call it once, after the last message.
  void finish();
  [[nodiscard]] const DiffCounts& counts() const noexcept { return counts_; }

 private:
  using Waiting = std::unordered_map<std::string, std::vector<DiffMessage>>;
  struct Arrival {
    std::uint64_t number = 0;
    std::string key{};
  };

  [[nodiscard]] std::string key_of(std::string_view sender, std::string_view target,
                                   std::string_view number) const;
  bool match(const std::string& key, std::vector<DiffMessage>& waiting, std::size_t side,
             std::string_view bytes);
  void keep(const std::string& key, std::vector<DiffMessage>& waiting, DiffMessage message);
  void remove(std::vector<DiffMessage>& waiting, std::size_t at);
  [[nodiscard]] bool came_before_match(const DiffMessage& message, std::size_t side) const noexcept;
  void apply_gap_fill(std::size_t side);
  void resolve(std::vector<DiffMessage>& waiting);
  void limit_memory(const std::string& key);
  [[nodiscard]] Waiting::iterator waiting_at(const Arrival& arrival);

  Found found_;
  DiffCounts counts_;
  MessageFields fields_;
  Waiting waiting_;            // by key
  std::deque<Arrival> order_;  // of the messages; some have left
  std::uint64_t arrivals_ = 0;
  std::uint64_t matched_ = 0;  // the arrival of the message that match() has found
  std::size_t waiting_count_ = 0;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace nexusfix::logs
