// What the standard header and the form of a received message may be objected to for.
#pragma once

#include <optional>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/dictionary/validator.hpp>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/connection_state.hpp"
#include "session/inbound/inbound.hpp"

namespace nexusfix::session::detail {

// The check of one message: it keeps references only.
class HeaderCheck {
 public:
  struct Rules {
    const SessionConfig& config;
    const VersionTraits& version;
    char counterparty_appl_ver_id = 0;  // 0: not a FIXT session
  };
  HeaderCheck(const Rules& rules, const HeaderCache::Position& at, EventTexts& texts,
              ActionQueue& actions) noexcept
      : rules_{rules}, at_{at}, texts_{texts}, actions_{actions} {}

  // The form of the message comes first, whom it is for and when it was sent second: the answer to
  // a missing or empty TargetCompID is "required tag missing" or "without a value", not "CompID
  // problem" (TC 14b, 14d).
  [[nodiscard]] std::optional<Objection> objection_to(const Inbound& in) noexcept;

 private:
  [[nodiscard]] std::optional<Objection> form_objection(const Inbound& in) noexcept;
  [[nodiscard]] std::optional<Objection> version_objection(const Inbound& in) const noexcept;
  [[nodiscard]] const dictionary::Validator& validator_of(const Inbound& in) const noexcept;
  [[nodiscard]] Objection form_fault(unsigned reason, std::string_view tag_text) noexcept;
  [[nodiscard]] std::optional<Objection> objection_of(
      const Inbound& in, const dictionary::Violation& violation) noexcept;

  const Rules& rules_;
  const HeaderCache::Position& at_;
  EventTexts& texts_;
  ActionQueue& actions_;
};

[[nodiscard]] std::optional<Objection> poss_dup_objection(const Inbound& in,
                                                          const HeaderConfig& config) noexcept;

// Whether messages of this ApplVerID can be judged by the dictionaries of the session.
[[nodiscard]] bool supports_version(const ValidationConfig& config,
                                    std::string_view appl_ver_id) noexcept;

// The one that judges messages of this ApplVerID. There is a validator. Each can judge
// an administrative message: they share the transport dictionary.
[[nodiscard]] const dictionary::Validator& validator_of_version(const ValidationConfig& config,
                                                                char appl_ver_id) noexcept;

[[nodiscard]] bool is_sending_time_near(WallTime sending_time, const HeaderConfig& config,
                                        const HeaderCache::Position& at) noexcept;

}  // namespace nexusfix::session::detail
