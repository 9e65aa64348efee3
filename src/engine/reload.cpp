// A configuration that is read anew while the engine runs: sessions come and go, all of them or
// none. What has changed of a session that stays counts from the next start on, and is named.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/engine/explain_settings.hpp>

#include "engine/given_keys.hpp"
#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

// An event that concerns many sessions names so many of them.
constexpr std::size_t kNamedMax = 5;

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

void Runtime::request_reload() noexcept {
  reload_requested_.store(true, std::memory_order_relaxed);
  seams_.network->wake();
}

void Runtime::reload_as_requested() {
  reload_requested_.store(false, std::memory_order_relaxed);
  if (settings_file_.empty()) return;
  const auto done = reload();
  if (done) {
    report(observe::Severity::Info, {},
           settings_file_ + " was read anew: " + std::to_string(done->added.size()) +
               " sessions added, " + std::to_string(done->removed.size()) + " removed, " +
               std::to_string(done->changed.size()) + " changed");
    return;
  }
  report(observe::Severity::Error, {},
         settings_file_ + " was read anew and is not taken over; nothing has changed");
  std::string_view lines = done.error().text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    report(observe::Severity::Error, {}, line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

// The file as a start would take it.
std::expected<Settings, EngineError> Runtime::read_anew() const {
  auto fresh = load_settings(*seams_.disk, settings_file_);
  if (!fresh) return std::unexpected{to_error(fresh.error())};
  if (fresh->text == *settings_text_) return std::move(*fresh);
  if (const auto found = look_around(*fresh, *seams_.disk); !found) {
    return std::unexpected{to_error(found.error())};
  }
  return std::move(*fresh);
}

// What is to be done; nothing has been done yet.
std::expected<Runtime::ReloadPlan, EngineError> Runtime::plan_reload(const Settings& fresh) const {
  ReloadPlan plan{.added = fresh, .names = {}, .back = {}, .out = {}};
  plan.added.sessions.clear();
  for (const SessionSettings& one : fresh.sessions) {
    const std::string name = one.session.id.to_string();
    if (one.is_template) {
      if (!has_template(one)) plan.added.sessions.push_back(one);
      continue;
    }
    plan.names.insert(name);
    const auto found = slots_by_name_.find(name);
    if (found == slots_by_name_.end()) {
      plan.added.sessions.push_back(one);
    } else if (found->second->is_leaving) {
      const SettingsError error{fresh.file, one.line,
                                name + ": it was removed and is logging out: try again"};
      return std::unexpected{EngineError{error.what()}};
    } else if (found->second->is_out) {
      plan.back.push_back(found->second);
    }
  }
  for (const auto& slot : slots_) {
    const bool is_in = slot->origin && !slot->is_out && !slot->is_leaving;
    if (is_in && !plan.names.contains(slot->name)) plan.out.push_back(slot.get());
  }
  return plan;
}

bool Runtime::has_template(const SessionSettings& settings) const {
  return std::ranges::any_of(templates_, [&](const Template& one) {
    return one.settings.session.id == settings.session.id &&
           one.settings.accept->host == settings.accept->host &&
           one.settings.accept->port == settings.accept->port;
  });
}

std::expected<Reloaded, EngineError> Runtime::reload() {
  const auto refusal = [](std::string why) { return std::unexpected{EngineError{std::move(why)}}; };
  if (in_event_ || within_sending_) return refusal("not from within a callback");
  if (stopping_ || store_failed_) return refusal("the engine is stopping");
  if (settings_file_.empty()) return refusal("the engine was not opened with a file");
  if (seams_.directory) {
    return refusal(settings_file_ + ": with EventLoops above 1 it is read at the start only");
  }
  const auto fresh = read_anew();
  if (!fresh) return std::unexpected{fresh.error()};
  Reloaded reloaded;
  if (fresh->text == *settings_text_) return reloaded;
  static_cast<void>(now());
  auto plan = plan_reload(*fresh);
  if (!plan) return std::unexpected{std::move(plan.error())};
  const std::size_t first_template = templates_.size();
  for (const SessionSettings& one : plan->added.sessions) {
    if (!one.is_template) reloaded.added.push_back(one.session.id.to_string());
  }
  if (!plan->added.sessions.empty()) {
    if (auto added = add_sessions(std::move(plan->added)); !added) {
      return std::unexpected{std::move(added.error())};
    }
  }
  // From here on nothing can go wrong.
  settings_text_ = std::make_shared<const std::string>(fresh->text);
  for (const std::string& name : reloaded.added) find_slot(name)->origin = settings_text_;
  for (std::size_t i = first_template; i < templates_.size(); ++i) {
    templates_[i].origin = settings_text_;
  }
  for (SessionSlot* slot : plan->back) {
    take_back(*slot);
    reloaded.added.push_back(slot->name);
  }
  for (SessionSlot* slot : plan->out) {
    reloaded.removed.push_back(slot->name);
    take_out(*slot);
  }
  drop_templates(*fresh);
  name_changes(plan->names, reloaded);
  return reloaded;
}

// Its Session stays, because an application may hold it; what is sent to it is stored.
void Runtime::take_out(SessionSlot& slot) {
  slot.is_out = true;
  slot.wants_connection = false;
  acceptors_.erase(slot.name);
  report(observe::Severity::Info, slot.name, "session removed: it is not in " + settings_file_);
  if (slot.connection != nullptr) log_out(slot, "Session removed");
}

void Runtime::take_back(SessionSlot& slot) {
  slot.is_out = false;
  report(observe::Severity::Info, slot.name, "session added again");
  if (slot.settings.accept) acceptors_.emplace(slot.name, &slot);
  log_on(slot);
}

// Those who have a session of one keep it.
void Runtime::drop_templates(const Settings& fresh) {
  std::erase_if(templates_, [&](const Template& one) {
    return one.origin && std::ranges::none_of(fresh.sessions, [&](const SessionSettings& other) {
             return other.is_template && other.session.id == one.settings.session.id &&
                    other.accept->host == one.settings.accept->host &&
                    other.accept->port == one.settings.accept->port;
           });
  });
}

// One event for all sessions that differ by the same keys from how they were made.
void Runtime::name_changes(const std::set<std::string, std::less<>>& names, Reloaded& reloaded) {
  const auto now_given = given_keys(*settings_text_);
  std::map<const std::string*, std::map<std::string, GivenKeys, std::less<>>> as_made;
  std::map<std::string, std::vector<std::string>> changes;  // sessions by their changed keys
  for (const auto& slot : slots_) {
    const std::string* const text = slot->origin.get();
    if (text == nullptr || text == settings_text_.get() || !names.contains(slot->name)) continue;
    const auto [made, is_new] = as_made.try_emplace(text);
    if (is_new) made->second = given_keys(*text);
    const auto before = made->second.find(slot->name);
    const auto after = now_given.find(slot->name);
    if (before == made->second.end() || after == now_given.end()) continue;
    const std::string keys = different_keys(before->second, after->second);
    if (keys.empty()) continue;
    changes[keys].push_back(slot->name);
    reloaded.changed.push_back(slot->name);
  }
  for (const auto& [keys, sessions] : changes) {
    report(observe::Severity::Warning, sessions.size() == 1 ? sessions.front() : std::string{},
           settings_file_ + " has other values now, which count from the next start on: " + keys +
               (sessions.size() == 1 ? "" : "; of " + names_text(sessions)));
  }
}

}  // namespace nexusfix::engine
