// An engine on its own thread, which can be stopped or destroyed, and opened again on its store.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "faults/soak/counterparties.hpp"

namespace nexusfix::soak {

enum class Restart : std::uint8_t {
  No,
  Stop,   // every session logs out first
  Kill,   // as if the process is killed: no peer is notified
  Close,  // every session logs out, and the engine stays closed
};

// A minute sees many segments of the journal begin and end.
inline constexpr std::uint64_t kSegmentBytes = 512U << 10U;

template <class Application>
class Side {
 public:
  // on_port gets the port that the engine listens on, and 0 when it does not listen.
  Side(std::string config, Application& application, Faults& faults,
       std::function<void(std::uint16_t)> on_port)
      : config_{std::move(config)},
        application_{application},
        faults_{faults},
        on_port_{std::move(on_port)},
        thread_{[this] { run(); }} {}
  ~Side() {
    restart(Restart::Close);
    thread_.join();
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  // Any thread. A restart that comes during another one is ignored.
  void restart(Restart how) {
    auto none = Restart::No;
    if (how == Restart::Close) {
      wanted_.store(how);
    } else {
      wanted_.compare_exchange_strong(none, how);
    }
  }
  [[nodiscard]] std::uint64_t openings() const noexcept { return openings_.load(); }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_.load(); }

 private:
  void run() {
    while (wanted_.load() != Restart::Close && open_and_serve()) {
    }
    is_closed_.store(true);
  }

  bool open_and_serve() {
    auto settings = config::parse_settings(config_, "soak.cfg");
    if (!settings) return fail(settings.error().front().what());
    settings->segment_bytes = kSegmentBytes;
    settings->log_queue_bytes = 256U << 10U;
    auto opened = Engine::open(std::move(*settings), application_, {.log = &log_});
    if (!opened) return fail(opened.error().what());
    application_.open(*opened);
    openings_.fetch_add(1);
    on_port_(opened->accept_port());
    const bool goes_on = serve(*opened);
    on_port_(0);
    return goes_on;
  }

  bool serve(Engine& engine) {
    while (wanted_.load() == Restart::No) {
      application_.turn(engine, clock_.now().mono);
      if (!engine.poll(std::chrono::milliseconds{1})) return fail("the engine ended by itself");
    }
    if (wanted_.load() == Restart::Kill) {
      // Bytes that were appended and are not durable may be lost after this, and the application
      // would number its messages wrongly from then on.
      while (engine.store().durable() != engine.store().appended()) engine.poll({});
    } else {
      engine.stop();
      while (engine.poll(std::chrono::milliseconds{10})) {
      }
    }
    application_.forget_logons();
    Restart done = wanted_.load();  // Close stays: it may come during another restart.
    if (done != Restart::Close) wanted_.compare_exchange_strong(done, Restart::No);
    return true;
  }

  bool fail(const std::string& what) {
    faults_.add(what);
    return false;
  }

  // Reconnections are the purpose here; the counters show what else happens.
  struct NoLog final : observe::EventLog {
    void write(const observe::Event&) override {}
  };

  std::string config_;
  Application& application_;
  Faults& faults_;
  std::function<void(std::uint16_t)> on_port_;
  SystemClock clock_;
  NoLog log_;
  std::atomic<Restart> wanted_{Restart::No};
  std::atomic<std::uint64_t> openings_{0};
  std::atomic<bool> is_closed_{false};
  std::thread thread_;  // last: it uses all others
};

}  // namespace nexusfix::soak
