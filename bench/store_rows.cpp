// What it takes to keep a message before it is sent: in memory, and in a journal of each
// durability. The journals lie in a temporary folder (TMPDIR): what syncs take is that disk's.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "bench/bench_folder.hpp"
#include "bench/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::size_t kMessages = 64;  // each for a session of its own, in rotation
// Of a group: so many are handed over before their end is waited for.
constexpr std::size_t kGroup = 256;

// One store with its sessions. Made in place, as the journal's threads point to it.
struct OpenStore {
  BenchFolder folder;
  PosixDisk disk;
  std::atomic<std::uint64_t> wakes{0};
  std::vector<std::string> texts = execution_reports().texts;
  std::unique_ptr<store::Store> store;
  std::vector<store::SessionKey> keys;
  store::Transaction transaction;

  explicit OpenStore(std::optional<store::Durability> durability) {
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
      store = std::move(store::open_journal(disk, options, WallTime{}).value().store);
    } else {
      store = store::make_memory_store();
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
      keys.push_back(store->open_session("S" + std::to_string(i), WallTime{}).value());
    }
    wait();
  }

  void append(std::size_t input) {
    const store::SessionKey key = keys[input];
    transaction.clear();
    transaction.outbound_message(key, store->session(key).next_outbound, texts[input]);
    if (!store->append(transaction, WallTime{})) std::abort();
  }
  // As an event loop does it behind each event.
  void flush() {
    if (store->durable() == store->appended()) return;
    if (!store->flush()) std::abort();
  }
  void wait() {
    for (;;) {
      const std::uint64_t before = wakes.load();
      const auto flushed = store->flush();
      if (!flushed) std::abort();
      if (*flushed == store->appended()) return;
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

struct Append {
  std::unique_ptr<OpenStore> open;
  bool is_in_memory = false;
  std::uint64_t operator()(std::size_t input) {
    open->append(input);
    open->flush();
    return 1;
  }
  void prepare() {}
  // A memory store would grow for ever.
  void settle() {
    if (!is_in_memory) return;
    for (const store::SessionKey key : open->keys) {
      open->transaction.clear();
      open->transaction.reset(key);
      if (!open->store->append(open->transaction, WallTime{})) std::abort();
    }
    open->wait();
  }
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = SIZE_MAX}; }
};

struct AppendGroup {
  std::unique_ptr<OpenStore> open;
  std::uint64_t operator()(std::size_t input) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      open->append((input + i) % kMessages);
      open->flush();
    }
    open->wait();
    return 1;
  }
};

struct ReadsBack {
  template <class Operation>
  std::string operator()(Operation& operation) const {
    for (std::size_t i = 0; i < kMessages; ++i) {
      operation(i);
      if (!operation.open->has_last(i)) {
        return "message " + std::to_string(i) + " is not in the store";
      }
    }
    return {};
  }
};

// The bare device: so many bytes written into a prepared file, and synced. Whoever keeps messages
// on this disk cannot be faster.
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

double mean_bytes() { return execution_reports().mean_bytes; }

Plan plan_append(std::optional<store::Durability> durability, Subjects subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.bytes = mean_bytes();
  Append ours{.open = std::make_unique<OpenStore>(durability), .is_in_memory = !durability};
  plan.contestants.emplace_back("NexusFIX",
                                make_prepared_contestant(std::move(ours), kMessages, ReadsBack{}));
  if (durability == store::Durability::Sync) {
    plan.contestants.emplace_back(
        "device", make_contestant(Device{static_cast<std::size_t>(mean_bytes())}, {1}));
    return plan;
  }
  add_contestants(plan, subjects, [&](Subject& subject) {
    return subject.append(execution_reports(), durability.has_value());
  });
  return plan;
}

Plan plan_append_group(Subjects) {
  Plan plan{.owner = nullptr, .operations_per_call = kGroup, .contestants = {}};
  plan.bytes = mean_bytes();
  AppendGroup ours{std::make_unique<OpenStore>(store::Durability::Group)};
  plan.contestants.emplace_back("NexusFIX",
                                make_checked_contestant(std::move(ours), kMessages, ReadsBack{}));
  const auto bytes = static_cast<std::size_t>(mean_bytes()) * kGroup;
  plan.contestants.emplace_back("device", make_contestant(Device{bytes}, {1}));
  return plan;
}

}  // namespace

void add_store_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "store/append-memory",
                   .purpose = "a message and its number kept in memory",
                   .published = {},
                   .budget = {}},
                  [](Subjects subjects) { return plan_append(std::nullopt, subjects); }});
  rows.push_back(
      {{.name = "store/append-process",
        .purpose = "a message and its number in a journal that survives kill -9",
        .published = {},
        .budget = 40},
       [](Subjects subjects) { return plan_append(store::Durability::Process, subjects); }});
  rows.push_back({{.name = "store/append-group",
                   .purpose = "a message of 256 that are handed over and waited for together",
                   .published = {},
                   .budget = {}},
                  plan_append_group});
  rows.push_back(
      {{.name = "store/append-sync",
        .purpose = "a message and its number on the disk, one sync each",
        .published = {},
        .budget = {}},
       [](Subjects subjects) { return plan_append(store::Durability::Sync, subjects); }});
}

}  // namespace nexusfix::bench
