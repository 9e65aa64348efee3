// The time to store a message before it is sent: in memory, and in a journal of each durability.
// The journals are in a temporary folder (TMPDIR): the time of a sync is that of its disk.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "bench/row.hpp"
#include "bench/store/store_bench.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::size_t kMessages = 64;  // each for a session of its own, in rotation
// The number of messages that are appended before the caller waits for their sync.
constexpr std::size_t kGroup = 256;
// The allowed ratios of the journal's time to the bare device's.
constexpr double kOfDevice = 1.1;
constexpr double kSyncOfDevice = 1.15;

struct Append {
  std::unique_ptr<OpenStore> open;
  bool is_in_memory = false;
  bool is_waited_for = false;
  std::uint64_t operator()(std::size_t input) {
    open->append(input);
    open->flush();
    if (is_waited_for) open->wait();
    return 1;
  }
  void prepare() {}
  // Otherwise a memory store would grow forever.
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

// As under load: while one group is written to the disk, the next one is appended.
struct AppendGroup {
  std::unique_ptr<OpenStore> open;
  store::LogPosition on_way = 0;
  std::uint64_t operator()(std::size_t input) {
    for (std::size_t i = 0; i < kGroup; ++i) open->append((input + i) % kMessages);
    open->flush();
    // Polls: the time to wake a thread is not part of the store.
    const store::LogPosition end = std::exchange(on_way, open->store->appended());
    while (open->store->durable() < end) continue;
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

// The minimum work of a journal that survives kill -9: it copies the bytes to a mapped file.
struct MappedCopy {
  std::unique_ptr<BenchFolder> folder = std::make_unique<BenchFolder>();
  std::unique_ptr<File> file;
  std::unique_ptr<File::Mapping> mapping;
  std::vector<std::string> texts = execution_reports().texts;
  std::size_t offset = 0;

  // received: bytes that are copied, too: one text for each, or none.
  explicit MappedCopy(const std::vector<std::string>& received = {}) {
    for (std::size_t i = 0; i < received.size(); ++i) texts[i] += received[i];
    PosixDisk disk;
    file = disk.open(folder->file("device"), OpenMode::Create).value();
    if (!file->reserve(Device::kFileBytes)) std::abort();
    mapping = file->map(Device::kFileBytes).value();
    mapping->prepare(0, Device::kFileBytes);
  }
  std::uint64_t operator()(std::size_t input) {
    const std::string& text = texts[input];
    if (offset + text.size() > Device::kFileBytes) offset = 0;
    std::memcpy(mapping->bytes().data() + offset, text.data(), text.size());
    offset += text.size();
    return 1;
  }
};

Plan plan_append(std::optional<store::Durability> durability, Subjects subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.bytes = mean_bytes();
  Append ours{.open = std::make_unique<OpenStore>(durability, kMessages),
              .is_in_memory = !durability,
              .is_waited_for = durability == store::Durability::Sync};
  plan.contestants.emplace_back("NexusFIX",
                                make_prepared_contestant(std::move(ours), kMessages, ReadsBack{}));
  if (durability == store::Durability::Sync) {
    plan.contestants.emplace_back(
        "device", make_contestant(DeviceElsewhere{mean_record_bytes()}, Answers(kMessages, 1)));
    plan.contestants.emplace_back(
        "device in one thread",
        make_contestant(Device{mean_record_bytes()}, Answers(kMessages, 1)));
  } else if (durability == store::Durability::Process || durability == store::Durability::None) {
    plan.contestants.emplace_back("device", make_contestant(MappedCopy{}, Answers(kMessages, 1)));
  }
  add_contestants(plan, subjects, [&](Subject& subject) {
    return subject.append(execution_reports(), durability.has_value());
  });
  return plan;
}

// A report, and the order that it answers, in one record: what JournalInbound adds.
Plan plan_append_inbound() {
  const std::vector<std::string> orders = new_order_singles().texts;
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.bytes = mean_bytes() + new_order_singles().mean_bytes;
  Append ours{.open = std::make_unique<OpenStore>(store::Durability::Process, kMessages)};
  ours.open->received = orders;
  Append without{.open = std::make_unique<OpenStore>(store::Durability::Process, kMessages)};
  plan.contestants.emplace_back("NexusFIX",
                                make_prepared_contestant(std::move(ours), kMessages, ReadsBack{}));
  plan.contestants.emplace_back(
      "NexusFIX, reports only",
      make_prepared_contestant(std::move(without), kMessages, ReadsBack{}));
  plan.contestants.emplace_back("device",
                                make_contestant(MappedCopy{orders}, Answers(kMessages, 1)));
  return plan;
}

// Several calls of another contestant as one call.
struct Times {
  ContestantPtr one;
  std::size_t count = 1;
  std::uint64_t operator()(std::size_t) {
    one->run(count);
    return 1;
  }
};

Plan plan_append_group(Subjects subjects) {
  Plan plan{.owner = nullptr, .operations_per_call = kGroup, .contestants = {}};
  plan.bytes = mean_bytes();
  AppendGroup ours{.open = std::make_unique<OpenStore>(store::Durability::Group, kMessages)};
  plan.contestants.emplace_back("NexusFIX",
                                make_checked_contestant(std::move(ours), kMessages, ReadsBack{}));
  plan.contestants.emplace_back(
      "device",
      make_contestant(DeviceElsewhere{mean_record_bytes() * kGroup}, Answers(kMessages, 1)));
  plan.contestants.emplace_back(
      "device in one thread",
      make_contestant(Device{mean_record_bytes() * kGroup}, Answers(kMessages, 1)));
  add_contestants(plan, subjects, [&](Subject& subject) {
    ContestantPtr one = subject.append(execution_reports(), true);
    if (!one) return ContestantPtr{};
    return make_contestant(Times{std::move(one), kGroup}, Answers(kMessages, 1));
  });
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
        .budget = 32},
       [](Subjects subjects) { return plan_append(store::Durability::Process, subjects); }});
  rows.push_back({{.name = "store/append-process-inbound",
                   .purpose = "the same, and the received order in the same record",
                   .published = {},
                   .budget = 65},
                  [](Subjects) { return plan_append_inbound(); }});
  rows.push_back(
      {{.name = "store/append-none",
        .purpose = "a message and its number in a journal that is never synced",
        .published = {},
        .budget = {}},
       [](Subjects subjects) { return plan_append(store::Durability::None, subjects); }});
  rows.push_back(
      {{.name = "store/append-group",
        .purpose = "a message of 256 that reach the disk together, while 256 more are handed over",
        .published = {},
        .budget = {},
        .budget_of_device = kOfDevice,
        .ratios = {{"device in one thread"}}},
       plan_append_group});
  rows.push_back(
      {{.name = "store/append-sync",
        .purpose = "a message and its number on the disk, one sync each",
        .published = {},
        .budget = {},
        .budget_of_device = kSyncOfDevice,
        .ratios = {{"device in one thread"}}},
       [](Subjects subjects) { return plan_append(store::Durability::Sync, subjects); }});
  add_store_stream_rows(rows);
}

}  // namespace nexusfix::bench
