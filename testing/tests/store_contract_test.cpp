// The contract of a store, over memory and over journals in every durability, on a fake and on the
// real disk.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include <nexusfix/testing/store_contract.hpp>

#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::store {
namespace {

class MemoryPlace final : public StoreFactory {
 public:
  StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) override {
    return make_memory_store(options.record_bytes_max);
  }
};

StoreResult<std::unique_ptr<Store>> open_in(Disk& disk, JournalOptions journal,
                                            const StoreOptions& options) {
  journal.on_durable = options.on_durable;
  journal.record_bytes_max = options.record_bytes_max;
  auto opened = open_journal(disk, journal, at_second(50));
  if (!opened) return std::unexpected{std::move(opened.error())};
  return std::move(opened->store);
}

class FakePlace final : public StoreFactory {
 public:
  FakePlace(JournalOptions journal, bool maps) : journal_{std::move(journal)} {
    journal_.folder = "/journal";
    disk_.set_mapping(maps);
  }
  StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) override {
    return open_in(disk_, journal_, options);
  }

 private:
  JournalOptions journal_;
  nexusfix::testing::FakeDisk disk_;
};

class PosixPlace final : public StoreFactory {
 public:
  explicit PosixPlace(JournalOptions journal) : journal_{std::move(journal)} {
    journal_.folder = folder_.file("journal");
  }
  StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) override {
    return open_in(*options.disk, journal_, options);
  }

 private:
  JournalOptions journal_;
  nexusfix::testing::TemporaryFolder folder_;
};

StoreCase memory() {
  return {.name = "memory",
          .make = [] { return std::make_unique<MemoryPlace>(); },
          .is_persistent = false,
          .keeps_old_epochs = false};
}

StoreCase fake(std::string name, Durability durability, std::uint64_t segment_bytes = 64U << 20U,
               bool maps = false) {
  const JournalOptions journal{
      .folder = {}, .durability = durability, .segment_bytes = segment_bytes, .background = false};
  return {.name = std::move(name) + "_fake",
          .make = [=] { return std::make_unique<FakePlace>(journal, maps); }};
}

StoreCase posix(std::string name, Durability durability, bool background,
                std::uint64_t segment_bytes = 1U << 20U) {
  const JournalOptions journal{.folder = {},
                               .durability = durability,
                               .segment_bytes = segment_bytes,
                               .background = background};
  return {.name = std::move(name) + "_posix",
          .make = [=] { return std::make_unique<PosixPlace>(journal); }};
}

constexpr std::uint64_t kSmall = 300;  // bytes of a segment: many are begun

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreContract,
    ::testing::Values(
        memory(), fake("none", Durability::None), fake("process", Durability::Process),
        fake("group", Durability::Group), fake("sync", Durability::Sync),
        fake("sync_small_segments", Durability::Sync, kSmall),
        fake("none_mapped", Durability::None, 64U << 10U, true),
        fake("process_mapped", Durability::Process, 64U << 10U, true),
        fake("process_mapped_small_segments", Durability::Process, kSmall, true),
        fake("sync_reserved", Durability::Sync, 64U << 10U, true),
        posix("none", Durability::None, true), posix("process", Durability::Process, true),
        posix("process_small_segments", Durability::Process, true, kSmall),
        posix("process_no_threads", Durability::Process, false),
        posix("group", Durability::Group, true),
        posix("group_small_segments", Durability::Group, true, kSmall),
        posix("group_no_threads", Durability::Group, false), posix("sync", Durability::Sync, true)),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nexusfix::store
