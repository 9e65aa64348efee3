// The ladder: seven parsers, each with one more idea, at the same job in the same run.
#include "bench/ladder/aligned_parser.hpp"
#include "bench/ladder/header_parser.hpp"
#include "bench/ladder/map_parser.hpp"
#include "bench/ladder/nexusfix_parser.hpp"
#include "bench/ladder/rung.hpp"
#include "bench/ladder/scan_parser.hpp"
#include "bench/ladder/table_parser.hpp"
#include "bench/ladder/view_parser.hpp"
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// Parses, and looks up the eight tags of the row "lookup": without lookups, the gain of a faster
// lookup would not show.
template <ladder::Rung Parser>
struct Climb {
  std::vector<std::string_view> messages;
  Parser parser;

  std::uint64_t operator()(std::size_t input) {
    if (!parser.parse(messages[input])) return 0;
    std::uint64_t bytes = 0;
    for (const int tag : kLookupTags) {
      if (const auto value = parser.find(static_cast<ladder::Tag>(tag))) bytes += value->size();
    }
    return bytes;
  }
};

template <ladder::Rung Parser>
Row ladder_row(RowSpec spec) {
  return {std::move(spec), [](Subjects subjects) {
            const auto job = std::make_shared<LookupJob>(lookup_job(kRotation));
            Plan plan{.owner = job, .bytes = job->messages.mean_bytes, .contestants = {}};
            const std::vector<std::string>& texts = job->messages.texts;
            plan.contestants.emplace_back(
                subjects.front()->name(),
                make_contestant(Climb<Parser>{{texts.begin(), texts.end()}, {}}, job->answers));
            return plan;
          }};
}

}  // namespace

void add_ladder_rows(std::vector<Row>& rows) {
  const auto spec = [](int rung, std::string idea, std::optional<double> published) {
    return RowSpec{.name = "ladder/" + std::to_string(rung),
                   .purpose = std::move(idea),
                   .published = published,
                   .budget = {}};
  };
  rows.push_back(ladder_row<ladder::MapParser>(spec(0, "a std::map of copied strings", 730)));
  rows.push_back(ladder_row<ladder::ViewParser>(spec(1, "zero copies: views", 520)));
  rows.push_back(ladder_row<ladder::TableParser>(spec(2, "lookup by a table of tags", 380)));
  rows.push_back(ladder_row<ladder::ScanParser>(spec(3, "SIMD scan for delimiters", 290)));
  rows.push_back(ladder_row<ladder::HeaderParser>(spec(4, "compile-time header offsets", 260)));
  rows.push_back(ladder_row<ladder::AlignedParser>(spec(5, "cache lines, hot and cold", 246)));
  rows.push_back(ladder_row<ladder::NexusFixParser>(spec(6, "NexusFIX", {})));
}

}  // namespace nexusfix::bench
