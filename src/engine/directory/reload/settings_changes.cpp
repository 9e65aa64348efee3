// Plans the changes of existing sessions after a reload, and when they take effect.
#include "engine/directory/reload/settings_changes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

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

// Those of its next Logon, if they differ.
const SessionSettings& newest_of(const SessionEntry& entry) {
  return entry.file.next_settings() ? *entry.file.next_settings() : entry.settings();
}

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

// Each text is parsed once, even if many sessions have it.
class SettingsChanges::TextsRead {
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
  [[nodiscard]] KeySources sources_of(const FileTexts& texts) {
    return {&keys_of(texts.start), &keys_of(texts.logon), &keys_of(texts.now)};
  }
  [[nodiscard]] const FileKeys& fresh() const noexcept { return *fresh_; }
  // The keys of the text that was in effect until now.
  [[nodiscard]] const FileKeys& before() const noexcept { return *before_; }
  // of: the present settings of the session or the template. No value: the keys contradict each
  // other.
  [[nodiscard]] std::optional<SessionSettings> build(const KeySources& sources,
                                                     std::string_view name,
                                                     const SessionSettings& of,
                                                     bool is_back = false) {
    auto built = session_of(sources, name);
    const auto fresh = sessions_.find(name);
    if (!built || fresh == sessions_.end()) return std::nullopt;
    const bool is_logon_fresh = sources.logon == fresh_;
    // A session of the other role has other files.
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

// Whether the settings need a component that the engine did not create at its start.
bool SettingsChanges::lacks_for(const SessionSettings& settings) const noexcept {
  const auto has_proxy = [](const transport::Endpoint& one) { return one.proxy != nullptr; };
  return (settings.tls && !loop_.networks.tls) ||
         (settings.accept && settings.accept->trusted_proxies && !loop_.networks.proxied) ||
         (std::ranges::any_of(settings.connect, has_proxy) && !loop_.networks.tunnel) ||
         (!settings.credentials.password_file.empty() && !loop_.shared.credentials);
}

// No value: the session already has the settings of the file.
std::optional<Change> SettingsChanges::change_of(SessionEntry& entry, const ReloadPlan& plan,
                                                 TextsRead& texts) {
  const bool is_back = std::ranges::find(plan.back, &entry) != plan.back.end();
  const KeySources counting = texts.sources_of(entry.file.texts());
  const FileKeys& fresh = texts.fresh();
  Change change;
  change.entry = &entry;
  change.keys = changed_keys(counting, fresh, entry.file.configured_as());
  change.texts = {fresh.text(), fresh.text(), fresh.text()};
  if (change.keys.empty()) {
    // Its texts are still replaced, and pending changes are dropped.
    return entry.file.next_settings() || !entry.file.pending().empty()
               ? std::optional{std::move(change)}
               : std::nullopt;
  }
  // The other keys that need a start belong to the engine, and keep their values.
  if (is_back) move_key("ConnectionType", change.keys.at_start, change.keys.at_logon);
  const bool keeps_start = !change.keys.at_start.empty();
  KeySources whole{keeps_start ? counting.start : &fresh, &fresh, &fresh};
  auto built = texts.build(whole, entry.file.configured_as(), entry.settings(), is_back);
  bool takes_logon = true;
  if (!built || lacks_for(*built)) {
    whole = {counting.start, counting.logon, &fresh};
    built = texts.build(whole, entry.file.configured_as(), entry.settings());
    takes_logon = false;
  }
  change.pending.until_start = takes_logon ? std::vector<std::string>{} : change.keys.at_logon;
  change.pending.until_start = both(change.pending.until_start, change.keys.at_start);
  if (!built) {  // The new values contradict old ones that stay.
    change.pending.until_start = both(change.pending.until_start, change.keys.at_once);
    change.texts = entry.file.texts();
    return change;
  }
  change.texts = {whole.start->text(), whole.logon->text(), fresh.text()};
  change.whole = std::make_unique<SessionSettings>(std::move(*built));
  if (!takes_logon) change.keys.at_logon.clear();
  if (!change.keys.at_logon.empty()) {
    change.at_once = texts.build({counting.start, counting.logon, &fresh},
                                 entry.file.configured_as(), entry.settings());
  }
  return change;
}

void SettingsChanges::begin(std::string file, std::string text) {
  file_ = std::move(file);
  text_ = std::make_shared<const std::string>(std::move(text));
}

void SettingsChanges::plan_changes(ReloadPlan& plan) {
  if (!text_) return;
  TextsRead texts{plan, text_};
  const KeySources before{&texts.before(), &texts.before(), &texts.before()};
  for (const auto& entry : sessions_.registry.entries()) {
    const bool is_away =
        entry->membership.is_out() && std::ranges::find(plan.back, entry.get()) == plan.back.end();
    if (!entry->file.texts().now || entry->membership.is_closing() || is_away) continue;
    if (!texts.fresh().has(entry->file.configured_as())) continue;  // It is removed.
    auto change = change_of(*entry, plan, texts);
    if (!change) continue;
    if (!changed_keys(before, texts.fresh(), entry->file.configured_as()).empty()) {
      plan.reloaded.changed.push_back(entry->name);
    }
    plan.changes.push_back(std::move(*change));
  }
  for (std::size_t i = 0; i < sessions_.templates.all().size(); ++i) {
    const SessionTemplate& one = sessions_.templates.all()[i];
    if (!one.origin) continue;
    const std::string name = one.settings.session.id.to_string();
    const FileKeys& made_of = texts.keys_of(one.origin);
    const ChangedKeys keys = changed_keys({&made_of, &made_of, &made_of}, texts.fresh(), name);
    if (keys.empty() || !SessionTemplates::keeps(one, plan.fresh)) continue;
    const KeySources fresh{&texts.fresh(), &texts.fresh(), &texts.fresh()};
    auto built = texts.build(fresh, name, one.settings);
    // The template keeps its settings: its clients have no sessions yet.
    if (!built || lacks_for(*built)) continue;
    plan.template_changes.push_back(
        {i, std::move(*built), both(both(keys.at_once, keys.at_logon), keys.at_start)});
  }
  with_next_settings_.reserve(sessions_.registry.entries().size() + plan.changes.size());
}

bool SettingsChanges::names_other_dictionaries(const ReloadPlan& plan) noexcept {
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

// The port or the address is another one; or the session comes back, and its port may be closed.
bool SettingsChanges::has_moved(const Change& change) noexcept {
  if (!change.whole || !change.whole->accept) return false;
  const SessionEntry& entry = *change.entry;
  return entry.membership.is_out() || !entry.settings().accept ||
         !is_same_place(*entry.settings().accept, *change.whole->accept);
}

// A session may have a new port. It is opened before the reload is decided.
std::expected<void, EngineError> SettingsChanges::listen_for_changes(ReloadPlan& plan) {
  for (Change& change : plan.changes) {
    if (!has_moved(change)) continue;
    const auto listener = io_.listeners.listen_for(*change.whole, plan.fresh.file);
    if (!listener) return std::unexpected{listener.error()};
    change.listener = *listener;
    io_.listeners.all()[*listener].keep();
  }
  return {};
}

// Computes the rules that all sessions of a port share.
void SettingsChanges::refresh_listeners(const ReloadPlan& plan) {
  if (plan.changes.empty() && plan.template_changes.empty()) return;
  for (std::size_t i = 0; i < io_.listeners.all().size(); ++i) {
    Listener& listener = io_.listeners.all()[i];
    if (!listener.is_open()) continue;
    const auto is_of_port = [i](const SessionEntry& entry) {
      return !entry.membership.is_out() && entry.acceptor.listener() == i;
    };
    const transport::Endpoint* wanted = nullptr;
    for (const Change& change : plan.changes) {
      if (change.entry == nullptr || !is_of_port(*change.entry)) continue;
      const SessionSettings& next = newest_of(*change.entry);
      if (next.accept) wanted = &*next.accept;
    }
    listener.rules = {};
    const auto widen = [&](const SessionSettings& one) {
      if (one.accept && is_same_place(*one.accept, listener.endpoint)) listener.rules.widen(one);
    };
    for (const auto& entry : sessions_.registry.entries()) {
      if (is_of_port(*entry) && entry->settings().accept) widen(newest_of(*entry));
    }
    for (const SessionTemplate& one : sessions_.templates.all()) {
      if (one.listener == i) widen(one.settings);
    }
    if (loop_.shared.directory) {
      loop_.shared.directory->allow(listener.endpoint, loop_.index, listener.rules.allowed,
                                    listener.rules.logon_bytes_max);
    }
    if (wanted == nullptr || is_alike(listener.endpoint, *wanted)) continue;
    listener.endpoint = *wanted;
    if (loop_.shared.directory) loop_.shared.directory->change(*wanted);
    if (listener.is_listening()) loop_.network->change_listener(listener.socket, *wanted);
  }
}

// Values take effect at once where that is possible, otherwise at the session's next Logon or the
// program's next start. Until then each reload names them. If memory is missing, the reload
// continues in a later turn.
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
  apply_check_sum_rule(loop_, entry.settings());
  entry.schedule_status.expire();  // The schedule may have changed.
  if (entry.settings().schedule.is_non_stop() && !entry.schedule_status.is_open())
    sessions_.control.open_for_logons(entry);
  if (entry.membership.is_out()) return;  // The rest happens when the session comes back.
  sessions_.control.follow_schedule(entry);
  // An initiator tries the new address now.
  if (entry.connect_policy.wants_connection() && entry.connection() == nullptr &&
      entry.schedule_status.may_log_on()) {
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
  if (loop_.shared.directory) loop_.shared.directory->set_pending(loop_.index, count);
  if (loop_.service != nullptr) loop_.service->report_waiting(loop_.index, count);
}

}  // namespace nexusfix::engine
