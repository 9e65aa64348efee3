#include "venue/book/auction_price.hpp"

#include <algorithm>
#include <tuple>

namespace nexusfix::venue {

std::optional<Units> auction_price(std::span<const AuctionLevel> bids,
                                   std::span<const AuctionLevel> asks, Units reference) noexcept {
  struct Candidate {
    Units price = 0;
    Notional traded = 0;
    Notional left = 0;
    Notional distance = 0;
  };
  std::optional<Candidate> best;
  // Between two prices of orders nothing changes: only those are tried.
  for (const auto& side : {bids, asks}) {
    for (const AuctionLevel& at : side) {
      Notional bought = 0;
      Notional sold = 0;
      for (const AuctionLevel& bid : bids) bought += bid.price >= at.price ? bid.quantity : 0;
      for (const AuctionLevel& ask : asks) sold += ask.price <= at.price ? ask.quantity : 0;
      const Notional away = Notional{at.price} - reference;
      const Candidate one{at.price, std::min(bought, sold),
                          std::max(bought, sold) - std::min(bought, sold), away < 0 ? -away : away};
      if (one.traded == 0) continue;
      const bool is_better =
          !best ||
          std::tuple{-one.traded, one.left, one.distance, -Notional{one.price}} <
              std::tuple{-best->traded, best->left, best->distance, -Notional{best->price}};
      if (is_better) best = one;
    }
  }
  if (!best) return std::nullopt;
  return best->price;
}

}  // namespace nexusfix::venue
