// Reads messages for a caller that must not wait: a thread of its own asks the server, on a
// connection of its own, and wakes the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/store.hpp>

#include "cluster/postgres/log_queue.hpp"
#include "cluster/postgres/reader.hpp"

namespace nexusfix::store::postgres {

class Fetcher {
 public:
  // Options and servers must outlive it; its fetches may outlive it.
  Fetcher(const PostgresOptions& options, Servers& servers, const ServerFacts& facts);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // Reads messages of the range up to about bytes_max: those of the server, and after them those
  // that it may not have yet. Valid pending: of this moment.
  [[nodiscard]] std::unique_ptr<Store::Fetch> fetch(const KeptRange& range, std::uint64_t bytes_max,
                                                    const LogQueue::Pending& pending);

 private:
  struct Messages {
    struct Place {
      std::uint64_t number = 0;
      std::size_t begin = 0;
      std::size_t size = 0;
    };
    std::vector<Place> places;
    std::string bytes;

    void add(std::uint64_t number, std::string_view message);
    [[nodiscard]] bool pass_to(Store::MessageVisitor visit) const;
  };
  struct Shared;
  // What the thread and the caller share of one fetch.
  struct Job {
    KeptRange range;
    LogPosition before = 0;
    std::uint64_t bytes_max = 0;
    Messages found;
    bool is_cut = false;  // at bytes_max
    std::optional<StoreError> error;
    std::size_t held = 0;              // bytes that count in Shared::held
    std::atomic<bool> is_done{false};  // the thread has finished it
    std::atomic<bool> is_left{false};  // the caller has dropped it
  };
  class Result;
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::shared_ptr<Job>> waiting;
    std::size_t held = 0;  // bytes that were fetched and not taken
    bool ends = false;
  };

  void run();
  [[nodiscard]] std::shared_ptr<Job> next();
  void serve(Job& job);
  void end(Job& job, std::optional<StoreError> error);

  const PostgresOptions& options_;
  Signal stop_;
  Reader reader_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread thread_;  // the last member: it uses all others
};

}  // namespace nexusfix::store::postgres
