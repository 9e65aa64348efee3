#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <utility>

#include "base/api/utc_text.hpp"
#include "logs/order/order_chain.hpp"
#include "logs/order/order_life.hpp"
#include "logs/source/log_time.hpp"
#include "python/src/tables/log_tables.hpp"

namespace nexusfix::python {
namespace {

using logs::Column;
using logs::ColumnType;
using logs::OrderFill;

constexpr wire::Tag kFills = 1;  // the tags of columns that no field has
constexpr wire::Tag kFillTime = 60;
constexpr wire::Tag kExecId = 17;
constexpr wire::Tag kLastQty = 32;
constexpr wire::Tag kLastPx = 31;

// One order. Its messages are not kept.
struct Order {
  std::string session;
  std::string sender;  // of its requests
  std::string target;
  std::string cl_ord_id;  // the first one
  std::string last_cl_ord_id;
  std::string order_id;
  std::size_t file = 0;  // of the first message
  std::uint64_t offset = 0;
  std::uint64_t messages = 0;
  std::uint64_t disagreements = 0;
  std::optional<WallTime> first;
  std::optional<WallTime> answered;  // the first report or reject
  std::optional<WallTime> last;
  std::vector<std::size_t> seen;  // hashes of its messages: the logs of both sides have each one
  logs::OrderLife life;
};

class OrderTable : public LogTable {
 public:
  OrderTable(const command::FieldNames& names, bool with_names) {
    auto coded = logs::plan_columns("54,40,39", names, {.with_names = with_names});
    if (coded) coded_ = std::move(*coded);
  }

  [[nodiscard]] std::vector<Column> columns() const override;
  void add(const logs::LogMessage& message, bool is_selected) override;
  [[nodiscard]] std::size_t finish(std::vector<std::string> paths) override {
    paths_ = std::move(paths);
    return orders_.size();
  }
  void write(std::size_t row, RowWriter& to) override;
  [[nodiscard]] bool is_full() const override { return chains_.is_full(); }

 private:
  [[nodiscard]] Column coded(std::size_t place, std::string_view name) const {
    Column column = coded_.at(place);
    column.name = name;
    return column;
  }
  void begin(Order& order, const logs::LogMessage& message, std::string_view session);
  static void write_fills(const Order& order, RowWriter& to);
  void write_times(const Order& order, RowWriter& to) const;

  logs::OrderChains chains_{logs::EveryOrder{}};
  logs::MessageFields fields_;
  std::vector<Column> coded_;
  std::deque<Order> orders_;
  std::vector<std::string> paths_;
};

std::vector<Column> OrderTable::columns() const {
  const auto column = [](std::string_view name, ColumnType type, bool is_identifier = false) {
    return Column{.name = std::string{name},
                  .type = type,
                  .is_identifier = is_identifier,
                  .scale = logs::kDecimalScale};
  };
  const auto member = [&](wire::Tag tag, std::string_view name, ColumnType type) {
    Column made = column(name, type, true);
    made.tag = tag;
    return made;
  };
  Column fills = column("fills", ColumnType::Group);
  fills.tag = kFills;
  fills.members = {member(kFillTime, "time", ColumnType::Timestamp),
                   member(kExecId, "exec_id", ColumnType::Text),
                   member(kLastQty, "last_qty", ColumnType::Decimal),
                   member(kLastPx, "last_px", ColumnType::Decimal)};
  using enum ColumnType;
  return {column("session", Text),
          column("sender", Text),
          column("target", Text),
          column("cl_ord_id", Text, true),
          column("last_cl_ord_id", Text, true),
          column("order_id", Text, true),
          column("symbol", Text),
          coded(0, "side"),
          column("order_qty", Decimal),
          column("price", Decimal),
          coded(2, "ord_status"),
          column("cum_qty", Decimal),
          column("leaves_qty", Decimal),
          column("avg_px", Decimal),
          std::move(fills),
          column("first_time", Timestamp),
          column("answer_time", Timestamp),
          column("first_fill_time", Timestamp),
          column("last_time", Timestamp),
          column("answer_ns", Integer),
          column("first_fill_ns", Integer),
          column("life_ns", Integer),
          column("messages", Integer),
          column("disagreements", Integer),
          column("open_requests", Integer),
          column("begins_before_the_log", Boolean),
          column("file", Text),
          column("byte_offset", Integer)};
}

void OrderTable::begin(Order& order, const logs::LogMessage& message, std::string_view session) {
  order.session = session;
  order.file = message.file;
  order.offset = message.offset;
  const std::string_view type = fields_.value(35);
  const bool is_request = type == "D" || type == "F" || type == "G" || type == "H";
  order.sender = fields_.value(is_request ? 49 : 56);
  order.target = fields_.value(is_request ? 56 : 49);
}

void OrderTable::add(const logs::LogMessage& message, bool /*is_selected*/) {
  fields_.read(message.bytes);
  const logs::LinkedOrder* const linked = chains_.take(fields_);
  if (linked == nullptr) return;
  if (linked->number >= orders_.size()) orders_.resize(linked->number + 1);
  Order& order = orders_[linked->number];
  const std::size_t hash = std::hash<std::string_view>{}(message.bytes);
  if (std::ranges::find(order.seen, hash) != order.seen.end()) return;
  order.seen.push_back(hash);
  if (order.messages++ == 0) begin(order, message, linked->session);
  const auto keep = [](std::string& to, std::string_view value) {
    if (!value.empty()) to = value;
  };
  if (order.cl_ord_id.empty()) order.cl_ord_id = fields_.value(11);
  keep(order.last_cl_ord_id, fields_.value(11));
  keep(order.order_id, fields_.value(37));
  logs::OrderEvent event{.time = logs::time_of_message(message),
                         .sender = std::string{fields_.value(49)},
                         .target = std::string{fields_.value(56)},
                         .msg_type = std::string{fields_.value(35)},
                         .bytes = std::string{message.bytes}};
  order.life.add(event);
  order.disagreements += event.disagreements.size();
  if (!event.time) return;
  if (!order.first) order.first = event.time;
  const bool is_answer = std::string_view{"89j3"}.contains(event.msg_type);
  if (is_answer && !order.answered) order.answered = event.time;
  order.last = event.time;
}

void OrderTable::write_fills(const Order& order, RowWriter& to) {
  struct Listed {
    std::string time{};
    std::string_view id;
    const OrderFill* fill;
  };
  std::vector<Listed> listed;
  for (const auto& [id, fill] : order.life.fills()) {
    Listed& one = listed.emplace_back(Listed{.id = id, .fill = &fill});
    if (fill.time) append_utc(one.time, *fill.time, UtcForm::Fix, 9);
  }
  std::ranges::stable_sort(listed, {}, [](const Listed& one) { return one.fill->time; });
  const std::string count = std::to_string(listed.size());
  std::vector<logs::MessageField> fields{{.tag = kFills, .text = {}, .value = count}};
  for (const Listed& one : listed) {
    // The quantity is first: each fill has it, and an entry begins with it.
    fields.push_back({.tag = kLastQty, .text = {}, .value = one.fill->last_qty});
    fields.push_back({.tag = kLastPx, .text = {}, .value = one.fill->last_px});
    if (!one.time.empty()) fields.push_back({.tag = kFillTime, .text = {}, .value = one.time});
    const bool has_id = !one.id.starts_with('\x01');
    if (has_id) fields.push_back({.tag = kExecId, .text = {}, .value = one.id});
  }
  to.group(fields);
}

void OrderTable::write_times(const Order& order, RowWriter& to) const {
  std::optional<WallTime> filled;
  for (const auto& [id, fill] : order.life.fills()) {
    if (fill.time && (!filled || *fill.time < *filled)) filled = fill.time;
  }
  to.time(order.first);
  to.time(order.answered);
  to.time(filled);
  to.time(order.last);
  const auto since_first =
      [&](const std::optional<WallTime>& time) -> std::optional<std::chrono::nanoseconds> {
    if (!time || order.life.begins_before()) return std::nullopt;
    return *time - *order.first;
  };
  to.nanoseconds(since_first(order.answered));
  to.nanoseconds(since_first(filled));
  to.nanoseconds(since_first(order.last));
}

void OrderTable::write(std::size_t row, RowWriter& to) {
  const Order& order = orders_[row];
  const logs::OrderLife& life = order.life;
  const auto decimal = [&](const std::optional<Decimal>& value) {
    to.text(value ? logs::decimal_text(*value) : "");
  };
  to.text(order.session);
  to.text(order.sender);
  to.text(order.target);
  to.text(order.cl_ord_id);
  to.text(order.last_cl_ord_id);
  to.text(order.order_id);
  to.text(life.symbol());
  to.text(life.side());
  decimal(life.order_qty());
  to.text(life.price());
  to.text(life.ord_status());
  decimal(life.cum_qty());
  decimal(life.leaves_qty());
  const auto average = life.avg_px();
  to.text(average ? fmt::format("{:.{}f}", *average, logs::kDecimalScale) : "");
  write_fills(order, to);
  write_times(order, to);
  to.number(order.messages);
  to.number(order.disagreements);
  to.number(life.open_requests().size());
  to.text(life.begins_before() ? "Y" : "N");
  to.text(paths_.at(order.file));
  to.number(order.offset);
}

}  // namespace

std::unique_ptr<LogTable> make_order_table(const command::FieldNames& names, bool with_names) {
  return std::make_unique<OrderTable>(names, with_names);
}

}  // namespace nexusfix::python
