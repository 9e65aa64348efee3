// Jobs of a running engine: they read its configuration with all its files, or its certificates.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <expected>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "config/api/file_reader.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class LoopDirectory;
class ReloadOrder;

class CertificateWatch;
class Reloader;

// The configuration of one event loop, with the content of its files: its sessions have their
// dictionaries and TLS contexts.
struct FreshShare {
  Settings settings;
  config::InDictionaries dictionaries;
};

struct FreshConfiguration {
  bool is_same = false;            // the text did not change: nothing else was read
  std::vector<FreshShare> shares;  // one for each loop
  TlsContexts::Contexts contexts;  // for TlsContexts::keep()
};

class ReloadJob final : public config::FileJob {
 public:
  using Found = FreshConfiguration;
  struct Start {
    std::string file;
    std::shared_ptr<const std::string> known;  // the text in effect
    std::shared_ptr<const TlsContexts> tls;    // null: no session had TLS at the start
    std::shared_ptr<LoopDirectory> directory;  // null: there is one loop
    std::shared_ptr<ReloadOrder> order;        // null: the event log has the result
    Parts parts{};
    detail::SettingsCheck check_settings{};
  };
  ReloadJob(Reloader& reloader, Start start) : reloader_{reloader}, start_{std::move(start)} {}

  void read(Disk& disk) override;
  void finish() override;
  void fail(std::string_view why) override;

  // Once, after read().
  [[nodiscard]] std::expected<Found, EngineError> consume_found() { return std::move(found_); }
  [[nodiscard]] const std::shared_ptr<ReloadOrder>& order() const noexcept { return start_.order; }

 private:
  Reloader& reloader_;
  const Start start_;
  std::expected<Found, EngineError> found_{};
};

class CertificatesJob final : public config::FileJob {
 public:
  // Gets the result, on the loop's thread.
  class Reader {
   public:
    virtual ~Reader() = default;
    virtual void read(const std::vector<TlsContexts::Reloaded>& contexts) = 0;
  };
  // reader: null: only the event log has the result.
  CertificatesJob(CertificateWatch& watch, std::shared_ptr<TlsContexts> tls,
                  std::unique_ptr<Reader> reader)
      : watch_{watch}, tls_{std::move(tls)}, reader_{std::move(reader)} {}

  void read(Disk& disk) override { reloaded_ = tls_->reload(disk); }
  void finish() override;
  void fail(std::string_view why) override;

 private:
  CertificateWatch& watch_;
  const std::shared_ptr<TlsContexts> tls_;
  const std::unique_ptr<Reader> reader_;
  std::vector<TlsContexts::Reloaded> reloaded_;
};

// Reports certificates before they expire, and reads them again on request.
class CertificateWatch {
 public:
  CertificateWatch(LoopContext& loop, config::FileReader& files) noexcept
      : loop_{loop}, files_{files} {}

  void check();
  // Reads all certificates again. reader: null: the event log has the result.
  void reload(std::unique_ptr<CertificatesJob::Reader> reader);
  void report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded);

 private:
  void report_expiries();

  LoopContext& loop_;
  config::FileReader& files_;

  MonoTime check_at_ = MonoTime::min();  // the next check of the expiries
};

// A reload of an engine with several event loops: all loops apply it, or none.
using ReloadResult = std::expected<Reloaded, EngineError>;

// The request of a thread that waits for a reload, and its result. All functions: any thread.
class ReloadOrder {
 public:
  ReloadOrder() = default;
  // Gets the result, on a loop's thread. The event log has the result, too.
  class Reader {
   public:
    virtual ~Reader() = default;
    virtual void read(const ReloadResult& result) = 0;
  };
  explicit ReloadOrder(std::unique_ptr<Reader> reader) : reader_{std::move(reader)} {}
  [[nodiscard]] bool is_reported() const noexcept { return reader_ != nullptr; }
  ReloadOrder(const ReloadOrder&) = delete;
  ReloadOrder& operator=(const ReloadOrder&) = delete;
  ~ReloadOrder();  // answers if no loop did, because the loops have ended

  [[nodiscard]] std::future<ReloadResult> result() { return promise_.get_future(); }
  // Called once, by the loop that carries out the reload.
  void answer(ReloadResult result);
  void fail(std::exception_ptr why);
  // The first of the two calls wins. False: the other one was first.
  [[nodiscard]] bool decide() noexcept { return take(State::Decided); }
  [[nodiscard]] bool abort() noexcept { return take(State::Aborted); }

 private:
  enum class State : std::uint8_t { Open, Decided, Aborted };
  [[nodiscard]] bool take(State state) noexcept {
    State open = State::Open;
    return state_.compare_exchange_strong(open, state);
  }

  std::promise<ReloadResult> promise_;
  std::unique_ptr<Reader> reader_;  // null: a thread waits for result()
  bool is_answered_ = false;        // by answer() or fail()
  std::atomic<State> state_{State::Open};
};

// First each loop prepares its part, which may fail. Then each loop applies its part, or, if one
// failed, discards it. Each does so on its own thread, and serves its sessions between the two
// steps. All tasks are allocated at the beginning, so that no later step fails for lack of memory.
// All functions: any thread.
class ReloadRound {
 public:
  // shares: the settings of each loop. order: null, or the request of a waiting thread.
  static void begin(LoopDirectory& directory, std::vector<FreshShare> shares,
                    std::shared_ptr<ReloadOrder> order);

  ReloadRound(LoopDirectory& directory, std::vector<FreshShare> shares,
              std::shared_ptr<ReloadOrder> order);
  // After the end: the errors of all loops, or all changes.
  [[nodiscard]] ReloadResult merged() const;

 private:
  class Task;
  class LastTask;

  void answer(std::uint32_t loop, ReloadResult result) noexcept;
  void end() noexcept;

  LoopDirectory& directory_;
  std::shared_ptr<ReloadOrder> order_;
  std::vector<FreshShare> shares_;  // by loop

  std::mutex mutex_;
  bool is_deciding_ = true;  // until each loop has prepared its part
  std::size_t awaited_ = 0;  // the number of answers
  std::atomic<bool> is_refused_{false};
  std::vector<ReloadResult> results_;                // by loop
  std::vector<std::unique_ptr<Task>> second_tasks_;  // by loop
  std::unique_ptr<LoopTask> last_task_;              // for the first loop
};

}  // namespace nexusfix::engine
