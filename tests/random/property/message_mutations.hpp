// One change to a valid message, and the violation that it causes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/message_generator.hpp"

namespace nexusfix::testing {

struct MutationContext {
  const dictionary::Dictionary& own;  // the message's own
  const dictionary::Dictionary& transport;
  const dictionary::MessageDefinition& message;
  const dictionary::ValidationRules& rules;
};

// The required content of the Reject: SessionRejectReason (373) and RefTagID (371), 0 for none.
struct Expected {
  wire::SessionRejectReason reason;
  wire::Tag tag;
};

struct Mutation {
  const char* name;
  // Nothing if the change does not apply to the message.
  std::optional<Expected> (*change)(std::vector<GeneratedField>& fields, MessageGenerator& random,
                                    const MutationContext& context);
};

[[nodiscard]] std::span<const Mutation> all_mutations();

// Swaps two neighbours in an entry of a group; neither of them is its first field. Returns the tag
// of the field that then comes too late; 0 if there are no such neighbours.
[[nodiscard]] wire::Tag swap_neighbours(std::vector<GeneratedField>& fields,
                                        MessageGenerator& random);

}  // namespace nexusfix::testing
