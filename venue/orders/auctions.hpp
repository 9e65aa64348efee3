// Auctions: while one is open, orders of its symbol rest without a trade. Its end trades all that
// crosses at one price.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "venue/exchange.hpp"

namespace nexusfix::venue {

class Auctions {
 public:
  // The exchange must outlive it.
  explicit Auctions(Exchange& exchange) noexcept : exchange_{exchange} {}

  // The rules have changed, or the engine is attached: opens auctions that are new, and uncrosses
  // each symbol that has none and whose orders cross. So the state follows from the rules and the
  // book, and a restart needs no other memory.
  void follow_rules();
  [[nodiscard]] bool is_open(std::string_view symbol) const noexcept;

 private:
  struct Open {
    std::string symbol;
    bool has_ended = false;  // its time is over; until the rules have no auction of the symbol
    std::uint64_t number = 0;
  };
  void open(const Auction& auction);
  void end(std::uint64_t number);
  void uncross(std::string_view symbol);

  Exchange& exchange_;
  std::vector<Open> auctions_;
  std::uint64_t last_number_ = 0;
};

}  // namespace nexusfix::venue
