// Follows the messages of a running engine from another process, as `nexusfix ctl tail` does.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/running_engine.hpp>
#include <nexusfix/observe/message_log.hpp>

namespace nexusfix::engine {

// One message of a running engine.
struct LiveMessage {
  WallTime time{};               // when it was received or sent, UTC
  observe::MessageKind kind{};   // received, sent, or bytes that are no message
  std::string session{};         // its name; empty: the peer belongs to no session
  std::string bytes{};           // with SOH; passwords and values of LogMaskedTags are ***
};

// The messages since the last call.
struct LiveMessages {
  std::vector<LiveMessage> messages{};  // those of one event loop in their order
  std::uint64_t lost = 0;               // messages that did not fit, because next() was called late
};

// A reader of an engine's messages. The engine copies each message into a ring of 1 MiB for each of
// its event loops, and waits for no reader: what does not fit is counted. The engine ends a reader
// that has not called next() for a minute. One thread at a time.
//
//   auto tail = MessageTail::open("/srv/venue/store", "FIX.4.4:VENUE->BROKER");
//   while (auto got = tail->next()) show(*got);
class MessageTail {
 public:
  // The readers that an engine has at once.
  static constexpr std::size_t kReadersMax = 32;

  // folder: as of status_of_running_engine(). session: only its messages; empty: all of them. The
  // error says that the engine has no such session, or kReadersMax readers already.
  [[nodiscard]] static std::expected<MessageTail, LiveError> open(
      const std::string& folder, const std::string& session,
      std::chrono::milliseconds timeout = std::chrono::seconds{15});
  // The messages that wait, up to about 40 KiB; none if none came. Does not wait for any. An error:
  // the engine has ended, or has ended this reader.
  [[nodiscard]] std::expected<LiveMessages, LiveError> next();

 private:
  MessageTail(std::string folder, std::uint64_t id, std::chrono::milliseconds timeout) noexcept
      : folder_{std::move(folder)}, id_{id}, timeout_{timeout} {}

  std::string folder_;
  std::uint64_t id_;
  std::chrono::milliseconds timeout_;
};

}  // namespace nexusfix::engine
