// Validates valid messages against a data dictionary, with every check. The messages are already
// parsed, so that the figure is the additional time of validation.
#include <memory>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"

namespace nexusfix::bench {
namespace {

// With the memory of an event loop, as in a session; or without one, as in a program that reads a
// message once.
template <bool kRemembers>
struct Validate {
  std::vector<wire::Parser> parsers;  // not moved, because they own the messages' indexes
  std::vector<wire::MessageView> messages;
  dictionary::Validator validator;
  dictionary::ValidationMemory memory;

  explicit Validate(const Messages& from)
      : parsers(from.texts.size()),
        validator{dictionary::Validator::make(
                      dictionary::builtin_dictionary(dictionary::Version::Fix44), {})
                      .value()} {
    for (std::size_t i = 0; i < from.texts.size(); ++i) {
      messages.push_back(parsers[i].parse(from.texts[i]).value_or(wire::MessageView{}));
    }
  }
  std::uint64_t operator()(std::size_t input) {
    if constexpr (kRemembers) {
      return validator.validate(messages[input], memory).has_value() ? 0 : 1;
    } else {
      return validator.validate(messages[input]).has_value() ? 0 : 1;
    }
  }
};

ValidateJob job_of(Messages messages) {
  ValidateJob job{.messages = std::move(messages), .xml = {}, .answers = {}};
  job.xml = dictionary::to_quickfix_xml(dictionary::builtin_dictionary(dictionary::Version::Fix44));
  job.answers.assign(job.messages.texts.size(), 1);
  return job;
}

template <bool kRemembers>
Row validate_row(RowSpec spec, Messages (*make_messages)(), double operations_per_call) {
  return {std::move(spec), [make_messages, operations_per_call](Subjects subjects) {
            const auto job = std::make_shared<ValidateJob>(job_of(make_messages()));
            Plan plan{.owner = job,
                      .bytes = job->messages.mean_bytes / operations_per_call,
                      .operations_per_call = operations_per_call,
                      .contestants = {}};
            plan.contestants.emplace_back(
                subjects.front()->name(),
                make_contestant(Validate<kRemembers>{job->messages}, job->answers));
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return subject.validate(*job); });
            return plan;
          }};
}

constexpr std::size_t kEntries = 100;

}  // namespace

void add_validate_rows(std::vector<Row>& rows) {
  rows.push_back(validate_row<true>({.name = "validate/ExecutionReport",
                                     .purpose = "a parsed report of the flow against FIX 4.4",
                                     .published = {},
                                     .budget = 30},
                                    flow_execution_reports, 1));
  rows.push_back(validate_row<true>({.name = "validate/NewOrderSingle",
                                     .purpose = "a parsed order of the flow against FIX 4.4",
                                     .published = {},
                                     .budget = {}},
                                    flow_orders, 1));
  rows.push_back(validate_row<true>({.name = "validate/flow",
                                     .purpose = "a parsed message of the flow, of any kind",
                                     .published = {},
                                     .budget = {}},
                                    flow_messages, 1));
  rows.push_back(validate_row<true>({.name = "validate/one-sequence",
                                     .purpose = "22 fields of a report, all with the same tags",
                                     .published = {},
                                     .budget = 30},
                                    execution_reports, 1));
  rows.push_back(validate_row<false>({.name = "validate-once/ExecutionReport",
                                      .purpose = "a report of the flow, without a memory of the "
                                                 "messages before",
                                      .published = {},
                                      .budget = 45},
                                     flow_execution_reports, 1));
  constexpr double kFields = 11 + 3 * kEntries;
  rows.push_back(validate_row<true>(
      {.name = "validate/MarketDataSnapshot-100",
       .purpose = "a field of a parsed message of 100 entries",
       .unit = Unit::NanosecondsPerField,
       .published = {},
       .budget = 12},
      [] { return market_data_snapshots(kEntries); }, kFields));
}

}  // namespace nexusfix::bench
