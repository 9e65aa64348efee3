#include "logs/order/order_life.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::logs {
namespace {

std::optional<Decimal> decimal_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto number = wire::convert<Decimal>(text);
  return number ? std::optional{*number} : std::nullopt;
}

double double_of(Decimal number) {
  return static_cast<double>(number.mantissa()) / std::pow(10.0, number.scale());
}

// Prices may have more digits than a Decimal: "11.333333333333333333333".
std::optional<double> price_of(std::string_view text) {
  double price = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, price, std::chars_format::fixed);
  const bool is_read = read.ec == std::errc{} && read.ptr == end && std::isfinite(price);
  return is_read ? std::optional{price} : std::nullopt;
}

OpenRequest request_of(std::string_view msg_type, const MessageFields& fields) {
  OpenRequest request{std::string{msg_type}, std::string{fields.value(11)},
                      std::string{fields.value(34)}, decimal_of(fields.value(38))};
  const std::string_view price = fields.value(44);
  const bool is_market = fields.value(40) == "1";
  if (is_market || !price.empty()) request.price = price;
  return request;
}

// ExecType (150), or what FIX 4.0 to 4.2 says by ExecTransType (20) and the quantities.
std::string_view exec_type_of(const MessageFields& fields) {
  const std::string_view transaction = fields.value(20);
  if (transaction == "1") return "H";  // a fill is canceled
  if (transaction == "2") return "G";  // a fill is corrected
  if (transaction == "3") return "I";  // the status only
  const std::string_view type = fields.value(150);
  if (type == "1" || type == "2") return "F";
  if (!type.empty()) return type;
  const auto last = decimal_of(fields.value(32));
  return last && !last->is_zero() ? "F" : fields.value(39);
}

// One unit of the last digit of a number: venues round, or cut off.
double last_digit(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::size_t digits = point == text.npos ? 0 : text.size() - point - 1;
  return std::pow(10.0, -static_cast<double>(digits));
}

}  // namespace

std::string decimal_text(Decimal number) {
  std::string digits = std::to_string(number.mantissa());
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.erase(0, 1);
  if (digits.size() <= number.scale()) digits.insert(0, number.scale() + 1 - digits.size(), '0');
  if (number.scale() > 0) {
    digits.insert(digits.size() - number.scale(), ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return (is_negative ? "-" : "") + digits;
}

// FIX 4.4, volume 4: the status with the highest precedence counts.
std::string OrderLife::ord_status() const {
  if (pending_ != '\0') return {pending_};
  if (ended_ == '3' || ended_ == 'B') return {ended_};
  const bool is_filled = order_qty_ && !order_qty_->is_zero() && cum_qty_ >= *order_qty_;
  if (is_filled && ended_ != '8') return "2";
  if (suspended_ != '\0' && ended_ == '\0') return {suspended_};
  if (ended_ != '\0') return {ended_};
  if (!cum_qty_.is_zero()) return "1";
  return is_accepted_ ? "0" : "A";
}

std::optional<Decimal> OrderLife::leaves_qty() const {
  if (ended_ != '\0') return Decimal{};
  if (!order_qty_) return std::nullopt;
  if (cum_qty_ >= *order_qty_) return Decimal{};
  return checked_subtract(*order_qty_, cum_qty_);
}

std::optional<double> OrderLife::avg_px() const {
  if (cum_qty_.is_zero()) return std::nullopt;
  return turnover_ / double_of(cum_qty_);
}

std::vector<OpenRequest> OrderLife::open_requests() const {
  std::vector<OpenRequest> all;
  all.reserve(requests_.size());
  for (const auto& [id, request] : requests_) all.push_back(request);
  return all;
}

void OrderLife::add(OrderEvent& event) {
  MessageFields fields;
  fields.read(event.bytes);
  const std::string key =
      fmt::format("{}\x01{}\x01{}", event.sender, fields.value(34), event.msg_type);
  const bool was_seen = !seen_.try_emplace(key).second;
  if (was_seen && fields.value(43) == "Y") {
    event.is_counted = false;
    return;
  }
  begins_before_ = begins_before_ || (!has_first_ && event.msg_type != "D");
  const bool is_first = !std::exchange(has_first_, true);
  const char type = event.msg_type.front();
  if (is_first && type == '8') begin_with(exec_type_of(fields), fields);
  if (type == 'D') {
    record_order(fields);
  } else if (type == 'F' || type == 'G') {
    requests_.try_emplace(std::string{fields.value(11)}, request_of(event.msg_type, fields));
  } else if (type == '8') {
    apply_report(fields, event);
  } else if (type == '9') {
    answer(fields.value(11));
    pending_ = '\0';
    compare(fields, event);
  } else if (type == '3' || type == 'j') {
    record_reject(fields);
  }
}

// A BusinessMessageReject may have the ClOrdID (379), and a Reject has only the MsgSeqNum.
void OrderLife::record_reject(const MessageFields& fields) {
  const std::string_view id = fields.value(379);
  const std::string_view number = fields.value(45);
  const auto rejected = std::ranges::find_if(requests_, [&](const auto& request) {
    return request.first == id || request.second.msg_seq_num == number;
  });
  if (rejected != requests_.end()) {
    requests_.erase(rejected);
  } else if (!is_accepted_) {
    ended_ = '8';
  }
}

void OrderLife::record_order(const MessageFields& fields) {
  if (order_qty_) return;
  order_qty_ = decimal_of(fields.value(38));
  symbol_ = fields.value(55);
  side_ = fields.value(54);
  price_ = fields.value(44);
}

// The log begins in the middle of the order's life.
void OrderLife::begin_with(std::string_view exec_type, const MessageFields& fields) {
  const Decimal cum = decimal_of(fields.value(14)).value_or(Decimal{});
  const Decimal last =
      exec_type == "F" ? decimal_of(fields.value(32)).value_or(Decimal{}) : Decimal{};
  before_.quantity = checked_subtract(cum, last).value_or(Decimal{});
  const double average = price_of(fields.value(6)).value_or(0);
  const double last_px = price_of(fields.value(31)).value_or(0);
  if (!before_.quantity.is_zero()) {
    before_.price =
        (average * double_of(cum) - last_px * double_of(last)) / double_of(before_.quantity);
  }
  is_accepted_ = true;
}

void OrderLife::answer(std::string_view cl_ord_id) {
  const auto found = requests_.find(cl_ord_id);
  if (found != requests_.end()) requests_.erase(found);
}

void OrderLife::apply_report(const MessageFields& fields, OrderEvent& event) {
  const std::string_view exec_type = exec_type_of(fields);
  const std::string_view exec_id = fields.value(17);
  const bool has_id = !exec_id.empty() && exec_id != "0";
  if (has_id && exec_type != "I") {
    const std::string key = "E" + std::string{exec_id} + '\x01' + std::string{exec_type};
    if (!seen_.try_emplace(key).second) {
      event.is_counted = false;
      return;
    }
  }
  if (symbol_.empty()) symbol_ = fields.value(55);
  if (side_.empty()) side_ = fields.value(54);
  if (!order_qty_) order_qty_ = decimal_of(fields.value(38));
  if (price_.empty()) price_ = fields.value(44);
  apply_execution(exec_type, fields, event);
  sum(event);
  compare(fields, event);
}

void OrderLife::apply_execution(std::string_view exec_type, const MessageFields& fields,
                                OrderEvent& event) {
  switch (exec_type.empty() ? '\0' : exec_type.front()) {
    case '0':  // new
      is_accepted_ = true;
      suspended_ = '\0';
      if (ended_ == '3') ended_ = '\0';  // it is continued on the next day
      break;
    case 'F':
      is_accepted_ = true;
      suspended_ = '\0';
      add_fill(fields, event);
      break;
    case 'H':
    case 'G':
      change_fill(exec_type, fields, event);
      break;
    case '5': {  // replaced
      const auto request = requests_.find(fields.value(11));
      const auto reported = decimal_of(fields.value(38));
      if (request != requests_.end() && request->second.order_qty) {
        order_qty_ = request->second.order_qty;
      } else if (reported) {
        order_qty_ = reported;
      }
      if (!fields.value(44).empty()) {
        price_ = fields.value(44);
      } else if (request != requests_.end() && request->second.price) {
        price_ = *request->second.price;
      }
      answer(fields.value(11));
      pending_ = suspended_ = '\0';
      is_accepted_ = true;
      break;
    }
    case '6':  // pending cancel
    case 'E':  // pending replace
      pending_ = exec_type.front();
      break;
    case '7':  // stopped
    case '9':  // suspended
      suspended_ = exec_type.front();
      break;
    case '4':  // canceled
    case 'C':  // expired
    case '3':  // done for day
    case '8':  // rejected
    case 'B':  // calculated
      ended_ = exec_type.front();
      pending_ = '\0';
      answer(fields.value(11));
      break;
    case 'D':  // restated
      if (const auto quantity = decimal_of(fields.value(38))) order_qty_ = quantity;
      if (!fields.value(44).empty()) price_ = fields.value(44);
      break;
    default:
      break;
  }
}

void OrderLife::add_fill(const MessageFields& fields, OrderEvent& event) {
  const auto quantity = decimal_of(fields.value(32));
  const auto price = price_of(fields.value(31));
  if (!quantity || !price) {
    event.disagreements.push_back("LastQty (32) or LastPx (31) is no number: the fill counts 0");
    return;
  }
  std::string id{fields.value(17)};
  if (id.empty()) id = fmt::format("\x01{}", fills_.size());  // no report can refer to it
  fills_[std::move(id)] = {.quantity = *quantity,
                           .price = *price,
                           .last_qty = std::string{fields.value(32)},
                           .last_px = std::string{fields.value(31)},
                           .time = event.time};
}

// A fill is canceled (H) or corrected (G). The correction has the ExecID of the fill from now on.
void OrderLife::change_fill(std::string_view exec_type, const MessageFields& fields,
                            OrderEvent& event) {
  const std::string_view reference = fields.value(19);
  const auto fill = fills_.find(reference);
  if (fill == fills_.end()) {
    event.disagreements.push_back(
        fmt::format("ExecRefID (19): {} is no fill that the log has", reference));
    if (begins_before_) return;
  } else {
    fills_.erase(fill);
  }
  if (exec_type == "G") add_fill(fields, event);
}

void OrderLife::sum(OrderEvent& event) {
  cum_qty_ = before_.quantity;
  turnover_ = double_of(before_.quantity) * before_.price;
  for (const auto& [id, fill] : fills_) {
    const auto sum = checked_add(cum_qty_, fill.quantity);
    if (!sum) {
      event.disagreements.push_back("the sum of the fills is too large for a number");
      return;
    }
    cum_qty_ = *sum;
    turnover_ += double_of(fill.quantity) * fill.price;
  }
}

void OrderLife::compare(const MessageFields& fields, OrderEvent& event) {
  std::vector<std::string> found;
  const auto differs = [&](std::string_view name, std::string_view says, std::string_view is) {
    found.push_back(fmt::format("{}: the report says {}, computed is {}", name, says, is));
  };
  const std::string_view status = fields.value(39);
  const std::string computed = ord_status();
  // FIX 4.2 and earlier: Replaced stands for New or PartiallyFilled.
  const bool is_replaced = status == "5" && (computed == "0" || computed == "1");
  if (!status.empty() && status != computed && !is_replaced) {
    differs("OrdStatus (39)", status, computed);
  }
  const auto compare_number = [&](std::string_view name, wire::Tag tag,
                                  const std::optional<Decimal>& is) {
    const std::string_view says = fields.value(tag);
    // What cannot be read, such as too many digits, is not the same either.
    if (!says.empty() && is && decimal_of(says) != is) differs(name, says, decimal_text(*is));
  };
  if (event.msg_type == "8") {
    compare_number("OrderQty (38)", 38, order_qty_);
    compare_number("CumQty (14)", 14, cum_qty_);
    compare_number("LeavesQty (151)", 151, leaves_qty());
    const std::string_view average = fields.value(6);
    const auto says = price_of(average);
    const double is = avg_px().value_or(0);
    // Floating point: of the last digit, and of the average.
    constexpr double kInexact = 0.999999;
    constexpr double kExact = 1e-12;
    const double allowed = std::max(last_digit(average) * kInexact, std::abs(is) * kExact);
    // An execution may be reported without an average.
    const bool has_average = !average.empty() && (avg_px() || says != 0.0);
    if (has_average && (!says || std::abs(*says - is) >= allowed)) {
      differs("AvgPx (6)", average, fmt::format("{:.10g}", is));
    }
    reported_ = {std::string{status}, std::string{fields.value(38)}, std::string{fields.value(14)},
                 std::string{fields.value(151)}, std::string{average}};
  } else if (!status.empty()) {
    reported_.ord_status = status;
  }
  disagreements_ = found;
  std::ranges::move(found, std::back_inserter(event.disagreements));
}

}  // namespace nexusfix::logs
