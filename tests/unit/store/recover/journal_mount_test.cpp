// A file system that is mounted again in the same boot, for real: ext4 on a loop device, whose
// backing file fills up, is detached, or is taken away in good order. What the page cache had alone
// is gone then, and no number may be used for a second message; a process that was killed on the
// same mount, or is started in another container, has lost nothing.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/disks/own_mounts.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::in_child;

constexpr std::uint32_t kNumbersAhead = 5'000;

bool shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

class JournalMount : public ::testing::TestWithParam<Durability> {
 protected:
  [[nodiscard]] JournalOptions options() {
    return {.folder = folder_.file("mnt/journal"),
            .durability = GetParam(),
            .segment_bytes = 1U << 20U,
            .numbers_ahead_max = kNumbersAhead,
            .sync_interval = std::chrono::milliseconds{20},
            .on_durable = settler_.wake()};
  }

  // ext4 on a loop device, whose backing file lies on a tmpfs of that size, and is sparse: the
  // file system believes in more room than there is. All of it goes with this process.
  int make_disk(unsigned backing_mib) {
    std::filesystem::create_directory(folder_.file("backing"));
    std::filesystem::create_directory(folder_.file("mnt"));
    const std::string size = "size=" + std::to_string(backing_mib) + "m";
    if (::getuid() != 0 || !testing::own_mounts() ||
        !testing::mount_tmpfs(folder_.file("backing"), size)) {
      return testing::kCannotMount;
    }
    image_ = folder_.file("backing/image");
    const bool is_made =
        shell("truncate -s 200M " + image_) &&
        shell("mkfs.ext4 -q -F -E lazy_itable_init=1,lazy_journal_init=0 " + image_) && mount();
    return is_made ? 0 : testing::kCannotMount;
  }
  bool mount() { return shell("mount -o loop " + image_ + ' ' + folder_.file("mnt")); }
  bool unmount() { return shell("umount " + folder_.file("mnt")); }

  // In a process of its own, which is killed: what it has sent is what became durable. Appends so
  // many, or until the store fails. The last number that was sent.
  std::uint64_t send_and_die(std::uint64_t messages, std::size_t bytes) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      PosixDisk disk;
      auto opened = open_journal(disk, options(), at_second(50));
      if (!opened) std::_Exit(1);
      Store& store = *opened->store;
      const auto key = store.open_session("A", at_second(50));
      const std::string message(bytes, 'm');
      std::uint64_t sent = 0;
      for (std::uint64_t i = 0; key && i < messages; ++i) {
        const std::uint64_t next = store.session(*key).next_outbound;
        if (!append_message(store, *key, next, message) || !settler_.settle(store)) break;
        sent = next;
      }
      // What the last seconds have written is to be lost, not to come to the disk meanwhile.
      if (::write(pipe[1], &sent, sizeof sent) != sizeof sent) std::_Exit(1);
      if (messages == UINT64_MAX) opened->store.reset();  // it stopped by itself
      ::raise(SIGKILL);
    }
    ::close(pipe[1]);
    std::uint64_t sent = 0;
    EXPECT_EQ(::read(pipe[0], &sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
    ::close(pipe[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return sent;
  }

  // Opens, and sends one message: which number it has.
  std::uint64_t goes_on_with(LossCause cause) {
    PosixDisk disk;
    const auto opened = open_journal(disk, options(), at_second(60));
    EXPECT_TRUE(opened) << opened.error().text;
    if (!opened) return 0;
    EXPECT_EQ(opened->report.loss, cause) << describe(opened->report.loss);
    const std::uint64_t next = opened->store->session(0).next_outbound;
    EXPECT_TRUE(append_message(*opened->store, 0, next, "goes on"));
    EXPECT_TRUE(settler_.settle(*opened->store));
    EXPECT_TRUE(opened->store->close());
    return next;
  }
  [[nodiscard]] bool sends_early() const { return GetParam() == Durability::Process; }

  void run(const std::function<int()>& body) {
    const int status = in_child(body);
    if (status == testing::kCannotMount) {
      GTEST_SKIP() << "here only root can mount an ext4 on a loop device, with mkfs.ext4 installed";
    }
    EXPECT_EQ(status, 0);
  }

  testing::TemporaryFolder folder_;
  std::string image_;
  Settler settler_;
};

TEST_P(JournalMount, that_filled_up_below_the_file_system_uses_no_number_twice) {
  run([&] {
    if (const int status = make_disk(24); status != 0) return status;
    const std::uint64_t sent = send_and_die(UINT64_MAX, 1000);
    EXPECT_GT(sent, 1000U) << "it was about something";
    unmount();
    shell("umount -l " + folder_.file("mnt"));
    EXPECT_TRUE(shell("mount -o remount,size=300m " + folder_.file("backing")));
    shell("e2fsck -y -f " + image_);
    EXPECT_TRUE(mount());
    PosixDisk disk;
    const auto looked = inspect_journal(disk, options().folder);
    EXPECT_TRUE(looked) << looked.error().text;
    if (!looked) return 1;
    EXPECT_NE(looked->report.loss, LossCause::None);
    const std::uint64_t next = goes_on_with(looked->report.loss);
    EXPECT_GT(next, sent);
    unmount();
    return 0;
  });
}

TEST_P(JournalMount, that_is_removed_and_put_back_is_a_loss_of_power) {
  run([&] {
    if (const int status = make_disk(260); status != 0) return status;
    const std::uint64_t sent = send_and_die(500, 100);
    EXPECT_EQ(sent, 500U);
    EXPECT_TRUE(unmount());
    EXPECT_TRUE(mount());
    const std::uint64_t next = goes_on_with(LossCause::MountedAgain);
    EXPECT_EQ(next, sends_early() ? sent + 1 + kNumbersAhead : sent + 1);
    // It was closed, and is mounted again.
    EXPECT_TRUE(unmount());
    EXPECT_TRUE(mount());
    EXPECT_EQ(goes_on_with(LossCause::None), next + 1);
    unmount();
    return 0;
  });
}

TEST_P(JournalMount, that_stays_loses_nothing_when_the_process_is_killed) {
  run([&] {
    if (const int status = make_disk(260); status != 0) return status;
    const std::uint64_t sent = send_and_die(500, 100);
    EXPECT_EQ(goes_on_with(LossCause::None), sent + 1);
    unmount();
    return 0;
  });
}

// As a container that is started again, with the volume in a place of its own.
TEST_P(JournalMount, in_another_mount_namespace_is_the_same_one) {
  run([&] {
    if (const int status = make_disk(260); status != 0) return status;
    const std::uint64_t sent = send_and_die(500, 100);
    const std::string mnt = folder_.file("mnt");
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    const std::string place = folder_.file("place");
    std::filesystem::create_directory(place);
    EXPECT_EQ(::mount(mnt.c_str(), place.c_str(), nullptr, MS_BIND, nullptr), 0);
    EXPECT_EQ(::mount(place.c_str(), mnt.c_str(), nullptr, MS_BIND, nullptr), 0);
    EXPECT_EQ(goes_on_with(LossCause::None), sent + 1);
    ::umount(mnt.c_str());
    ::umount(place.c_str());
    unmount();
    return 0;
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalMount,
                         ::testing::Values(Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace nexusfix::store
