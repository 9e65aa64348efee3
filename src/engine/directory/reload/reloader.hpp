// Reads the configuration again while the loop runs.
#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "config/api/file_reader.hpp"
#include "engine/directory/reload/reload_job.hpp"
#include "engine/directory/reload/settings_changes.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Directory;

class Reloader {
 public:
  Reloader(LoopContext& loop, Directory& directory) noexcept : loop_{loop}, directory_{directory} {}

  // Any thread.
  void request_reload() noexcept;
  void reload_as_requested();
  [[nodiscard]] std::expected<Reloaded, EngineError> reload();
  // For ReloadRound: this loop's part. The first loop begins and ends a round.
  void begin_reload(std::shared_ptr<ReloadOrder> order);  // null: the event log has the result
  void on_files_read(ReloadJob& job);
  void end_reload(const std::shared_ptr<ReloadOrder>& order, ReloadResult done);
  void end_round(const ReloadRound* unreported);  // null: the result is reported already
  [[nodiscard]] std::expected<void, EngineError> prepare_share(FreshShare share);
  [[nodiscard]] Reloaded commit_share() noexcept;
  void abort_reload() noexcept;

  void serve_files();

  [[nodiscard]] bool is_requested() const noexcept {
    return reload_wanted_.load(std::memory_order_relaxed) != 0;
  }
  // A reload is prepared, or not applied in full.
  [[nodiscard]] bool is_under_way() const noexcept { return reload_plan_ != nullptr; }
  void forget(SessionEntry& entry) noexcept;
  // The loop ends: no more files are read.
  void stop();

 private:
  // No session is added any more.
  [[nodiscard]] bool is_stopping() const noexcept;
  [[nodiscard]] std::string_view add_reload(const std::shared_ptr<ReloadOrder>& order);
  void report_reload(const ReloadResult& done);
  [[nodiscard]] std::shared_ptr<ReloadJob> make_reload_job(std::shared_ptr<ReloadOrder> order);
  [[nodiscard]] ReloadResult take_over(ReloadJob::Found found);
  [[nodiscard]] std::expected<ReloadPlan, EngineError> plan_reload(FreshShare fresh) const;
  [[nodiscard]] std::expected<void, EngineError> prepare_reload(FreshShare fresh);
  void mark_leaving_listeners(const ReloadPlan& plan);
  [[nodiscard]] std::expected<void, EngineError> keep_listeners(const ReloadPlan& plan);
  void commit_reload();
  void carry_out_reload();
  void deactivate(SessionEntry& entry);
  void reactivate(SessionEntry& entry);

  LoopContext& loop_;
  Directory& directory_;

  bool is_round_on_ = false;  // from the reading of the files on; of the first loop
  // The next requests; null: without a waiting caller.
  std::vector<std::shared_ptr<ReloadOrder>> orders_;
  std::unique_ptr<ReloadPlan> reload_plan_;  // prepared, or not applied in full
  // Work for the next turn.
  static constexpr unsigned kReloadRequested = 1;
  static constexpr unsigned kReloadUnfinished = 2;  // memory was missing
  std::atomic<unsigned> reload_wanted_{0};
};

}  // namespace nexusfix::engine
