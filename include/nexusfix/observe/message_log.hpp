// Logs of every message, and what logs have counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

// A field whose value no log has.

namespace nexusfix::observe {

// A field whose value is never logged. These fields are always masked: Password (554), NewPassword
// (925), EncryptedPassword (1402), EncryptedNewPassword (1404), and RawData (96) of a Logon and of
// a UserRequest.
struct MaskedField {
  std::uint32_t tag = 0;         // the field
  std::uint32_t length_tag = 0;  // the Length field of a data field; 0: it is not a data field
  // Whether both tags are equal.
  [[nodiscard]] bool operator==(const MaskedField&) const = default;
};

// A message log of one's own: every received and sent message, for a database, a queue, or a
// logging library. EngineOptions::message_log names it.

// What a logged message is.
enum class MessageKind : std::uint8_t {
  Received,  // a message of the counterparty, before the session layer has checked it
  Sent,      // our message, when the store has its record
  Garbled,   // received bytes that are no message: the first 4,096 of them
};

// "in", "out" or "garbled": as JSON and tables show it.
[[nodiscard]] constexpr std::string_view direction_of(MessageKind kind) noexcept {
  switch (kind) {
    case MessageKind::Received:
      return "in";
    case MessageKind::Sent:
      return "out";
    case MessageKind::Garbled:
      break;
  }
  return "garbled";
}

// One message, as a MessageLog gets it. The views are valid until MessageLog::write() returns.
struct LoggedMessage {
  WallTime time;             // when it was received or sent, UTC
  std::string_view session;  // Session::name(); empty: the peer belongs to no session, or not yet
  std::string_view bytes;    // with SOH; values that the log files mask are *** here, too
  std::uint32_t loop = 0;    // the event loop, from 0 on: calls of one loop come one at a time
  MessageKind kind{};        // what it is
};

// Receives the messages of an engine: EngineOptions::message_log. Derive from it.
class MessageLog {
 public:
  virtual ~MessageLog() = default;
  // Called for each message, Heartbeats and resent messages included, on the thread of its event
  // loop. Each loop calls it for its own sessions, and several loops call it at the same time.
  //
  // It must not block, or the sessions of that loop wait: copy the bytes into a queue of that loop
  // (deferred::RecordQueue), and write them on another thread. If it throws, the session goes on,
  // and event NXF-8010 reports it, at most once a second.
  virtual void write(const LoggedMessage& message) = 0;
};

// Appends a whole message with *** in place of each value that must not be logged: passwords, and
// the fields in `more`. BodyLength and CheckSum are those of the appended bytes. Allocates.
void append_masked(std::string& to, std::string_view message, std::span<const MaskedField> more);

// Masks the messages of one event loop, and passes them to a MessageLog. For the engine.
class MaskedMessageLog {
 public:
  // The log is not owned.
  MaskedMessageLog(MessageLog& log, std::uint32_t loop);
  MaskedMessageLog(const MaskedMessageLog&) = delete;
  MaskedMessageLog& operator=(const MaskedMessageLog&) = delete;
  ~MaskedMessageLog();

  // Adds a session, whose index is the number of sessions before it. masked: besides the fields
  // that are always masked. Allocates.
  void add(std::string_view session, std::span<const MaskedField> masked);
  // Passes a message of the session with this index. Allocates only to mask a value. Throws what
  // the log throws.
  void write(std::size_t session, MessageKind kind, std::string_view bytes, WallTime time);

 private:
  struct MaskedSession;
  MessageLog& log_;
  std::uint32_t loop_;
  std::vector<std::unique_ptr<MaskedSession>> sessions_;
  std::string masked_;
};

// What the logs of an engine have counted.

// Counts since the start.
struct SessionLogsStats {
  std::uint64_t taken = 0;           // messages and events that found room in the queue
  std::uint64_t lost_in_queue = 0;   // messages and events that found no room
  std::uint64_t lost_on_disk = 0;    // lines that could not be written
  std::uint64_t lost_on_screen = 0;  // lines that the terminal did not take in time
  std::uint64_t reopenings = 0;      // finished reopen() calls
  std::uint64_t not_reopened = 0;    // files that the last one could not open
};

}  // namespace nexusfix::observe
