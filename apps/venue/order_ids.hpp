// OrderIDs count up with the orders of the book, but for holes: orders that the log has lost, and
// numbers that are left out behind a loss, so that none is given to a second order.
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
    const auto behind = std::ranges::upper_bound(holes_, index, {}, &Hole::index);
    return index + 1ULL + (behind == holes_.begin() ? 0 : std::prev(behind)->left_out);
  }
  // Nothing: of an order in a hole.
  [[nodiscard]] std::optional<OrderIndex> index_of(std::uint64_t id) const noexcept {
    const auto first_id = [](const Hole& hole) { return hole.index + 1ULL + hole.left_out; };
    const auto behind = std::ranges::upper_bound(holes_, id, {}, first_id);
    const std::uint64_t left_out = behind == holes_.begin() ? 0 : std::prev(behind)->left_out;
    if (id <= left_out || id - left_out > kNoOrder) return std::nullopt;
    const std::uint64_t index = id - left_out - 1;
    if (behind != holes_.end() && index >= behind->index) return std::nullopt;
    return static_cast<OrderIndex>(index);
  }
  // The order with this index, which is the next one, has this id: none below what it would have.
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
    OrderIndex index = 0;        // the first order behind it
    std::uint64_t left_out = 0;  // numbers in this hole and those before it
  };
  std::vector<Hole> holes_;  // ascending
};

}  // namespace nexusfix::venue
