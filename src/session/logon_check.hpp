// What a received Logon says, and what it is refused for.
#pragma once

#include <optional>
#include <string_view>

#include <nexusfix/session/config.hpp>
#include <nexusfix/session/machine/event_texts.hpp>
#include <nexusfix/session/machine/logon_exchange.hpp>
#include <nexusfix/session/machine/objection.hpp>
#include <nexusfix/session/version.hpp>

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

[[nodiscard]] inline bool exchanges_next_expected(const SessionConfig& config,
                                                  const VersionTraits& version) noexcept {
  return config.logon.send_next_expected_msg_seq_num && version.has_next_expected;
}

}  // namespace nexusfix::session::detail
