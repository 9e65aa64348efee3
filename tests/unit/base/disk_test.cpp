#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sched.h>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nexusfix/base/disk.hpp>

#include "support/disks/temporary_folder.hpp"

namespace {

using nexusfix::DiskError;
using nexusfix::File;
using nexusfix::OpenMode;
using nexusfix::PosixDisk;

class PosixDiskTest : public ::testing::Test {
 protected:
  std::unique_ptr<File> open(const std::string& path, OpenMode mode = OpenMode::Create) {
    auto file = disk_.open(path, mode);
    EXPECT_TRUE(file) << file.error().what();
    return std::move(*file);
  }
  void put(const std::string& path, std::string_view text) {
    std::ofstream{path, std::ios::binary} << text;
  }

  nexusfix::testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("file");
  PosixDisk disk_;
};

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

TEST(DiskErrorTest, names_the_operation_the_path_and_the_cause) {
  const DiskError error{.path = "/x/y", .operation = "open", .error_number = ENOENT};
  EXPECT_EQ(error.what(), "open /x/y: No such file or directory");
}

TEST_F(PosixDiskTest, written_bytes_are_read_back_at_their_offsets) {
  auto file = open(path_);
  ASSERT_TRUE(file->write_at(0, std::string_view{"abcdef"}));
  ASSERT_TRUE(file->write_at(3, std::string_view{"XY"}));
  ASSERT_TRUE(file->sync());
  std::array<char, 4> bytes{};
  ASSERT_EQ(file->read_at(2, bytes), 4U);
  EXPECT_EQ(std::string_view(bytes.data(), 4), "cXYf");
  EXPECT_EQ(file->size(), 6U);
}

TEST_F(PosixDiskTest, a_read_is_short_only_at_the_end) {
  auto file = open(path_);
  ASSERT_TRUE(file->write_at(0, std::string_view{"abc"}));
  std::array<char, 8> bytes{};
  EXPECT_EQ(file->read_at(1, bytes), 2U);
  EXPECT_EQ(file->read_at(3, bytes), 0U);
  EXPECT_EQ(file->read_at(99, bytes), 0U);
}

TEST_F(PosixDiskTest, truncate_cuts_the_end) {
  auto file = open(path_);
  ASSERT_TRUE(file->write_at(0, std::string_view{"abcdef"}));
  ASSERT_TRUE(file->truncate(2));
  EXPECT_EQ(file->size(), 2U);
}

TEST_F(PosixDiskTest, only_create_makes_a_file) {
  for (const OpenMode mode : {OpenMode::Read, OpenMode::ReadWrite}) {
    const auto file = disk_.open(path_, mode);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().what(), "open " + path_ + ": No such file or directory");
  }
  EXPECT_NE(open(path_, OpenMode::Create), nullptr);
  EXPECT_NE(open(path_, OpenMode::Read), nullptr);
}

TEST_F(PosixDiskTest, opening_keeps_the_content) {
  put(path_, "kept");
  EXPECT_EQ(open(path_, OpenMode::Create)->size(), 4U);
}

TEST_F(PosixDiskTest, files_and_folders_are_for_the_owner_alone) {
  const mode_t umask_before = ::umask(0);
  open(path_);
  ASSERT_TRUE(disk_.make_directories(folder_.file("a/b")));
  ::umask(umask_before);
  EXPECT_EQ(mode_of(path_), 0600U);
  EXPECT_EQ(mode_of(folder_.file("a")), 0700U);
  EXPECT_EQ(mode_of(folder_.file("a/b")), 0700U);
}

TEST_F(PosixDiskTest, permissions_are_set_as_requested_under_any_umask) {
  auto file = open(path_);
  const mode_t umask_before = ::umask(077);
  EXPECT_TRUE(file->set_permissions(0640));
  ::umask(umask_before);
  EXPECT_EQ(mode_of(path_), 0640U);
}

TEST_F(PosixDiskTest, descriptors_are_not_inherited_by_other_programs) {
  auto file = open(path_);
  int found = -1;
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    std::array<char, 4096> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    if (::readlink(link.c_str(), target.data(), target.size() - 1) > 0 && path_ == target.data()) {
      found = descriptor;
    }
  }
  ASSERT_GE(found, 0);
  EXPECT_NE(::fcntl(found, F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(PosixDiskTest, a_planted_link_is_not_written_through) {
  put(folder_.file("victim"), "precious");
  std::filesystem::create_symlink(folder_.file("victim"), path_);
  EXPECT_FALSE(disk_.open(path_, OpenMode::Create));
  EXPECT_FALSE(disk_.open(path_, OpenMode::ReadWrite));
  EXPECT_TRUE(disk_.open(path_, OpenMode::Read));
}

TEST_F(PosixDiskTest, make_directories_accepts_an_existing_folder_and_refuses_a_file_in_its_place) {
  ASSERT_TRUE(disk_.make_directories(folder_.file("a/b/c")));
  ASSERT_TRUE(disk_.make_directories(folder_.file("a/b/c/")));
  put(path_, "");
  const auto made = disk_.make_directories(path_ + "/sub");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().error_number, ENOTDIR);
  EXPECT_EQ(made.error().path, path_);
  EXPECT_FALSE(disk_.make_directories(""));
}

TEST_F(PosixDiskTest, read_regular_file_reads_only_a_regular_file_and_never_waits) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, folder_.file("link"));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = folder_.file("s");
  std::ranges::copy(socket_path, address.sun_path);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  put(path_, "text");
  const auto expect = [&](const std::string& path, const std::string& kind) {
    const auto read = nexusfix::read_regular_file(disk_, path, 100);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().what(),
              "open " + path + ": it is " + kind + "; a regular file was expected");
  };
  expect(pipe, "a pipe (FIFO)");
  expect(folder_.file("link"), "a pipe (FIFO)");
  expect("/dev/null", "a character device");
  expect("/dev/zero", "a character device");
  expect(socket_path, "a socket");
  expect(folder_.path(), "a folder");
  ::close(socket);
  EXPECT_EQ(nexusfix::read_regular_file(disk_, path_, 100).value_or(""), "text");
  std::filesystem::create_symlink(path_, folder_.file("to-file"));
  EXPECT_EQ(nexusfix::read_regular_file(disk_, folder_.file("to-file"), 100).value_or(""), "text");
  const auto absent = nexusfix::read_regular_file(disk_, folder_.file("absent"), 100);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().error_number, ENOENT);
}

TEST_F(PosixDiskTest, a_kernel_file_without_data_is_not_waited_for) {
  struct stat found{};
  if (::stat("/proc/kmsg", &found) != 0 || !S_ISREG(found.st_mode) ||
      ::faccessat(AT_FDCWD, "/proc/kmsg", R_OK, AT_EACCESS) != 0) {
    GTEST_SKIP() << "/proc/kmsg cannot be read here";
  }
  const auto file = disk_.open("/proc/kmsg", OpenMode::ReadRegular);
  if (!file) GTEST_SKIP() << file.error().what();
  std::array<char, 65'536> bytes{};
  for (;;) {
    const auto got = (*file)->read_at(0, bytes);  // of a file without offsets
    if (!got || *got < bytes.size()) break;
  }
}

TEST_F(PosixDiskTest, only_a_regular_file_is_created_or_overwritten) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto file = disk_.open(path_, OpenMode::Create);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().what(),
            "open " + path_ + ": it is a pipe (FIFO); a regular file was expected");
}

TEST_F(PosixDiskTest, replaced_file_is_whole_and_its_owners_whatever_an_interrupted_call_has_left) {
  const std::string path = folder_.file("list");
  ASSERT_TRUE(nexusfix::replace_file(disk_, path, "first"));
  std::ofstream{path + ".new"} << "a longer rest";
  ASSERT_EQ(::chmod((path + ".new").c_str(), 0644), 0);
  ASSERT_TRUE(nexusfix::replace_file(disk_, path, "second", nexusfix::Readers::OwnerOnly));
  EXPECT_EQ(nexusfix::read_file(disk_, path, 100).value(), "second");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  // The file of an error is as it was.
  std::filesystem::create_directory(path + ".new");
  EXPECT_FALSE(nexusfix::replace_file(disk_, path, "third"));
  EXPECT_EQ(nexusfix::read_file(disk_, path, 100).value(), "second");
}

TEST_F(PosixDiskTest, list_gives_regular_files_sorted) {
  put(folder_.file("b"), "");
  put(folder_.file("a"), "");
  put(folder_.file("c"), "");  // neither the oldest nor the newest file comes first
  std::filesystem::create_directory(folder_.file("folder"));
  std::filesystem::create_symlink("/dev/null", folder_.file("link"));
  const auto names = disk_.list(folder_.path());
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(disk_.list(folder_.file("absent")));
}

TEST_F(PosixDiskTest, remove_removes_once) {
  put(path_, "");
  EXPECT_TRUE(disk_.remove(path_));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(disk_.remove(path_));
}

TEST_F(PosixDiskTest, sync_directory_syncs_folders_only) {
  put(path_, "");
  EXPECT_TRUE(disk_.sync_directory(folder_.path()));
  EXPECT_FALSE(disk_.sync_directory(path_));
}

TEST_F(PosixDiskTest, the_lock_excludes_others_and_is_released_with_its_file) {
  auto first = open(path_);
  auto second = open(path_);
  EXPECT_EQ(first->try_lock(), true);
  EXPECT_EQ(first->try_lock(), true);
  EXPECT_EQ(second->try_lock(), false);
  first.reset();
  EXPECT_EQ(second->try_lock(), true);
}

TEST_F(PosixDiskTest, the_lock_is_released_when_its_process_is_killed) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto file = PosixDisk{}.open(path_, OpenMode::Create);
    const char answer = file && (*file)->try_lock().value_or(false) ? 'y' : 'n';
    (void)!::write(ready[1], &answer, 1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  auto file = open(path_);
  EXPECT_EQ(file->try_lock(), false);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(file->try_lock(), true);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(PosixDiskTest, read_file_gives_the_whole_content_up_to_its_limit) {
  const std::string content(200'000, 'x');
  put(path_, content);
  EXPECT_EQ(nexusfix::read_file(disk_, path_, 200'000), content);
  EXPECT_EQ(nexusfix::read_file(disk_, path_, std::numeric_limits<std::uint64_t>::max()), content);
  const auto refused = nexusfix::read_file(disk_, path_, 199'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what(), "read " + path_ + ": File too large");
}

TEST_F(PosixDiskTest, read_file_of_an_empty_file_is_empty) {
  put(path_, "");
  EXPECT_EQ(nexusfix::read_file(disk_, path_, 0), "");
}

TEST_F(PosixDiskTest, some_bytes_of_a_pipe_are_read_before_its_end) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  auto file = open("/dev/fd/" + std::to_string(ends[0]), OpenMode::Read);
  ASSERT_NE(file, nullptr);
  std::array<char, 8> bytes{};
  EXPECT_EQ(file->read_some_at(0, bytes), 3U);
  ASSERT_EQ(::write(ends[1], "d", 1), 1);
  EXPECT_EQ(file->read_some_at(3, bytes), 1U);
  ::close(ends[1]);
  EXPECT_EQ(file->read_some_at(4, bytes), 0U);
  ::close(ends[0]);
}

TEST_F(PosixDiskTest, read_file_reads_a_pipe_to_its_end) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string content(50'000, 'p');
  ASSERT_EQ(::write(ends[1], content.data(), content.size()), 50'000);
  ::close(ends[1]);
  EXPECT_EQ(nexusfix::read_file(disk_, "/proc/self/fd/" + std::to_string(ends[0]), 1 << 20),
            content);
  ::close(ends[0]);
}

TEST_F(PosixDiskTest, read_file_of_a_folder_is_an_error) {
  const auto content = nexusfix::read_file(disk_, folder_.path(), 100);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().error_number, EISDIR);
}

TEST_F(PosixDiskTest, a_write_that_was_cut_short_is_continued_and_its_error_reported) {
  // A file size limit makes the kernel write 100 bytes of 150 and refuse the rest.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    auto file = PosixDisk{}.open(path_, OpenMode::Create);
    if (!file || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    const auto written = (*file)->write_at(0, std::string(150, 'x'));
    ::_exit(!written && written.error().error_number == EFBIG ? 42 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(std::filesystem::file_size(path_), 100U);
}

TEST_F(PosixDiskTest, a_full_device_is_an_error) {
  const auto file = disk_.open("/dev/full", OpenMode::ReadWrite);
  if (!file) GTEST_SKIP() << "no /dev/full here";
  const auto written = (*file)->write_at(0, std::string_view{"x"});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what(), "write /dev/full: No space left on device");
}

TEST_F(PosixDiskTest, a_write_and_a_sync_that_a_file_does_not_take_are_errors) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto file = open("/dev/fd/" + std::to_string(ends[0]), OpenMode::Read);
  EXPECT_FALSE(file->sync()) << "a pipe is not on a disk";
  ::close(ends[0]);
  ::close(ends[1]);
  put(path_, "abc");
  EXPECT_FALSE(open(path_, OpenMode::Read)->write_at(0, std::string_view{"x"}));
  EXPECT_EQ(nexusfix::read_file(disk_, path_, 100), "abc");
}

TEST_F(PosixDiskTest, a_pipe_that_comes_in_pieces_is_read_to_its_end_whatever_signals_come) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  struct sigaction action{};
  action.sa_handler = [](int) {};  // without SA_RESTART: a waiting read ends with EINTR
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const std::string content(200'000, 'p');
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 200; ++i) {
      ::kill(::getppid(), SIGUSR1);
      ::sched_yield();
    }
    for (std::size_t at = 0; at < content.size(); at += 1'000) {
      (void)!::write(ends[1], content.data() + at, 1'000);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const auto read = nexusfix::read_file(disk_, "/dev/fd/" + std::to_string(ends[0]), 1 << 20);
  EXPECT_TRUE(read == content) << (read ? std::to_string(read->size()) : read.error().what());
  ::close(ends[0]);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(PosixDiskTest, reserved_bytes_are_zeros_on_the_disk_after_what_was_there) {
  auto file = open(path_);
  ASSERT_TRUE(file->write_at(0, std::string_view{"abc"}));
  constexpr std::size_t kBytes = 300'000;
  ASSERT_TRUE(file->reserve(kBytes));
  ASSERT_TRUE(file->reserve(kBytes)) << "they are there already";
  ASSERT_TRUE(file->reserve(10));
  const auto content = nexusfix::read_file(disk_, path_, 1 << 20);
  ASSERT_TRUE(content);
  EXPECT_TRUE(*content == "abc" + std::string(kBytes - 3, '\0')) << content->size();
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_GE(static_cast<std::size_t>(status.st_blocks) * 512, kBytes);
}

TEST_F(PosixDiskTest, a_reservation_above_a_limit_is_an_error) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    auto file = PosixDisk{}.open(path_, OpenMode::Create);
    if (!file || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    ::_exit((*file)->reserve(150) ? 2 : 42);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(PosixDiskTest, whether_a_folder_takes_files_is_known_before_one_is_made) {
  EXPECT_TRUE(disk_.could_write_into(folder_.path()));
  EXPECT_TRUE(disk_.could_write_into(folder_.file("missing/below/")));
  EXPECT_FALSE(disk_.could_write_into(""));
  put(path_, "x");
  for (const std::string& path : {path_, path_ + "/below", std::string{"/proc/nothing/below"}}) {
    EXPECT_FALSE(disk_.could_write_into(path)) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("missing")));
}

TEST_F(PosixDiskTest, a_folder_of_another_user_takes_no_files) {
  const std::string closed = folder_.file("closed");
  ASSERT_TRUE(disk_.make_directories(closed));
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(closed.c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::seteuid(kNobody) != 0) ::_exit(1);
    const auto could = PosixDisk{}.could_write_into(closed);
    ::_exit(!could && could.error().error_number == EACCES ? 42 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(PosixDiskTest, a_file_that_others_may_use_is_not_private) {
  put(path_, "x");
  for (const mode_t mode : {0640U, 0604U, 0620U, 0601U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(disk_.is_private(path_), false) << mode;
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_EQ(disk_.is_private(path_), true);
}

TEST_F(PosixDiskTest, the_time_of_a_file_is_known_to_the_nanosecond) {
  put(path_, "x");
  const std::array<timespec, 2> times{timespec{1'700'000'000, 1}, timespec{1'700'000'000, 123'456}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times.data(), 0), 0);
  const auto written = disk_.written_at(path_);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->time_since_epoch().count(), 1'700'000'000'000'123'456);
}

TEST_F(PosixDiskTest, free_space_is_in_bytes) {
  const auto found = disk_.free_bytes(folder_.path());
  ASSERT_TRUE(found);
  // Other programs write meanwhile.
  const auto expected = std::filesystem::space(folder_.path()).available;
  EXPECT_LE(*found, 2 * expected);
  EXPECT_GE(2 * *found, expected);
}

TEST_F(PosixDiskTest, a_locked_folder_excludes_others_until_it_is_released) {
  auto first = disk_.try_lock_directory(folder_.path());
  if (!first) GTEST_SKIP() << first.error().what();
  ASSERT_NE(*first, nullptr);
  EXPECT_EQ(*disk_.try_lock_directory(folder_.path()), nullptr);
  first->reset();
  EXPECT_NE(*disk_.try_lock_directory(folder_.path()), nullptr);
}

TEST_F(PosixDiskTest, a_locked_name_excludes_others_whatever_folder_has_it) {
  const std::string name = folder_.file("journal");
  auto first = disk_.try_lock_name(name);
  if (!first) GTEST_SKIP() << first.error().what();
  ASSERT_NE(*first, nullptr);
  EXPECT_EQ(*disk_.try_lock_name(name), nullptr);
  EXPECT_EQ(*disk_.try_lock_name(name + "//"), nullptr);
  EXPECT_NE(*disk_.try_lock_name(folder_.file("another")), nullptr);
  first->reset();
  EXPECT_NE(*disk_.try_lock_name(name), nullptr);
}

TEST_F(PosixDiskTest, a_status_tells_files_apart_and_knows_a_removed_one) {
  const std::string other_path = folder_.file("other");
  auto file = open(path_);
  auto other = open(other_path);
  const auto found = disk_.status(path_);
  const auto found_other = disk_.status(other_path);
  ASSERT_TRUE(found && found_other);
  EXPECT_TRUE(found->is_same_as(*file->status()));
  EXPECT_FALSE(found->is_same_as(*found_other));
  EXPECT_EQ(found->links, 1U);
  // Not where the file system is a user's program.
  if (found->lasting_handle != 0) {
    EXPECT_EQ(found->lasting_inode, found->inode);
    EXPECT_NE(found->lasting_handle, found_other->lasting_handle);
  }
  ASSERT_TRUE(disk_.remove(path_));
  EXPECT_EQ(file->status()->links, 0U);
}

TEST_F(PosixDiskTest, the_boot_and_the_mount_have_numbers) {
  EXPECT_EQ(disk_.boot_id().find('\n'), std::string::npos);
  EXPECT_FALSE(disk_.mount_id(folder_.path()).empty());
  EXPECT_FALSE(disk_.mount_id("/proc").empty());
  EXPECT_NE(disk_.mount_id("/proc"), disk_.mount_id(folder_.path()));
}

}  // namespace
