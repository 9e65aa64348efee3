// The messages of a journal, one after the other.
#pragma once

#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <string>

#include "nexusfix/text/json.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::command {

enum class MessageForm : std::uint8_t {
  Line,     // session, epoch, number, and the message with `|` for SOH
  Json,     // the same with the message's exact bytes, one object a line
  Decoded,  // each field with its name and meaning
};

// How a message is printed.
struct MessageLook {
  MessageForm form = MessageForm::Line;
  bool has_times = false;  // when it was recorded; JSON has it always
};

struct MessageFilter {
  std::optional<std::string> session;  // by its whole name
  std::uint64_t first = 1;
  std::uint64_t last = UINT64_MAX;
  std::optional<std::uint64_t> epoch;
  bool has_sent = true;
  bool has_received = true;       // MsgSeqNums are the counterparty's
  std::optional<WallTime> since;  // when it was recorded, inclusive
  std::optional<WallTime> until;  // exclusive
  std::string text;               // that the message has; empty: any message
};

// Prints the messages that pass the filter, in the order of the log, and returns their number.
// Fails if there is no session with the filter's name, or the journal cannot be read.
[[nodiscard]] std::expected<std::uint64_t, std::string> print_messages(std::FILE* out,
                                                                       store::Store& store,
                                                                       const MessageFilter& filter,
                                                                       MessageLook look);

// The time of a record, UTC: 20261124-07:31:02.118204
[[nodiscard]] std::string record_time(WallTime time);
// A message on one line, with `|` for SOH.
[[nodiscard]] std::string shown_message(std::string_view bytes);
// Sets "message" of an object, and "message_hex" if the bytes are not UTF-8.
void set_message(Json& json, std::string_view bytes);

// The session's name in the log: this name, its form of earlier versions, without escapes, or for a
// text that is no whole name the only one that has it as a part. Otherwise the text itself.
[[nodiscard]] std::string stored_name(const store::Store& store, const std::string& name);

// The key of a session. The error lists the existing sessions.
[[nodiscard]] std::expected<store::SessionKey, std::string> find_session(const store::Store& store,
                                                                         std::string_view name);

}  // namespace nexusfix::command
