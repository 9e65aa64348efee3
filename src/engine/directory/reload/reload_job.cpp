#include "engine/directory/reload/reload_job.hpp"

#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "config/api/logon_signer.hpp"
#include "config/api/loop_partition.hpp"
#include "config/api/preflight.hpp"
#include "engine/directory/reload/reloader.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::hours kLookInterval{24};

}  // namespace

// The first loop checks for all loops.
void CertificateWatch::check() {
  if (!loop_.shared.tls || loop_.index != 0) [[likely]]
    return;
  if (loop_.shared.tls->consume_reload_request()) {
    reload({});
  }
  if (loop_.now().mono >= check_at_) report_expiries();
}

void CertificateWatch::reload(std::unique_ptr<CertificatesJob::Reader> reader) {
  files_.add(std::make_shared<CertificatesJob>(*this, loop_.shared.tls, std::move(reader)));
}

void CertificateWatch::report_expiries() {
  check_at_ = loop_.now().mono + kLookInterval;
  loop_.wake_at(check_at_);
  for (const transport::TlsExpiry& one : loop_.shared.tls->expiries()) {
    const auto ending = config::ending_of(one, loop_.now().wall);
    if (!ending) continue;
    loop_.report.engine(
        ending->is_near ? EventId::CertificateExpiresSoon : EventId::CertificateExpires,
        ending->text);
  }
}

void CertificateWatch::report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded) {
  for (const TlsContexts::Reloaded& one : reloaded) {
    loop_.report.engine(
        one.is_valid ? EventId::CertificatesReloaded : EventId::CertificatesNotReloaded,
        one.is_valid ? "certificates read again: " + one.text
                     : "certificates stay as they were: " + one.text);
  }
  report_expiries();
}

// Reads and checks the file as a start does.
void ReloadJob::read(Disk& disk) {
  const auto refuse = [&](EngineError why) { found_ = std::unexpected{std::move(why)}; };
  auto settings = config::load_settings(disk, start_.file);
  if (!settings) return refuse(to_error(settings.error()));
  Found found;
  // If any loop has pending changes, the file is read in full, so that they are named again.
  const bool has_pending = start_.directory && start_.directory->has_pending();
  if (settings->text == *start_.known && !has_pending) {
    found.is_same = true;
    found_ = std::move(found);
    return;
  }
  if (auto right = check(start_.check_settings, *settings); !right) {
    return refuse(std::move(right.error()));
  }
  if (const auto looked = config::preflight(*settings, disk, start_.parts); !looked) {
    return refuse(to_error(looked.error()));
  }
  std::vector<Settings> shares;
  if (start_.directory) {
    LoopDirectory& directory = *start_.directory;
    auto shared =
        config::partition_again(std::move(*settings), directory.loop_count(),
                                [&](const std::string& name) { return directory.home_of(name); });
    if (!shared) return refuse({std::move(shared.error())});
    shares = std::move(*shared);
  } else {
    shares.push_back(std::move(*settings));
  }
  for (Settings& share : shares) {
    // Each loop has its own validators: two threads must not use one.
    auto dictionaries = config::make_validators(share, disk);
    if (!dictionaries) return refuse(to_error(dictionaries.error()));
    if (start_.tls) {
      const auto errors = start_.tls->prepare(share, disk, found.contexts);
      if (!errors.empty()) return refuse(to_error(errors));
    }
    const auto errors = config::give_signers(share, disk, /*with_commands=*/true);
    if (!errors.empty()) return refuse(to_error(errors));
    found.shares.push_back({std::move(share), std::move(*dictionaries)});
  }
  found_ = std::move(found);
}

void ReloadJob::finish() { reloader_.on_files_read(*this); }

void ReloadJob::fail(std::string_view why) {
  reloader_.end_reload(start_.order, std::unexpected{EngineError{std::string{why}}});
}

void CertificatesJob::finish() {
  watch_.report_certificates(reloaded_);
  if (reader_) reader_->read(reloaded_);
}

void CertificatesJob::fail(std::string_view why) {
  const std::vector<TlsContexts::Reloaded> failed{{.is_valid = false, .text = std::string{why}}};
  watch_.report_certificates(failed);
  if (reader_) reader_->read(failed);
}

namespace {

// Short enough for the strings to allocate no memory.
constexpr const char* kLoopEnded = "a loop ended";
constexpr const char* kNoMemory = "no memory";

}  // namespace

ReloadOrder::~ReloadOrder() {
  if (!is_answered_) answer(std::unexpected{EngineError{kLoopEnded}});
}

void ReloadOrder::answer(ReloadResult result) {
  is_answered_ = true;
  if (reader_) reader_->read(result);
  promise_.set_value(std::move(result));
}

void ReloadOrder::fail(std::exception_ptr why) {
  is_answered_ = true;
  promise_.set_exception(std::move(why));
}

// If the loop has ended, or has no memory, it destroys the task, and the destructor answers.
class ReloadRound::Task final : public LoopTask {
 public:
  Task(std::shared_ptr<ReloadRound> round, std::uint32_t loop)
      : round_{std::move(round)}, loop_{loop} {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() override {
    if (is_posted_) round_->answer(loop_, std::unexpected{EngineError{unfinished_}});
  }

  static void post(LoopDirectory& directory, std::unique_ptr<Task> task) noexcept {
    const std::uint32_t loop = task->loop_;
    task->is_posted_ = true;
    directory.post(loop, std::move(task));
  }

  void run(Floors& /*floors*/) override {
    unfinished_ = kNoMemory;
    ReloadResult done = done_by(round_->directory_.reloader(loop_));
    is_posted_ = false;
    round_->answer(loop_, std::move(done));
  }

 private:
  [[nodiscard]] ReloadResult done_by(Reloader& reloader) {
    if (round_->is_deciding_) {
      auto prepared = reloader.prepare_share(std::move(round_->shares_[loop_]));
      if (!prepared) return std::unexpected{std::move(prepared.error())};
      return Reloaded{};
    }
    if (!round_->is_refused_) return reloader.commit_share();
    reloader.abort_reload();
    return Reloaded{};
  }

  std::shared_ptr<ReloadRound> round_;
  std::uint32_t loop_;
  bool is_posted_ = false;
  const char* unfinished_ = kLoopEnded;  // the answer of a task that has not finished
};

ReloadRound::ReloadRound(LoopDirectory& directory, std::vector<FreshShare> shares,
                         std::shared_ptr<ReloadOrder> order)
    : directory_{directory}, order_{std::move(order)}, shares_{std::move(shares)} {}

// Runs on the first loop after all others.
class ReloadRound::LastTask final : public LoopTask {
 public:
  explicit LastTask(std::shared_ptr<ReloadRound> round) : round_{std::move(round)} {}
  void run(Floors& /*floors*/) override {
    const bool is_answered = round_->order_ && !round_->order_->is_reported();
    round_->directory_.reloader(0).end_round(is_answered ? nullptr : round_.get());
  }

 private:
  std::shared_ptr<ReloadRound> round_;
};

void ReloadRound::begin(LoopDirectory& directory, std::vector<FreshShare> shares,
                        std::shared_ptr<ReloadOrder> order) {
  const auto round = std::make_shared<ReloadRound>(directory, std::move(shares), std::move(order));
  const std::size_t count = round->shares_.size();
  std::vector<std::unique_ptr<Task>> first;
  std::vector<std::unique_ptr<Task>> second;
  first.reserve(count);
  second.reserve(count);
  for (std::uint32_t loop = 0; loop < count; ++loop) {
    first.push_back(std::make_unique<Task>(round, loop));
    second.push_back(std::make_unique<Task>(round, loop));
  }
  round->results_.resize(count);
  round->last_task_ = std::make_unique<LastTask>(round);
  round->second_tasks_ = std::move(second);
  round->awaited_ = count;
  for (auto& task : first) Task::post(directory, std::move(task));
}

void ReloadRound::answer(std::uint32_t loop, ReloadResult result) noexcept {
  std::vector<std::unique_ptr<Task>> next;
  {
    const std::lock_guard lock{mutex_};
    if (is_deciding_ && !result) is_refused_ = true;
    if (is_deciding_ || !is_refused_) results_[loop] = std::move(result);
    if (--awaited_ > 0) return;
    if (is_deciding_) {
      is_deciding_ = false;
      if (!is_refused_ && order_ && !order_->decide()) is_refused_ = true;
      next = std::exchange(second_tasks_, {});
      awaited_ = next.size();
    }
  }
  if (next.empty()) return end();
  for (auto& task : next) Task::post(directory_, std::move(task));
}

void ReloadRound::end() noexcept {
  if (order_) {
    try {
      order_->answer(merged());
    } catch (const std::bad_alloc&) {
      order_->fail(std::current_exception());
    }
  }
  directory_.post(0, std::exchange(last_task_, nullptr));
}

ReloadResult ReloadRound::merged() const {
  Reloaded all;
  EngineError errors;
  const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& names) {
    to.insert(to.end(), names.begin(), names.end());
  };
  for (const ReloadResult& one : results_) {
    if (!one) {
      if (!errors.text.empty()) errors.text += '\n';
      errors.text += one.error().text;
      continue;
    }
    append(all.added, one->added);
    append(all.removed, one->removed);
    append(all.changed, one->changed);
    all.pending.insert(all.pending.end(), one->pending.begin(), one->pending.end());
  }
  if (is_refused_) return std::unexpected{std::move(errors)};
  return all;
}

}  // namespace nexusfix::engine
