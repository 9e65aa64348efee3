// Misuse of the values of fields that the compiler must refuse. NEXUSFIX_MISTAKE selects one; with
// 0 there is none, and the file compiles.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/text.hpp>
#include <nexusfix/wire/typed_write.hpp>

namespace nexusfix {

using namespace fix44;
using namespace literals;
using wire::entry;

// What does not compile although no overload refuses it.
template <class A, class B>
concept Less = requires(const A& a, const B& b) { a < b; };
template <class A, class B>
concept Equal = requires(const A& a, const B& b) { a == b; };
template <class A, class B>
concept Assigned = requires(A a, const B& b) { std::move(a) = b; };
static_assert(!Less<ClOrdID, ClOrdID> && !Equal<ClOrdID, OrderID>);
static_assert(!Assigned<Price, Price> && !Assigned<wire::OptionalField<Price>, Price>);
static_assert(!std::is_convertible_v<Price, double> && !std::is_convertible_v<Decimal, double>);
static_assert(!std::is_default_constructible_v<TransactTime>);
static_assert(!std::is_default_constructible_v<std::hash<ClOrdID>>);

bool use(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 1
  // error: a field is compared with a value of its own type
  return report.price() == "150.25";
#elif NEXUSFIX_MISTAKE == 2
  // error: a field is compared with a value of its own type
  return report.avg_px() == 150.25;
#elif NEXUSFIX_MISTAKE == 3
  // error: a field is compared with a value of its own type
  return report.cl_ord_id() == Symbol{"A"};
#elif NEXUSFIX_MISTAKE == 4
  // error: the field may be missing: test it, and then order its value
  return report.price() > 100;
#elif NEXUSFIX_MISTAKE == 5
  // error: the result may not fit: test it, and then use \*result
  return report.leaves_qty() * 3 > 100;
#elif NEXUSFIX_MISTAKE == 6
  // error: the result of \+ - or \* may not fit: test it
  return OrderQty{report.leaves_qty() + 1} == 1;
#elif NEXUSFIX_MISTAKE == 7
  // error: the field may be missing: test it, and then use \*field
  return (report.price() * 3).has_value();
#elif NEXUSFIX_MISTAKE == 9
  // error: now\(\) is for send\(\)
  static_cast<void>(entry(OrigTime::now()));
  return true;
#else
  const CheckedDecimal notional = report.leaves_qty() * report.avg_px();
  return notional && *notional > 100 && report.cl_ord_id() == "A1" && report.price() == 150.25_d &&
         report.avg_px() == Price{"150.25"} && report.price().value_or(0) > 100;
#endif
}

bool use_plain(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 10
  // error: no viable conversion|conversion from
  const ClOrdID id = "A1";
  return report.cl_ord_id() == id.value;
#elif NEXUSFIX_MISTAKE == 12
  // error: .*Decimal.*double
  const double price = report.avg_px();
  return price > 1;
#elif NEXUSFIX_MISTAKE == 13
  // error: write 150.25_d with namespace nexusfix::literals
  return report.avg_px() == Decimal{150.25};
#elif NEXUSFIX_MISTAKE == 14
  // error: write 150.25_d with namespace nexusfix::literals
  return report.avg_px() == Decimal{"150.25"};
#elif NEXUSFIX_MISTAKE == 15
  // error: a price or a quantity is exact: write 1.5_d
  return (report.avg_px() * 1.5).has_value();
#elif NEXUSFIX_MISTAKE == 17
  // error: the field may be missing: test it, and then use \*field or field->value
  const std::string text = report.cl_ord_id();
  return text.empty();
#elif NEXUSFIX_MISTAKE == 20
  // error: invalid use of non-static member function|must be called
  const std::string text = report.cl_ord_id().value;
  return text.empty();
#elif NEXUSFIX_MISTAKE == 22
  // error: include the header with the names of the enumerations
  return to_string(report.time_in_force()).empty();
#else
  const ClOrdID& id = report.cl_ord_id().value();
  return id == "A" && fmt::format("{}", report.price()) == "1";
#endif
}

bool use_in_containers(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 31 && defined(__clang__)  // g++ has no such warning
  // error: object backing the pointer will be destroyed
  const OrderID id{"A" + std::to_string(1)};
  return report.order_id() == id;
#else
  const std::string text = "order " + report.order_id() + ' ' + report.exec_id();
  if (report.order_id() == OrderID{"A" + std::to_string(1)}) return text.empty();
  std::unordered_map<Price, OrderQty> sizes;
  sizes[report.avg_px() * 1 ? Price{1} : Price{2}] = OrderQty{report.cum_qty().value};
  if (std::max<Decimal>(report.leaves_qty(), report.cum_qty()) > 1 && sizes.empty()) return false;
  if (*abs(report.leaves_qty() - report.cum_qty()) > 1) return false;
  std::vector<NewOrderSingle::Draft> kept;
  if (fmt::format("{:.2f}", report.avg_px()).empty()) return kept.empty();
  for (auto& party : report.no_party_ids()) {
    if (party.party_id() == "A") return true;
  }
  std::string copy = report.order_id();
  copy = report.exec_id();
  const std::string_view view = report.order_id();
  const Decimal average = report.avg_px();
  const ClOrdID& id = report.cl_ord_id().value();
  return copy == view && average == 1 && id == "A" && fmt::format("{}", report.price()) == "1";
#endif
}

// What programs of double write: of the overloads of the standard library one takes a double.
bool use_as_numbers(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 40
  // error: convert|conversion
  const int quantity = report.leaves_qty();
  return quantity > 1;
#elif NEXUSFIX_MISTAKE == 41
  // error: a price or a quantity is exact: write 1.5_d
  return report.avg_px().value > 1.5;
#elif NEXUSFIX_MISTAKE == 42
  // error: a price or a quantity is exact: write 1.5_d
  return report.avg_px().value == 1.5;
#else
  const auto open = 2 * report.leaves_qty() - report.cum_qty() * report.avg_px() + 1.5_d;
  const auto negative = -report.leaves_qty();
  const Decimal average = report.avg_px();
  return open && negative && abs(average) && average + average - 1 && -average && abs(open);
#endif
}

bool use_changed(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 44  // changes a copy
  // error: passing .const nexusfix::Decimal. as|no viable overloaded '='
  report.leaves_qty().value = 100_d;
  return true;
#elif NEXUSFIX_MISTAKE == 45 && defined(__clang__)  // g++: 6 lines, and the path to <string_view>
  // error: no viable overloaded '='
  report.order_id().value = "A";
  return true;
#elif NEXUSFIX_MISTAKE == 46                        // keeps a view
  // error: a received message is a view, and its bytes are overwritten by the next one
  std::optional<ExecutionReport> last;
  last = report;
  return last.has_value();
#elif NEXUSFIX_MISTAKE == 48
  // error: a received message is a view
  static std::optional<ExecutionReport> last;
  last.emplace(report);
  return last.has_value();
#elif NEXUSFIX_MISTAKE == 49
  // error: a received message is a view
  const ExecutionReport copy = report;
  return copy.order_id() == "A";
#elif NEXUSFIX_MISTAKE == 50
  // error: a received message is a view
  const auto later = [report] { return report.order_id() == "A"; };
  return later();
#elif NEXUSFIX_MISTAKE == 51
  // error: a received message is a view
  const auto result = ExecutionReport::from(report.view());
  const auto later = [result] { return result.has_value(); };
  return later();
#elif NEXUSFIX_MISTAKE == 52
  // error: a received message is a view
  struct Book {
    ExecutionReport last;
  };
  const Book book{report};
  return book.last.order_id() == "A";
#elif NEXUSFIX_MISTAKE == 53
  // error: a received message is a view
  std::vector<ExecutionReport> reports;
  reports.push_back(report);
  return reports.empty();
#elif NEXUSFIX_MISTAKE == 54
  // error: a received message is a view
  std::map<std::string, ExecutionReport> reports;
  reports[report.order_id() + ""] = report;
  return reports.empty();
#else
  auto quantity = report.leaves_qty();  // a variable changes
  quantity = report.leaves_qty();
  quantity.value = 100_d;
  return quantity > 1;
#endif
}

bool use_in_book(const ExecutionReport& report) {
#if NEXUSFIX_MISTAKE == 55  // an optional field
  // error: the field may be missing: test it
  return std::stoi(report.cl_ord_id()) == 1;
#elif NEXUSFIX_MISTAKE == 56
  // error: a price at run time may not fit: FixedPrice::from_decimal\(price\), tested
  return FixedPrice{report.avg_px()}.is_zero();
#elif NEXUSFIX_MISTAKE == 57
  // error: write 150.25_fp
  return FixedPrice{150.25}.is_zero();
#elif NEXUSFIX_MISTAKE == 58
  // error: a quotient is rounded, by a rule of yours
  return (report.avg_px() * 3 / report.cum_qty()).has_value();
#elif NEXUSFIX_MISTAKE == 59
  // error: a quotient is rounded, by a rule of yours
  return (report.price().value_or(0) / 2).has_value();
#elif NEXUSFIX_MISTAKE == 60
  // error: the result may not fit: test it, and then use \*result
  const Decimal total = report.cum_qty() + report.leaves_qty();
  return total > 1;
#elif NEXUSFIX_MISTAKE == 61
  // error: the result may not fit: test it, and then use \*result
  const OrderQty open = report.cum_qty() - report.leaves_qty();
  return open > 1;
#elif NEXUSFIX_MISTAKE == 62
  // error: the field may be missing: test it
  std::map<std::string, int> orders;
  return orders.try_emplace(report.cl_ord_id(), 1).second;
#elif NEXUSFIX_MISTAKE == 63
  // error: the field may be missing: test it
  const std::optional<std::string> id = report.cl_ord_id();
  return id == "A";
#elif NEXUSFIX_MISTAKE == 64
  // error: the field may be missing: test it
  const std::optional<Price> price = report.price();
  return price == Price{1};
#elif NEXUSFIX_MISTAKE == 67  // QuickFIX's values
  // error: an enumeration is compared with a name: order.side\(\) == Side::Buy, not '1'
  return report.side() == '1';
#elif NEXUSFIX_MISTAKE == 68
  // error: an enumeration is compared with a name: order.side\(\) == Side::Buy, not '1'
  return report.exec_type() != "F";
#elif NEXUSFIX_MISTAKE == 69
  // error: an enumeration is compared with a name: order.side\(\) == Side::Buy, not '1'
  return 2 == report.ord_status();
#elif NEXUSFIX_MISTAKE == 70
  // error: a field is compared with a value of its own type: Side::Buy, not '1'
  return report.time_in_force() == '1';
#elif NEXUSFIX_MISTAKE == 71
  // error: a field is compared with a value of its own type: Side::Buy, not '1'
  return report.ord_rej_reason() == '3';
#elif NEXUSFIX_MISTAKE == 72
  // error: an enumeration is compared with a name
  return OrdRejReason::BrokerExchangeOption == "0";
#else
  const std::int64_t reason = report.ord_rej_reason_or(0);
  if (reason == 3 || report.ord_rej_reason() == 3 || OrdRejReason{reason} == 3) return false;
  const auto price = FixedPrice::from_decimal(report.avg_px());
  return price && *price > 150.25_fp && FixedPrice::from_units(price->units() / 3) < *price &&
         std::stoi(report.order_id()) == 1;
#endif
}

}  // namespace nexusfix
