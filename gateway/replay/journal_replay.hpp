// Reads from the journal what a client has missed, on a thread of its own: the loop does not wait
// for the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/store.hpp>
#include <nexusfix/wire/parser.hpp>

#include "gateway/protocol/greeting.hpp"
#include "gateway/replay/log_opener.hpp"
#include "gateway/rights/client_rights.hpp"

namespace nexusfix::gateway {

// Which messages of a session a client has missed.
struct MissedMessages {
  std::string session;
  std::uint32_t index = 0;
  std::optional<MessagePlace> received;  // after this one; nothing: none of them
  std::optional<MessagePlace> sent;
};

struct ReplayRequest {
  OpenLog open_log;
  bool is_on_loop = false;       // the loop's thread reads, when it asks for more: no thread
  store::LogPosition until = 0;  // where live messages begin
  std::optional<store::JournalCursor> begin;
  std::vector<MissedMessages> sessions;
  const ClientRights* client = nullptr;   // outlives the replay
  std::span<const ClientRights> clients;  // all of the file, in its order
  int wake = -1;  // an eventfd, which is written when there is something to consume
};

// The loop's thread constructs, consumes and destroys it.
class JournalReplay {
 public:
  // Starts the thread, if there is one.
  explicit JournalReplay(ReplayRequest request);
  JournalReplay(const JournalReplay&) = delete;
  JournalReplay& operator=(const JournalReplay&) = delete;
  // Ends the thread, which takes at most one read of the disk.
  ~JournalReplay();

  // Frames of Message, in the order of the log: about bytes_max bytes. Empty: there are none now.
  [[nodiscard]] std::vector<char> consume(std::size_t bytes_max);
  // Nothing waits for consume(), and the reading has not ended.
  [[nodiscard]] bool is_empty();
  // Everything was read, and consume() had all of it; or it has failed.
  [[nodiscard]] bool has_ended();
  // After has_ended(): why not all messages could be read. Empty: success.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  // After has_ended() without an error: where the reading ended.
  [[nodiscard]] const std::optional<store::JournalCursor>& end() const noexcept { return end_; }

 private:
  enum class Step : std::uint8_t {
    More,     // a record was read
    Nothing,  // the log has none that can be read now
    Over,     // live messages begin here
  };
  void run(const std::stop_token& stop);
  // The error is one line.
  [[nodiscard]] std::string read_all(const std::stop_token& stop);
  [[nodiscard]] std::expected<Step, std::string> read_record(std::vector<char>& out);
  // Reads a few records, if no thread does.
  void read_on_loop();
  [[nodiscard]] std::string pass(const store::FollowedMessage& message, std::vector<char>& out);
  // False: it must stop.
  [[nodiscard]] bool put(const std::stop_token& stop, std::vector<char>& frames);

  ReplayRequest request_;
  wire::Parser parser_;                      // of the thread that reads
  std::unique_ptr<store::LogFollower> log_;  // of that thread
  std::uint64_t first_segment_ = 1;          // of the log, when the reading began
  // By session: RefSeqNum (45) of the last BusinessMessageReject (j) in the present record, which
  // is before the message that it answers. A record of a database has many messages.
  std::vector<MessagePlace> rejected_;
  std::vector<char> is_begun_;  // by session: a received message was seen
  std::mutex mutex_;
  std::condition_variable_any has_room_;
  std::vector<char> frames_;  // guarded by mutex_
  bool is_over_ = false;      // guarded by mutex_; after it, error_ and end_ do not change
  std::string error_;
  std::optional<store::JournalCursor> end_;
  std::jthread thread_;
};

}  // namespace nexusfix::gateway
