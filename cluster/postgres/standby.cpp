#include "cluster/postgres/standby.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/postgres/server/cluster_mark.hpp"
#include "cluster/postgres/server/lineage.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/server/statements.hpp"

namespace nexusfix::store::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookInterval{100};
constexpr milliseconds kReconnectInterval{500};
// Longer than an owner pauses between two attempts to connect.
constexpr milliseconds kOwnerFirst{3'000};
// What a standby reads of the log between two looks: the first time there may be gigabytes.
constexpr LogPosition kFollowBytes = 8U << 20U;

// Text that a role may read in pg_stat_activity.
std::string standby_name() {
  constexpr std::size_t kNameMax = 63;
  return ("nexusfix standby: " + this_process()).substr(0, kNameMax);
}

}  // namespace

Standby::Standby(const PostgresOptions& options, Servers& servers, const ServerFacts& facts,
                 Servers::Accept accept, PositionMarker* marker)
    : options_{options},
      servers_{servers},
      facts_{facts},
      accept_{accept},
      marker_{marker},
      observer_{options.standby_observer},
      follows_{observer_ != nullptr && observer_->follows_messages()},
      reader_{options, servers, facts, -1} {}

StoreResult<Connection> Standby::wait(Connection connection) {
  connection_ = std::move(connection);
  const auto was_ended = [this] {
    return std::unexpected{
        store_error(options_, {.text = "the standby was ended while it waited", .state = {}},
                    StoreErrorCode::Refused)};
  };
  if (std::exchange(was_not_taken_, false) && !pause(kLookInterval)) return was_ended();
  ServerResult<void> begun = begin();
  // The owner was there a moment ago.
  has_seen_owner_ = true;
  for (;;) {
    ServerResult<bool> taken = false;
    if (!begun) {
      taken = std::unexpected{std::move(begun.error())};
      begun = {};
    } else if (connection_) {
      taken = look();
    }
    if (taken && *taken) return std::move(*connection_);
    if (!taken && !taken.error().may_pass()) {
      return std::unexpected{store_error(options_, taken.error())};
    }
    if (!taken) {
      report(EventId::DatabaseReconnecting,
             "the standby's connection is made again: " + taken.error().text);
      connection_.reset();
      reader_.disconnect();
      state_.is_connected = false;
    }
    const bool lags = can_follow() && state_.followed_end < state_.log_end;
    const milliseconds while_connected = lags ? milliseconds{0} : kLookInterval;
    if (!pause(connection_ ? while_connected : kReconnectInterval)) return was_ended();
    if (connection_) continue;
    auto made = servers_.connect(-1, accept_);
    if (!made && !made.error().may_pass()) {
      return std::unexpected{store_error(options_, made.error())};
    }
    if (!made) continue;
    report(EventId::DatabaseReconnected, "the standby is connected to " + made->server());
    last_error_.clear();
    connection_ = std::move(*made);
    begun = begin();
  }
}

// The first statements on a connection.
ServerResult<void> Standby::begin() {
  free_since_.reset();
  has_seen_owner_ = false;
  state_.is_connected = true;
  // The log of a later program: a take-over would fail. look() finds other errors.
  const auto known = read_version(*connection_, options_);
  if (!known && known.error().code == StoreErrorCode::Corrupt) {
    return std::unexpected{ServerError{known.error().text, kElsewhere}};
  }
  version_ = known.value_or(0);
  // As a value: a host may have any name.
  auto named =
      connection_->ask("SELECT set_config('application_name', $1, false)", {standby_name()});
  if (!named) return std::unexpected{std::move(named.error())};
  auto set = connection_->run("SET search_path = " + options_.schema);
  if (!set) return std::unexpected{std::move(set.error())};
  if (options_.lease != nullptr) return check_mark(*connection_, options_);
  return {};
}

ServerResult<bool> Standby::look() {
  auto rows = connection_->ask(
      "SELECT (SELECT count(*) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND "
      "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
      "(l.classid::bigint << 32 | l.objid::bigint) = "
      "hashtextextended('nexusfix log ' || $2, 0)), s.position, s.owner_first_epoch, "
      "s.owner || ' since ' || s.owned_since, "
      "coalesce((SELECT min(o.position) FROM owners o WHERE o.first_epoch > $1::int8), "
      "s.position), s.owner_epoch FROM log_state s",
      {std::to_string(first_epoch_), options_.schema});
  // The owner may be about to create the tables.
  constexpr std::string_view kNoTable = "42P01";
  if (!rows && rows.error().state == kNoTable) {
    set_owner("another process");
    return false;
  }
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) {
    return std::unexpected{ServerError{"the log has no state", kElsewhere}};
  }
  const bool is_free = number_at<std::uint64_t>(*rows, 0) == 0;
  state_.log_end = number_at<std::uint64_t>(*rows, 1);
  const std::uint64_t owner = number_at<std::uint64_t>(*rows, 2);
  owner_epoch_ = number_at<std::uint64_t>(*rows, 5);
  // The part that was followed is not in the log any more, or was written again.
  const LogPosition followed = std::max(state_.followed_end, seen_.end);
  if (std::min<LogPosition>(number_at<std::uint64_t>(*rows, 4), state_.log_end) < followed) {
    return std::unexpected{ServerError{
        "the database has lost what this standby has followed: up to " + std::to_string(followed) +
            ". The application has messages that the log does not have: start again",
        kElsewhere}};
  }
  // An owner of an earlier program has the tables of its version; the take-over upgrades them.
  if (version_ < kSchemaVersion) version_ = read_version(*connection_, options_).value_or(0);
  if (owner != first_epoch_ && follows_) {
    if (auto read = read_names(); !read) return std::unexpected{std::move(read.error())};
  }
  first_epoch_ = owner;
  set_owner(is_free ? std::string{} : std::string{text_at(*rows, 3)});
  if (auto recorded = record_seen(); !recorded) {
    return std::unexpected{std::move(recorded.error())};
  }
  if (auto followed = follow(state_.log_end); !followed) {
    return std::unexpected{std::move(followed.error())};
  }
  if (options_.lease != nullptr) return ask_for_lease();
  if (!may_take(is_free) || state_.followed_end < (can_follow() ? state_.log_end : 0)) return false;
  auto taken = try_lock_log(*connection_, options_);
  if (!taken) return std::unexpected{ServerError{std::move(taken.error().text), {}}};
  if (!*taken) return false;
  if (auto named = connection_->run("RESET application_name"); !named) {
    return std::unexpected{std::move(named.error())};
  }
  return true;
}

// The next take-over on this machine finds what the database loses from now on, whichever process
// makes it. An owner of an earlier program does not say which numbers were raised.
ServerResult<void> Standby::record_seen() {
  const bool is_same = state_.log_end == seen_.end && owner_epoch_ == seen_.owner_epoch;
  if (marker_ == nullptr || is_same || version_ != kSchemaVersion) return {};
  auto rows = connection_->run(
      "SELECT s.log_id, o.claim, o.position, s.position, s.owner_epoch, s.owner_first_epoch, "
      "s.raised, (SELECT coalesce(max(session_key) + 1, 0) FROM sessions), "
      "current_setting('synchronous_commit'), current_setting('synchronous_standby_names') "
      "FROM log_state s JOIN owners o ON o.first_epoch = s.owner_first_epoch");
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) return {};
  const Seen before = seen_;
  seen_ = {.end = number_at<std::uint64_t>(*rows, 3),
           .owner_epoch = number_at<std::uint64_t>(*rows, 4),
           .first_epoch = number_at<std::uint64_t>(*rows, 5),
           .raised = std::max(before.raised, number_at<std::uint64_t>(*rows, 6)),
           .is_kept = before.is_kept};
  if (seen_.first_epoch != before.first_epoch) {
    if (auto checked = check_loss(); !checked) return checked;
  }
  if (seen_.is_kept) return {};
  const CommitSettings settings{.synchronous_commit = std::string{text_at(*rows, 8)},
                                .standby_names = std::string{text_at(*rows, 9)}};
  const auto by =
      reach_of(settings) == CommitReach::Standby ? RecordedBy::Waiter : RecordedBy::WaiterOneCopy;
  const auto sessions = number_at<std::uint64_t>(*rows, 7);
  const auto& last = marker_->found();
  const bool goes_on = before.owner_epoch == seen_.owner_epoch && last->by == by;
  if (goes_on) {
    const auto failed = marker_->record(seen_.end, sessions - std::min(sessions, last->sessions),
                                        seen_.raised - before.raised);
    if (failed) {
      report(EventId::DatabasePositionNotNoted,
             "what this standby sees of the log cannot be recorded on this machine: " + *failed);
    }
    return {};
  }
  PositionRecord fresh = last.value_or(PositionRecord{});
  fresh.log_id = text_at(*rows, 0);
  fresh.claim = text_at(*rows, 1);
  fresh.cluster = facts_.system_identifier;
  fresh.timeline = facts_.timeline;
  fresh.begin = number_at<std::uint64_t>(*rows, 2);
  fresh.confirmed = seen_.end;
  fresh.sessions = sessions;
  fresh.by = by;
  // What was raised before it looked first is not known by its place: it counts in a loss that
  // reaches back to then.
  if (const std::uint64_t raised = seen_.raised - before.raised; raised > 0) {
    add_raise(fresh, {.until = seen_.end, .numbers = raised});
  }
  if (auto begun = marker_->begin(std::move(fresh)); !begun) {
    return std::unexpected{ServerError{std::move(begun.error().text), kElsewhere}};
  }
  return {};
}

// An earlier record on this machine may name what the log has lost. It stays as it is then, until
// this engine takes the log over and skips what was used, or an owner has the log that has not.
ServerResult<void> Standby::check_loss() {
  seen_.is_kept = false;
  if (!marker_->found()) return {};
  auto loss = find_loss(*connection_, options_, *marker_, facts_.timeline, {});
  if (!loss) return std::unexpected{ServerError{std::move(loss.error().text), kElsewhere}};
  if (!*loss) return {};
  seen_.is_kept = true;
  report(EventId::DatabaseLostCommits,
         (*loss)->what(marker_->path()) + ". It skips them when it takes the log over");
  return {};
}

// The former owner may still have the lock: the claim ends its session.
ServerResult<bool> Standby::ask_for_lease() {
  if (can_follow() && state_.followed_end < state_.log_end) return false;
  const std::uint64_t claimed = token_of_epoch(owner_epoch_);
  auto token = options_.lease->ask(claimed);
  if (!token) return std::unexpected{ServerError{std::move(token.error()), kElsewhere}};
  if (*token <= claimed) return false;
  if (auto named = connection_->run("RESET application_name"); !named) {
    return std::unexpected{std::move(named.error())};
  }
  return true;
}

// An owner whose connection broke connects again, and comes first.
bool Standby::may_take(bool is_free) {
  const MonoTime now = clock_.now().mono;
  has_seen_owner_ = has_seen_owner_ || !is_free;
  if (!is_free) {
    free_since_.reset();
    return false;
  }
  if (!free_since_) free_since_ = now;
  const milliseconds wait =
      has_seen_owner_ ? options_.takeover_delay : std::max(options_.takeover_delay, kOwnerFirst);
  return now - *free_since_ >= wait;
}

// A chunk is passed on whole or not at all: each message once, whatever happens to the connection.
ServerResult<void> Standby::follow(LogPosition end) {
  if (!can_follow()) return {};
  end = std::min(end, state_.followed_end + kFollowBytes);
  if (end <= state_.followed_end) return {};
  ServerResult<void> named;
  auto done = reader_.scan(state_.followed_end, end, [&](const Chunk& chunk) {
    const auto is_new = [this](const Chunk::Message& one) { return one.session >= names_.size(); };
    if (named && std::ranges::any_of(chunk.messages(), is_new)) named = read_names();
    if (named && std::ranges::any_of(chunk.messages(), is_new)) {
      named = std::unexpected{ServerError{
          "a message belongs to a session that the log does not have: the tables were changed from "
          "outside",
          kElsewhere}};
    }
    if (!named) return;
    for (const Chunk::Message& message : chunk.messages()) {
      observer_->on_message({.session = names_[message.session],
                             .epoch = message.epoch,
                             .msg_seq_num = message.number,
                             .bytes = message.bytes});
    }
    state_.followed_end = chunk.end();
  });
  if (!done) {
    const bool is_final = done.error().code == StoreErrorCode::Corrupt;
    return std::unexpected{
        ServerError{std::move(done.error().text), is_final ? kElsewhere : std::string{}}};
  }
  if (!named) return named;
  state_.followed_end = std::max(state_.followed_end, end);
  return {};
}

ServerResult<void> Standby::read_names() {
  auto names = read_session_names(*connection_);
  if (!names) return std::unexpected{std::move(names.error())};
  const std::size_t known = std::min(names_.size(), names->size());
  for (std::size_t key = 0; key < known; ++key) {
    if (names_[key] == (*names)[key]) continue;
    return std::unexpected{ServerError{"session " + names_[key] + " is named " + (*names)[key] +
                                           " now, and the application has messages under its "
                                           "former name: start again",
                                       kElsewhere}};
  }
  if (names->size() > names_.size()) names_ = std::move(*names);
  return {};
}

void Standby::set_owner(std::string owner) {
  state_.owner = std::move(owner);
  if (state_.owner.empty() || state_.owner == reported_owner_) return;
  reported_owner_ = state_.owner;
  report(EventId::DatabaseStandbyWaits, "a standby, connected to " + connection_->server() +
                                            ": waits for the log, which " + state_.owner + " owns");
}

bool Standby::can_follow() const noexcept { return follows_ && version_ == kSchemaVersion; }

bool Standby::pause(milliseconds time) {
  const MonoTime end = clock_.now().mono + time;
  while (clock_.now().mono < end) {
    if (!report_state()) return false;
    static_cast<void>(wait_for(-1, 0, std::min(time, kLookInterval), -1));
  }
  return report_state();
}

void Standby::on_not_taken(const std::string& why) {
  was_not_taken_ = true;
  report(EventId::DatabaseStandbyWaits, "a standby: waits again: the log was not taken: " + why);
}

// Once for each error: a server may be away for hours.
void Standby::report(EventId id, const std::string& text) {
  if (observer_ == nullptr) return;
  if (id == EventId::DatabaseReconnecting && text == last_error_) return;
  if (id == EventId::DatabaseReconnecting) last_error_ = text;
  observer_->on_event({.id = id, .text = "PostgreSQL store " + options_.schema + ": " + text});
}

}  // namespace nexusfix::store::postgres
