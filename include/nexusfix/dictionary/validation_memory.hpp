// Remembers the field sequences of valid messages for a Validator.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {
class FieldProof;
}  // namespace nexusfix::wire

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
  // Without any sequence. Allocates some 40 KiB, and nothing later. For startup.
  ValidationMemory();
  ~ValidationMemory();
  // Takes the sequences; other may only be destroyed or assigned to afterwards.
  ValidationMemory(ValidationMemory&&) noexcept;
  // Takes the sequences; the earlier ones of this object are dropped.
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // The slot of a sequence with this hash. For Validator only.
  [[nodiscard]] FieldSequence& at(std::size_t hash) noexcept;

  // The slot at this place, below kSequences. For Validator only.
  [[nodiscard]] FieldSequence& at_place(std::size_t place) noexcept;
  // The place of a slot. For Validator only.
  [[nodiscard]] std::size_t place_of(const FieldSequence& sequence) const noexcept;

  // The sequence that was found last for a context with this ValidatorTables::context_id(), or
  // another one; never null. For Validator only.
  [[nodiscard]] FieldSequence*& recent(std::size_t context_id) noexcept {
    return recent_[context_id % kRecent];
  }

  // What is known of the message that the last call of validate() has found valid; null: nothing.
  // Valid as long as the memory; a proof of another message replaces it.
  [[nodiscard]] wire::FieldProof* proof() const noexcept { return proof_; }
  // For Validator only.
  void set_proof(wire::FieldProof* proof) noexcept { proof_ = proof; }

  // The number of sequences that it remembers, at most.
  static constexpr std::size_t kSequences = 64;

 private:
  static constexpr std::size_t kRecent = 16;

  std::unique_ptr<FieldSequence[]> sequences_;
  std::array<FieldSequence*, kRecent> recent_{};
  wire::FieldProof* proof_ = nullptr;  // of one of them
};

}  // namespace nexusfix::dictionary
