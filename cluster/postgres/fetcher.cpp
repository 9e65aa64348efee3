#include "cluster/postgres/fetcher.hpp"

#include <new>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store::postgres {
namespace {

// The bytes that were fetched and are not taken yet; at this limit the next fetch waits.
constexpr std::size_t kHeldBytesMax = 16U << 20U;

}  // namespace

void Fetcher::Messages::add(std::uint64_t number, std::string_view message) {
  places.push_back({.number = number, .begin = bytes.size(), .size = message.size()});
  bytes.append(message);
}

bool Fetcher::Messages::pass_to(Store::MessageVisitor visit) const {
  for (const Place& one : places) {
    if (!visit(one.number, std::string_view{bytes}.substr(one.begin, one.size))) return false;
  }
  return true;
}

// The caller's end of a fetch.
class Fetcher::Result final : public Store::Fetch {
 public:
  Result(std::shared_ptr<Shared> shared, std::shared_ptr<Job> job, Messages pending)
      : shared_{std::move(shared)}, job_{std::move(job)}, pending_{std::move(pending)} {}

  ~Result() override {
    job_->is_left.store(true, std::memory_order_relaxed);
    {
      const std::lock_guard lock{shared_->mutex};
      shared_->held -= std::exchange(job_->held, 0);
    }
    shared_->changed.notify_all();
  }

  bool is_done() const noexcept override {
    // Pairs with the release in end(): the caller sees what was found.
    return job_->is_done.load(std::memory_order_acquire);
  }

  StoreResult<void> read(Store::MessageVisitor visit) override {
    NEXUSFIX_ASSERT(is_done());
    if (!job_->found.pass_to(visit)) return {};
    if (job_->error) return std::unexpected{*job_->error};
    if (job_->is_cut) return {};
    static_cast<void>(pending_.pass_to(visit));
    return {};
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Job> job_;
  Messages pending_;
};

Fetcher::Fetcher(const PostgresOptions& options, Servers& servers, const ServerFacts& facts)
    : options_{options},
      reader_{options, servers, facts, stop_.descriptor()},
      thread_{[this] { run(); }} {}

Fetcher::~Fetcher() {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->ends = true;
  }
  shared_->changed.notify_all();
  stop_.raise();
  thread_.join();
}

std::unique_ptr<Store::Fetch> Fetcher::fetch(const KeptRange& range, std::uint64_t bytes_max,
                                             const LogQueue::Pending& pending) {
  auto job = std::make_shared<Job>();
  job->range = range;
  job->before = pending.durable;
  job->bytes_max = bytes_max;
  Messages messages;
  for (const Batch* batch : pending.batches) {
    for (const Batch::Message& message : batch->messages()) {
      const bool is_wanted = message.session == range.session && message.epoch == range.epoch &&
                             range.first <= message.number && message.number <= range.last;
      if (is_wanted && messages.bytes.size() < bytes_max) {
        messages.add(message.number, batch->bytes_of(message));
      }
    }
  }
  auto result = std::make_unique<Result>(shared_, job, std::move(messages));
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->waiting.push_back(std::move(job));
  }
  shared_->changed.notify_all();
  return result;
}

std::shared_ptr<Fetcher::Job> Fetcher::next() {
  std::unique_lock lock{shared_->mutex};
  shared_->changed.wait(lock, [this] {
    return shared_->ends || (!shared_->waiting.empty() && shared_->held < kHeldBytesMax);
  });
  if (shared_->ends) return nullptr;
  std::shared_ptr<Job> job = std::move(shared_->waiting.front());
  shared_->waiting.pop_front();
  return job;
}

void Fetcher::run() {
  while (const std::shared_ptr<Job> job = next()) {
    if (job->is_left.load(std::memory_order_relaxed)) continue;
    serve(*job);
    if (!job->error || job->error->code != StoreErrorCode::Server) continue;
    // The others would wait as long, one after the other.
    std::deque<std::shared_ptr<Job>> others;
    {
      const std::lock_guard lock{shared_->mutex};
      others.swap(shared_->waiting);
    }
    for (const auto& other : others) end(*other, job->error);
  }
}

void Fetcher::serve(Job& job) {
  std::optional<StoreError> error;
  try {
    auto read =
        reader_.read(job.range, job.before, [&](std::uint64_t number, std::string_view bytes) {
          job.found.add(number, bytes);
          return job.found.bytes.size() < job.bytes_max &&
                 !job.is_left.load(std::memory_order_relaxed);
        });
    if (!read) error = std::move(read.error());
    if (read) job.is_cut = !*read;
  } catch (const std::bad_alloc&) {
    error = StoreError{.code = StoreErrorCode::Failed, .text = "no memory to read messages"};
  }
  end(job, std::move(error));
}

void Fetcher::end(Job& job, std::optional<StoreError> error) {
  job.error = std::move(error);
  {
    const std::lock_guard lock{shared_->mutex};
    if (!job.is_left.load(std::memory_order_relaxed)) {
      job.held = job.found.bytes.size();
      shared_->held += job.held;
    }
  }
  job.is_done.store(true, std::memory_order_release);  // Pairs with the acquire in is_done().
  if (options_.on_durable.call != nullptr) options_.on_durable.call(options_.on_durable.context);
}

}  // namespace nexusfix::store::postgres
