#include "store/postgres/server/lineage.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nexusfix/base/random.hpp>

#include "store/format/entry.hpp"
#include "store/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

// Where the log ends; the number of its sessions; where it ended at the next claim of another
// process after the recorded one, or -1 if there is none; and whether it has the recorded one.
constexpr const char* kSameLog =
    "SELECT s.log_id, s.position, (SELECT count(*) FROM sessions), "
    "coalesce((SELECT o.position FROM owners o WHERE o.first_epoch > mine.first_epoch "
    "AND o.claim <> $2 ORDER BY o.first_epoch LIMIT 1), -1), mine.first_epoch IS NOT NULL "
    "FROM log_state s LEFT JOIN owners mine ON mine.claim = $1";

// Each number that was used takes an entry of the log, unless the session skipped numbers.
std::uint64_t numbers_max(const PositionRecord& recorded, LogPosition left_at) {
  std::uint64_t numbers = (recorded.confirmed - left_at) / kEntryHeaderBytes + 1;
  for (const Raise& raise : recorded.raises) {
    if (raise.until > left_at) numbers += raise.numbers;
  }
  return std::min(numbers, kNumberMax / 2);
}

}  // namespace

std::string Loss::what(const std::string& marker_path) const {
  const std::string note = "as " + marker_path + " says, and the log in the database ";
  std::string text = "the database has lost what it had confirmed: up to " +
                     std::to_string(confirmed) + " was, " + note + "has gone on from " +
                     std::to_string(left_at) + ". Messages that were sent are missing";
  if (was_seen_only && left_at >= confirmed) {
    text = "the database may have lost what it had confirmed: this engine saw the log up to " +
           std::to_string(confirmed) + " on a server without a synchronous standby, " + note +
           "goes on from " + std::to_string(left_at) +
           " on a server that was promoted since. Messages that were sent may be missing";
  } else if (was_seen_only) {
    text += ". This engine waited, and does not know what was sent after that";
  }
  if (may_miss_sessions) {
    text += ". Sessions may be missing, too: one that the log does not have begins at MsgSeqNum " +
            std::to_string(numbers + 1);
  }
  return text;
}

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
  const auto end = static_cast<LogPosition>(number_at<std::int64_t>(*rows, 1));
  const auto sessions = static_cast<std::uint64_t>(number_at<std::int64_t>(*rows, 2));
  const std::int64_t next_claim = number_at<std::int64_t>(*rows, 3);
  LogPosition left_at = next_claim < 0 ? end : static_cast<LogPosition>(next_claim);
  if (text_at(*rows, 4) != "t") left_at = std::min(recorded.begin, end);
  const bool was_promoted = recorded.timeline != 0 && timeline > recorded.timeline;
  const bool is_unseen_lost =
      recorded.by == RecordedBy::WaiterOneCopy && was_promoted && next_claim < 0;
  if (left_at >= recorded.confirmed && !is_unseen_lost) return std::nullopt;
  const bool was_seen_only = recorded.by != RecordedBy::Owner;
  const std::uint64_t known = left_at >= recorded.confirmed ? 0 : numbers_max(recorded, left_at);
  return Loss{.left_at = left_at,
              .confirmed = recorded.confirmed,
              .numbers = known + (was_seen_only ? kUnseenNumbers : 0),
              .may_miss_sessions = was_seen_only || sessions < recorded.sessions || left_at < end,
              .was_seen_only = was_seen_only};
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
