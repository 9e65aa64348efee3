// Remembers the field sequences of valid messages for a Validator.
#pragma once

#include <cstddef>
#include <memory>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

struct FieldSequence;

// Makes Validator::validate() faster. It remembers the tag sequences of valid messages of up to 64
// fields, each with its remaining checks. A counterparty sends the same few sequences all day. The
// sequence alone determines whether a tag is known, allowed, repeated, missing or out of order, and
// the form of a group whose count has not changed. Only the values are new.
//
// Any number of validators may use one memory. One thread at a time. A new sequence is learned when
// it occurs for the second time, and may replace another one. A replaced sequence costs time, but
// never correctness.
class ValidationMemory {
 public:
  // Without any sequence. Allocates some 28 KiB, and nothing later. For startup.
  ValidationMemory();
  ~ValidationMemory();
  // Takes the sequences; other may only be destroyed or assigned to afterwards.
  ValidationMemory(ValidationMemory&&) noexcept;
  // The same.
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // The slot of a sequence with this hash. For Validator only.
  [[nodiscard]] FieldSequence& at(std::size_t hash) noexcept;

  // The number of sequences that it remembers, at most.
  static constexpr std::size_t kSequences = 64;

 private:
  std::unique_ptr<FieldSequence[]> sequences_;
};

}  // namespace nexusfix::dictionary
