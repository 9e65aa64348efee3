#include "venue/trader/order_plan.hpp"

#include <charconv>

namespace nexusfix::trader {
namespace {

constexpr char kPrefix = 'T';
// Prices go up and down through this number of levels, in steps of 0.25 from 100.00.
constexpr std::uint64_t kPriceLevels = 16;

std::int64_t lots(std::uint64_t number, Pattern pattern) noexcept {
  if (pattern == Pattern::Pairs) return 1;
  const std::uint64_t in_group = (number - 1) % group_size(pattern);
  return in_group == 0 || in_group == 3 ? 3 : 1;
}

}  // namespace

PlannedOrder planned_order(std::uint64_t number, Pattern pattern) noexcept {
  const std::uint64_t group = (number - 1) / group_size(pattern);
  const auto level = static_cast<std::int64_t>(group % kPriceLevels);
  return {.side = number % 2 == 1 ? PlannedSide::Buy : PlannedSide::Sell,
          .quantity = Decimal::from_int(100 * lots(number, pattern)),
          .price = Decimal{10'000 + 25 * level, 2}};
}

std::string_view write_cl_ord_id(std::uint64_t number, char* out) noexcept {
  *out = kPrefix;
  const auto written = std::to_chars(out + 1, out + kClOrdIdBytesMax, number);
  return {out, static_cast<std::size_t>(written.ptr - out)};
}

std::optional<std::uint64_t> order_number(std::string_view cl_ord_id) noexcept {
  if (cl_ord_id.size() < 2 || cl_ord_id[0] != kPrefix || cl_ord_id[1] == '0') return std::nullopt;
  std::uint64_t number = 0;
  const char* end = cl_ord_id.data() + cl_ord_id.size();
  const auto read = std::from_chars(cl_ord_id.data() + 1, end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace nexusfix::trader
