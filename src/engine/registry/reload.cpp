// A configuration that is read again while the engine runs: sessions come and go, all of them or
// none. What has changed of a session that stays: changed_sessions.cpp.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

// For as long as it lives: sessions of a port are alike, as the file says so of all of them.
class ByFile {
 public:
  explicit ByFile(bool& flag) noexcept : flag_{flag} { flag_ = true; }
  ByFile(const ByFile&) = delete;
  ByFile& operator=(const ByFile&) = delete;
  ~ByFile() { flag_ = false; }

 private:
  bool& flag_;
};

constexpr std::string_view kUntold =
    "the configuration was read again, and there is no memory to report the result";

}  // namespace

void Runtime::request_reload() noexcept {
  reload_wanted_.fetch_or(kReloadRequested, std::memory_order_relaxed);
  seams_.network->wake();
}

void Runtime::reload_as_requested() {
  const unsigned wanted = reload_wanted_.exchange(0, std::memory_order_relaxed);
  if ((wanted & kReloadUnfinished) != 0 && !stopping_ && !store_failed_) commit_reload();
  if ((wanted & kReloadRequested) == 0 || settings_file_.empty()) return;
  begin_reload(nullptr);
}

void Runtime::report_reload(const ReloadResult& done) {
  if (done) {
    report_.engine(EventId::ConfigurationReloaded,
                   settings_file_ + " was read again: " + std::to_string(done->added.size()) +
                       (done->added.size() == 1 ? " session added, " : " sessions added, ") +
                       std::to_string(done->removed.size()) + " removed, " +
                       std::to_string(done->changed.size()) + " changed" +
                       (done->pending.empty() ? ""
                                              : ", " + std::to_string(done->pending.size()) +
                                                    " with keys that do not count yet"));
    return;
  }
  report_.engine(EventId::ReloadRefused,
                 settings_file_ + " was read again and is not taken over; nothing has changed");
  std::string_view lines = done.error().text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    report_.engine(EventId::ReloadError, line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

// What is to be done; nothing has been done yet.
std::expected<Runtime::ReloadPlan, EngineError> Runtime::plan_reload(FreshShare fresh) const {
  ReloadPlan plan;
  plan.fresh = std::move(fresh.settings);
  plan.dictionaries = std::move(fresh.dictionaries);
  plan.added = plan.fresh;
  plan.added.sessions.clear();
  for (const SessionSettings& one : plan.fresh.sessions) {
    const std::string name = one.session.id.to_string();
    if (one.is_template) {
      if (!has_template(one)) plan.added.sessions.push_back(one);
      continue;
    }
    plan.names.insert(name);
    const auto found = slots_by_name_.find(name);
    if (found == slots_by_name_.end()) {
      plan.added.sessions.push_back(one);
      plan.reloaded.added.push_back(name);
    } else if (found->second->is_leaving) {
      const SettingsError error{plan.fresh.file, one.line,
                                name + ": it was removed and is logging out: try again"};
      return std::unexpected{EngineError{error.what()}};
    } else if (found->second->is_out) {
      plan.back.push_back(found->second);
    }
  }
  for (const SessionSlot* slot : plan.back) plan.reloaded.added.push_back(slot->name);
  for (const auto& slot : slots_) {
    const bool is_in = slot->texts.now && !slot->is_dynamic && !slot->is_out && !slot->is_leaving;
    if (!is_in || plan.names.contains(slot->name)) continue;
    plan.out.push_back(slot.get());
    plan.reloaded.removed.push_back(slot->name);
  }
  plan.text = std::make_shared<const std::string>(plan.fresh.text);
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
  if (phase_ != Phase::Idle) return refusal("not from within a callback");
  if (stopping_ || store_failed_) return refusal("the engine is stopping");
  if (settings_file_.empty()) return refusal("the engine was not opened with a file");
  if (is_round_on_) return refusal("the configuration is being read again already: try again");
  const std::shared_ptr<ReloadJob> job = make_reload_job(nullptr);
  if (std::string why = files_.read_now(job, *seams_.clock); !why.empty()) {
    return refusal(std::move(why));
  }
  auto found = job->take_found();
  if (!found) return std::unexpected{std::move(found.error())};
  return take_over(std::move(*found));
}

std::shared_ptr<ReloadJob> Runtime::make_reload_job(std::shared_ptr<ReloadOrder> order) const {
  return std::make_shared<ReloadJob>(ReloadJob::Start{.file = settings_file_,
                                                      .known = settings_text_,
                                                      .tls = seams_.tls,
                                                      .directory = seams_.directory,
                                                      .order = std::move(order),
                                                      .parts = seams_.parts});
}

// The only loop's.
ReloadResult Runtime::take_over(ReloadJob::Found found) {
  if (found.is_same || found.shares.front().settings.text == *settings_text_) {
    report_pending();
    Reloaded reloaded;
    reloaded.pending = pending_changes();
    return reloaded;
  }
  if (seams_.tls) seams_.tls->keep(found.contexts);
  if (auto done = prepare_reload(std::move(found.shares.front())); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return commit_share();
}

// Files are read on another thread; then each loop's sessions are its own to add and to remove.
void Runtime::begin_reload(std::shared_ptr<ReloadOrder> order) {
  const auto refuse_it = [&](const char* why) {
    const ReloadResult refused = std::unexpected{EngineError{why}};
    order ? order->answer(refused) : report_reload(refused);
  };
  try {
    if (is_round_on_) {
      // One that no caller waits for is enough: it reads the file as it is then.
      if (order || std::ranges::find(orders_, nullptr) == orders_.end()) orders_.push_back(order);
      return;
    }
    if (stopping_ || store_failed_) return refuse_it("the engine is stopping");
    if (settings_file_.empty()) return refuse_it("the engine was not opened with a file");
    files_.add(make_reload_job(order));
    is_round_on_ = true;
  } catch (const std::bad_alloc&) {
    report_.memory_failed();
    return refuse_it("no memory");
  }
  serve_files();
}

// What it has read. Its end is a task of this thread's where there are several loops.
void Runtime::take_reload(ReloadJob& job) {
  ReloadResult done = std::unexpected{EngineError{"no memory"}};
  bool is_shared_out = false;
  static_cast<void>(with_memory([&] {
    auto found = job.take_found();
    if (!found) {
      done = std::unexpected{std::move(found.error())};
    } else if (stopping_ || store_failed_) {
      done = std::unexpected{EngineError{"the engine is stopping"}};
    } else if (!seams_.directory) {
      done = take_over(std::move(*found));
    } else if (found->is_same) {
      done = Reloaded{};
    } else {
      if (seams_.tls) seams_.tls->keep(found->contexts);
      ReloadRound::begin(*seams_.directory, std::move(found->shares), job.order());
      is_shared_out = true;
    }
  }));
  if (!is_shared_out) end_reload(job.order(), std::move(done));
}

void Runtime::end_reload(const std::shared_ptr<ReloadOrder>& order, ReloadResult done) {
  if (order) {
    order->answer(std::move(done));
  } else if (!with_memory([&] { report_reload(done); })) {
    report_.engine(EventId::ReloadResultUnknown, kUntold);
  }
  end_round(nullptr);
}

// Beside all else that the loop does.
void Runtime::serve_files() {
  if (!files_.is_busy()) [[likely]]
    return;
  files_.serve(*this, now_.mono);
  constexpr std::chrono::seconds kLookAgainAfter{1};
  if (files_.is_busy()) wake_at(now_.mono + kLookAgainAfter);
}

// Those that wait are begun, whatever there is no memory for.
void Runtime::end_round(const ReloadRound* untold) {
  is_round_on_ = false;
  if (untold != nullptr && !with_memory([&] { report_reload(untold->merged()); })) {
    report_.engine(EventId::ReloadResultUnknown, kUntold);
  }
  while (!orders_.empty() && !is_round_on_) {
    auto order = std::move(orders_.front());
    orders_.erase(orders_.begin());
    static_cast<void>(with_memory([&] { begin_reload(std::move(order)); }));
  }
}

std::expected<void, EngineError> Runtime::prepare_share(FreshShare share) {
  if (stopping_ || store_failed_) return std::unexpected{EngineError{"the engine is stopping"}};
  return prepare_reload(std::move(share));
}

Reloaded Runtime::commit_share() noexcept {
  Reloaded reloaded = std::move(reload_plan_->reloaded);
  commit_reload();
  if (!reload_plan_) {
    static_cast<void>(with_memory([&] { reloaded.pending = pending_changes(); }));
  }
  return reloaded;
}

// Everything that may go wrong. An error: all is as before.
std::expected<void, EngineError> Runtime::prepare_reload(FreshShare fresh) {
  if (reload_plan_)
    return std::unexpected{EngineError{"the one before is not done yet: try again"}};
  static_cast<void>(now());
  // Here, because nobody else says them where no session is added.
  report_all(std::exchange(fresh.settings.warnings, {}));
  auto planned = plan_reload(std::move(fresh));
  if (!planned) return std::unexpected{std::move(planned.error())};
  auto plan = std::make_unique<ReloadPlan>(std::move(*planned));
  plan_changes(*plan);
  if (names_other_dictionaries(*plan)) take_dictionaries(plan->dictionaries);
  note_leaving_listeners(*plan);
  const ByFile by_file{listens_by_file_};
  try {
    if (auto moved = listen_for_changes(*plan); !moved) {
      take_away(plan->made);
      return moved;
    }
    if (auto kept = keep_listeners(*plan); !kept) {
      take_away(plan->made);
      return kept;
    }
    if (!plan->added.sessions.empty()) {
      auto made = make_sessions(std::move(plan->added), &plan->dictionaries);
      if (!made) {
        take_away(plan->made);
        return std::unexpected{std::move(made.error())};
      }
      plan->made = std::move(*made);
    }
  } catch (const std::bad_alloc&) {
    take_away(plan->made);
    throw;
  }
  reload_plan_ = std::move(plan);
  return {};
}

// Whose sessions and templates all go.
void Runtime::note_leaving_listeners(const ReloadPlan& plan) {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    const auto stays = [&](const auto& slot) {
      const auto moves = [&](const Change& one) {
        return one.slot == slot.get() && has_moved(one);
      };
      return slot->settings.accept && slot->listener == i && !slot->is_out &&
             std::ranges::find(plan.out, slot.get()) == plan.out.end() &&
             std::ranges::none_of(plan.changes, moves);
    };
    listeners_[i].is_leaving = std::ranges::none_of(slots_, stays) &&
                               std::ranges::none_of(templates_, [&](const Template& one) {
                                 return one.listener == i && keeps(one, plan.fresh);
                               });
  }
}

// The ports of those that come back may have been closed.
std::expected<void, EngineError> Runtime::keep_listeners(const ReloadPlan& plan) {
  for (SessionSlot* slot : plan.back) {
    const auto is_it = [&](const Change& one) { return one.slot == slot && one.whole; };
    if (!slot->settings.accept || std::ranges::any_of(plan.changes, is_it)) continue;
    const auto listener = listen_for(slot->settings, plan.fresh.file);
    if (!listener) return std::unexpected{listener.error()};
    slot->listener = *listener;
    listeners_[*listener].is_kept = true;
  }
  return {};
}

// What is prepared becomes true. Only memory may be missing: then the rest is done when there is
// some again.
void Runtime::commit_reload() {
  reload_plan_->is_decided = true;
  try {
    carry_out_reload();
    reload_plan_.reset();
  } catch (const std::bad_alloc&) {
    report_.memory_failed();
    reload_wanted_.fetch_or(kReloadUnfinished, std::memory_order_relaxed);
    wake_at(now_.mono);
  }
}

void Runtime::carry_out_reload() {
  ReloadPlan& plan = *reload_plan_;
  settings_text_ = plan.text;
  for (; plan.made_done < plan.made.slots.size(); ++plan.made_done) {
    SessionSlot* const slot = plan.made.slots[plan.made_done];
    if (slot == nullptr) continue;
    slot->texts = {plan.text, plan.text, plan.text};
    slot->configured_as = slot->name;
    admit(*slot);
  }
  for (; plan.templates_done < plan.made.templates.size(); ++plan.templates_done) {
    plan.made.templates[plan.templates_done].origin = plan.text;
    admit(plan.made.templates[plan.templates_done]);
  }
  for (; plan.changes_done < plan.changes.size(); ++plan.changes_done) {
    carry_out(plan.changes[plan.changes_done]);
  }
  for (; plan.template_changes_done < plan.template_changes.size(); ++plan.template_changes_done) {
    TemplateChange& change = plan.template_changes[plan.template_changes_done];
    templates_[change.index].settings = std::move(change.settings);
    templates_[change.index].origin = plan.text;
    note_rules(templates_[change.index].settings);
  }
  for (; plan.back_done < plan.back.size(); ++plan.back_done) {
    if (SessionSlot* const slot = plan.back[plan.back_done]; slot != nullptr) take_back(*slot);
  }
  for (; plan.out_done < plan.out.size(); ++plan.out_done) {
    if (SessionSlot* const slot = plan.out[plan.out_done]; slot != nullptr) take_out(*slot);
  }
  report_changes(plan);
  drop_templates(plan.fresh);
  refresh_listeners(plan);
  for (Listener& listener : listeners_) {
    listener.is_kept = listener.is_leaving = listener.is_displaced = false;
  }
  close_unused_listeners();
}

// What an earlier one has decided goes on to be carried out.
void Runtime::abort_reload() noexcept {
  if (reload_plan_ && reload_plan_->is_decided) return;
  if (const auto plan = std::exchange(reload_plan_, nullptr)) take_away(plan->made);
}

// Its Session stays, because an application may hold it; what is sent to it is stored.
void Runtime::take_out(SessionSlot& slot) {
  slot.is_out = true;
  slot.connect_policy.log_out();
  forget_pending(slot);
  acceptors_.erase(slot.name);
  if (seams_.directory) seams_.directory->remove_acceptor(slot.name);
  report_.session(EventId::SessionTakenOut, slot,
                  "session removed: it is not in " + settings_file_);
  if (slot.connection != nullptr) log_out(slot, "Session removed");
}

void Runtime::take_back(SessionSlot& slot) {
  if (slot.is_leaving) return;
  put_in(slot);
  report_.session(EventId::SessionTakenBack, slot, "session added again");
}

// Those who have a session of one keep it.
void Runtime::drop_templates(const Settings& fresh) {
  for (std::size_t i = templates_.size(); i-- > 0;) {
    if (!keeps(templates_[i], fresh)) drop(i);
  }
}

bool Runtime::keeps(const Template& one, const Settings& fresh) {
  return !one.origin || std::ranges::any_of(fresh.sessions, [&](const SessionSettings& other) {
    return other.is_template && other.session.id == one.settings.session.id &&
           other.accept->host == one.settings.accept->host &&
           other.accept->port == one.settings.accept->port;
  });
}

}  // namespace nexusfix::engine
