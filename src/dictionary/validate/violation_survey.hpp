// All violations of a message, and which of them is reported.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nexusfix/dictionary/validator.hpp>

#include "dictionary/validate/validator_tables.hpp"

namespace nexusfix::dictionary {

// The order in which violations are reported: the lowest rank first, and within a rank the first
// field. As in QuickFIX, DataDictionary::validate(): structure, required fields of the header, of
// the body and of groups, then each field; QuickFIX finds a repeated tag only there.
enum class Rank : std::uint8_t {
  Unreadable,       // the end of its fields is unknown
  Sections,         // header, body, trailer
  Repeated,         // tags of the message
  Required,         // missing in the message
  RequiredInGroup,  // missing in an entry
  Field,
};

inline Rank rank_of(const Violation& violation) noexcept {
  if (!is_readable(violation.rule)) return Rank::Unreadable;
  const bool is_in_group = violation.group != 0;
  switch (violation.rule) {
    case Violation::Rule::TagOutOfSection:
      return Rank::Sections;
    case Violation::Rule::TagRepeated:
      return is_in_group ? Rank::Field : Rank::Repeated;
    case Violation::Rule::RequiredTagMissing:
      return is_in_group ? Rank::RequiredInGroup : Rank::Required;
    default:
      return Rank::Field;
  }
}

// Whether the fields after it may belong to other entries than they seem to.
inline bool tears_group(Violation::Rule rule) noexcept {
  return rule == Violation::Rule::DelimiterMissing || rule == Violation::Rule::GroupOrderWrong ||
         rule == Violation::Rule::GroupCountWrong;
}

// Replaces a check list: the walk does not end at the first violation, but finds the one of the
// lowest rank. For messages that are known to have one.
class Survey {
 public:
  void add(std::size_t, Check, std::uint64_t) const noexcept {}
  // context: of the message or the group that is walked.
  void take(const Violation& violation, const MemberContext& context) noexcept {
    Rank rank = rank_of(violation);
    if (!is_sure(violation)) rank = Rank::Field;
    if (!lowest_ || rank < rank_) {
      lowest_ = violation;
      rank_ = rank;
    }
    if (tears_group(violation.rule)) torn_[torn_count_++ % torn_.size()] = &context;
  }
  [[nodiscard]] const std::optional<Violation>& lowest() const noexcept { return lowest_; }
  [[nodiscard]] Rank rank() const noexcept { return rank_; }

 private:
  // In a torn group, entries seem to lack fields that another entry has, and fields seem to belong
  // to the message.
  [[nodiscard]] bool is_sure(const Violation& violation) const noexcept {
    if (torn_count_ == 0) return true;
    if (violation.rule == Violation::Rule::RequiredTagMissing) return violation.group == 0;
    if (violation.rule != Violation::Rule::TagRepeated) return true;
    const auto has_it = [&](const MemberContext* torn) {
      return torn != nullptr && torn->find(violation.tag) != nullptr;
    };
    return torn_count_ <= torn_.size() && std::ranges::none_of(torn_, has_it);
  }

  std::optional<Violation> lowest_;
  Rank rank_ = Rank::Field;
  std::array<const MemberContext*, 8> torn_{};
  std::size_t torn_count_ = 0;
};

}  // namespace nexusfix::dictionary
