// What is done with single fields: finding one, and between its text and its value.
#include "bench/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// Eight tags in each of eight messages: an application looks into the message that it has just
// parsed, so that the indexes of all must fit into the first cache.
LookupJob parsed_messages() {
  constexpr std::size_t kMessages = 8;
  return lookup_job(kMessages);
}

// Job: what messages.hpp makes; Make: which of a subject's functions does it.
template <class Job, class Make>
Row job_row(RowSpec spec, Job (*make_job)(), double operations_per_call, Make make) {
  return {std::move(spec), [make_job, operations_per_call, make](Subjects subjects) {
            const auto job = std::make_shared<Job>(make_job());
            Plan plan{.owner = job, .operations_per_call = operations_per_call, .contestants = {}};
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return (subject.*make)(*job); });
            return plan;
          }};
}

}  // namespace

void add_field_rows(std::vector<Row>& rows) {
  rows.push_back(job_row({.name = "lookup",
                          .purpose = "one field of a parsed ExecutionReport; one in four is absent",
                          .published = 10,
                          .budget = 1.2},
                         parsed_messages, static_cast<double>(kLookups), &Subject::lookup));
  rows.push_back(job_row(
      {.name = "integer", .purpose = "1 to 9 digits to a number", .published = 9.1, .budget = 2},
      integers, 1, &Subject::integer));
  rows.push_back(job_row({.name = "price",
                          .purpose = "1 to 4 digits, a point, 1 to 4 digits to a number",
                          .published = 9.0,
                          .budget = 3},
                         prices, 1, &Subject::price));
  rows.push_back(job_row({.name = "timestamp",
                          .purpose = "UTCTimestamp with milliseconds to a time",
                          .published = {},
                          .budget = 4},
                         timestamps, 1, &Subject::timestamp));
}

}  // namespace nexusfix::bench
