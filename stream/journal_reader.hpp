// The messages of a journal whose session is certain, also after a damaged part.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/disk.hpp>

#include "journal/api/log_follower.hpp"

namespace nexusfix::stream {

// A damaged part may hide the record that names a session, renames it or resets it. So after a gap
// the name and the epoch of each session are uncertain, until a segment begins with a checkpoint.
// Messages between are skipped, and consume_gap() has their number and their MsgSeqNums. One
// thread.
class JournalReader final : public store::LogFollower {
 public:
  // The arguments and the error are those of JournalFollower::open().
  [[nodiscard]] static std::expected<JournalReader, std::string> open(
      Disk& disk, const std::string& folder, const store::FollowOptions& options);
  // As open(), as one of several kinds of logs.
  [[nodiscard]] static std::expected<std::unique_ptr<store::LogFollower>, std::string> open_log(
      Disk& disk, const std::string& folder, const store::FollowOptions& options);
  std::expected<std::unique_ptr<store::LogFollower>, std::string> fork() const override;
  // Skipped messages are not passed.
  std::expected<bool, std::string> next(Visitor visit) override;
  const store::JournalCursor& cursor() const noexcept override { return follower_.cursor(); }
  store::LogPosition end_of_log() override { return follower_.end_of_log(); }
  // What consume_gap() has.
  std::optional<store::StoreEvent> next_event() override;
  // The text of a gap, or of messages that were skipped; no value: there is no other.
  [[nodiscard]] std::optional<std::string> consume_gap();
  void finish() override { report_skipped(); }

 private:
  struct Range {
    std::uint64_t first = 0;  // MsgSeqNum
    std::uint64_t last = 0;
    std::uint64_t count = 0;
  };
  // By the session's name and whether the messages were received.
  using Skipped = std::map<std::pair<std::string, bool>, Range>;

  JournalReader(Disk& disk, std::string folder, const store::FollowOptions& options,
                store::JournalFollower follower);
  void see_gaps();
  [[nodiscard]] bool become_certain();
  [[nodiscard]] std::expected<bool, std::string> pass_unknown(const std::string& error);
  [[nodiscard]] bool skip_segment();
  void keep(const Skipped& skipped);
  void report_skipped();

  Disk* disk_;
  std::string folder_;
  store::FollowOptions options_;
  store::JournalFollower follower_;
  std::deque<std::string> gaps_;
  bool is_certain_ = true;
  std::uint64_t tried_segment_ = 0;  // for its checkpoint; 0: none since the gap
  unsigned looks_ = 0;               // for a segment after one that cannot be read further
  Skipped skipped_;
};

}  // namespace nexusfix::stream
