// Reads the repeating group of a parsed message.
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

Row group_row(RowSpec spec, std::size_t entries) {
  return {std::move(spec), [entries](Subjects subjects) {
            const auto job = std::make_shared<ReadJob>(group_job(entries));
            Plan plan{.owner = job, .bytes = job->messages.mean_bytes, .contestants = {}};
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return subject.read_group(*job); });
            return plan;
          }};
}

}  // namespace

void add_group_rows(std::vector<Row>& rows) {
  rows.push_back(group_row({.name = "group/MarketDataSnapshot-100",
                            .purpose = "all of 100 parsed entries, three fields of each as values",
                            .published = {},
                            .budget = 400},
                           100));
  rows.push_back(group_row({.name = "group/MarketDataSnapshot-5000",
                            .purpose = "the same for 5,000 entries",
                            .published = {},
                            .budget = {}},
                           5'000));
}

}  // namespace nexusfix::bench
