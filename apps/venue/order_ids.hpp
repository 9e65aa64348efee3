// OrderIDs count up with the orders of the book, except for holes: orders that the log has lost,
// and numbers that are skipped after a loss, so that no second order gets a used one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "venue/order_book.hpp"

namespace nexusfix::venue {

class OrderIds {
 public:
  [[nodiscard]] std::uint64_t id_of(OrderIndex index) const noexcept {
    const auto after = std::ranges::upper_bound(holes_, index, {}, &Hole::index);
    return index + 1ULL + (after == holes_.begin() ? 0 : std::prev(after)->left_out);
  }
  // Nothing: the OrderID is in a hole.
  [[nodiscard]] std::optional<OrderIndex> index_of(std::uint64_t id) const noexcept {
    const auto first_id = [](const Hole& hole) { return hole.index + 1ULL + hole.left_out; };
    const auto after = std::ranges::upper_bound(holes_, id, {}, first_id);
    const std::uint64_t left_out = after == holes_.begin() ? 0 : std::prev(after)->left_out;
    if (id <= left_out || id - left_out > kNoOrder) return std::nullopt;
    const std::uint64_t index = id - left_out - 1;
    if (after != holes_.end() && index >= after->index) return std::nullopt;
    return static_cast<OrderIndex>(index);
  }
  // Gives this id to the next order, whose index is passed. The id is not below its regular one.
  void leave_out(OrderIndex index, std::uint64_t id) {
    const std::uint64_t left_out = id - index - 1;
    if (!holes_.empty() && holes_.back().index == index) {
      holes_.back().left_out = left_out;
    } else {
      holes_.push_back({index, left_out});
    }
  }

 private:
  struct Hole {
    OrderIndex index = 0;        // the first order after it
    std::uint64_t left_out = 0;  // the sum of the numbers in this hole and the earlier ones
  };
  std::vector<Hole> holes_;  // ascending
};

}  // namespace nexusfix::venue
