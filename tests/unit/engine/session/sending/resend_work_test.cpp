// A resend over numbers without messages asks each store a few times, and sends one GapFill for
// each gap. (The PostgreSQL store: postgres_acceptor_test.cpp.)
#include "resend_work.hpp"

#include <nexusfix/store.hpp>

#include "support/medium_store.hpp"

namespace nexusfix::testing {
namespace {

constexpr std::uint64_t kSeeds = 12;

TEST_F(ResendWorkTest, the_memory_store_is_asked_a_few_times_wherever_its_messages_are) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    expect_few_calls(
        [](const store::StoreOptions& options) {
          return store::make_memory_store(options.record_bytes_max);
        },
        seed);
  }
}

TEST_F(ResendWorkTest, the_journal_is_asked_a_few_times_wherever_its_messages_are) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    expect_few_calls(
        [&](const store::StoreOptions& options)
            -> store::StoreResult<std::unique_ptr<store::Store>> {
          store::JournalOptions journal;
          journal.folder = folder.file("journal" + std::to_string(seed));
          journal.segment_bytes = kSegmentBytes;
          journal.record_bytes_max = kSegmentBytes / 2;
          journal.on_durable = options.on_durable;
          auto opened = store::open_journal(*options.disk, journal, {});
          if (!opened) return std::unexpected{std::move(opened.error())};
          return std::move(opened->store);
        },
        seed);
  }
}

TEST_F(ResendWorkTest, a_programs_store_is_asked_a_few_times_wherever_its_messages_are) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    MediumPlace place;
    expect_few_calls([&](const store::StoreOptions& options) { return place.open(options); }, seed);
  }
}

}  // namespace
}  // namespace nexusfix::testing
