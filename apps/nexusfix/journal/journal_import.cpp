#include "nexusfix/journal/journal_import.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/session/identity.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/journal/journal_messages.hpp"
#include "nexusfix/journal/journal_set.hpp"
#include "nexusfix/text/meant_names.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

template <class T>
using Result = std::expected<T, std::string>;

// Messages are appended in records of about this size: a byte that is damaged later loses its whole
// record.
constexpr std::size_t kBatchBytes = 4U << 10U;

// QuickFIX stores whole seconds.
bool same_creation(WallTime a, WallTime b) {
  return std::chrono::floor<std::chrono::seconds>(a) == std::chrono::floor<std::chrono::seconds>(b);
}

// Whether a message that another engine stored has a password: in a Logon and a UserRequest,
// RawData is one, too. Such a message is never resent, so that its number is enough.
bool has_password(std::string_view bytes) {
  const auto has = [&](std::string_view field) {
    return bytes.contains('\x01' + std::string{field});
  };
  if (has("96=") && (has("35=A\x01") || has("35=BE\x01"))) return true;
  return std::ranges::any_of(std::array{"554=", "925=", "1402=", "1404="}, has);
}

// One session that is imported.
struct Arrival {
  QuickfixStore store;
  std::optional<store::SessionKey> key;  // nothing: the journal does not have it yet
  bool goes_on = false;                  // in the epoch that the journal has
  std::uint64_t first = 1;               // the first message that is appended
};

bool is_used(const store::SessionRecord& record) {
  return record.next_inbound > 1 || record.next_outbound > 1 || record.epoch > 1;
}

// As another engine leaves a session that has never logged on.
bool is_empty(const QuickfixStore& store) {
  return store.next_inbound == 1 && store.next_outbound == 1 && store.messages.empty();
}

class Import {
 public:
  Import(Disk& disk, const ImportRequest& request, OpenPostgres open_postgres, WallTime now)
      : disk_{disk},
        request_{request},
        session_{request.session},
        open_postgres_{open_postgres},
        now_{now} {}

  // True: every session was imported. If one cannot be, its error is printed, and the others are
  // imported.
  Result<bool> run() {
    if (auto read = read_stores(); !read) return std::unexpected{read.error()};
    const std::size_t empty =
        std::erase_if(arrivals_, [](const Arrival& arrival) { return is_empty(arrival.store); });
    if (empty > 0) fmt::print("{}: nothing to import.\n", counted(empty, "empty store"));
    if (arrivals_.empty() && empty > 0) return left_out_ == 0;
    if (arrivals_.empty()) return std::unexpected{"nothing was imported"};
    auto opened =
        open_to_change(disk_, request_.place, store::IfNoLog::Create, open_postgres_, now_);
    if (!opened) return std::unexpected{std::move(opened.error())};
    store_ = std::move(*opened);
    const ClosedAtEnd closed_at_end{*store_};
    std::erase_if(arrivals_, [&](Arrival& arrival) {
      const auto fits = look_up(arrival);
      if (!fits) leave_out(fits.error());
      return !fits;
    });
    if (arrivals_.empty()) return std::unexpected{"nothing was imported"};
    confirm();
    if (arrivals_.empty()) return std::unexpected{"nothing was imported"};
    if (auto taken = take_over(); !taken) return std::unexpected{taken.error()};
    if (left_out_ == 0) return true;
    fmt::print(stderr, "nexusfix journal: {} not imported\n",
               left_out_ == 1 ? "1 store was" : fmt::format("{} stores were", left_out_));
    return false;
  }

 private:
  // Replaces a part of a name by the only session that has it. A store that cannot be read has its
  // prefix as name: it may be the one that is meant.
  Result<void> resolve_session(const std::vector<std::string>& prefixes) {
    if (session_.empty() || session::SessionId::parse(session_)) return {};
    std::set<std::string> found;
    for (const std::string& prefix : prefixes) {
      if (!request_.prefix.empty() && prefix != request_.prefix) continue;
      const auto read =
          read_quickfix_store(disk_, request_.from, prefix, {}, request_.place.sessions);
      found.insert(read ? read->session : prefix);
    }
    const std::vector<std::string_view> names{found.begin(), found.end()};
    const std::vector<std::size_t> meant = meant_names(names, session_);
    if (meant.size() != 1)
      return std::unexpected{request_.from + ": " + not_one_session(names, session_)};
    session_ = names[meant.front()];
    return {};
  }

  Result<void> read_stores() {
    const auto prefixes = quickfix_prefixes(disk_, request_.from);
    if (!prefixes) return std::unexpected{prefixes.error()};
    if (auto resolved = resolve_session(*prefixes); !resolved) return resolved;
    std::map<std::string, std::string> paths;  // by session
    std::set<std::string> twice;
    std::vector<std::string> errors;
    const bool any_named = std::ranges::any_of(
        *prefixes, [&](const std::string& prefix) { return is_of_session(prefix); });
    for (const std::string& prefix : *prefixes) {
      if (!request_.prefix.empty() && prefix != request_.prefix) continue;
      if (any_named && !session_.empty() && !is_of_session(prefix)) continue;
      // With --prefix, --session gives the name if the files do not have it.
      const bool named = !session_.empty() && is_of_session(prefix);
      auto read = read_quickfix_store(disk_, request_.from, prefix,
                                      named ? session_ : std::string{}, request_.place.sessions);
      if (!read) {
        errors.push_back(read.error());
        continue;
      }
      if (!session_.empty() && read->session != session_) continue;
      if (const auto [first, is_new] = paths.emplace(read->session, read->path); !is_new) {
        errors.push_back(
            fmt::format("{}: {} is a store of session {}, too; choose one with "
                        "--prefix",
                        read->path, first->second, read->session));
        twice.insert(read->session);
      }
      arrivals_.push_back({.store = std::move(*read), .key = {}, .goes_on = false, .first = 1});
    }
    std::erase_if(arrivals_,
                  [&](const Arrival& arrival) { return twice.contains(arrival.store.session); });
    left_out_ += twice.size();
    // The session of an unreadable store is unknown. It is not the session that was found.
    const bool is_found = !session_.empty() && !any_named && !arrivals_.empty();
    if (!is_found) std::ranges::for_each(errors, [&](const auto& error) { leave_out(error); });
    if (arrivals_.empty() && errors.empty())
      return std::unexpected{fmt::format("{}: there is no such store in it", request_.from)};
    return {};
  }

  void leave_out(const std::string& error) {
    ++left_out_;
    static_cast<void>(fail("journal", error));
  }

  bool is_of_session(const std::string& prefix) const {
    return !request_.prefix.empty() || is_quickfix_prefix(prefix, session_);
  }

  [[nodiscard]] WallTime created(const Arrival& arrival) const {
    return arrival.store.created.value_or(now_);
  }

  // Looks up the session in the journal, and decides whether the files continue it.
  Result<void> look_up(Arrival& arrival) {
    const auto found = find_session(*store_, arrival.store.session);
    if (!found) return {};
    arrival.key = *found;
    const store::SessionRecord& record = store_->session(*found);
    if (!same_creation(record.created, created(arrival))) return {};
    if (arrival.store.next_outbound < record.next_outbound ||
        arrival.store.next_inbound < record.next_inbound) {
      return std::unexpected{fmt::format(
          "{}: the files are older than the journal: they expect {} and send {} next, the journal "
          "{} and {}, and both were created at the same time",
          arrival.store.path, arrival.store.next_inbound, arrival.store.next_outbound,
          record.next_inbound, record.next_outbound)};
    }
    arrival.goes_on = true;
    arrival.first = record.next_outbound;
    return compare(arrival);
  }

  // Messages that both have must be the same.
  Result<void> compare(const Arrival& arrival) {
    return visit_quickfix_messages(
        disk_, arrival.store, 1, [&](std::uint64_t number, std::string_view bytes) -> Result<void> {
          if (number >= arrival.first) return {};
          bool same = true;
          const auto read =
              store_->read(*arrival.key, number, number, [&](std::uint64_t, std::string_view kept) {
                same = kept == bytes;
                return false;
              });
          if (!read) return std::unexpected{read.error().text};
          if (same) return {};
          return std::unexpected{fmt::format(
              "{}: its message {} is not the one that the journal has under this number, although "
              "both were created at the same time",
              arrival.store.path, number)};
        });
  }

  static void tell_of_kill(const QuickfixStore& store) {
    if (!store.was_number_stale) return;
    fmt::print(
        stderr,
        "nexusfix journal: {}: message {} is stored, but its MsgSeqNum was not counted: the "
        "engine was killed in between. The message may have been sent: it is imported, and {} "
        "is next\n",
        store.path, store.next_outbound - 1, store.next_outbound);
  }

  // Prints what is known about an imported session. Returns whether an operator must confirm.
  bool describe(const Arrival& arrival) {
    tell_of_kill(arrival.store);
    fmt::print("{}\n  {} ({}): next inbound {}, next outbound {}, {}\n", arrival.store.session,
               arrival.store.path, to_string(arrival.store.kind), arrival.store.next_inbound,
               arrival.store.next_outbound, counted(arrival.store.messages.size(), "message"));
    const bool is_without_numbers = arrival.store.kind == QuickfixKind::BodyAlone;
    if (is_without_numbers) {
      fmt::print(
          "  There is no file of its sequence numbers. {} follows the last message; 1 makes the\n"
          "  counterparty send again all that it sent. `nexusfix journal set` changes them.\n",
          arrival.store.next_outbound);
    }
    if (!arrival.key || !is_used(store_->session(*arrival.key))) return is_without_numbers;
    const store::SessionRecord& record = store_->session(*arrival.key);
    fmt::print("  the journal: next inbound {}, next outbound {}, epoch {}\n", record.next_inbound,
               record.next_outbound, record.epoch);
    if (arrival.goes_on) {
      fmt::print("  Created at the same time: epoch {} goes on.\n", record.epoch);
      return is_without_numbers;
    }
    fmt::print(
        "  Created at another time: epoch {} begins, and what the journal has of the session\n"
        "  can no longer be sent again.\n",
        record.epoch + 1);
    return true;
  }

  // A session that is not confirmed is left out.
  void confirm() {
    std::vector<std::string> asked;
    for (const Arrival& arrival : arrivals_) {
      if (describe(arrival)) asked.push_back(arrival.store.path);
    }
    if (asked.empty() || request_.is_confirmed) return;
    if (is_confirmed_by_hand(asked.size() == 1 ? "Import it?" : "Import them?")) return;
    std::erase_if(arrivals_, [&](const Arrival& arrival) {
      const bool is_out = std::ranges::find(asked, arrival.store.path) != asked.end();
      if (is_out) leave_out(arrival.store.path + ": not confirmed: without a terminal, use --yes");
      return is_out;
    });
  }

  // Marks all sessions before the first message, and removes the marks with one record after the
  // last one: an incomplete import is never used.
  Result<void> take_over() {
    for (Arrival& arrival : arrivals_) {
      if (arrival.key) continue;
      const auto key = store_->open_session(arrival.store.session, created(arrival));
      if (!key) return std::unexpected{key.error().text};
      arrival.key = *key;
    }
    const std::string text =
        fmt::format("{}: import from {}: {}", operator_name(), request_.from,
                    request_.reason.empty() ? "no reason was given" : request_.reason);
    store::Transaction transaction;
    for (const Arrival& arrival : arrivals_) {
      transaction.set_numbers(*arrival.key, begin_change(arrival, text));
    }
    if (auto done = append(transaction); !done) return done;
    for (const Arrival& arrival : arrivals_) {
      if (auto done = append_messages(arrival); !done) return done;
    }
    for (const Arrival& arrival : arrivals_) {
      store::NumbersChange change =
          store::numbers_change(store_->session(*arrival.key),
                                {.next_inbound = arrival.store.next_inbound,
                                 .next_outbound = arrival.store.next_outbound},
                                now_, text);
      transaction.set_numbers(*arrival.key, change);
    }
    if (auto done = append(transaction); !done) return done;
    if (auto closed = store_->close(); !closed) return std::unexpected{closed.error().text};
    fmt::print("Imported {}.\n", counted(arrivals_.size(), "session"));
    return {};
  }

  store::NumbersChange begin_change(const Arrival& arrival, std::string_view text) const {
    const store::SessionRecord& record = store_->session(*arrival.key);
    store::NumbersChange change = store::numbers_change(record, {}, now_, text);
    if (!arrival.goes_on) {
      change.after = {.next_inbound = 1,
                      .next_outbound = 1,
                      .epoch = is_used(record) ? record.epoch + 1 : record.epoch};
      change.created = created(arrival);
    }
    change.is_unfinished = true;
    return change;
  }

  Result<void> append_messages(const Arrival& arrival) {
    store::Transaction transaction;
    const auto add = [&](std::uint64_t number, std::string_view bytes) -> Result<void> {
      if (has_password(bytes)) {
        transaction.outbound_number(*arrival.key, number);
      } else {
        transaction.outbound_message(*arrival.key, number, bytes);
      }
      if (transaction.entries().size() < kBatchBytes) return {};
      return append(transaction);
    };
    if (auto done = visit_quickfix_messages(disk_, arrival.store, arrival.first, add); !done)
      return done;
    return append(transaction);
  }

  Result<void> append(store::Transaction& transaction) {
    if (auto appended = store_->append(transaction, now_); !appended)
      return std::unexpected{appended.error().text};
    transaction.clear();
    if (auto flushed = store_->flush(); !flushed) return std::unexpected{flushed.error().text};
    return {};
  }

  Disk& disk_;
  const ImportRequest& request_;
  std::string session_;  // of the request, as a whole name
  OpenPostgres open_postgres_;
  WallTime now_;
  std::unique_ptr<store::Store> store_;
  std::vector<Arrival> arrivals_;
  std::size_t left_out_ = 0;  // stores that cannot be imported
};

std::string prefix_of(const ExportRequest& request, std::string_view name) {
  return request.prefix.empty() ? quickfix_prefix(name, request.form) : request.prefix;
}

// Checks, before the first file is written, that no two sessions have the same files.
Result<void> check_prefixes(const ExportRequest& request, const store::Store& store,
                            const std::vector<store::SessionKey>& keys) {
  std::map<std::string, std::string> names;  // by prefix
  for (const store::SessionKey key : keys) {
    const std::string name{store.session_name(key)};
    const std::string prefix = prefix_of(request, name);
    if (prefix.empty()) {
      return std::unexpected{fmt::format(
          "session {}: its name is not BeginString:Sender->Target; use --prefix", name)};
    }
    if (const auto [other, is_new] = names.emplace(prefix, name); !is_new) {
      return std::unexpected{
          fmt::format("the files of sessions {} and {} would both be named {}; nothing was "
                      "written. Export one at a time, with --session and --prefix",
                      other->second, name, prefix)};
    }
  }
  return {};
}

Result<void> export_one(Disk& disk, const ExportRequest& request, store::Store& store,
                        store::SessionKey key) {
  const std::string name{store.session_name(key)};
  const std::string prefix = prefix_of(request, name);
  // Damage, or an import that did not end.
  if (const auto usable = store.open_session(name, {}); !usable)
    return std::unexpected{usable.error().text};
  const store::SessionRecord record = store.session(key);
  QuickfixWriter writer{disk, request.to, prefix, request.form};
  std::uint64_t messages = 0;
  const auto write = [&]() -> Result<void> {
    if (auto begun = writer.begin(); !begun) return begun;
    Result<void> added{};
    const auto read =
        store.read(key, 1, UINT64_MAX, [&](std::uint64_t number, std::string_view bytes) {
          added = writer.add(number, bytes);
          ++messages;
          return added.has_value();
        });
    if (!read) return std::unexpected{read.error().text};
    if (!added) return added;
    return writer.finish(record.next_inbound, record.next_outbound, record.created);
  };
  if (auto written = write(); !written) {
    writer.undo();
    return written;
  }
  fmt::print("{}\n  {}/{}: next inbound {}, next outbound {}, {}\n", name, request.to, prefix,
             record.next_inbound, record.next_outbound, counted(messages, "message"));
  if (const std::uint64_t until = store.retired_until(key); until > 0) {
    fmt::print(
        "  Messages 1 to {} of epoch {} were retired, as far as they are not among these: a\n"
        "  counterparty that asks for them gets a gap fill, not the messages.\n",
        until, record.epoch);
  }
  return {};
}

}  // namespace

int import_quickfix(Disk& disk, const ImportRequest& request, OpenPostgres open_postgres,
                    WallTime now) {
  if (!is_reason(request.reason)) return fail("journal", kReasonTooLong);
  const auto done = Import{disk, request, open_postgres, now}.run();
  if (!done) return fail("journal", done.error());
  return *done ? kSuccess : kFailure;
}

int export_quickfix(Disk& disk, const ExportRequest& request, OpenPostgres open_postgres) {
  auto log = look_into(disk, request.place, open_postgres);
  if (!log) return fail("journal", log.error());
  if (log->report && log->report->in_use) {
    return fail("journal", "journal " + request.place.name +
                               ": a running process has it open. Stop it first: two engines must "
                               "not continue with the same sequence numbers");
  }
  if (log->report && !log->report->lost_end.empty()) {
    return fail("journal",
                fmt::format("{}. Restore it, or accept the loss with nexusfix journal repair "
                            "{}, and export it then",
                            log->report->lost_end, request.place.name));
  }
  if (log->report && !log->report->skipped.empty()) {
    const store::SkippedNumbers& first = log->report->skipped.front();
    return fail(
        "journal",
        fmt::format("journal {}: {}. Messages may have been sent under MsgSeqNum {} to {} of {} "
                    "that it has lost. Start the engine once, or set the sequence numbers "
                    "with nexusfix journal set, and export it then",
                    request.place.name, store::describe(log->report->loss), first.first, first.last,
                    first.session));
  }
  if (request.prefix.find('/') != std::string::npos)
    return fail("journal", "--prefix: the beginning of a file's name, without /");
  store::Store& store = *log->store;
  std::vector<store::SessionKey> keys;
  if (!request.session.empty()) {
    const auto key = find_session(store, stored_name(store, request.session));
    if (!key) return fail("journal", key.error());
    keys.push_back(*key);
  } else {
    keys.reserve(store.session_count());
    for (store::SessionKey key = 0; key < store.session_count(); ++key) keys.push_back(key);
  }
  if (keys.empty()) return fail("journal", "journal " + request.place.name + ": it has no session");
  if (!request.prefix.empty() && keys.size() > 1)
    return fail("journal", "--prefix is for one session: name it with --session");
  if (const auto distinct = check_prefixes(request, store, keys); !distinct)
    return fail("journal", distinct.error());
  for (const store::SessionKey key : keys) {
    if (auto done = export_one(disk, request, store, key); !done)
      return fail("journal", done.error());
  }
  return kSuccess;
}

}  // namespace nexusfix::command
