#include "bench/traffic/order_flow.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "bench/messages/messages.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::int64_t kStartMs = 1'705'312'800'000;  // 2024-01-15 10:00:00 UTC
constexpr std::size_t kOpenMax = 64;

std::string instrument(const DeskOrder& order) {
  return fmt::format("55={}|54={}|", order.symbol, order.side);
}

std::string account(const DeskOrder& order) {
  return order.account.empty() ? "" : fmt::format("1={}|", order.account);
}

std::string parties(const DeskOrder& order) {
  if (order.parties.empty()) return {};
  std::string text = fmt::format("453={}|", order.parties.size());
  for (const std::string& party : order.parties) text += fmt::format("448={}|447=D|452=12|", party);
  return text;
}

std::string text_field(const std::string& text) {
  return text.empty() ? "" : fmt::format("58={}|", text);
}

// What orders and replaces have after their identifiers.
std::string terms(const DeskOrder& order, const std::string& transact_time) {
  return parties(order) + account(order) + "21=1|" + instrument(order) +
         fmt::format("60={}|38={}|40=2|44={}|59=0|", transact_time, order.order_qty,
                     price_text(order.price)) +
         text_field(order.text);
}

}  // namespace

std::string FlowMessage::text() const {
  const bool is_desk =
      kind == FlowKind::Order || kind == FlowKind::Replace || kind == FlowKind::Cancel;
  return message_of(fmt::format("35={}|49={}|56={}|34={}|52={}|", msg_type,
                                is_desk ? "DESK7" : "VENUE", is_desk ? "VENUE" : "DESK7",
                                msg_seq_num, timestamp_text(sending_time_ms)) +
                    body);
}

OrderFlow::OrderFlow(std::uint64_t seed, FlowTimes times)
    : random_{seed},
      times_{times},
      desk_ids_{static_cast<std::uint64_t>(random_.number(6))},
      venue_ids_{static_cast<std::uint64_t>(random_.number(9))},
      now_ms_{kStartMs} {}

FlowMessage OrderFlow::next() {
  if (answers_.empty()) return request();
  FlowMessage first = std::move(answers_.front());
  answers_.pop_front();
  return first;
}

FlowMessage OrderFlow::request() {
  constexpr std::uint64_t kGapMs = 1'000;
  now_ms_ += static_cast<std::int64_t>(random_.below(kGapMs));
  if (open_.empty() || in(60)) return new_order();
  const std::size_t index = random_.below(open_.size());
  return in(50) ? replace(open_[index]) : cancel(index);
}

FlowMessage OrderFlow::new_order() {
  Open open{.order = draw_order(), .order_id = draw_id(venue_ids_)};
  FlowMessage sent =
      message(FlowKind::Order, 'D', open.order,
              fmt::format("11={}|", open.order.cl_ord_id) + terms(open.order, transact_time()));
  if (in(5)) {
    answer(open, FlowKind::Reject, '8', '8', "103=0|");
    return sent;
  }
  answer(open, FlowKind::Report, '0', '0', {});
  if (in(70)) fill(open);
  if (open.cum_qty < open.order.order_qty) open_.push_back(std::move(open));
  if (open_.size() > kOpenMax) open_.erase(open_.begin());
  return sent;
}

FlowMessage OrderFlow::replace(Open& open) {
  DeskOrder changed = open.order;
  changed.cl_ord_id = draw_id(desk_ids_);
  changed.order_qty = std::max(open.cum_qty + 1, random_.number(7));
  changed.price = draw_price();
  changed.text = draw_text();
  FlowMessage sent = message(FlowKind::Replace, 'G', changed,
                             fmt::format("41={}|11={}|", open.order.cl_ord_id, changed.cl_ord_id) +
                                 terms(changed, transact_time()));
  if (in(10)) {
    refuse(open, changed, '2');
    return sent;
  }
  const std::string orig = fmt::format("41={}|", open.order.cl_ord_id);
  open.order = std::move(changed);
  answer(open, FlowKind::Report, '5', open.cum_qty == 0 ? '0' : '1', orig);
  return sent;
}

FlowMessage OrderFlow::cancel(std::size_t index) {
  Open open = open_[index];
  DeskOrder request = open.order;
  request.cl_ord_id = draw_id(desk_ids_);
  request.text = draw_text();
  FlowMessage sent = message(
      FlowKind::Cancel, 'F', request,
      fmt::format("41={}|37={}|11={}|", open.order.cl_ord_id, open.order_id, request.cl_ord_id) +
          account(request) + parties(request) + instrument(request) +
          fmt::format("60={}|38={}|", transact_time(), request.order_qty) +
          text_field(request.text));
  if (in(10)) {
    refuse(open, request, '1');
    return sent;
  }
  const std::string orig = fmt::format("41={}|", open.order.cl_ord_id);
  open.order = std::move(request);
  answer(open, FlowKind::Report, '4', '4', orig);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  return sent;
}

void OrderFlow::fill(Open& open) {
  constexpr std::uint64_t kFillsMax = 3;
  const std::uint64_t fills = 1 + random_.below(kFillsMax);
  for (std::uint64_t i = 0; i < fills && open.cum_qty < open.order.order_qty; ++i) {
    const std::int64_t leaves = open.order.order_qty - open.cum_qty;
    const std::int64_t last = std::min(leaves, random_.number(7));
    open.cum_qty += last;
    const PriceValue price = draw_price();
    answer(open, FlowKind::Fill, 'F', last == leaves ? '2' : '1',
           fmt::format("32={}|31={}|", last, price_text(price)));
    FlowFill& values = answers_.back().fill;
    values.last_qty = last;
    values.last_px = price;
  }
}

// more: fields that only this report has.
void OrderFlow::answer(const Open& open, FlowKind kind, char exec_type, char ord_status,
                       const std::string& more) {
  const DeskOrder& order = open.order;
  const bool is_done = ord_status == '2' || ord_status == '4' || ord_status == '8';
  const FlowFill fill{.order_id = open.order_id,
                      .exec_id = draw_id(venue_ids_),
                      .ord_status = ord_status,
                      .last_qty = 0,
                      .last_px = {},
                      .leaves_qty = is_done ? 0 : order.order_qty - open.cum_qty,
                      .cum_qty = open.cum_qty,
                      .avg_px = open.cum_qty == 0 ? PriceValue{} : order.price};
  // One draw a statement: the order of operands is the compiler's.
  const std::string time = transact_time();
  const std::string text = draw_text();
  answers_.push_back(
      message(kind, '8', order,
              fmt::format("37={}|11={}|", open.order_id, order.cl_ord_id) + parties(order) +
                  fmt::format("17={}|150={}|39={}|", fill.exec_id, exec_type, ord_status) +
                  account(order) + instrument(order) +
                  fmt::format("38={}|40=2|44={}|59=0|{}151={}|14={}|6={}|60={}|", order.order_qty,
                              price_text(order.price), more, fill.leaves_qty, fill.cum_qty,
                              price_text(fill.avg_px), time) +
                  text_field(text)));
  answers_.back().fill = fill;
}

void OrderFlow::refuse(const Open& open, const DeskOrder& request, char response_to) {
  const std::string time = transact_time();
  const std::string text = draw_text();
  answers_.push_back(
      message(FlowKind::Reject, '9', request,
              fmt::format("37={}|11={}|41={}|39={}|", open.order_id, request.cl_ord_id,
                          open.order.cl_ord_id, open.cum_qty == 0 ? '0' : '1') +
                  account(request) + fmt::format("60={}|434={}|102=0|", time, response_to) +
                  text_field(text)));
}

FlowMessage OrderFlow::message(FlowKind kind, char msg_type, const DeskOrder& order,
                               std::string body) {
  constexpr std::uint64_t kWorkMs = 20;
  now_ms_ += static_cast<std::int64_t>(random_.below(kWorkMs));
  FlowMessage message;
  message.kind = kind;
  message.msg_type = msg_type;
  const bool is_desk = msg_type == 'D' || msg_type == 'F' || msg_type == 'G';
  message.msg_seq_num = is_desk ? desk_number_++ : venue_number_++;
  message.sending_time_ms = now_ms_;
  message.transact_time_ms = transact_time_ms_;
  message.body = std::move(body);
  message.order = order;
  return message;
}

DeskOrder OrderFlow::draw_order() {
  constexpr std::uint64_t kPartiesMax = 3;
  DeskOrder order;
  order.cl_ord_id = draw_id(desk_ids_);
  if (in(75)) order.account = fmt::format("ACC{}", random_.number(6));
  if (in(25)) {
    const std::uint64_t count = 1 + random_.below(kPartiesMax);
    for (std::uint64_t i = 0; i < count; ++i) order.parties.push_back(random_.word(3, 10));
  }
  order.symbol = random_.word(1, 12);
  order.side = in(50) ? '1' : '2';
  order.order_qty = random_.number(7);
  order.price = draw_price();
  order.text = draw_text();
  return order;
}

std::string OrderFlow::draw_id(std::uint64_t& counter) {
  ++counter;
  switch (random_.below(3)) {
    case 0:
      return std::to_string(counter);
    case 1:
      return fmt::format("20240115-{:06}", counter);
    default:
      break;
  }
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx";
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string id{kForm};
  for (char& digit : id) {
    if (digit == 'x') digit = kHex[random_.below(kHex.size())];
  }
  return id;
}

PriceValue OrderFlow::draw_price() {
  constexpr unsigned kDigitsMax = 9;
  constexpr std::uint64_t kDecimalsMax = 5;
  PriceValue price;
  price.mantissa = random_.number(kDigitsMax);
  price.scale = static_cast<int>(random_.below(kDecimalsMax + 1));
  price.value = static_cast<double>(price.mantissa) / std::pow(10.0, price.scale);
  return price;
}

std::string OrderFlow::draw_text() {
  constexpr std::uint64_t kShare = 8;
  if (random_.below(kShare) != 0) return {};
  std::string text = random_.word(3, 12) + " ";
  text += random_.word(2, 20);
  return text;
}

std::string OrderFlow::transact_time() {
  constexpr std::uint64_t kDelayMs = 5;
  constexpr std::uint64_t kThousand = 1'000;
  transact_time_ms_ = now_ms_ - static_cast<std::int64_t>(random_.below(kDelayMs));
  std::string text = timestamp_text(transact_time_ms_);
  if (times_ == FlowTimes::Milliseconds || in(50)) return text;
  text += fmt::format("{:03}", random_.below(kThousand));
  if (in(50)) text += fmt::format("{:03}", random_.below(kThousand));
  return text;
}

}  // namespace nexusfix::bench
