// What a received Logon says, and what it is refused for; what a Logout says of sequence numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/connection_state.hpp"
#include "session/inbound/inbound.hpp"

namespace nexusfix::session::detail {

[[nodiscard]] LogonFacts facts_of(const Inbound& in, const SessionConfig& config,
                                  const VersionTraits& version) noexcept;

// Given what its header is objected to for; empty: it is valid. Lives until the next event.
[[nodiscard]] std::string_view logon_error(const Inbound& in,
                                           const std::optional<Objection>& objection,
                                           const SessionConfig& config,
                                           const VersionTraits& version, bool answers_our_reset,
                                           EventTexts& texts) noexcept;

// Whether a Logout says why an acceptor refuses the Logon. Not of one that says it is of another
// session (CompIDs, BeginString), of another time, because a Logon that was recorded can be sent
// again by anybody, or in no application version at all: to these QuickFIX and QuickFIX/J say
// nothing, and nor does the acceptor of their acceptance scripts (1c, 1d).
[[nodiscard]] bool is_worth_an_answer(const Inbound& in, const std::optional<Objection>& objection,
                                      const SessionConfig& config,
                                      const VersionTraits& version) noexcept;

// What the Text of a Logout says of sequence numbers. FIX has no field for it; engines agree on
// "MsgSeqNum too low, expecting 8 but received 5" and on "NextExpectedMsgSeqNum too high, ...".
struct NumbersClaim {
  enum class Kind : std::uint8_t {
    None,    // the Text says nothing of them
    Lost,    // one side has lost sequence numbers, as far as we can tell
    Untrue,  // what was sent contradicts the Text
  };
  Kind kind = Kind::None;
  std::uint64_t expecting = 0;  // 0: the Text has no such number
  std::uint64_t received = 0;   // 0: the Text has no such number
};
// What was sent on this connection.
struct SentNumbers {
  std::uint64_t first = 0;          // MsgSeqNum of our first message
  std::uint64_t next_outbound = 0;  // and of the next one
  std::uint64_t next_expected = 0;  // of our Logon (789), at most; 0: it had none
};
// The first message of a connection is the one whose MsgSeqNum can be too low: each other one
// follows a message that the counterparty accepted. An unreadable number contradicts nothing.
[[nodiscard]] NumbersClaim numbers_claim(std::string_view text, const SentNumbers& sent) noexcept;

[[nodiscard]] inline bool exchanges_next_expected(const SessionConfig& config,
                                                  const VersionTraits& version) noexcept {
  return config.logon.send_next_expected_msg_seq_num && version.has_next_expected;
}

}  // namespace nexusfix::session::detail
