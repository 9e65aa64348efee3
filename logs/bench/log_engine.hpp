// An engine that receives the messages of a log over a network in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::logs {

// A message as this session's counterparty would send it: with the session's CompIDs, and with a
// MsgSeqNum and a SendingTime that number() writes.
struct ReceivedMessage {
  std::string msg_type;  // MsgType (35)
  std::string fields;    // all that the session does not write
};

// bytes: one message. Its fields keep their order.
[[nodiscard]] ReceivedMessage received_message(std::string_view bytes,
                                               const wire::DataFieldTable& data_fields);

enum class Answers : std::uint8_t {
  None,  // the application accepts each message
  Same,  // the application sends the fields of each message back
};

struct LogEngineSettings {
  std::string begin_string{};         // BeginString (8)
  std::string application_version{};  // DefaultApplVerID (1137) of FIXT.1.1, such as 9
  std::string dictionary{};           // the path of one; empty: the built-in one
};

// An acceptor with a journal in TMPDIR and one session, which is logged on. Its defaults are those
// of any engine: it validates, and it journals what it sends. One thread.
class LogEngine {
 public:
  // The error is one line.
  [[nodiscard]] static std::expected<std::unique_ptr<LogEngine>, std::string> open(
      const LogEngineSettings& settings);
  virtual ~LogEngine() = default;
  LogEngine(const LogEngine&) = delete;
  LogEngine& operator=(const LogEngine&) = delete;

  // What the application does with each message from now on; Answers::None at first.
  virtual void set_answers(Answers answers) = 0;
  // Writes the messages that receive() delivers: they follow the last one that was received. False:
  // the session has ended.
  [[nodiscard]] virtual bool number(std::span<const ReceivedMessage> messages) = 0;
  // Delivers a message of number() and lets the engine handle it. Returns 1 if the application got
  // it, and has sent it back if it answers; otherwise 0.
  virtual std::uint64_t receive(std::size_t position) = 0;

 protected:
  LogEngine() = default;
};

}  // namespace nexusfix::logs
