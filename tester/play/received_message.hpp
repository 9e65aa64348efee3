// The rules that each received message must keep, whatever a script expects of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/condition.hpp"

namespace nexusfix::tester {

// What the session expects of the next message.
struct Standing {
  std::string_view begin_string;
  std::string_view sender_comp_id;  // of the engine under test
  std::string_view target_comp_id;  // of the tester
  std::uint64_t msg_seq_num = 0;    // 0: any
};

// A rule that is broken.
struct Breach {
  std::string tag;
  std::string what;  // "CheckSum (10) is 017, and must be 018"
};

// Nothing: the message keeps all of them. FIX Session Layer, "Message format": BeginString,
// BodyLength and MsgType come first, and length and sum are right; "CompIDs"; "Sequence numbers".
[[nodiscard]] std::optional<Breach> breach_of(std::string_view bytes, const Standing& standing);

// The MsgSeqNum of the message after this one. expected: before this one; 0: any. A resent message
// does not count, and a resent SequenceReset-GapFill does not set it back.
[[nodiscard]] std::uint64_t next_after(const std::vector<ReceivedField>& fields,
                                       std::uint64_t expected);

}  // namespace nexusfix::tester
