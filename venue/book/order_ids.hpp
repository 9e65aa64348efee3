// OrderIDs count up with the orders of the book, except for holes: orders that the log has lost,
// and numbers that are skipped after a loss, so that no second order gets a used one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

class OrderIds {
 public:
  [[nodiscard]] std::uint64_t id_of(OrderNumber number) const noexcept {
    const auto after = std::ranges::upper_bound(holes_, number, {}, &Hole::number);
    return number + 1ULL + (after == holes_.begin() ? 0 : std::prev(after)->left_out);
  }
  // Nothing: the OrderID is in a hole.
  [[nodiscard]] std::optional<OrderNumber> number_of(std::uint64_t id) const noexcept {
    const auto first_id = [](const Hole& hole) { return hole.number + 1ULL + hole.left_out; };
    const auto after = std::ranges::upper_bound(holes_, id, {}, first_id);
    const std::uint64_t left_out = after == holes_.begin() ? 0 : std::prev(after)->left_out;
    if (id <= left_out || id - left_out > kNoOrder) return std::nullopt;
    const std::uint64_t number = id - left_out - 1;
    if (after != holes_.end() && number >= after->number) return std::nullopt;
    return static_cast<OrderNumber>(number);
  }
  // Gives this id to the next order, whose number is passed. The id is not below its regular one.
  void leave_out(OrderNumber number, std::uint64_t id) {
    const std::uint64_t left_out = id - number - 1;
    if (!holes_.empty() && holes_.back().number == number) {
      holes_.back().left_out = left_out;
    } else {
      holes_.push_back({number, left_out});
    }
  }

 private:
  struct Hole {
    OrderNumber number = 0;      // the first order after it
    std::uint64_t left_out = 0;  // the sum of the numbers in this hole and the earlier ones
  };
  std::vector<Hole> holes_;  // ascending
};

}  // namespace nexusfix::venue
