// A configuration that is read again by an engine with several event loops: all of them take it
// over, or none.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <expected>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/engine/engine.hpp>

#include "engine/loops/loop_directory.hpp"
#include "engine/registry/reload_job.hpp"

namespace nexusfix::engine {

using ReloadResult = std::expected<Reloaded, EngineError>;

// Of a thread that waits for the end of a reload: what is to be done, and how it went. All
// functions: any thread.
class ReloadOrder {
 public:
  ReloadOrder() = default;
  ReloadOrder(const ReloadOrder&) = delete;
  ReloadOrder& operator=(const ReloadOrder&) = delete;
  ~ReloadOrder();  // nobody has answered, because the loops have ended

  [[nodiscard]] std::future<ReloadResult> result() { return promise_.get_future(); }
  // Once, by whoever carries it out.
  void answer(ReloadResult result);
  void fail(std::exception_ptr why);
  // Whichever comes first. False: it was the other one.
  [[nodiscard]] bool decide() noexcept { return take(State::Decided); }
  [[nodiscard]] bool abort() noexcept { return take(State::GivenUp); }

 private:
  enum class State : std::uint8_t { Open, Decided, GivenUp };
  [[nodiscard]] bool take(State state) noexcept {
    State open = State::Open;
    return state_.compare_exchange_strong(open, state);
  }

  std::promise<ReloadResult> promise_;
  bool is_answered_ = false;  // by the one who carries it out
  std::atomic<State> state_{State::Open};
};

// First each loop prepares its part, which may fail; then each carries it out, or each takes back
// what it has prepared. Each does so on its own thread, and goes on serving between the two. What a
// loop has to be told is allocated at the beginning, so that no step fails for want of memory. All
// functions: any thread.
class ReloadRound {
 public:
  // shares: what the file has for each loop. order: null, or who waits.
  static void begin(LoopDirectory& directory, std::vector<FreshShare> shares,
                    std::shared_ptr<ReloadOrder> order);

  ReloadRound(LoopDirectory& directory, std::vector<FreshShare> shares,
              std::shared_ptr<ReloadOrder> order);
  // Behind its end: what is wrong, of each loop; or all that was done.
  [[nodiscard]] ReloadResult merged() const;

 private:
  class Task;
  class LastTask;

  void answer(std::uint32_t loop, ReloadResult result) noexcept;
  void end() noexcept;

  LoopDirectory& directory_;
  std::shared_ptr<ReloadOrder> order_;
  std::vector<FreshShare> shares_;  // each its loop's

  std::mutex mutex_;
  bool is_deciding_ = true;  // until each loop has prepared its part
  std::size_t awaited_ = 0;  // answers
  std::atomic<bool> is_refused_{false};
  std::vector<ReloadResult> results_;                // of each loop
  std::vector<std::unique_ptr<Task>> second_tasks_;  // of each loop
  std::unique_ptr<LoopTask> last_task_;              // of the first loop
};

}  // namespace nexusfix::engine
