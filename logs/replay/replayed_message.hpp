// What a logged message becomes when it is sent again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "logs/fields/message_fields.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

struct ReplayChanges {
  bool keeps_dates = false;  // otherwise times and dates move with SendingTime
  std::string id_prefix{};   // before ClOrdID, OrigClOrdID and the other IDs of the sender
};

// A UTCTimestamp, UTCTimeOnly, UTCDateOnly or LocalMktDate, moved by shift: a date by the whole
// days between the two dates. It keeps its form and its digits after the second. Nothing: the value
// is not of this type.
[[nodiscard]] std::optional<std::string> shifted_time(dictionary::FieldType type,
                                                      std::string_view value,
                                                      std::chrono::nanoseconds shift);

// Writes the fields of logged messages into new ones. One thread at a time.
class ReplayedMessage {
 public:
  // names must outlive this object.
  ReplayedMessage(const command::FieldNames& names, ReplayChanges changes)
      : names_{names}, changes_{std::move(changes)} {}

  // bytes: one message with SOH. has_sub_ids: the session writes SenderSubID, TargetSubID and the
  // location IDs itself. now: when it is sent. Leaves out what the session writes, and signatures.
  void write(wire::Encoder& encoder, std::string_view bytes, bool has_sub_ids, WallTime now);

 private:
  [[nodiscard]] dictionary::FieldType type_of(wire::Tag tag);
  void write_field(wire::Encoder& encoder, const MessageField& field,
                   std::chrono::nanoseconds shift);

  const command::FieldNames& names_;
  ReplayChanges changes_;
  MessageFields fields_;
  std::vector<std::optional<dictionary::FieldType>> types_;  // by tag, when it is first needed
};

}  // namespace nexusfix::logs
