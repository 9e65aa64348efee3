// Remembers the field sequences of valid messages for a Validator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {
class FieldProof;
}  // namespace nexusfix::wire

namespace nexusfix::dictionary {

class SequenceKeys;
struct FieldSequence;

// Makes Validator::validate() faster. It remembers the tag sequences of valid messages of up to 64
// fields, each with its remaining checks. A counterparty sends the same few sequences all day. The
// sequence alone determines whether a tag is known, allowed, repeated, missing or out of order, and
// the form of a group whose count has not changed. Only the values are new.
//
// Any number of validators may use one memory. One thread at a time. A new sequence is learned when
// it occurs for the second time, and may replace one that has not occurred since. A replaced
// sequence costs time, but never correctness.
class ValidationMemory {
 public:
  // Without any sequence. Allocates some 40 KiB, and nothing later. For startup.
  ValidationMemory();
  ~ValidationMemory();
  // Takes the sequences; other may only be destroyed or assigned to afterwards.
  ValidationMemory(ValidationMemory&&) noexcept;
  // Takes the sequences; the earlier ones of this object are dropped.
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // The sequence of these tags in a context with this ValidatorTables::context_id(); null: it is
  // unknown. For Validator only.
  [[nodiscard]] FieldSequence* find(std::uint64_t context_id, const SequenceKeys& keys) noexcept;
  // The slot for an unknown sequence with this hash; null: it is not learned yet. For Validator
  // only.
  [[nodiscard]] FieldSequence* slot_for(std::uint64_t hash) noexcept;

  // The slot at this place, below kSequences. For Validator only.
  [[nodiscard]] FieldSequence& at_place(std::size_t place) noexcept;
  // The place of a slot. For Validator only.
  [[nodiscard]] std::size_t place_of(const FieldSequence& sequence) const noexcept;

  // What is known of the message that the last call of validate() has found valid; null: nothing.
  // Valid as long as the memory; a proof of another message replaces it.
  [[nodiscard]] wire::FieldProof* proof() const noexcept { return proof_; }
  // For Validator only.
  void set_proof(wire::FieldProof* proof) noexcept { proof_ = proof; }

  // The number of sequences that it remembers, at most.
  static constexpr std::size_t kSequences = 64;

 private:
  // A sequence has a slot in the set that its hash selects.
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kSets = kSequences / kWays;
  static constexpr std::size_t kRecent = 64;
  // Orders of one counterparty have up to that many numbers of tags.
  static constexpr std::size_t kRecentOfContext = 13;

  [[nodiscard]] FieldSequence* set_of(std::uint64_t hash) noexcept;

  std::unique_ptr<FieldSequence[]> sequences_;
  // The sequence that was found last, by context and number of tags; never null.
  std::array<FieldSequence*, kRecent> recent_{};
  // The hash of the last unknown sequence of each set.
  std::array<std::uint64_t, kSets> candidates_{};
  wire::FieldProof* proof_ = nullptr;  // of one of them
};

}  // namespace nexusfix::dictionary
