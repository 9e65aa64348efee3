// A journal on real file systems that refuse: full, read-only, forbidden, without a descriptor,
// with a limit on files' sizes. Each ends in an error that names path and cause, and what was
// durable is there when the trouble is over.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/disks/own_mounts.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::in_child;

constexpr std::uint64_t kSegmentBytes = 64U << 10U;

class RealFaults : public ::testing::TestWithParam<Durability> {
 protected:
  [[nodiscard]] JournalOptions options() {
    return {.folder = folder_.file("disk/journal"),
            .durability = GetParam(),
            .segment_bytes = kSegmentBytes,
            .on_durable = settler_.wake()};
  }
  [[nodiscard]] std::string disk_folder() const { return folder_.file("disk"); }

  // Appends until it is refused; how many numbers are durable.
  std::uint64_t fill(Store& store, SessionKey key, StoreError& refusal) {
    std::uint64_t durable = store.session(key).next_outbound - 1;
    const std::string message(1000, 'm');
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t number = store.session(key).next_outbound;
      const auto appended = append_message(store, key, number, message);
      const auto flushed = appended ? settler_.settle(store) : appended;
      if (!flushed) {
        refusal = flushed.error();
        return durable;
      }
      durable = number;
    }
    ADD_FAILURE() << "it was never refused";
    return durable;
  }

  static void expect_refused(const StoreResult<OpenedJournal>& opened, const char* cause) {
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().text, HasSubstr(cause));
  }

  void expect_kept(std::uint64_t durable) {
    PosixDisk disk;
    const auto found = inspect_journal(disk, options().folder);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_TRUE(found->report.damages.empty());
    // None is missing, but what was skipped after an end by an error.
    std::uint64_t next = 1;
    const auto lost = found->store->lost_numbers(0);
    for (const KeptMessage& one : read_all(*found->store, 0)) {
      const auto skipped = std::ranges::find(lost, next, &NumberRange::first);
      if (skipped != lost.end()) next = skipped->last + 1;
      ASSERT_EQ(one, (KeptMessage{next, std::string(1000, 'm')}));
      ++next;
    }
    EXPECT_GT(next, durable);
  }

  // It goes on after what was kept.
  void expect_to_go_on() {
    PosixDisk disk;
    const auto opened = open_journal(disk, options(), at_second(70));
    ASSERT_TRUE(opened) << opened.error().text;
    const std::uint64_t next = opened->store->session(0).next_outbound;
    ASSERT_TRUE(append_message(*opened->store, 0, next, "goes on"));
    ASSERT_TRUE(settler_.settle(*opened->store));
    EXPECT_EQ(read_all(*opened->store, 0, next), (std::vector<KeptMessage>{{next, "goes on"}}));
  }

  // A tmpfs in a place where only this process sees it. 0: it is there.
  int mount_small(const std::string& size) {
    std::filesystem::create_directory(disk_folder());
    if (!testing::own_mounts() || !testing::mount_tmpfs(disk_folder(), "size=" + size)) {
      return testing::kCannotMount;
    }
    return 0;
  }

  void run(const std::function<int()>& body) {
    const int status = in_child(body);
    if (status == testing::kCannotMount) {
      GTEST_SKIP() << "this kernel lets only root mount: no user namespaces";
    }
    EXPECT_EQ(status, 0);
  }

  testing::TemporaryFolder folder_;
  Settler settler_;
};

// Catalogue D3.
TEST_P(RealFaults, a_full_disk_is_reported_and_everything_durable_is_there_when_it_has_room_again) {
  run([&] {
    if (const int status = mount_small("512k"); status != 0) return status;
    const std::string ballast = disk_folder() + "/ballast";
    std::ofstream{ballast} << std::string(200U << 10U, 'b');
    PosixDisk disk;
    std::uint64_t durable = 0;
    {
      const OpenedJournal journal = open_or_fail(disk, options());
      const SessionKey key = open_session(*journal.store, "A");
      StoreError refusal;
      durable = fill(*journal.store, key, refusal);
      EXPECT_EQ(refusal.code, StoreErrorCode::Disk);
      EXPECT_THAT(refusal.text, HasSubstr("No space left on device"));
      EXPECT_THAT(refusal.text, HasSubstr(disk_folder()));
      EXPECT_GT(durable, 100U);
    }
    expect_kept(durable);
    std::filesystem::remove(ballast);
    expect_to_go_on();
    return 0;
  });
}

TEST_P(RealFaults, a_disk_that_is_full_from_the_start_is_reported) {
  run([&] {
    if (const int status = mount_small("64k"); status != 0) return status;
    PosixDisk disk;
    const auto opened = open_journal(disk, options(), at_second(50));
    expect_refused(opened, "No space left on device");
    return 0;
  });
}

TEST_P(RealFaults, a_file_system_that_became_read_only_is_reported_and_can_be_read) {
  run([&] {
    if (const int status = mount_small("1m"); status != 0) return status;
    PosixDisk disk;
    {
      const OpenedJournal journal = open_or_fail(disk, options());
      const SessionKey key = open_session(*journal.store, "A");
      EXPECT_TRUE(append_message(*journal.store, key, 1, std::string(1000, 'm')));
      EXPECT_TRUE(journal.store->close());
    }
    EXPECT_EQ(::mount(nullptr, disk_folder().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=1m"),
              0);
    const auto opened = open_journal(disk, options(), at_second(60));
    expect_refused(opened, "Read-only file system");
    expect_kept(1);
    EXPECT_EQ(::mount(nullptr, disk_folder().c_str(), nullptr, MS_REMOUNT, "size=1m"), 0);
    expect_to_go_on();
    return 0;
  });
}

TEST_P(RealFaults, a_folder_of_another_user_is_reported) {
  std::filesystem::create_directory(disk_folder());
  {
    PosixDisk disk;
    const OpenedJournal journal = open_or_fail(disk, options());
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, std::string(1000, 'm')));
    ASSERT_TRUE(journal.store->close());
  }
  // Root may do everything, so it becomes the user nobody; any other user locks itself out.
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(disk_folder().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(options().folder.c_str(), ::getuid() == 0 ? 0700 : 0), 0);
  EXPECT_EQ(in_child([&] {
              constexpr uid_t kNobody = 65534;
              if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 2;
              PosixDisk disk;
              const auto opened = open_journal(disk, options(), at_second(60));
              expect_refused(opened, "Permission denied");
              const auto found = inspect_journal(disk, options().folder);
              expect_refused(found, "Permission denied");
              return 0;
            }),
            0);
  ASSERT_EQ(::chmod(options().folder.c_str(), 0700), 0);
  expect_kept(1);
  expect_to_go_on();
}

// Catalogue C15.
TEST_P(RealFaults, a_process_without_descriptors_is_reported_wherever_it_runs_out_of_them) {
  std::filesystem::create_directory(disk_folder());
  {
    PosixDisk disk;
    const OpenedJournal journal = open_or_fail(disk, options());
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, std::string(1000, 'm')));
    ASSERT_TRUE(settler_.settle(*journal.store));
  }
  bool was_told = false;
  for (unsigned spare = 0; spare < 12; ++spare) {
    const int status = in_child([&] {
      // What is free now: the limit is above the highest one in use.
      const int lowest = ::open("/dev/null", O_RDONLY);
      ::close(lowest);
      rlimit limit{};
      ::getrlimit(RLIMIT_NOFILE, &limit);
      limit.rlim_cur = static_cast<rlim_t>(lowest) + spare;
      ::setrlimit(RLIMIT_NOFILE, &limit);
      PosixDisk disk;
      auto opened = open_journal(disk, options(), at_second(60));
      StoreError refusal;
      if (opened) {
        std::uint64_t durable = 0;
        SessionKey key = open_session(*opened->store, "A");
        // Into further segments, each of which needs one.
        for (int i = 0; i < 3 * static_cast<int>(kSegmentBytes / 1000) && refusal.text.empty();
             ++i) {
          const std::uint64_t number = opened->store->session(key).next_outbound;
          const auto appended = append_message(*opened->store, key, number, std::string(1000, 'm'));
          const auto flushed = appended ? settler_.settle(*opened->store) : appended;
          if (!flushed) refusal = flushed.error();
          if (flushed) durable = number;
        }
        opened->store.reset();
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        expect_kept(durable);
      } else {
        refusal = opened.error();
      }
      if (refusal.text.empty()) return 0;
      EXPECT_THAT(refusal.text, HasSubstr("Too many open files"));
      return ::testing::Test::HasFailure() ? 1 : 3;
    });
    ASSERT_THAT(status, AnyOf(0, 3)) << "with " << spare << " descriptors";
    was_told = was_told || status == 3;
    expect_kept(1);
  }
  EXPECT_TRUE(was_told);
  expect_to_go_on();
}

TEST_P(RealFaults, a_limit_on_the_size_of_files_is_reported) {
  std::filesystem::create_directory(disk_folder());
  EXPECT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              PosixDisk disk;
              const OpenedJournal journal = open_or_fail(disk, options());
              const SessionKey key = open_session(*journal.store, "A");
              // The limit concerns the next segment, and not this one.
              const rlimit limit{.rlim_cur = kSegmentBytes / 2, .rlim_max = kSegmentBytes / 2};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              StoreError refusal;
              const std::uint64_t durable = fill(*journal.store, key, refusal);
              EXPECT_THAT(refusal.text, HasSubstr("File too large"));
              EXPECT_GT(durable, 0U);
              expect_kept(durable);
              return 0;
            }),
            0);
  expect_to_go_on();
}

INSTANTIATE_TEST_SUITE_P(Modes, RealFaults,
                         ::testing::Values(Durability::None, Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace nexusfix::store
