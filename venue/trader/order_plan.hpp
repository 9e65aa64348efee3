// The n-th order of the trader, as a function of n alone: after a crash the trader continues from
// the last n in its journal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix::trader {

enum class PlannedSide : std::uint8_t { Buy, Sell };

enum class Pattern : std::uint8_t {
  Pairs,     // buy 100, sell 100: each sell fills the buy before it
  Partials,  // buy 300, sell 100, buy 100, sell 300: fills in parts and in order of time
};

// The orders of a pattern come in groups. A complete group leaves no order on the book.
[[nodiscard]] constexpr std::uint64_t group_size(Pattern pattern) noexcept {
  return pattern == Pattern::Pairs ? 2 : 4;
}

struct PlannedOrder {
  PlannedSide side = PlannedSide::Buy;
  Decimal quantity;
  Decimal price;
};

// number counts from 1.
[[nodiscard]] PlannedOrder planned_order(std::uint64_t number, Pattern pattern) noexcept;

// ClOrdID of the n-th order: "T1", "T2", ...
inline constexpr std::size_t kClOrdIdBytesMax = 24;
[[nodiscard]] std::string_view write_cl_ord_id(std::uint64_t number, char* out) noexcept;
// Nothing if it is not one of the trader's ClOrdIDs.
[[nodiscard]] std::optional<std::uint64_t> order_number(std::string_view cl_ord_id) noexcept;

}  // namespace nexusfix::trader
