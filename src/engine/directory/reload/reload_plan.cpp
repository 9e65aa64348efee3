// Prepares and applies a reload: all of it or nothing.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/directory/directory.hpp"
#include "engine/directory/reload/reloader.hpp"
#include "engine/ground/undo_guard.hpp"

namespace nexusfix::engine {

// Plans the reload; changes nothing.
std::expected<ReloadPlan, EngineError> Reloader::plan_reload(FreshShare fresh) const {
  ReloadPlan plan;
  plan.fresh = std::move(fresh.settings);
  plan.dictionaries = std::move(fresh.dictionaries);
  plan.added = plan.fresh;
  plan.added.sessions.clear();
  for (const SessionSettings& one : plan.fresh.sessions) {
    const std::string name = one.session.id.to_string();
    if (one.is_template) {
      if (!directory_.sessions.templates.has(one)) plan.added.sessions.push_back(one);
      continue;
    }
    plan.names.insert(name);
    SessionEntry* const found = directory_.sessions.registry.find_entry(name);
    if (found == nullptr) {
      plan.added.sessions.push_back(one);
      plan.reloaded.added.push_back(name);
    } else if (found->membership.is_closing()) {
      const SettingsError error{plan.fresh.file, one.line,
                                name + ": it was removed and is logging out: try again"};
      return std::unexpected{EngineError{error.what()}};
    } else if (found->membership.is_out()) {
      plan.back.push_back(found);
    }
  }
  for (const SessionEntry* entry : plan.back) plan.reloaded.added.push_back(entry->name);
  for (const auto& entry : directory_.sessions.registry.entries()) {
    const bool is_in =
        entry->file.texts().now && !entry->membership.is_dynamic() && entry->membership.is_active();
    if (!is_in || plan.names.contains(entry->name)) continue;
    plan.out.push_back(entry.get());
    plan.reloaded.removed.push_back(entry->name);
  }
  plan.text = std::make_shared<const std::string>(plan.fresh.text);
  return plan;
}

std::expected<void, EngineError> Reloader::prepare_share(FreshShare share) {
  if (loop_.work.is_stopping() || directory_.io.commit.has_failed())
    return std::unexpected{EngineError{"the engine is stopping"}};
  return prepare_reload(std::move(share));
}

Reloaded Reloader::commit_share() noexcept {
  Reloaded reloaded = std::move(reload_plan_->reloaded);
  commit_reload();
  if (!reload_plan_)
    loop_.boundary.run([&] { reloaded.pending = directory_.changes.pending_changes(); });
  return reloaded;
}

// All steps that may fail. An error: nothing has changed.
std::expected<void, EngineError> Reloader::prepare_reload(FreshShare fresh) {
  if (reload_plan_)
    return std::unexpected{EngineError{"the reload before is still in progress: try again"}};
  static_cast<void>(directory_.sessions.transactor.now());
  // Report them here: without new sessions no other code does.
  report_warnings(loop_, std::exchange(fresh.settings.warnings, {}));
  auto planned = plan_reload(std::move(fresh));
  if (!planned) return std::unexpected{std::move(planned.error())};
  auto plan = std::make_unique<ReloadPlan>(std::move(*planned));
  directory_.changes.plan_changes(*plan);
  if (SettingsChanges::names_other_dictionaries(*plan)) use_dictionaries(loop_, plan->dictionaries);
  note_leaving_listeners(*plan);
  const Listeners::ByFile by_file{directory_.io.listeners};
  UndoGuard undo{[&] { directory_.installer.discard_new(plan->made); }};
  if (auto moved = directory_.changes.listen_for_changes(*plan); !moved) return moved;
  if (auto kept = keep_listeners(*plan); !kept) return kept;
  if (!plan->added.sessions.empty()) {
    auto made = directory_.installer.make_sessions(std::move(plan->added), &plan->dictionaries);
    if (!made) return std::unexpected{std::move(made.error())};
    plan->made = std::move(*made);
  }
  undo.keep();
  reload_plan_ = std::move(plan);
  return {};
}

// Marks the listeners whose sessions and templates are all removed.
void Reloader::note_leaving_listeners(const ReloadPlan& plan) {
  for (std::size_t i = 0; i < directory_.io.listeners.all().size(); ++i) {
    const auto stays = [&](const auto& entry) {
      const auto moves = [&](const Change& one) {
        return one.entry == entry.get() && SettingsChanges::has_moved(one);
      };
      return entry->settings().accept && entry->acceptor.listener() == i &&
             !entry->membership.is_out() &&
             std::ranges::find(plan.out, entry.get()) == plan.out.end() &&
             std::ranges::none_of(plan.changes, moves);
    };
    directory_.io.listeners.all()[i].note_leaving(
        std::ranges::none_of(directory_.sessions.registry.entries(), stays) &&
        std::ranges::none_of(directory_.sessions.templates.all(), [&](const SessionTemplate& one) {
          return one.listener == i && SessionTemplates::keeps(one, plan.fresh);
        }));
  }
}

// The ports of sessions that come back may have been closed.
std::expected<void, EngineError> Reloader::keep_listeners(const ReloadPlan& plan) {
  for (SessionEntry* entry : plan.back) {
    const auto is_it = [&](const Change& one) { return one.entry == entry && one.whole; };
    if (!entry->settings().accept || std::ranges::any_of(plan.changes, is_it)) continue;
    const auto listener = directory_.io.listeners.listen_for(entry->settings(), plan.fresh.file);
    if (!listener) return std::unexpected{listener.error()};
    entry->acceptor.listen_at(*listener);
    directory_.io.listeners.all()[*listener].keep();
  }
  return {};
}

// Applies what was prepared. Only memory may be missing: the rest is then done in a later turn.
void Reloader::commit_reload() {
  reload_plan_->is_decided = true;
  if (loop_.boundary.run([this] { carry_out_reload(); })) {
    reload_plan_.reset();
  } else {
    reload_wanted_.fetch_or(kReloadUnfinished, std::memory_order_relaxed);
    loop_.wake_at(loop_.now().mono);
  }
}

void Reloader::carry_out_reload() {
  ReloadPlan& plan = *reload_plan_;
  directory_.changes.set_text(plan.text);
  for (; plan.made_done < plan.made.entries.size(); ++plan.made_done) {
    SessionEntry* const entry = plan.made.entries[plan.made_done];
    if (entry == nullptr) continue;
    entry->file.configure(entry->name, plan.text);
    directory_.installer.admit(*entry);
  }
  for (; plan.templates_done < plan.made.templates.size(); ++plan.templates_done) {
    plan.made.templates[plan.templates_done].origin = plan.text;
    directory_.io.listeners.all()[plan.made.templates[plan.templates_done].listener].release();
    directory_.sessions.templates.add(plan.made.templates[plan.templates_done]);
  }
  for (; plan.changes_done < plan.changes.size(); ++plan.changes_done) {
    directory_.changes.apply_change(plan.changes[plan.changes_done]);
  }
  for (; plan.template_changes_done < plan.template_changes.size(); ++plan.template_changes_done) {
    TemplateChange& change = plan.template_changes[plan.template_changes_done];
    directory_.sessions.templates.all()[change.index].settings = std::move(change.settings);
    directory_.sessions.templates.all()[change.index].origin = plan.text;
    note_rules(loop_, directory_.sessions.templates.all()[change.index].settings);
  }
  for (; plan.back_done < plan.back.size(); ++plan.back_done) {
    if (SessionEntry* const entry = plan.back[plan.back_done]; entry != nullptr) reactivate(*entry);
  }
  for (; plan.out_done < plan.out.size(); ++plan.out_done) {
    if (SessionEntry* const entry = plan.out[plan.out_done]; entry != nullptr) deactivate(*entry);
  }
  directory_.changes.report_changes(plan);
  directory_.sessions.templates.drop_missing(plan.fresh);
  directory_.changes.refresh_listeners(plan);
  for (Listener& listener : directory_.io.listeners.all()) listener.end_reload();
  close_unused(directory_.io.listeners, directory_.sessions.registry,
               directory_.sessions.templates);
}

// A plan that is decided is still applied.
void Reloader::abort_reload() noexcept {
  if (reload_plan_ && reload_plan_->is_decided) return;
  if (const auto plan = std::exchange(reload_plan_, nullptr))
    directory_.installer.discard_new(plan->made);
}

// The Session stays, because an application may hold it; messages that it sends are stored.
void Reloader::deactivate(SessionEntry& entry) {
  directory_.sessions.registry.deactivate(entry);
  directory_.changes.forget_pending(entry);
  loop_.report.session(EventId::SessionTakenOut, entry,
                       "session removed: it is not in " + directory_.changes.file());
  if (entry.connection() != nullptr) directory_.sessions.control.log_out(entry, "Session removed");
}

void Reloader::reactivate(SessionEntry& entry) {
  if (entry.membership.is_closing()) return;
  directory_.sessions.registry.activate(entry);
  loop_.report.session(EventId::SessionTakenBack, entry, "session added again");
}

}  // namespace nexusfix::engine
