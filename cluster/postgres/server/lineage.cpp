#include "cluster/postgres/server/lineage.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

// Where the log ends; the number of its sessions; where it ended at the next claim of another
// process after the recorded one, or -1 if there is none; and whether it has the recorded one.
constexpr const char* kSameLog =
    "SELECT s.log_id, s.position, (SELECT count(*) FROM sessions), "
    "coalesce((SELECT o.position FROM owners o WHERE o.first_epoch > mine.first_epoch "
    "AND o.claim <> $2 ORDER BY o.first_epoch LIMIT 1), -1), mine.first_epoch IS NOT NULL "
    "FROM log_state s LEFT JOIN owners mine ON mine.claim = $1";

}  // namespace

StoreResult<std::optional<Loss>> find_loss(Connection& connection, const PostgresOptions& options,
                                           const PositionMarker& marker, std::uint32_t timeline,
                                           const std::string& own_claim) {
  const PositionRecord& recorded = *marker.found();
  auto rows = connection.ask(kSameLog, {recorded.claim, own_claim});
  if (!rows) return std::unexpected{store_error(options, rows.error())};
  const bool is_same = PQntuples(rows->get()) == 1 && text_at(*rows, 0) == recorded.log_id;
  if (!is_same) {
    return std::unexpected{store_error(
        options,
        {.text = "the log in the database is not the one that this machine has recorded in " +
                 marker.path() + " (up to " + std::to_string(recorded.confirmed) +
                 "): the schema was made again, or this is another database. Its sessions would "
                 "begin at MsgSeqNum 1. If that is meant, remove the file",
         .state = {}},
        StoreErrorCode::Corrupt)};
  }
  PresentLog log{.end = static_cast<LogPosition>(number_at<std::int64_t>(*rows, 1)),
                 .sessions = static_cast<std::uint64_t>(number_at<std::int64_t>(*rows, 2)),
                 .has_claim = text_at(*rows, 4) == "t",
                 .timeline = timeline};
  const std::int64_t next_claim = number_at<std::int64_t>(*rows, 3);
  if (next_claim >= 0) log.next_claim = static_cast<LogPosition>(next_claim);
  return loss_of(recorded, log);
}

std::string new_claim_name() {
  SystemRandom random;
  std::string name;
  for (int i = 0; i < 2; ++i) {
    std::array<char, 16> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), random.next(), 16).ptr;
    name.append(digits.data(), end);
  }
  return name;
}

}  // namespace nexusfix::store::postgres
