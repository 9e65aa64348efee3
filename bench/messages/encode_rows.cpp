// From an application's values to a complete message: header, times, BodyLength and CheckSum.
#include <nexusfix/wire/parser.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// The correct answers: fields by tag. QuickFIX writes a price as the shortest double and sorts the
// body. So numbers are compared by value, and the order of fields is not compared.
using Expected = std::vector<std::pair<wire::Tag, std::string>>;

bool same_value(std::string_view found, std::string_view expected) {
  if (found == expected) return true;
  const auto a = wire::to_decimal(found);
  const auto b = wire::to_decimal(expected);
  return a && b && *a == *b;
}

std::string compare(const std::string& bytes, const Expected& expected, std::size_t input) {
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  const std::string where = "message " + std::to_string(input);
  if (!message || message->fault()) return where + " cannot be parsed: " + bytes;
  constexpr std::size_t kWrittenByEncoder = 3;  // 8, 9 and 10
  if (message->field_count() != expected.size() + kWrittenByEncoder) {
    return where + " has another number of fields: " + bytes;
  }
  for (const auto& [tag, value] : expected) {
    if (!same_value((*message)[tag].value_or(""), value)) {
      return where + ": " + std::to_string(tag) + "=" + value + " is not in " + bytes;
    }
  }
  return {};
}

Expected expected_header(std::string msg_type, std::uint64_t msg_seq_num, std::int64_t time) {
  return {{35, std::move(msg_type)},
          {49, kSender},
          {56, kTarget},
          {34, std::to_string(msg_seq_num)},
          {52, timestamp_text(time)}};
}

Expected expected_fields(const Order& o) {
  Expected fields = expected_header("D", o.msg_seq_num, o.sending_time_ms);
  fields.insert(fields.end(), {{11, o.cl_ord_id},
                               {21, "1"},
                               {55, o.symbol},
                               {54, std::string{o.side}},
                               {60, timestamp_text(o.transact_time_ms)},
                               {38, std::to_string(o.order_qty)},
                               {40, "2"},
                               {44, cents_text(o.price_cents)},
                               {59, "0"}});
  return fields;
}

Expected expected_fields(const Execution& e) {
  Expected fields = expected_header("8", e.msg_seq_num, e.sending_time_ms);
  fields.insert(fields.end(), {{37, e.order_id},
                               {17, e.exec_id},
                               {150, "F"},
                               {39, "2"},
                               {55, e.symbol},
                               {54, "1"},
                               {38, std::to_string(e.order_qty)},
                               {44, cents_text(e.price_cents)},
                               {32, std::to_string(e.last_qty)},
                               {31, cents_text(e.last_px_cents)},
                               {151, std::to_string(e.leaves_qty)},
                               {14, std::to_string(e.cum_qty)},
                               {6, cents_text(e.avg_px_cents)},
                               {60, timestamp_text(e.transact_time_ms)}});
  return fields;
}

// The size of our message. The peers' messages are a few bytes longer or shorter.
double message_bytes(const Expected& fields) {
  std::string body;
  for (const auto& [tag, value] : fields) body += std::to_string(tag) + "=" + value + "|";
  return static_cast<double>(message_of(body).size());
}

template <class Values, class Make>
Row encode_row(RowSpec spec, EncodeJob<Values> (*make_job)(), Make make) {
  return {std::move(spec), [make_job, make](Subjects subjects) {
            const auto job = std::make_shared<EncodeJob<Values>>(make_job());
            double bytes = 0;
            for (const Values& values : job->values)
              bytes += message_bytes(expected_fields(values));
            job->verify = [values = job->values](const std::string& message, std::size_t input) {
              return compare(message, expected_fields(values[input]), input);
            };
            Plan plan{.owner = job,
                      .bytes = bytes / static_cast<double>(job->values.size()),
                      .contestants = {}};
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return (subject.*make)(*job); });
            return plan;
          }};
}

}  // namespace

void add_encode_rows(std::vector<Row>& rows) {
  rows.push_back(encode_row({.name = "encode/NewOrderSingle",
                             .purpose = "17 fields from values to bytes",
                             .published = {},
                             .budget = 22},
                            orders, &Subject::encode_order));
  rows.push_back(encode_row({.name = "encode/ExecutionReport",
                             .purpose = "22 fields from values to bytes",
                             .published = {},
                             .budget = 28},
                            executions, &Subject::encode_execution));
  rows.push_back(encode_row({.name = "draft/build",
                             .purpose = "a new draft of an order, nine fields, to bytes",
                             .published = {},
                             .budget = {}},
                            orders, &Subject::build_order));
  rows.push_back(encode_row({.name = "draft/amend",
                             .purpose = "a kept draft, four of nine fields change, to bytes",
                             .published = {},
                             .budget = {}},
                            amended_orders, &Subject::amend_order));
}

}  // namespace nexusfix::bench
