// Which Length field announces which data field. The value of a data field may contain SOH and `=`,
// so a parser must know the pairs to find the end of such a field.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

struct DataFieldPair {
  Tag length = 0;
  Tag data = 0;
};

// A dictionary can extend it. A value type. Reading it is const and thread-safe.
class DataFieldTable {
 public:
  // The pairs of FIX 4.0 to 5.0 SP2.
  [[nodiscard]] static DataFieldTable standard();
  // Replaces an earlier pair with the same Length field.
  void add(DataFieldPair pair);
  // Adds many pairs at once. Of several with the same Length field, the last one counts. O(n log
  // n).
  void add(std::span<const DataFieldPair> pairs);
  [[nodiscard]] std::span<const DataFieldPair> pairs() const noexcept { return pairs_; }
  // The data field that this Length field announces.
  [[nodiscard]] std::optional<Tag> data_tag_for(Tag length_tag) const noexcept;
  [[nodiscard]] std::optional<Tag> length_tag_for(Tag data_tag) const noexcept;

 private:
  std::vector<DataFieldPair> pairs_;  // sorted by length tag
};

}  // namespace nexusfix::wire
