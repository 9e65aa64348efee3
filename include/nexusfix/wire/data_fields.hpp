// Which Length field announces which data field. The value of a data field may contain SOH and `=`,
// so a parser must know the pairs to find the end of such a field.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

// A Length field and the data field that follows it.
struct DataFieldPair {
  Tag length = 0;  // tag of the Length field
  Tag data = 0;    // tag of the data field
};

// The data field that a Length field of FIX 4.0 to 5.0 SP2 announces; 0: length_tag is none. One
// load, to be asked for each field of a message.
[[nodiscard]] Tag standard_data_tag(Tag length_tag) noexcept;

// The pairs that a parser knows. A dictionary can extend them. A value type: any number of threads
// may read it.
class DataFieldTable {
 public:
  // The pairs of FIX 4.0 to 5.0 SP2.
  [[nodiscard]] static DataFieldTable standard();
  // Replaces an earlier pair with the same Length field.
  void add(DataFieldPair pair);
  // Adds many pairs at once. Of several with the same Length field, the last one counts. O(n log
  // n).
  void add(std::span<const DataFieldPair> pairs);
  // All pairs, by ascending tag of the Length field. The span is valid until the next add().
  [[nodiscard]] std::span<const DataFieldPair> pairs() const noexcept { return pairs_; }
  // The data field that this Length field announces; nothing if length_tag is no Length field.
  [[nodiscard]] std::optional<Tag> data_tag_for(Tag length_tag) const noexcept;
  // The Length field that announces this data field; nothing if data_tag is no data field.
  [[nodiscard]] std::optional<Tag> length_tag_for(Tag data_tag) const noexcept;

 private:
  std::vector<DataFieldPair> pairs_;  // sorted by length tag
};

}  // namespace nexusfix::wire
