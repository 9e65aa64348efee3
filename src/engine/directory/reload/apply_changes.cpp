// Applies changed keys of sessions after a reload. Values take effect at once where that is
// possible, otherwise at the session's next Logon or the program's next start. Until then each
// reload names them.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/directory/reload/settings_changes.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// One event shows at most this number of session names.
constexpr std::size_t kNamedMax = 5;

using SessionsByKeys = std::map<std::string, std::vector<std::string>>;

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedMax); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kNamedMax) {
    text += " and " + std::to_string(names.size() - kNamedMax) + " more";
  }
  return text;
}

}  // namespace

// If memory is missing, the reload continues in a later turn.
void SettingsChanges::apply_change(Change& change) {
  if (change.entry == nullptr) return;
  SessionEntry& entry = *change.entry;
  if (change.listener) entry.acceptor.listen_at(*change.listener);
  const bool waits = entry.connection() != nullptr && change.whole && change.at_once.has_value();
  const bool waits_for_all = entry.connection() != nullptr && change.whole && !change.at_once &&
                             !change.keys.at_logon.empty();
  if (waits) apply_settings(entry, std::move(*change.at_once));
  forget_pending(entry);
  entry.file.pending_ = std::move(change.pending);
  if (waits || waits_for_all) {
    entry.file.pending_.until_logon =
        waits ? std::move(change.keys.at_logon) : both(change.keys.at_logon, change.keys.at_once);
    entry.file.next_settings_ = std::move(change.whole);
    entry.file.next_text_ = change.texts.now;
    entry.file.texts_.start = change.texts.start;
    if (waits) entry.file.texts_.now = change.texts.now;
    with_next_settings_.push_back(&entry);
    return;
  }
  if (change.whole) apply_settings(entry, std::move(*change.whole));
  entry.file.texts_ = std::move(change.texts);
}

// Steps that allocate come first.
void SettingsChanges::apply_settings(SessionEntry& entry, SessionSettings settings) {
  const ThrottleSettings& throttle = settings.throttle;
  const bool is_throttled_otherwise =
      throttle.messages_max != entry.settings().throttle.messages_max ||
      throttle.interval != entry.settings().throttle.interval;
  Throttle made =
      is_throttled_otherwise ? Throttle{throttle.messages_max, throttle.interval} : Throttle{};
  const std::size_t log =  // A session on trial has no log of its own.
      entry.stored.trial_ == nullptr
          ? loop_.report.logs().join(settings, loop_.parsers.data_fields, loop_.now().wall)
          : entry.stored.log_;
  entry.change_settings(std::move(settings));
  entry.stored.log_ = log;
  if (is_throttled_otherwise) entry.limits.throttle = std::move(made);
  if (entry.connection() != nullptr) entry.connection()->backlog().check_again();
  entry.connect_policy.use_first_address();
  note_rules(loop_, entry.settings());
  entry.timetable.expire();  // The schedule may have changed.
  if (entry.settings().schedule.is_non_stop() && !entry.timetable.is_open())
    sessions_.control.open_for_logons(entry);
  if (entry.membership.is_out()) return;  // The rest happens when the session comes back.
  sessions_.control.follow_schedule(entry);
  // An initiator tries the new address now.
  if (entry.connect_policy.wants_connection() && entry.connection() == nullptr &&
      entry.timetable.may_log_on()) {
    entry.connect_policy.restart_intervals();
    entry.connect_policy.connect_now(loop_.now().mono);
    loop_.arm(entry, loop_.now().mono);
  }
}

void SettingsChanges::apply_next_settings() {
  for (std::size_t i = with_next_settings_.size(); i-- > 0;) {
    SessionEntry& entry = *with_next_settings_[i];
    if (entry.connection() == nullptr) apply_next_settings(entry);
  }
}

void SettingsChanges::apply_next_settings(SessionEntry& entry) {
  // A copy: if memory is missing, the next turn tries again with the same settings.
  apply_settings(entry, *entry.file.next_settings_);
  entry.file.next_settings_.reset();
  std::erase(with_next_settings_, &entry);
  entry.file.texts_.logon = entry.file.texts_.now = std::exchange(entry.file.next_text_, nullptr);
  const std::string keys = joined_keys(std::exchange(entry.file.pending_.until_logon, {}));
  loop_.report.session(EventId::PendingKeysTakenOver, entry,
                       "values of " + file_ + " that now take effect: " + keys);
  publish_pending();
}

// For a removed session: when it comes back, its settings are compared again.
void SettingsChanges::forget_pending(SessionEntry& entry) noexcept {
  std::erase(with_next_settings_, &entry);
  entry.file.next_settings_.reset();
  entry.file.next_text_.reset();
  entry.file.pending_ = {};
}

std::vector<PendingChange> SettingsChanges::pending_changes() const {
  std::vector<PendingChange> all;
  for (const auto& entry : sessions_.registry.entries()) {
    if (!entry->file.pending().empty()) all.push_back({entry->name, entry->file.pending()});
  }
  return all;
}

// Reports one event for all sessions with the same keys.
void SettingsChanges::report_pending() {
  SessionsByKeys until_logon;
  SessionsByKeys until_start;
  for (const PendingChange& one : pending_changes()) {
    if (!one.keys.until_logon.empty()) {
      until_logon[joined_keys(one.keys.until_logon)].push_back(one.session);
    }
    if (!one.keys.until_start.empty()) {
      until_start[joined_keys(one.keys.until_start)].push_back(one.session);
    }
  }
  const auto report_these = [&](const SessionsByKeys& all, std::string_view when) {
    for (const auto& [keys, sessions] : all) {
      loop_.report.session(
          EventId::KeysPending, sessions.size() == 1 ? sessions.front() : std::string{},
          file_ + " changed; values that take effect at the next " + std::string{when} + ": " +
              keys + (sessions.size() == 1 ? "" : "; of " + names_text(sessions)));
    }
  };
  report_these(until_logon, "Logon");
  report_these(until_start, "start");
}

void SettingsChanges::report_changes(const ReloadPlan& plan) {
  SessionsByKeys in_effect;
  for (const Change& change : plan.changes) {
    if (change.entry == nullptr) continue;
    const PendingKeys& pending = change.entry->file.pending();
    std::vector<std::string> keys;
    for (const auto* const part :
         {&change.keys.at_once, &change.keys.at_logon, &change.keys.at_start}) {
      std::ranges::copy_if(*part, std::back_inserter(keys), [&](const std::string& key) {
        return std::ranges::find(pending.until_logon, key) == pending.until_logon.end() &&
               std::ranges::find(pending.until_start, key) == pending.until_start.end();
      });
    }
    if (!keys.empty()) in_effect[joined_keys(keys)].push_back(change.entry->name);
  }
  for (const TemplateChange& change : plan.template_changes) {
    in_effect[joined_keys(change.keys)].push_back(
        sessions_.templates.all()[change.index].settings.session.id.to_string());
  }
  for (const auto& [keys, sessions] : in_effect) {
    loop_.report.session(EventId::KeysTakenOver,
                         sessions.size() == 1 ? sessions.front() : std::string{},
                         file_ + " changed; values now in effect: " + keys +
                             (sessions.size() == 1 ? "" : "; of " + names_text(sessions)));
  }
  report_pending();
  publish_pending();
}

void SettingsChanges::publish_pending() noexcept {
  const auto count = static_cast<std::uint32_t>(
      std::ranges::count_if(sessions_.registry.entries(),
                            [](const auto& entry) { return !entry->file.pending().empty(); }));
  if (loop_.shared.directory) loop_.shared.directory->note_pending(loop_.index, count);
  if (loop_.service != nullptr) loop_.service->report_waiting(loop_.index, count);
}

}  // namespace nexusfix::engine
