// The price of an auction.
#include "venue/book/auction_price.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace nexusfix::venue {
namespace {

using Levels = std::vector<AuctionLevel>;

TEST(AuctionPrice, nothing_crosses) {
  EXPECT_EQ(auction_price(Levels{{10, 5}}, Levels{{11, 5}}, 0), std::nullopt);
  EXPECT_EQ(auction_price(Levels{}, Levels{{11, 5}}, 0), std::nullopt);
}

TEST(AuctionPrice, most_is_traded) {
  // At 10: 30 are bought, 20 sold. At 11: 10 and 20. At 9: 30 and 5.
  EXPECT_EQ(auction_price(Levels{{11, 10}, {10, 20}}, Levels{{9, 5}, {10, 15}}, 0), 10);
}

TEST(AuctionPrice, least_is_left_then_nearest_to_reference_then_the_higher) {
  EXPECT_EQ(auction_price(Levels{{12, 10}}, Levels{{8, 10}, {10, 5}}, 0), 8);
  EXPECT_EQ(auction_price(Levels{{12, 10}}, Levels{{8, 10}}, 11), 12);
  EXPECT_EQ(auction_price(Levels{{12, 10}}, Levels{{8, 10}}, 9), 8);
  EXPECT_EQ(auction_price(Levels{{12, 10}}, Levels{{8, 10}}, 10), 12);
}

}  // namespace
}  // namespace nexusfix::venue
