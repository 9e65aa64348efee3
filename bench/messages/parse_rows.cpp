// From the bytes of one message to an index of its fields, with every check.
#include <functional>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"

namespace nexusfix::bench {
namespace {

Row parse_row(RowSpec spec, std::function<Messages()> make_messages) {
  return {std::move(spec), [make_messages = std::move(make_messages)](Subjects subjects) {
            const auto messages = std::make_shared<Messages>(make_messages());
            Plan plan{.owner = messages, .bytes = messages->mean_bytes, .contestants = {}};
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return subject.parse(*messages); });
            return plan;
          }};
}

// Shows how the time of a field depends on the number and kind of fields. A tag may repeat in a
// group, and the parser does not know groups.
Row field_row(std::string name, std::string purpose, Messages (*make_messages)(std::size_t),
              std::size_t fields, bool peers_can) {
  const RowSpec spec{.name = std::move(name),
                     .purpose = std::move(purpose),
                     .unit = Unit::NanosecondsPerField,
                     .published = {},
                     .budget = {}};
  return {spec, [=](Subjects subjects) {
            const auto messages = std::make_shared<Messages>(make_messages(fields));
            const auto count = static_cast<double>(fields);
            Plan plan{.owner = messages,
                      .bytes = messages->mean_bytes / count,
                      .operations_per_call = count,
                      .contestants = {}};
            add_contestants(plan, peers_can ? subjects : subjects.first(1),
                            [&](Subject& subject) { return subject.parse(*messages); });
            return plan;
          }};
}

void add_rows_per_field(std::vector<Row>& rows) {
  for (const std::size_t fields : {20U, 100U, 1000U, 10'000U}) {
    rows.push_back(field_row("parse/fields-" + std::to_string(fields),
                             "a field of one frame: prices and quantities", many_fields, fields,
                             true));
  }
  // The peers do not support data fields.
  rows.push_back(field_row("parse/data-fields-1000",
                           "a field of one frame; half are RawData with `=` and SOH inside",
                           many_data_fields, 1000, false));
  rows.push_back(field_row("parse/long-values-1000", "a field of one frame, of 60 to 120 bytes",
                           many_long_values, 1000, true));
}

Plan plan_parse_and_read(Subjects subjects) {
  const auto job = std::make_shared<ReadJob>(flow_read_job());
  Plan plan{.owner = job, .bytes = job->messages.mean_bytes, .contestants = {}};
  add_contestants(plan, subjects, [&](Subject& subject) { return subject.parse_and_read(*job); });
  return plan;
}

}  // namespace

void add_parse_rows(std::vector<Row>& rows) {
  rows.push_back(parse_row({.name = "parse/ExecutionReport",
                            .purpose = "one frame of the flow: every check, every tag",
                            .published = 246,
                            .budget = 10},
                           flow_execution_reports));
  rows.push_back(parse_row({.name = "parse/Heartbeat",
                            .purpose = "one frame of 8 fields",
                            .published = 194,
                            .budget = 7.5},
                           heartbeats));
  rows.push_back(parse_row({.name = "parse/NewOrderSingle",
                            .purpose = "one frame of the flow",
                            .published = 227,
                            .budget = 10},
                           flow_orders));
  rows.push_back(parse_row({.name = "parse/flow",
                            .purpose = "one frame of the flow: orders, replaces, cancels, reports, "
                                       "fills and rejects in turn",
                            .published = {},
                            .budget = {}},
                           flow_messages));
  rows.push_back(parse_row({.name = "parse/one-sequence",
                            .purpose = "ExecutionReports of 22 fields, all with the same tags",
                            .published = {},
                            .budget = 10},
                           execution_reports));
  rows.push_back(parse_row({.name = "parse/MarketDataSnapshot-100",
                            .purpose = "one frame with 100 entries of three fields",
                            .published = {},
                            .budget = {}},
                           [] { return market_data_snapshots(100); }));
  rows.push_back(parse_row({.name = "parse/MarketDataSnapshot-5000",
                            .purpose = "one frame with 5,000 entries of three fields",
                            .published = {},
                            .budget = {}},
                           [] { return market_data_snapshots(5000); }));
  rows.push_back(parse_row({.name = std::string{kPublishedRow},
                            .purpose = "one shape: the message of the published comparison with "
                                       "Fix8, again and again",
                            .published = 193,
                            .budget = {}},
                           published_execution_report));
  rows.push_back(parse_row({.name = "parse/ExecutionReport-slow-path",
                            .purpose = "26 fields: three five-digit tags, `=` inside Text",
                            .published = {},
                            .budget = 35},
                           unusual_execution_reports));
  rows.push_back({{.name = "parse-and-read-4/ExecutionReport",
                   .purpose = "parse, then read OrderID, LastQty, LastPx, TransactTime as values",
                   .published = {},
                   .budget = 24},
                  plan_parse_and_read});
  add_rows_per_field(rows);
}

}  // namespace nexusfix::bench
