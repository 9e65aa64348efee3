// Remembers the field sequences of valid messages for a Validator.
#pragma once

#include <cstddef>
#include <memory>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

struct FieldSequence;

// The tag sequences of valid messages of up to 64 fields, each with its remaining checks. A
// counterparty's software sends the same few sequences all day. The sequence alone determines
// whether a tag is known, allowed, repeated, missing or out of order, and the form of a group whose
// count has not changed. Only the values are new.
//
// Any number of validators may use one memory, one at a time: it is for one thread. A new sequence
// is learned when it occurs for the second time, and may replace another one. A replaced sequence
// costs time, but never correctness.
class ValidationMemory {
 public:
  // Allocates some 28 KiB, once. For startup.
  ValidationMemory();
  ~ValidationMemory();
  ValidationMemory(ValidationMemory&&) noexcept;
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // The slot of a sequence with this hash.
  [[nodiscard]] FieldSequence& at(std::size_t hash) noexcept;

  static constexpr std::size_t kSequences = 64;

 private:
  std::unique_ptr<FieldSequence[]> sequences_;
};

}  // namespace nexusfix::dictionary
