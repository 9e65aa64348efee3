// One change to a right message, and why it is wrong then.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/reject_reason.hpp>

#include "support/message_generator.hpp"

namespace nexusfix::testing {

struct MutationContext {
  const dictionary::Dictionary& own;  // of the message
  const dictionary::Dictionary& transport;
  const dictionary::MessageDefinition& message;
  const dictionary::ValidationRules& rules;
};

// What a Reject must say: SessionRejectReason (373) and RefTagID (371), 0 for none.
struct Expected {
  wire::SessionRejectReason reason;
  wire::Tag tag;
};

struct Mutation {
  const char* name;
  // Nothing if the message has no place for the change.
  std::optional<Expected> (*change)(std::vector<GeneratedField>& fields, MessageGenerator& random,
                                    const MutationContext& context);
};

[[nodiscard]] std::span<const Mutation> all_mutations();

// Two neighbours in an entry of a group change places, neither of them its first field. The tag of
// the one that then stands too late; 0 if there are no such two.
[[nodiscard]] wire::Tag swap_neighbours(std::vector<GeneratedField>& fields,
                                        MessageGenerator& random);

}  // namespace nexusfix::testing
