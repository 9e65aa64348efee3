// Finds the end of a message, and parses a whole stream.
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

Plan plan_frame(Subjects subjects) {
  const auto stream = std::make_shared<Stream>(stream_of(execution_reports()));
  const auto messages = static_cast<double>(stream->begins.size());
  Plan plan{.owner = stream,
            .bytes = static_cast<double>(stream->bytes.size()) / messages,
            .operations_per_call = messages,
            .contestants = {}};
  add_contestants(plan, subjects, [&](Subject& subject) { return subject.frame(*stream); });
  return plan;
}

Plan plan_stream_parse(Subjects subjects) {
  constexpr std::size_t kStreamBytes = std::size_t{64} << 20U;
  const auto stream = std::make_shared<Stream>(mixed_stream(kStreamBytes));
  const auto messages = static_cast<double>(stream->begins.size());
  Plan plan{.owner = stream,
            .bytes = static_cast<double>(stream->bytes.size()) / messages,
            .operations_per_call = messages,
            .contestants = {}};
  add_contestants(plan, subjects, [&](Subject& subject) { return subject.stream_parse(*stream); });
  return plan;
}

}  // namespace

void add_stream_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "frame",
                   .purpose = "the next ExecutionReport of a stream of 64",
                   .published = 45,
                   .budget = 3},
                  plan_frame});
  rows.push_back({{.name = "stream-parse",
                   .purpose = "64 MB of messages in memory, framed and parsed",
                   .unit = Unit::GigabytesPerSecond,
                   .published = 0.682,
                   .budget = 9},
                  plan_stream_parse});
}

}  // namespace nexusfix::bench
