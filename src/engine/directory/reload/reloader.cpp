// Reads the configuration again while the engine runs: sessions are added and removed, all of them
// or none. Changed keys of the other sessions: settings_changes.cpp and apply_changes.cpp.
#include "engine/directory/reload/reloader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/directory/directory.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kUnreported =
    "the configuration was read again, and there is no memory to report the result";

}  // namespace

void Reloader::request_reload() noexcept {
  reload_wanted_.fetch_or(kReloadRequested, std::memory_order_relaxed);
  loop_.network->wake();
}

void Reloader::reload_as_requested() {
  const unsigned wanted = reload_wanted_.exchange(0, std::memory_order_relaxed);
  if ((wanted & kReloadUnfinished) != 0 && !loop_.work.is_stopping() &&
      !directory_.io.commit.has_failed())
    commit_reload();
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
  if (loop_.work.is_stopping() || directory_.io.commit.has_failed())
    return refusal("the engine is stopping");
  if (directory_.changes.file().empty()) return refusal("the engine was not opened with a file");
  if (is_round_on_) return refusal("the configuration is being read again already: try again");
  const std::shared_ptr<ReloadJob> job = make_reload_job(nullptr);
  if (std::string why = directory_.files.read_now(job, *loop_.clock); !why.empty()) {
    return refusal(std::move(why));
  }
  auto found = job->take_found();
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
  if (loop_.work.is_stopping() || directory_.io.commit.has_failed())
    return "the engine is stopping";
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
    auto found = job.take_found();
    if (!found) {
      done = std::unexpected{std::move(found.error())};
    } else if (loop_.work.is_stopping() || directory_.io.commit.has_failed()) {
      done = std::unexpected{EngineError{"the engine is stopping"}};
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

}  // namespace nexusfix::engine
