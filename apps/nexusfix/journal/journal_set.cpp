#include "nexusfix/journal/journal_set.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <pwd.h>
#include <string>
#include <unistd.h>

#include <nexusfix/session/identity.hpp>

#include "control/api/running_engine.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/journal/journal_messages.hpp"
#include "nexusfix/journal/journal_report.hpp"

namespace nexusfix::command {
namespace {

std::string consequences(const store::NumbersChange& change) {
  const auto& [in_before, out_before, epoch_before] = change.before;
  const auto& [in_after, out_after, epoch_after] = change.after;
  std::string text;
  if (epoch_after != epoch_before) {
    text += fmt::format(
        "  MsgSeqNum {} to {} were used. Within one epoch no two messages have the same\n"
        "  MsgSeqNum, so epoch {} begins: earlier messages can no longer be resent, and the\n"
        "  counterparty must expect {} (or more), too.\n",
        out_after, out_before - 1, epoch_after, out_after);
  } else if (out_after > out_before) {
    text += fmt::format(
        "  MsgSeqNum {} to {} will never be sent: the counterparty will ask for them and get a\n"
        "  gap fill, unless it expects {} already.\n",
        out_before, out_after - 1, out_after);
  }
  if (in_after < in_before) {
    text += fmt::format(
        "  The engine will request {} to {} again, and the application receives them a second\n"
        "  time.\n",
        in_after, in_before - 1);
  } else if (in_after > in_before) {
    text += fmt::format(
        "  The engine will never request the counterparty's messages {} to {}: if they were sent,\n"
        "  the application never receives them.\n",
        in_before, in_after - 1);
  }
  return text;
}

std::string audit_text(const SetNumbers& request) {
  return fmt::format("{}: {}", operator_name(),
                     request.reason.empty() ? "no reason was given" : request.reason);
}

int not_confirmed() {
  return fail("journal", "not confirmed (without a terminal, use --yes): nothing was set");
}

// Prints the consequences, and asks if there is something to set. The exit status: nothing is set.
std::optional<int> status_unless_confirmed(const SetNumbers& request,
                                           const store::NumbersChange& change,
                                           std::string_view until_now = {}) {
  fmt::print("{}\n  now: {}\n  new: {}\n{}", request.session, numbers_text(change.before),
             numbers_text(change.after), consequences(change));
  if (!until_now.empty()) fmt::print("  Until now: {}\n", until_now);
  if (until_now.empty() && change.before == change.after) {
    fmt::print("The sequence numbers have these values already: nothing was set.\n");
    return kSuccess;
  }
  if (request.is_confirmed || is_confirmed_by_hand("Set them?")) return std::nullopt;
  return not_confirmed();
}

// Asks the engine that has the journal open to set the numbers. The engine refuses if they are no
// longer those that were shown.
int set_by_engine(const SetNumbers& request, const LogView& view, store::SessionKey key,
                  WallTime now) {
  const store::Store& seen = *view.store;
  const std::string text = audit_text(request);
  const store::NumbersChange change =
      store::numbers_change(seen.session(key), request.wanted, now, text);
  if (const auto status = status_unless_confirmed(request, change)) return *status;
  const auto done = engine::set_live_numbers(
      request.place.folder, {.session = request.session,
                             .expected = {.next_inbound = change.before.next_inbound,
                                          .next_outbound = change.before.next_outbound},
                             .wanted = {.next_inbound = change.after.next_inbound,
                                        .next_outbound = change.after.next_outbound},
                             .reason = text});
  if (!done && done.error().is_absent) {
    return fail("journal", "another process has " + request.place.folder +
                               " open, and is no engine that accepts commands (" +
                               done.error().text + "). Stop it first; nothing was set");
  }
  if (!done) {
    const auto refused =
        std::ranges::find(view.report->refused, request.session, &store::RefusedSession::session);
    const std::string text_of_engine = "the running engine: " + done.error().text;
    if (refused == view.report->refused.end()) return fail("journal", text_of_engine);
    return fail("journal", text_of_engine +
                               ". Stop the engine first, then set both --next-in and "
                               "--next-out: damage keeps the session from running (" +
                               refused->text + ')');
  }
  fmt::print("Set by the running engine. The log records it: {}\n", text);
  return kSuccess;
}

}  // namespace

std::string operator_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const passwd* user = ::getpwuid(::geteuid());
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : std::to_string(::geteuid()),
                     host.data());
}

bool is_reason(std::string_view text) noexcept {
  constexpr std::size_t kReasonBytesMax = 1024;
  return text.size() <= kReasonBytesMax;
}

bool is_confirmed_by_hand(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) return false;
  fmt::print("{} [yes/no] ", question);
  std::fflush(stdout);
  std::array<char, 8> answer{};
  if (std::fgets(answer.data(), static_cast<int>(answer.size()), stdin) == nullptr) return false;
  const std::string_view text{answer.data()};
  return text == "yes\n" || text == "y\n";
}

int set_numbers(Disk& disk, const SetNumbers& wanted, OpenPostgres open_postgres, WallTime now) {
  SetNumbers request = wanted;
  if (!is_reason(request.reason)) return fail("journal", kReasonTooLong);
  if (request.may_be_new && !session::SessionId::parse(request.session)) {
    return fail("journal", "--new: " + request.session +
                               " is no name of a session: BeginString:Sender->Target was "
                               "expected, and within a part %3A for :, %2F for / and %3E for >");
  }
  if (request.place.is_journal()) {  // with an invalid name, not even a torn end may be cut
    const auto found = look_into(disk, request.place, open_postgres);
    if (!found) return fail("journal", found.error());
    if (!request.may_be_new) request.session = stored_name(*found->store, request.session);
    const auto key = find_session(*found->store, request.session);
    const bool is_in_use = found->report && found->report->in_use;
    if (!key && (!request.may_be_new || is_in_use)) return fail("journal", key.error());
    if (is_in_use) return set_by_engine(request, *found, *key, now);
  }
  auto opened = open_to_change(disk, request.place, store::IfNoLog::Refuse, open_postgres, now);
  if (!opened) return fail("journal", opened.error());
  store::Store& store = **opened;
  const ClosedAtEnd closed_at_end{store};
  if (!request.may_be_new) request.session = stored_name(store, request.session);
  if (request.may_be_new && !find_session(store, request.session)) {
    fmt::print("{}: there is no such session in the log; it will be created\n", request.session);
    if (!request.is_confirmed && !is_confirmed_by_hand("Create it?")) return not_confirmed();
    request.is_confirmed = true;
    if (const auto made = store.open_session(request.session, now); !made) {
      return fail("journal", made.error().text);
    }
  }
  const auto key = find_session(store, request.session);
  if (!key) return fail("journal", key.error());
  // After damage or an incomplete import both numbers are in doubt.
  const auto usable = store.open_session(request.session, now);
  if (!usable && !(request.wanted.next_inbound && request.wanted.next_outbound)) {
    return fail(
        "journal",
        usable.error().text +
            " If only its sequence numbers are in doubt, set both --next-in and --next-out");
  }
  const std::string text = audit_text(request);
  const store::NumbersChange change =
      store::numbers_change(store.session(*key), request.wanted, now, text);
  const std::string_view until_now = usable ? std::string_view{} : usable.error().text;
  if (const auto status = status_unless_confirmed(request, change, until_now)) return *status;
  store::Transaction transaction;
  transaction.set_numbers(*key, change);
  if (auto appended = store.append(transaction, now); !appended) {
    return fail("journal", appended.error().text);
  }
  if (auto flushed = store.flush(); !flushed) return fail("journal", flushed.error().text);
  if (auto closed = store.close(); !closed) return fail("journal", closed.error().text);
  fmt::print("Set. The log records it: {}\n", text);
  return kSuccess;
}

}  // namespace nexusfix::command
