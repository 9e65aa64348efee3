// Work on single fields: finding one, and converting between text and value.
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// Eight tags in each of eight messages. An application reads the message that it has just parsed,
// so the indexes of all messages must fit into the first-level cache.
LookupJob parsed_messages() {
  constexpr std::size_t kMessages = 8;
  return lookup_job(kMessages);
}

ChecksumJob message_sums() {
  constexpr std::size_t kBytes = 210;
  return checksum_texts(kBytes);
}

// Job: a job of messages.hpp. Make: the subject's function that makes its contestant.
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

// A peer that writes a price as a double leaves out trailing zeros.
std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// From values to text. make_texts: the job of the other direction, which has the correct answers.
template <class Values, class Job, class Make>
Row text_row(RowSpec spec, EncodeJob<Values> (*make_job)(), Job (*make_texts)(), Make make) {
  return {std::move(spec), [=](Subjects subjects) {
            const auto job = std::make_shared<EncodeJob<Values>>(make_job());
            job->verify = [texts = make_texts().values.texts](const std::string& text,
                                                              std::size_t input) {
              if (without_zeros(text) == without_zeros(texts[input])) return std::string{};
              return text + " instead of " + texts[input];
            };
            Plan plan{.owner = job, .contestants = {}};
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
  rows.push_back(
      job_row({.name = "checksum", .purpose = "sum of 210 bytes", .published = 9.0, .budget = 3},
              message_sums, 1, &Subject::checksum));
  rows.push_back(job_row(
      {.name = "integer", .purpose = "1 to 9 digits to a number", .published = 9.1, .budget = 2},
      integers, 1, &Subject::integer));
  rows.push_back(job_row({.name = "price",
                          .purpose = "1 to 4 digits, a point, 1 to 4 digits to a Decimal",
                          .published = 9.0,
                          .budget = 3},
                         prices, 1, &Subject::price));
  rows.push_back(job_row({.name = "price/FixedPrice",
                          .purpose = "the same to a FixedPrice",
                          .published = 9.0,
                          .budget = 3},
                         prices, 1, &Subject::fixed_price));
  rows.push_back(job_row({.name = "timestamp",
                          .purpose = "UTCTimestamp with milliseconds to a time",
                          .published = {},
                          .budget = 4},
                         timestamps, 1, &Subject::timestamp));
  rows.push_back(
      text_row({.name = "integer/text", .purpose = "1 to 9 digits", .published = {}, .budget = 2},
               integer_values, integers, &Subject::integer_text));
  rows.push_back(text_row({.name = "price/text",
                           .purpose = "a Decimal to the text of the row price",
                           .published = {},
                           .budget = 3},
                          price_values, prices, &Subject::price_text));
  rows.push_back(text_row({.name = "timestamp/text",
                           .purpose = "a time to UTCTimestamp with milliseconds",
                           .published = {},
                           .budget = 4},
                          timestamp_values, timestamps, &Subject::timestamp_text));
}

}  // namespace nexusfix::bench
