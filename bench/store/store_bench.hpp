// The shared parts of the store rows: a folder, a store with its sessions, and the bare device.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "bench/measure/background.hpp"
#include "bench/messages/messages.hpp"
#include "bench/store/bench_folder.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::bench {

// One store with its sessions. Not movable, because the journal's threads point to it.
struct OpenStore {
  BenchFolder folder;
  PosixDisk disk;
  std::atomic<std::uint64_t> wakes{0};
  std::vector<std::string> texts = execution_reports().texts;
  std::vector<std::string> received;  // orders that are recorded with them; empty: none
  std::unique_ptr<store::Store> store;
  std::vector<store::SessionKey> keys;
  store::Transaction transaction;

  // sessions: a power of two, because a division takes a tenth of the time of an append.
  explicit OpenStore(std::optional<store::Durability> durability, std::size_t sessions) {
    if (durability) {
      store::JournalOptions options;
      options.folder = folder.file("journal");
      options.durability = *durability;
      options.on_durable = {.call =
                                [](void* context) noexcept {
                                  auto& counter =
                                      *static_cast<std::atomic<std::uint64_t>*>(context);
                                  ++counter;
                                  counter.notify_one();
                                },
                            .context = &wakes};
      // Its threads run on other cores than the measured thread.
      const StartElsewhere elsewhere;
      store = std::move(store::open_journal(disk, options, WallTime{}).value().store);
    } else {
      store = store::make_memory_store();
    }
    for (std::size_t i = 0; i < sessions; ++i) {
      keys.push_back(store->open_session("S" + std::to_string(i), WallTime{}).value());
    }
    wait();
  }

  // Returns the size of the message.
  std::size_t append(std::size_t input) {
    const store::SessionKey key = keys[input & (keys.size() - 1)];
    const std::string& text = texts[input & (texts.size() - 1)];  // a power of two
    transaction.clear();
    transaction.outbound_message(key, store->session(key).next_outbound, text);
    if (!received.empty()) {
      transaction.inbound_progress(key, store->session(key).next_inbound + 1,
                                   received[input & (received.size() - 1)]);
    }
    if (!store->append(transaction, WallTime{})) std::abort();
    return text.size();
  }
  // As an event loop does after each event.
  void flush() {
    if (store->durable() == store->appended()) return;
    if (!store->flush()) std::abort();
  }
  // Polls before it sleeps, for as long as an event loop with default settings.
  void wait() {
    constexpr std::chrono::microseconds kPoll{200};
    for (;;) {
      const std::uint64_t before = wakes.load();
      const auto flushed = store->flush();
      if (!flushed) std::abort();
      if (*flushed == store->appended()) return;
      const auto end = std::chrono::steady_clock::now() + kPoll;
      while (wakes.load() == before && std::chrono::steady_clock::now() < end) continue;
      wakes.wait(before);
    }
  }
  [[nodiscard]] bool has_last(std::size_t input) {
    const std::uint64_t number = store->session(keys[input]).next_outbound - 1;
    bool is_there = false;
    const auto read =
        store->read(keys[input], number, number, [&](std::uint64_t, std::string_view bytes) {
          is_there = bytes == texts[input];
          return true;
        });
    return read && is_there;
  }
};

// The mean size of a message, and of its record in the journal, with the headers of record and
// entry.
[[nodiscard]] inline double mean_bytes() { return execution_reports().mean_bytes; }
[[nodiscard]] inline std::size_t mean_record_bytes() {
  constexpr double kAdded = 33;
  return static_cast<std::size_t>(mean_bytes() + kAdded);
}

// The bare device: this number of bytes written to a prepared file, and synced. It is the limit for
// every store on this disk.
struct Device {
  std::unique_ptr<BenchFolder> folder = std::make_unique<BenchFolder>();
  std::unique_ptr<File> file;
  std::string bytes;
  std::uint64_t offset = 0;
  static constexpr std::uint64_t kFileBytes = 64U << 20U;

  explicit Device(std::size_t message_bytes) : bytes(message_bytes, 'd') {
    PosixDisk disk;
    file = disk.open(folder->file("device"), OpenMode::Create).value();
    if (!file->reserve(kFileBytes) || !file->sync()) std::abort();
  }
  std::uint64_t operator()(std::size_t) {
    if (offset + bytes.size() > kFileBytes) offset = 0;
    if (!file->write_at(offset, bytes) || !file->sync()) std::abort();
    offset += bytes.size();
    return 1;
  }
};

// The device on another core, as a journal's thread, while the caller polls. On a core that does
// not take the device's interrupts, a sync may take up to a half longer.
class DeviceElsewhere {
 public:
  explicit DeviceElsewhere(std::size_t message_bytes)
      : state_{std::make_unique<State>(message_bytes)} {
    const StartElsewhere elsewhere;
    state_->thread = std::thread{[state = state_.get()] { state->run(); }};
  }
  std::uint64_t operator()(std::size_t) {
    state_->request(state_->done.load() + 1);
    while (state_->done.load() != state_->requested.load()) continue;
    return 1;
  }

 private:
  struct State {
    static constexpr unsigned kEnd = UINT_MAX;

    explicit State(std::size_t message_bytes) : device{message_bytes} {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
      request(kEnd);
      if (thread.joinable()) thread.join();
    }
    void request(unsigned number) {
      requested.store(number);
      requested.notify_one();
    }
    void run() {
      for (unsigned next = 1;; ++next) {
        // Between two batches it leaves its core to others.
        for (int looks = 0; looks < 500 && requested.load() == next - 1; ++looks) {
          std::this_thread::yield();
        }
        requested.wait(next - 1);
        if (requested.load() == kEnd) return;
        device(0);
        done.store(next);
      }
    }

    Device device;
    std::atomic<unsigned> requested{0};
    std::atomic<unsigned> done{0};
    std::thread thread{};
  };
  std::unique_ptr<State> state_;
};

}  // namespace nexusfix::bench
