#include "engine/session/registry/session_registry.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api/exceptions.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/link/io.hpp"

namespace nexusfix::engine {
namespace {

session::Numbers to_numbers(const store::SessionRecord& record) {
  return {.next_inbound = record.next_inbound, .next_outbound = record.next_outbound};
}

using Keys = std::map<std::string, store::SessionKey, std::less<>>;

Keys keys_of(const store::Store& store) {
  Keys keys;
  for (store::SessionKey key = 0; key < store.session_count(); ++key) {
    keys.emplace(store.session_name(key), key);
  }
  return keys;
}

// Earlier versions escaped nothing in the names of sessions, so two sessions could have the same
// name. A session keeps its sequence numbers and messages if no other session can own the stored
// name. Otherwise it is refused, because nothing shows which session the numbers belong to.

// A name that is also valid in the present form, not only in that of earlier versions.
bool may_be_present_name(std::string_view name) {
  const auto id = session::SessionId::parse(name);
  return id && id->former_name() != name;
}

std::string doubt_text(const std::string& former, const std::vector<std::string>& sessions) {
  std::string text = "the store has " + former + ", as earlier versions called ";
  for (const std::string& one : sessions) text += (one == sessions.front() ? "" : " and ") + one;
  if (sessions.size() == 1) text += ", or as another session is called now";
  return text +
         ": the store does not say which of them has these sequence numbers. Either start once "
         "with a configuration that has only the session with these sequence numbers. Or give each "
         "other session new ones: nexusfix journal set FOLDER SESSION --new --next-in 1 --next-out "
         "1";
}

}  // namespace

store::StoreResult<SessionEntry*> SessionRegistry::make_entry(SessionSettings settings) {
  const auto entry = make_inactive_entry(std::move(settings));
  if (!entry) return entry;
  UndoGuard undo{[&] { destroy(**entry); }};
  activate(**entry);
  undo.keep();
  return entry;
}

store::StoreResult<SessionEntry*> SessionRegistry::make_inactive_entry(SessionSettings settings) {
  const std::string name = settings.session.id.to_string();
  if (loop_.shared.directory) {
    if (const std::uint32_t home = loop_.shared.directory->settle(name, loop_.index);
        home != loop_.index) {
      return std::unexpected{
          store::StoreError{store::StoreErrorCode::SessionRefused,
                            name + ": it is stored in loop " + std::to_string(home)}};
    }
  }
  if (const auto doubt = doubtful_names_.find(name); doubt != doubtful_names_.end()) {
    return std::unexpected{
        store::StoreError{store::StoreErrorCode::SessionRefused, name + ": " + doubt->second}};
  }
  const auto key = commit_.store().open_session(name, loop_.now().wall);
  if (!key) return std::unexpected{key.error()};
  const std::size_t count = entries_.size();
  UndoGuard undo{[&] {
    if (entries_.size() > count) destroy(*entries_.back());
  }};
  SessionEntry* const entry =
      add_entry(std::move(settings), to_numbers(commit_.store().session(*key)));
  give_key(*entry, *key);
  resume_reset(*entry);
  entry->stored.handle_key_ = *key;
  loop_.shared.remotes->add(entry->name, entry->session.handle());
  entry->stored.log_ =
      loop_.report.logs().join(entry->settings(), loop_.parsers.data_fields, loop_.now().wall);
  undo.keep();
  return entry;
}

SessionEntry* SessionRegistry::add_entry(SessionSettings settings, session::Numbers numbers) {
  destroyed_.reserve(destroyed_.size() + entries_.size() + 1);
  loop_.timers.reserve_sessions(entries_.size() + 1);
  SessionEntry& entry =
      *entries_.emplace_back(std::make_unique<SessionEntry>(loop_, std::move(settings), numbers));
  apply_check_sum_rule(loop_, entry.settings());
  entry.schedule_status.set_disabled(loop_.shared.disabled->disabled_by(entry.name));
  by_name_.emplace(entry.name, &entry);
  publish(entry, loop_.now());
  return &entry;
}

// A Logon that asked for a reset within the session, and was not answered before the end of the
// process.
void SessionRegistry::resume_reset(SessionEntry& entry) {
  const session::Numbers numbers = entry.machine.sequence_numbers();
  if (numbers.next_inbound != 1 || numbers.next_outbound == 1) return;
  const auto visit = [&](std::uint64_t, std::string_view bytes) {
    const auto first = loop_.parsers.parse_outbound(bytes);
    if (first && first->msg_type() == std::string_view{"A"} &&
        (*first)[tag::ResetSeqNumFlag] == std::string_view{"Y"}) {
      entry.machine.resume_reset();
    }
    return false;
  };
  static_cast<void>(commit_.store().read(entry.stored.key(), 1, 1, visit));
}

void SessionRegistry::give_key(SessionEntry& entry, store::SessionKey key) {
  if (by_key_.size() <= key) by_key_.resize(key + std::size_t{1});
  by_key_[key] = &entry;
  entry.stored.key_ = key;
  loop_.session_figures.add(entry.counters);
}

void SessionRegistry::give_trial_key(SessionEntry& entry) {
  if (next_trial_ < kTrialKeysBegin) next_trial_ = kTrialKeysBegin;
  entry.stored.handle_key_ = next_trial_++;
  trials_.insert_or_assign(entry.stored.handle_key_, &entry);
}

// From here on an acceptor admits its counterparty, and an initiator connects. A second call does
// no harm. A session that is closing stays so.
void SessionRegistry::activate(SessionEntry& entry) {
  if (entry.membership.is_closing()) return;
  if (entry.settings().session.role == session::Role::Initiator) {
    if (entry.membership.is_out()) entry.membership.become(MembershipState::Active);
    entry.connect_policy.log_on(entry.connection() != nullptr, loop_.now().mono);
    publish(entry, loop_.now());
    return loop_.arm(entry, entry.connect_policy.connect_at());
  }
  // A qualifier is not part of a Logon; the configuration refuses it for acceptors.
  acceptors_.emplace(entry.name, &entry);
  if (loop_.shared.directory) loop_.shared.directory->add_acceptor(entry.name, loop_.index);
  if (entry.membership.is_out()) entry.membership.become(MembershipState::Active);
  publish(entry, loop_.now());
}

// It admits no client and does not connect, but it may come back. A second call does no harm.
void SessionRegistry::deactivate(SessionEntry& entry) noexcept {
  if (entry.membership.is_active()) entry.membership.become(MembershipState::Removed);
  entry.connect_policy.log_out();
  publish(entry, loop_.now());
  remove_acceptor(entry);
}

SessionEntry* SessionRegistry::find_entry(std::string_view name) noexcept {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : nullptr;
}

bool SessionRegistry::remove(SessionEntry& entry) {
  if (entry.membership.is_closing()) return false;
  leaving_.push_back(&entry);  // Allocates, so it comes first.
  entry.membership.become(MembershipState::Closing);
  entry.timers.clear();
  remove_acceptor(entry);
  entry.connect_policy.log_out();
  return true;
}

bool SessionRegistry::destroy_leaving() {
  if (leaving_.empty()) [[likely]]
    return false;
  bool has_destroyed = false;
  for (std::size_t i = 0; i < leaving_.size();) {
    SessionEntry* const entry = leaving_[i];
    if (entry->connection() != nullptr || entry->disconnection.is_pending()) {
      ++i;
      continue;
    }
    leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(i));
    if (entry->membership.has_logged_on()) {
      loop_.report.peer(EventId::SessionRemoved, *entry, "session removed");
    } else if (entry->stored.trial_ ==
               nullptr) {  // made of a template, for a client that was not admitted
      loop_.report.unauthenticated(EventId::SessionRemoved, {}, entry->name, "session removed");
    }
    destroy(*entry);
    has_destroyed = true;
  }
  return has_destroyed;
}

void SessionRegistry::destroy(SessionEntry& entry) noexcept {
  if (loop_.latency.is_unsettled()) loop_.latency.settle(loop_.now().mono);  // the session's
  loop_.timers.disarm(entry);
  remove_acceptor(entry);
  loop_.shared.remotes->remove(entry.name, entry.session.handle());
  by_name_.erase(entry.name);
  if (entry.stored.handle_key_ >= kTrialKeysBegin) trials_.erase(entry.stored.handle_key_);
  if (entry.stored.trial_ == nullptr && entry.stored.key_ < by_key_.size() &&
      by_key_[entry.stored.key_] == &entry) {
    by_key_[entry.stored.key_] = nullptr;
  }
  const auto place = std::ranges::find(entries_, &entry, &std::unique_ptr<SessionEntry>::get);
  destroyed_.push_back(std::move(*place));
  entries_.erase(place);
}

session::Numbers SessionRegistry::stored_numbers(const SessionEntry& entry) const noexcept {
  if (entry.stored.trial_ != nullptr) return entry.stored.trial_->numbers;
  const store::SessionRecord& stored = commit_.store().session(entry.stored.key_);
  return {.next_inbound = stored.next_inbound, .next_outbound = stored.next_outbound};
}

SessionEntry* SessionRegistry::entry_of(std::uint32_t handle_key) const noexcept {
  if (handle_key < by_key_.size()) return by_key_[handle_key];
  const auto trial = trials_.find(handle_key);
  return trial == trials_.end() ? nullptr : trial->second;
}

const SessionEntry* SessionRegistry::find(std::string_view name) const noexcept {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

SessionEntry* SessionRegistry::find_acceptor(std::string_view name) const noexcept {
  const auto found = acceptors_.find(name);
  return found == acceptors_.end() ? nullptr : found->second;
}

void SessionRegistry::remove_acceptor(SessionEntry& entry) noexcept {
  const auto found = acceptors_.find(entry.name);
  if (found == acceptors_.end() || found->second != &entry) return;
  acceptors_.erase(found);
  if (loop_.shared.directory) loop_.shared.directory->remove_acceptor(entry.name);
}

store::StoreResult<void> SessionRegistry::adopt_former_names(
    std::span<const SessionSettings> sessions) {
  // The sessions by the former name in the store.
  std::map<std::string, std::vector<std::string>> claims;
  Keys keys;
  for (const SessionSettings& one : sessions) {
    std::string former = one.session.id.former_name();
    std::string name = one.session.id.to_string();
    if (one.is_template || former == name) continue;
    if (keys.empty()) keys = keys_of(commit_.store());
    if (!keys.contains(name) && keys.contains(former)) {
      claims[std::move(former)].push_back(std::move(name));
    }
  }
  if (claims.empty()) return {};
  std::set<std::string, std::less<>> is_there;
  const auto claim = [&](const std::string& name) {
    const auto found = claims.find(name);
    if (found != claims.end() && is_there.insert(name).second) found->second.push_back(name);
  };
  for (const SessionSettings& one : sessions) {
    if (!one.is_template) claim(one.session.id.to_string());
  }
  for (const auto& entry : entries_) claim(entry->name);
  for (auto& [former, names] : claims) {
    if (names.size() > 1 || may_be_present_name(former)) {
      const std::string text = doubt_text(former, names);
      for (const std::string& name : names) {
        if (find_entry(name) == nullptr) doubtful_names_.insert_or_assign(name, text);
      }
      continue;
    }
    const auto renamed =
        commit_.store().rename_session(keys.find(former)->second, names.front(), loop_.now().wall);
    if (!renamed) return renamed;
    loop_.report.session(EventId::FormerNameAdopted, names.front(),
                         "the session continues what the store has of " + former +
                             ", as earlier versions called it");
  }
  return {};
}

}  // namespace nexusfix::engine
