// A second engine that waits for a log, and what it shows meanwhile.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/open_postgres.hpp"
#include "support/network/cutting_proxy.hpp"
#include "support/postgres_server.hpp"

namespace nexusfix::store {

// What a standby shows, for a thread that looks at it.
class Watcher final : public StandbyObserver {
 public:
  [[nodiscard]] bool follows_messages() const override { return true; }
  void on_message(const Store::LogMessage& message) override {
    const std::lock_guard lock{mutex_};
    messages_.push_back(std::string{message.session} + ' ' + std::to_string(message.msg_seq_num) +
                        ' ' + std::string{message.bytes});
  }
  [[nodiscard]] bool on_waiting(const StandbyState& state) override {
    const std::lock_guard lock{mutex_};
    state_ = state;
    ++looks_;
    changed_.notify_all();
    return !is_stopped_;
  }
  void on_event(StoreEvent event) override {
    const std::lock_guard lock{mutex_};
    events_ += to_text(event) + '\n';
  }

  void stop() {
    const std::lock_guard lock{mutex_};
    is_stopped_ = true;
  }
  // Returns when a look has found this.
  void wait_for(const std::function<bool(const StandbyState&)>& condition) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return looks_ > 0 && condition(state_); });
  }
  void wait_for_looks(int count) {
    std::unique_lock lock{mutex_};
    const int wanted = looks_ + count;
    changed_.wait(lock, [&] { return looks_ >= wanted; });
  }
  std::vector<std::string> messages() {
    const std::lock_guard lock{mutex_};
    return messages_;
  }
  std::string events() {
    const std::lock_guard lock{mutex_};
    return events_;
  }

 private:
  static std::string to_text(const StoreEvent& event) {
    return std::to_string(static_cast<int>(event.id)) + ' ' + event.text;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  StandbyState state_;
  std::vector<std::string> messages_;
  std::string events_;
  int looks_ = 0;
  bool is_stopped_ = false;
};

// A second engine, which waits on a thread of its own, on connections of its own.
class WaitingEngine {
 public:
  WaitingEngine(PostgresOptions options, const testing::PostgresServer& server)
      : proxy_{server.socket_file()}, options_{std::move(options)} {
    options_.host = proxy_.host();
    options_.if_owned = IfOwned::Wait;
    options_.standby_observer = &watcher;
    options_.on_durable = {};
    thread_ = std::thread{[this] { opened_ = open_postgres(options_); }};
  }
  ~WaitingEngine() {
    watcher.stop();
    if (thread_.joinable()) thread_.join();
  }
  WaitingEngine(const WaitingEngine&) = delete;
  WaitingEngine& operator=(const WaitingEngine&) = delete;

  StoreResult<std::unique_ptr<Store>> join() {
    thread_.join();
    return std::move(opened_);
  }
  [[nodiscard]] testing::CuttingProxy& proxy() noexcept { return proxy_; }

  Watcher watcher;

 private:
  testing::CuttingProxy proxy_;
  PostgresOptions options_;
  StoreResult<std::unique_ptr<Store>> opened_;
  std::thread thread_;
};

inline bool is_up_to_date(const StandbyState& state) {
  return state.is_connected && !state.owner.empty() && state.log_end > 0 &&
         state.followed_end == state.log_end;
}

}  // namespace nexusfix::store
