// What a Validator may remember of the messages that it has found right.
#pragma once

#include <cstddef>
#include <memory>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

struct FieldSequence;

// The tags of messages of up to 64 fields that were right, in their order, each sequence with the
// checks that it leaves to do. A counterparty's software sends the same few sequences all day:
// whether a tag is known, belongs there, is repeated, is missing or out of order is a question of
// the sequence alone, and so is the form of a group whose count has not changed. Only the values
// are new.
//
// Any number of validators may use one memory, one at a time: it is for one thread. A sequence that
// is not there is learned the second time that it comes, and takes the place of another if need be;
// what is forgotten costs time, never correctness.
class ValidationMemory {
 public:
  // Allocates some 28 KiB, once. For start-up.
  ValidationMemory();
  ~ValidationMemory();
  ValidationMemory(ValidationMemory&&) noexcept;
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // Where a sequence of this hash is, or would be.
  [[nodiscard]] FieldSequence& at(std::size_t hash) noexcept;

  static constexpr std::size_t kSequences = 64;

 private:
  std::unique_ptr<FieldSequence[]> sequences_;
};

}  // namespace nexusfix::dictionary
