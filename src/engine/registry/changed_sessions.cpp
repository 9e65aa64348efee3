// Sessions whose keys a reload finds changed. Values count at once where nothing speaks against it,
// otherwise from the session's next Logon or the program's next start on; until then they are named
// in each reload.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

// An event that concerns many sessions names these at most.
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

std::vector<std::string> both(std::vector<std::string> first,
                              const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void move_key(std::string_view key, std::vector<std::string>& from, std::vector<std::string>& to) {
  const auto place = std::ranges::find(from, key);
  if (place == from.end()) return;
  to.push_back(std::move(*place));
  from.erase(place);
}

bool is_same_place(const transport::Endpoint& a, const transport::Endpoint& b) {
  return a.host == b.host && a.port == b.port;
}

bool is_alike(const transport::Endpoint& a, const transport::Endpoint& b) {
  return a.tls == b.tls && a.trusted_proxies == b.trusted_proxies && a.options == b.options;
}

}  // namespace

// Each text is read once, however many sessions it is of.
class EventLoop::TextsRead {
 public:
  TextsRead(const ReloadPlan& plan, const FileKeys::Text& before)
      : fresh_{&keys_of(plan.text)}, before_{&keys_of(before)} {
    for (const SessionSettings& one : plan.fresh.sessions) {
      sessions_.emplace(one.session.id.to_string(), &one);
    }
  }

  [[nodiscard]] const FileKeys& keys_of(const FileKeys::Text& text) {
    const auto found = read_.find(text.get());
    if (found != read_.end()) return found->second;
    return read_.emplace(text.get(), FileKeys{text}).first->second;
  }
  [[nodiscard]] KeySources sources_of(const SessionEntry::Texts& texts) {
    return {&keys_of(texts.start), &keys_of(texts.logon), &keys_of(texts.now)};
  }
  [[nodiscard]] const FileKeys& fresh() const noexcept { return *fresh_; }
  // What the file had until now.
  [[nodiscard]] const FileKeys& before() const noexcept { return *before_; }
  // of: what the session, or the template, is now. Nothing: the keys do not go together.
  [[nodiscard]] std::optional<SessionSettings> build(const KeySources& sources,
                                                     std::string_view name,
                                                     const SessionSettings& of,
                                                     bool is_back = false) {
    auto built = session_of(sources, name);
    const auto fresh = sessions_.find(name);
    if (!built || fresh == sessions_.end()) return std::nullopt;
    const bool is_logon_fresh = sources.logon == fresh_;
    // As the other side of a connection it would have other files.
    if (!is_back && built->session.role != of.session.role) return std::nullopt;
    copy_parts_from_files(*built, is_logon_fresh ? *fresh->second : of);
    built->session.id = of.session.id;
    built->is_template = of.is_template;
    return built;
  }

 private:
  std::map<const std::string*, FileKeys> read_;
  std::map<std::string, const SessionSettings*, std::less<>> sessions_;
  const FileKeys* fresh_;
  const FileKeys* before_;
};

// What the engine did not bring with it at its start.
bool EventLoop::lacks_for(const SessionSettings& settings) const noexcept {
  const auto has_proxy = [](const transport::Endpoint& one) { return one.proxy != nullptr; };
  return (settings.tls && !seams_.tls_network) ||
         (settings.accept && settings.accept->trusted_proxies && !seams_.proxied_network) ||
         (std::ranges::any_of(settings.connect, has_proxy) && !seams_.tunnel_network) ||
         (!settings.credentials.password_file.empty() && !seams_.credentials);
}

// Nothing: the session has what the file says.
std::optional<EventLoop::Change> EventLoop::change_of(SessionEntry& entry, const ReloadPlan& plan,
                                                  TextsRead& texts) {
  const bool is_back = std::ranges::find(plan.back, &entry) != plan.back.end();
  const KeySources counting = texts.sources_of(entry.texts);
  const FileKeys& fresh = texts.fresh();
  Change change;
  change.entry = &entry;
  change.keys = changed_keys(counting, fresh, entry.configured_as);
  change.texts = {fresh.text(), fresh.text(), fresh.text()};
  if (change.keys.empty()) {
    // Its texts are given up all the same, with what waited for them.
    return entry.next_settings || !entry.pending.empty() ? std::optional{std::move(change)}
                                                       : std::nullopt;
  }
  // The other keys of the start are the engine's, and stay.
  if (is_back) move_key("ConnectionType", change.keys.at_start, change.keys.at_logon);
  const bool keeps_start = !change.keys.at_start.empty();
  KeySources whole{keeps_start ? counting.start : &fresh, &fresh, &fresh};
  auto built = texts.build(whole, entry.configured_as, entry.settings, is_back);
  bool takes_logon = true;
  if (!built || lacks_for(*built)) {
    whole = {counting.start, counting.logon, &fresh};
    built = texts.build(whole, entry.configured_as, entry.settings);
    takes_logon = false;
  }
  change.pending.until_start = takes_logon ? std::vector<std::string>{} : change.keys.at_logon;
  change.pending.until_start = both(change.pending.until_start, change.keys.at_start);
  if (!built) {  // Of keys that do not go with those of before.
    change.pending.until_start = both(change.pending.until_start, change.keys.at_once);
    change.texts = entry.texts;
    return change;
  }
  change.texts = {whole.start->text(), whole.logon->text(), fresh.text()};
  change.whole = std::make_unique<SessionSettings>(std::move(*built));
  if (!takes_logon) change.keys.at_logon.clear();
  if (!change.keys.at_logon.empty()) {
    change.at_once =
        texts.build({counting.start, counting.logon, &fresh}, entry.configured_as, entry.settings);
  }
  return change;
}

void EventLoop::plan_changes(ReloadPlan& plan) {
  if (!settings_text_) return;
  TextsRead texts{plan, settings_text_};
  const KeySources before{&texts.before(), &texts.before(), &texts.before()};
  for (const auto& entry : entries_) {
    const bool is_away =
        entry->is_out && std::ranges::find(plan.back, entry.get()) == plan.back.end();
    if (!entry->texts.now || entry->is_leaving || is_away) continue;
    if (!texts.fresh().has(entry->configured_as)) continue;  // It goes.
    auto change = change_of(*entry, plan, texts);
    if (!change) continue;
    if (!changed_keys(before, texts.fresh(), entry->configured_as).empty()) {
      plan.reloaded.changed.push_back(entry->name);
    }
    plan.changes.push_back(std::move(*change));
  }
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    const Template& one = templates_[i];
    if (!one.origin) continue;
    const std::string name = one.settings.session.id.to_string();
    const FileKeys& made_of = texts.keys_of(one.origin);
    const ChangedKeys keys = changed_keys({&made_of, &made_of, &made_of}, texts.fresh(), name);
    if (keys.empty() || !keeps(one, plan.fresh)) continue;
    const KeySources fresh{&texts.fresh(), &texts.fresh(), &texts.fresh()};
    auto built = texts.build(fresh, name, one.settings);
    if (!built || lacks_for(*built)) continue;  // As before: strangers are no sessions yet.
    plan.template_changes.push_back(
        {i, std::move(*built), both(both(keys.at_once, keys.at_logon), keys.at_start)});
  }
  with_next_settings_.reserve(entries_.size() + plan.changes.size());
}

bool EventLoop::names_other_dictionaries(const ReloadPlan& plan) noexcept {
  const auto is_of_dictionaries = [](const std::string& key) {
    return key.contains("DataDictionary") || key == "DictionaryFaults";
  };
  return std::ranges::any_of(plan.changes,
                             [&](const Change& one) {
                               return std::ranges::any_of(one.keys.at_logon, is_of_dictionaries);
                             }) ||
         std::ranges::any_of(plan.template_changes, [&](const TemplateChange& one) {
           return std::ranges::any_of(one.keys, is_of_dictionaries);
         });
}

// To another port or address; or from nowhere, where the ports of those that come back may be
// closed.
bool EventLoop::has_moved(const Change& change) noexcept {
  if (!change.whole || !change.whole->accept) return false;
  const SessionEntry& entry = *change.entry;
  return entry.is_out || !entry.settings.accept ||
         !is_same_place(*entry.settings.accept, *change.whole->accept);
}

// The port of a session may be another one. It is opened before anything is decided.
std::expected<void, EngineError> EventLoop::listen_for_changes(ReloadPlan& plan) {
  for (Change& change : plan.changes) {
    if (!has_moved(change)) continue;
    const auto listener = listen_for(*change.whole, plan.fresh.file);
    if (!listener) return std::unexpected{listener.error()};
    change.listener = *listener;
    listeners_[*listener].is_kept = true;
  }
  return {};
}

// There is memory for all of it, or the rest is done when there is some again.
void EventLoop::apply_change(Change& change) {
  if (change.entry == nullptr) return;
  SessionEntry& entry = *change.entry;
  if (change.listener) entry.listener = *change.listener;
  const bool waits = entry.connection != nullptr && change.whole && change.at_once.has_value();
  const bool waits_for_all = entry.connection != nullptr && change.whole && !change.at_once &&
                             !change.keys.at_logon.empty();
  if (waits) apply_settings(entry, std::move(*change.at_once));
  forget_pending(entry);
  entry.pending = std::move(change.pending);
  if (waits || waits_for_all) {
    entry.pending.until_logon =
        waits ? std::move(change.keys.at_logon) : both(change.keys.at_logon, change.keys.at_once);
    entry.next_settings = std::move(change.whole);
    entry.next_text = change.texts.now;
    entry.texts.start = change.texts.start;
    if (waits) entry.texts.now = change.texts.now;
    with_next_settings_.push_back(&entry);
    return;
  }
  if (change.whole) apply_settings(entry, std::move(*change.whole));
  entry.texts = std::move(change.texts);
}

// What needs memory comes first.
void EventLoop::apply_settings(SessionEntry& entry, SessionSettings settings) {
  const ThrottleSettings& throttle = settings.throttle;
  const bool is_throttled_otherwise =
      throttle.messages_max != entry.settings.throttle.messages_max ||
      throttle.interval != entry.settings.throttle.interval;
  Throttle made =
      is_throttled_otherwise ? Throttle{throttle.messages_max, throttle.interval} : Throttle{};
  const std::size_t log =  // A name on trial has no log of its own.
      entry.trial == nullptr ? report_.logs().join(settings, data_fields_, now_.wall) : entry.log;
  // The program may hold views of it.
  settings.session.id = std::move(entry.settings.session.id);
  SessionSettings before = std::exchange(entry.settings, std::move(settings));
  try {
    entry.machine.configure(with_callbacks(entry));
  } catch (const std::bad_alloc&) {
    before.session.id = std::move(entry.settings.session.id);
    entry.settings = std::move(before);
    throw;
  }
  entry.log = log;
  if (is_throttled_otherwise) entry.throttle = std::move(made);
  entry.keeps_masked_out = !entry.settings.log.masked.empty() && !entry.settings.log.stores_masked;
  entry.connect_policy.use_first_address();
  note_rules(entry.settings);
  // The timetable may be another one.
  entry.schedule_since = WallTime::max();
  entry.schedule_until = WallTime::min();
  if (entry.settings.schedule.is_non_stop() && !entry.may_log_on) open_for_logons(entry);
  if (entry.is_out) return;  // It comes back with them.
  follow_schedule(entry);
  // An initiator tries the new address now.
  if (entry.connect_policy.wants_connection() && entry.connection == nullptr && entry.may_log_on) {
    entry.connect_policy.restart_intervals();
    entry.connect_policy.connect_now(now_.mono);
    arm(entry, now_.mono);
  }
}

void EventLoop::apply_next_settings() {
  for (std::size_t i = with_next_settings_.size(); i-- > 0;) {
    SessionEntry& entry = *with_next_settings_[i];
    if (entry.connection == nullptr) apply_next_settings(entry);
  }
}

void EventLoop::apply_next_settings(SessionEntry& entry) {
  // Without memory it is tried again: the settings that wait are moved from in the end.
  apply_settings(entry, *entry.next_settings);
  entry.next_settings.reset();
  std::erase(with_next_settings_, &entry);
  entry.texts.logon = entry.texts.now = std::exchange(entry.next_text, nullptr);
  const std::string keys = joined_keys(std::exchange(entry.pending.until_logon, {}));
  report_.session(EventId::PendingKeysTakenOver, entry,
                  "the values that " + settings_file_ + " has now count from here on: " + keys);
  publish_pending();
}

// Of a session that is removed: what it is given when it comes back is compared then.
void EventLoop::forget_pending(SessionEntry& entry) noexcept {
  std::erase(with_next_settings_, &entry);
  entry.next_settings.reset();
  entry.next_text.reset();
  entry.pending = {};
}

// What all sessions of a port have together.
void EventLoop::refresh_listeners(const ReloadPlan& plan) {
  if (plan.changes.empty() && plan.template_changes.empty()) return;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Listener& listener = listeners_[i];
    if (listener.socket == 0 && !listener.is_elsewhere) continue;
    const transport::Endpoint* wanted = nullptr;
    for (const Change& change : plan.changes) {
      const SessionEntry* const entry = change.entry;
      if (entry == nullptr || entry->is_out || entry->listener != i) continue;
      const SessionSettings& next = entry->next_settings ? *entry->next_settings : entry->settings;
      if (next.accept) wanted = &*next.accept;
    }
    listener.allowed = {};
    listener.pending_limits = {};
    listener.logon_timeout = {};
    listener.logon_bytes_max = 0;
    const auto widen = [&](const SessionSettings& one) {
      if (!one.accept || !is_same_place(*one.accept, listener.endpoint)) return;
      listener.logon_timeout = std::max(listener.logon_timeout, one.session.logon.timeout);
      listener.pending_limits.widen(
          {one.admission.pending_logons_max, one.admission.pending_logons_per_address_max});
      listener.logon_bytes_max = std::max(listener.logon_bytes_max, one.limits.logon_bytes_max);
      listener.allowed.allow(one.admission.allowed_remote_addresses);
    };
    for (const auto& entry : entries_) {
      if (entry->is_out || !entry->settings.accept || entry->listener != i) continue;
      widen(entry->next_settings ? *entry->next_settings : entry->settings);
    }
    for (const Template& one : templates_) {
      if (one.listener == i) widen(one.settings);
    }
    if (seams_.directory) {
      seams_.directory->allow(listener.endpoint, loop(), listener.allowed,
                              listener.logon_bytes_max);
    }
    if (wanted == nullptr || is_alike(listener.endpoint, *wanted)) continue;
    listener.endpoint = *wanted;
    if (seams_.directory) seams_.directory->change(*wanted);
    if (listener.socket != 0) seams_.network->change_listener(listener.socket, *wanted);
  }
}

std::vector<PendingChange> EventLoop::pending_changes() const {
  std::vector<PendingChange> all;
  for (const auto& entry : entries_) {
    if (!entry->pending.empty()) all.push_back({entry->name, entry->pending});
  }
  return all;
}

// One event for all sessions with the same keys.
void EventLoop::report_pending() {
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
      report_.session(EventId::KeysPending, sessions.size() == 1 ? sessions.front() : std::string{},
                      settings_file_ + " has other values now, which count from the next " +
                          std::string{when} + " on: " + keys +
                          (sessions.size() == 1 ? "" : "; of " + names_text(sessions)));
    }
  };
  report_these(until_logon, "Logon");
  report_these(until_start, "start");
}

void EventLoop::report_changes(const ReloadPlan& plan) {
  SessionsByKeys in_effect;
  for (const Change& change : plan.changes) {
    if (change.entry == nullptr) continue;
    const PendingKeys& pending = change.entry->pending;
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
        templates_[change.index].settings.session.id.to_string());
  }
  for (const auto& [keys, sessions] : in_effect) {
    report_.session(EventId::KeysTakenOver, sessions.size() == 1 ? sessions.front() : std::string{},
                    settings_file_ + " has other values now, which count from here on: " + keys +
                        (sessions.size() == 1 ? "" : "; of " + names_text(sessions)));
  }
  report_pending();
  publish_pending();
}

void EventLoop::publish_pending() noexcept {
  const auto count = static_cast<std::uint32_t>(
      std::ranges::count_if(entries_, [](const auto& entry) { return !entry->pending.empty(); }));
  if (seams_.directory) seams_.directory->note_pending(loop(), count);
  if (seams_.service != nullptr) seams_.service->tell_waiting(loop(), count);
}

}  // namespace nexusfix::engine
