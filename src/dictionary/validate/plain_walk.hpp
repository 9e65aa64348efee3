// The walk over plain fields: those that need only the rule of their tag and their own bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/message_view.hpp>

#include "dictionary/validate/validator_tables.hpp"

namespace nexusfix::dictionary {

// Where a walk over the fields of a message is.
struct FieldPosition {
  std::size_t next;  // the field that comes next
  Section section;   // of the field before it
};

// Walks to the next field that is not plain, or to the CheckSum. Notes nothing of that field.
// context: of a message. seen: a byte for each of its slots, 1 if the field has occurred.
[[nodiscard]] FieldPosition walk_plain_fields(const ValidatorTables& tables,
                                              const wire::MessageView& message,
                                              const MemberContext& context, FieldPosition from,
                                              std::uint8_t* seen) noexcept;

}  // namespace nexusfix::dictionary
