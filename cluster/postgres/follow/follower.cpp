#include "cluster/postgres/follow/follower.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/server/statements.hpp"
#include "store/api/crc32c.hpp"

namespace nexusfix::store::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFollowInterval{100};
constexpr milliseconds kFollowAgainInterval{500};
// What is read of the log at once.
constexpr LogPosition kFollowedBytes = 1U << 20U;

std::uint64_t number_of(const Result& rows, int column, int row) {
  const std::string_view text = text_at(rows, column, row);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The log's identity as a positive number: its first 60 bits.
std::int64_t number_of_log(std::string_view log_id) {
  constexpr std::size_t kDigits = 15;
  const std::string_view digits = log_id.substr(0, kDigits);
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  return is_number ? number : crc32c(0, log_id);
}

std::unexpected<ServerError> final_error(std::string text) {
  return std::unexpected{ServerError{std::move(text), kElsewhere}};
}

}  // namespace

std::expected<std::unique_ptr<LogFollower>, std::string> Follower::open(
    const PostgresOptions& options, const FollowOptions& follow) {
  std::unique_ptr<Follower> follower{new Follower{options, follow}};
  if (auto started = follower->start(); !started) {
    return std::unexpected{follower->named(started.error().text)};
  }
  return follower;
}

std::string Follower::named(std::string_view text) const {
  return "PostgreSQL store " + options_.schema + ": " + std::string{text};
}

ServerResult<void> Follower::connect() {
  if (connection_) return {};
  const auto accept = [this](Connection& one) -> ServerResult<void> {
    auto found = read_facts(one);
    if (!found) return std::unexpected{std::move(found.error())};
    if (facts_) {
      if (auto same = check_same_cluster(*facts_, *found); !same) return same;
    }
    facts_ = std::move(*found);
    return {};
  };
  auto made = servers_.connect(-1, accept);
  if (!made) return std::unexpected{std::move(made.error())};
  auto set = made->run("SET search_path = " + options_.schema +
                       "; SET default_transaction_read_only = on; "
                       "SET application_name = 'nexusfix stream'");
  if (!set) return std::unexpected{std::move(set.error())};
  const auto version = read_version(*made, options_);
  if (!version) return final_error(version.error().text);
  if (*version == 0) return final_error("there is no such log in the database");
  if (*version < kSchemaVersion) {
    return final_error("the schema is of version " + std::to_string(*version) +
                       ", and only version " + std::to_string(kSchemaVersion) +
                       " can be followed: an engine or a command of this program upgrades it");
  }
  // The reader reports a missing right as any error of the server, which may pass.
  if (auto readable = made->run("SELECT FROM chunks LIMIT 0"); !readable) {
    return std::unexpected{std::move(readable.error())};
  }
  if (!reader_) reader_.emplace(options_, servers_, *facts_, -1);
  connection_ = std::move(*made);
  if (std::exchange(is_lost_, false)) {
    events_.push_back({.id = EventId::DatabaseReconnected,
                       .text = named("reading goes on, from " + connection_->server())});
  }
  return {};
}

void Follower::lose(const ServerError& error) {
  connection_.reset();
  if (reader_) reader_->disconnect();
  next_look_ = clock_.now().mono + kFollowAgainInterval;
  if (std::exchange(is_lost_, true)) return;
  events_.push_back({.id = EventId::DatabaseReconnecting,
                     .text = named("the log cannot be read at the moment: " + error.text)});
}

// Nothing of the cursor is known yet.
ServerResult<void> Follower::start() {
  if (auto seen = look(); !seen) return seen;
  if (!follow_.cursor) {
    // What was deleted before is not missed.
    accepted_deletion_ = deleted_;
    go_to(follow_.begin == FollowOptions::Begin::Newest ? log_end_ : 0);
    return {};
  }
  return check_cursor();
}

ServerResult<void> Follower::check_cursor() {
  const JournalCursor& from = *follow_.cursor;
  const auto is_claim = [&](const Owner& one) { return one.first_epoch == from.segment; };
  const auto claim = std::ranges::find_if(owners_, is_claim);
  const bool has_claim =
      from.segment == 0 ||
      (claim != owners_.end() && claim->begin == from.last && claim->claim_crc == from.last_crc);
  const auto cut = std::ranges::find_if(owners_, [&](const Owner& one) {
    return one.first_epoch > from.segment && one.begin < from.position;
  });
  LogPosition at = from.position;
  std::string fault;
  if (from.log_id != log_id_) {
    at = 0;
    fault =
        "it is another log than the one that the cursor belongs to: the schema was made again, or "
        "this is another database";
  } else if (!has_claim) {
    at = 0;
    fault =
        "the log has another history than the cursor: an older copy of the database was restored, "
        "or the server has lost commits";
  } else if (cut != owners_.end()) {
    at = cut->begin;
    fault = "the log was cut at position " + std::to_string(at) + ", before the cursor at " +
            std::to_string(from.position) + ": the server has lost commits";
  } else if (from.position > log_end_) {
    at = log_end_;
    fault = "the log ends at position " + std::to_string(at) + ", before the cursor at " +
            std::to_string(from.position) + ": the server lags or has lost commits";
  }
  if (!fault.empty()) {
    if (auto accepted = accept_gap(fault); !accepted) return accepted;
  }
  go_to(at);
  return check_deleted(at);
}

ServerResult<void> Follower::accept_gap(const std::string& text) {
  if (follow_.gap == FollowOptions::Gap::Refuse) return final_error(text);
  events_.push_back({.id = EventId::StreamGap, .text = named(text)});
  return {};
}

void Follower::go_to(LogPosition position) {
  const Owner* const owner = owner_of(position);
  cursor_ = {.log_id = log_id_,
             .segment = owner != nullptr ? owner->first_epoch : 0,
             .position = position,
             .last = owner != nullptr ? owner->begin : 0,
             .last_crc = owner != nullptr ? owner->claim_crc : 0};
  read_end_ = std::max(read_end_, position);
}

// The owner of the record that ends there; null: it is not known.
const Follower::Owner* Follower::owner_of(LogPosition end) const noexcept {
  const Owner* found = nullptr;
  for (const Owner& one : owners_) {
    if (one.begin < end) found = &one;
  }
  return found;
}

ServerResult<void> Follower::look() {
  if (auto connected = connect(); !connected) return connected;
  next_look_ = clock_.now().mono + kFollowInterval;
  auto rows = connection_->run(
      "SELECT position, owner_first_epoch, log_id, "
      "(SELECT coalesce(max(position) + 1, 0) FROM deletions) FROM log_state");
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) return final_error("the log has no state");
  const std::int64_t log_id = number_of_log(text_at(*rows, 2));
  if (log_id_ != 0 && log_id != log_id_) {
    return final_error("the log was replaced by another one while it was read");
  }
  log_id_ = log_id;
  log_end_ = number_of(*rows, 0, 0);
  deleted_ = number_of(*rows, 3, 0);
  const std::uint64_t owner = number_of(*rows, 1, 0);
  if (owner == first_epoch_) return {};
  if (auto read = read_owners(); !read) return read;
  if (auto read = read_names(); !read) return read;
  if (auto checked = check_cut(); !checked) return checked;
  first_epoch_ = owner;
  return {};
}

ServerResult<void> Follower::read_owners() {
  auto rows =
      connection_->run("SELECT first_epoch, position, claim FROM owners ORDER BY first_epoch");
  if (!rows) return std::unexpected{std::move(rows.error())};
  owners_.clear();
  for (int row = 0; row < PQntuples(rows->get()); ++row) {
    owners_.push_back({.first_epoch = number_of(*rows, 0, row),
                       .begin = number_of(*rows, 1, row),
                       .claim_crc = crc32c(0, text_at(*rows, 2, row))});
  }
  return {};
}

ServerResult<void> Follower::read_names() {
  auto names = read_session_names(*connection_);
  if (!names) return std::unexpected{std::move(names.error())};
  names_ = std::move(*names);
  return {};
}

// An owner that began before the end of what was read: the records from there on are not in the log
// any more. A log that is only shorter may get them again from its owner.
ServerResult<void> Follower::check_cut() {
  for (const Owner& one : owners_) {
    if (one.first_epoch <= first_epoch_ || one.begin >= read_end_) continue;
    auto accepted = accept_gap("the log was cut at position " + std::to_string(one.begin) +
                               ", and was read up to " + std::to_string(read_end_) +
                               ": the server has lost commits");
    if (!accepted) return accepted;
    std::erase_if(records_, [&](const Record& record) { return record.end > one.begin; });
    read_end_ = one.begin;
    if (cursor_.position > read_end_) go_to(read_end_);
  }
  return {};
}

ServerResult<void> Follower::check_deleted(LogPosition begin) {
  if (deleted_ <= begin || deleted_ <= accepted_deletion_) return {};
  accepted_deletion_ = deleted_;
  return accept_gap("chunks up to position " + std::to_string(deleted_ - 1) +
                    " were deleted, and only those before " + std::to_string(begin) +
                    " are known to be read");
}

// Messages of both directions in the order of the log.
void Follower::keep(const Chunk& chunk) {
  Record& record = records_.emplace_back();
  record.begin = chunk.begin();
  record.end = chunk.end();
  record.written = chunk.written();
  const auto add = [&record](const Chunk::Message& one, bool is_received) {
    record.messages.push_back({.session = one.session,
                               .epoch = one.epoch,
                               .number = one.number,
                               .position = one.position,
                               .is_received = is_received,
                               .bytes = std::string{one.bytes}});
  };
  auto received = chunk.received().begin();
  for (const Chunk::Message& one : chunk.messages()) {
    for (; received != chunk.received().end() && received->position < one.position; ++received) {
      add(*received, true);
    }
    add(one, false);
  }
  for (; received != chunk.received().end(); ++received) add(*received, true);
}

ServerResult<void> Follower::scan() {
  const LogPosition before = std::min(log_end_, read_end_ + kFollowedBytes);
  LogPosition end = read_end_;
  bool has_old_names = false;
  const auto done = reader_->scan(read_end_, before, [&](const Chunk& chunk) {
    // A batch without messages leaves no chunk, and may rename a session.
    has_old_names = has_old_names || chunk.begin() != end || chunk.has_names();
    keep(chunk);
    end = chunk.end();
    has_old_names =
        has_old_names || std::ranges::any_of(records_.back().messages, [this](const Message& one) {
          return one.session >= names_.size();
        });
  });
  if (!done) {
    records_.clear();
    const bool is_final = done.error().code == StoreErrorCode::Corrupt;
    return std::unexpected{ServerError{done.error().text, is_final ? kElsewhere : std::string{}}};
  }
  if (has_old_names || end < before) {
    if (auto read = read_names(); !read) {
      records_.clear();
      return read;
    }
  }
  read_end_ = std::max(before, end);
  return {};
}

// The log is looked at again when the page is read: it may have been deleted or cut meanwhile.
ServerResult<void> Follower::fill() {
  if (auto connected = connect(); !connected) return connected;
  const LogPosition begin = read_end_;
  if (begin < log_end_) {
    if (auto scanned = scan(); !scanned) return scanned;
  }
  if (auto seen = look(); !seen) {
    records_.clear();
    read_end_ = std::min(read_end_, begin);
    return seen;
  }
  return check_deleted(begin);
}

std::expected<bool, std::string> Follower::next(Visitor visit) {
  if (records_.empty()) {
    const bool may_wait = is_lost_ || log_end_ <= read_end_;
    if (may_wait && clock_.now().mono < next_look_) return false;
    if (const auto done = fill(); !done) {
      if (!done.error().may_pass() || !follow_.is_followed) {
        return std::unexpected{named(done.error().text)};
      }
      lose(done.error());
      return false;
    }
  }
  if (records_.empty()) {
    if (cursor_.position == read_end_) return false;
    go_to(read_end_);
    return true;
  }
  const Record& record = records_.front();
  const Owner* const owner = owner_of(record.end);
  for (const Message& one : record.messages) {
    if (one.session >= names_.size()) {
      return std::unexpected{
          named("a message at position " + std::to_string(one.position) +
                " belongs to a session that the log does not have: the tables were changed from "
                "outside")};
    }
    visit({.log_id = log_id_,
           .owner_epoch = owner != nullptr ? owner->first_epoch : 0,
           .position = one.position,
           .session = names_[one.session],
           .epoch = one.epoch,
           .is_received = one.is_received,
           .msg_seq_num = one.number,
           .time = record.written,
           .bytes = one.bytes});
  }
  const LogPosition end = record.end;
  records_.pop_front();
  go_to(records_.empty() ? read_end_ : end);
  return true;
}

LogPosition Follower::end_of_log() {
  LogPosition end = std::max(log_end_, read_end_);
  if (!connection_ || clock_.now().mono < next_look_) return end;
  const auto rows = connection_->run("SELECT position FROM log_state");
  if (rows && PQntuples(rows->get()) == 1) end = std::max(end, number_of(*rows, 0, 0));
  return end;
}

std::optional<StoreEvent> Follower::next_event() {
  if (events_.empty()) return std::nullopt;
  StoreEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::expected<std::unique_ptr<LogFollower>, std::string> Follower::fork() const {
  FollowOptions follow = follow_;
  follow.cursor = cursor_;
  follow.gap = FollowOptions::Gap::Accept;
  return open(options_, follow);
}

}  // namespace nexusfix::store::postgres
