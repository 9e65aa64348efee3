// Reads the configuration again while the engine runs: sessions are added and removed, all of them
// or none. Changed keys of the other sessions: settings_changes.cpp.
#include "engine/directory/reload/reloader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/api/exceptions.hpp"
#include "engine/directory/directory.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kUnreported =
    "the configuration was read again, and there is no memory to report the result";

constexpr std::string_view kStopping = "the engine is stopping";

}  // namespace

bool Reloader::is_stopping() const noexcept {
  return loop_.work.is_stopping() || directory_.io.commit.has_failed();
}

void Reloader::request_reload() noexcept {
  reload_wanted_.fetch_or(kReloadRequested, std::memory_order_relaxed);
  loop_.network->wake();
}

void Reloader::reload_as_requested() {
  const unsigned wanted = reload_wanted_.exchange(0, std::memory_order_relaxed);
  if ((wanted & kReloadUnfinished) != 0 && !is_stopping()) commit_reload();
  if ((wanted & kReloadRequested) == 0 || directory_.changes.file().empty()) return;
  begin_reload(nullptr);
}

void Reloader::report_reload(const ReloadResult& done) {
  if (done) {
    const std::size_t pending = done->pending.size();
    const TextPiece kept = pending == 0 ? TextPiece{""} : TextPiece{pending};
    loop_.report.engine(
        EventId::ConfigurationReloaded,
        {directory_.changes.file(), " was read again: ", done->added.size(),
         done->added.size() == 1 ? " session added, " : " sessions added, ", done->removed.size(),
         " removed, ", done->changed.size(), " changed", pending == 0 ? "" : ", ", kept,
         pending == 0 ? "" : " with keys that take effect later"});
    return;
  }
  loop_.report.engine(
      EventId::ReloadRefused,
      {directory_.changes.file(), " was read again and rejected; nothing has changed"});
  std::string_view lines = done.error().text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    loop_.report.engine(EventId::ReloadError, line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

std::expected<Reloaded, EngineError> Reloader::reload() {
  const auto refusal = [](std::string why) { return std::unexpected{EngineError{std::move(why)}}; };
  if (!directory_.sessions.transactor.is_idle()) return refusal("not from within a callback");
  if (is_stopping()) return refusal(std::string{kStopping});
  if (directory_.changes.file().empty()) return refusal("the engine was not opened with a file");
  if (is_round_on_) return refusal("the configuration is being read again already: try again");
  const std::shared_ptr<ReloadJob> job = make_reload_job(nullptr);
  if (std::string why = directory_.files.read_now(job, *loop_.clock); !why.empty()) {
    return refusal(std::move(why));
  }
  auto found = job->consume_found();
  if (!found) return std::unexpected{std::move(found.error())};
  return take_over(std::move(*found));
}

std::shared_ptr<ReloadJob> Reloader::make_reload_job(std::shared_ptr<ReloadOrder> order) {
  return std::make_shared<ReloadJob>(
      *this, ReloadJob::Start{.file = directory_.changes.file(),
                              .known = directory_.changes.text(),
                              .tls = loop_.shared.tls,
                              .directory = loop_.shared.directory,
                              .order = std::move(order),
                              .parts = loop_.parts,
                              .check_settings = loop_.shared.check_settings});
}

// For an engine with one loop.
ReloadResult Reloader::take_over(ReloadJob::Found found) {
  if (found.is_same || found.shares.front().settings.text == *directory_.changes.text()) {
    directory_.changes.report_pending();
    Reloaded reloaded;
    reloaded.pending = directory_.changes.pending_changes();
    return reloaded;
  }
  if (loop_.shared.tls) loop_.shared.tls->keep(found.contexts);
  if (auto done = prepare_reload(std::move(found.shares.front())); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return commit_share();
}

// Empty: the request is taken. Otherwise the reason why not.
std::string_view Reloader::add_reload(const std::shared_ptr<ReloadOrder>& order) {
  if (is_round_on_) {
    // One waiting request without a caller is enough: it reads the file as it is then.
    if (order || std::ranges::find(orders_, nullptr) == orders_.end()) orders_.push_back(order);
    return {};
  }
  if (is_stopping()) return kStopping;
  if (directory_.changes.file().empty()) return "the engine was not opened with a file";
  directory_.files.add(make_reload_job(order));
  is_round_on_ = true;
  return {};
}

// Another thread reads the files. Then each loop adds and removes its own sessions.
void Reloader::begin_reload(std::shared_ptr<ReloadOrder> order) {
  ReloadResult refused = std::unexpected{EngineError{"no memory"}};  // too short for the heap
  const bool is_taken = loop_.boundary.run([&] {
    const std::string_view why = add_reload(order);
    if (why.empty()) {
      refused = Reloaded{};
    } else {
      refused = std::unexpected{EngineError{std::string{why}}};
    }
  });
  if (is_taken && refused) return serve_files();
  if (!order || order->is_reported()) report_reload(refused);
  if (order) order->answer(std::move(refused));
}

// With several loops the round ends with a task on this thread.
void Reloader::on_files_read(ReloadJob& job) {
  ReloadResult done = std::unexpected{EngineError{"no memory"}};
  bool is_shared_out = false;
  loop_.boundary.run([&] {
    auto found = job.consume_found();
    if (!found) {
      done = std::unexpected{std::move(found.error())};
    } else if (is_stopping()) {
      done = std::unexpected{EngineError{std::string{kStopping}}};
    } else if (!loop_.shared.directory) {
      done = take_over(std::move(*found));
    } else if (found->is_same) {
      done = Reloaded{};
    } else {
      if (loop_.shared.tls) loop_.shared.tls->keep(found->contexts);
      ReloadRound::begin(*loop_.shared.directory, std::move(found->shares), job.order());
      is_shared_out = true;
    }
  });
  if (!is_shared_out) end_reload(job.order(), std::move(done));
}

void Reloader::end_reload(const std::shared_ptr<ReloadOrder>& order, ReloadResult done) {
  if (!order || order->is_reported()) report_reload(done);
  if (order) order->answer(std::move(done));
  end_round(nullptr);
}

// Runs beside the other work of the loop.
void Reloader::serve_files() {
  if (!directory_.files.is_busy()) [[likely]]
    return;
  loop_.boundary.run([this] { directory_.files.serve(loop_.now().mono); });
  constexpr std::chrono::seconds kLookAgainAfter{1};
  if (directory_.files.is_busy()) loop_.wake_at(loop_.now().mono + kLookAgainAfter);
}

// Waiting requests begin, even if memory is missing for a report.
void Reloader::end_round(const ReloadRound* unreported) {
  is_round_on_ = false;
  if (unreported != nullptr && !loop_.boundary.run([&] { report_reload(unreported->merged()); })) {
    loop_.report.engine(EventId::ReloadResultUnknown, kUnreported);
  }
  while (!orders_.empty() && !is_round_on_) {
    auto order = std::move(orders_.front());
    orders_.erase(orders_.begin());
    begin_reload(std::move(order));
  }
}

void Reloader::stop() {
  orders_.clear();
  directory_.files.stop();
}

void Reloader::forget(SessionEntry& entry) noexcept {
  if (!reload_plan_) return;
  for (auto* entries : {&reload_plan_->made.entries, &reload_plan_->back, &reload_plan_->out}) {
    std::ranges::replace(*entries, &entry, nullptr);
  }
  for (Change& change : reload_plan_->changes) {
    if (change.entry == &entry) change.entry = nullptr;
  }
}

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
  if (is_stopping()) return std::unexpected{EngineError{std::string{kStopping}}};
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
  mark_leaving_listeners(*plan);
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
void Reloader::mark_leaving_listeners(const ReloadPlan& plan) {
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
    directory_.io.listeners.all()[i].set_leaving(
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
    apply_check_sum_rule(loop_, directory_.sessions.templates.all()[change.index].settings);
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
