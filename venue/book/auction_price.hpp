// The price of an auction. Pure.
#pragma once

#include <optional>
#include <span>

#include "venue/book/units.hpp"

namespace nexusfix::venue {

// All orders of one side at one price.
struct AuctionLevel {
  Units price = 0;
  Units quantity = 0;
};

// The price at which most is traded. Of several such prices: the one that leaves the least
// quantity unfilled; of these, the nearest to reference; of two as near, the higher one. Each side
// has its best price first. Nothing: nothing crosses. O(n²) for n prices.
[[nodiscard]] std::optional<Units> auction_price(std::span<const AuctionLevel> bids,
                                                 std::span<const AuctionLevel> asks,
                                                 Units reference) noexcept;

}  // namespace nexusfix::venue
