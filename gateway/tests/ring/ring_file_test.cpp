// The file of a ring: whose it is, what it needs, what a client refuses, and what is left of a
// gateway that was killed.
#include "gateway/ring/ring_file.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/ring/ring_names.hpp"
#include "gateway/tests/ring/test_folder.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;
using testing::TestFolder;

RingFileOptions small_in(const TestFolder& folder) {
  return {.directory = folder.path(),
          .client_process = 4711,
          .to_gateway_bytes = 4096,
          .to_client_bytes = 8192,
          .frame_bytes_max = 2040};
}

// Writes bytes into a file.
void put(const std::string& path, std::size_t offset, const void* bytes, std::size_t size) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

TEST(RingFile, belongs_to_its_owner_alone_and_has_its_memory) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  struct stat status{};
  ASSERT_EQ(::stat((*file)->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_EQ(status.st_size, 4096 + 4096 + 8192);
  EXPECT_GE(status.st_blocks * 512, status.st_size);
}

TEST(RingFile, belongs_to_a_group_if_it_is_told) {
  const TestFolder folder;
  RingFileOptions options = small_in(folder);
  options.group = ::getegid();
  const auto file = RingFile::create(options);
  ASSERT_TRUE(file) << file.error().text;
  struct stat status{};
  ASSERT_EQ(::stat((*file)->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0660U);
  EXPECT_EQ(status.st_gid, ::getegid());
}

TEST(RingFile, has_the_header_of_the_reference) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(std::memcmp((*file)->bytes(), "NXFXRING", 8), 0);
  const RingHeader& header = (*file)->header();
  EXPECT_EQ(header.version, 1U);
  EXPECT_EQ(header.header_bytes, 4096U);
  EXPECT_EQ(header.client_process, 4711U);
  EXPECT_EQ(header.gateway_process, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(header.gateway_start, mark_of_this_process().start);
  EXPECT_EQ(header.to_gateway_offset, 4096U);
  EXPECT_EQ(header.to_client_offset, 8192U);
  EXPECT_EQ(header.state, 1U);
}

TEST(RingFile, a_client_sees_the_same_memory) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  const auto other = RingFile::open((*file)->path());
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_EQ((*other)->geometry().key, (*file)->geometry().key);
  (*file)->bytes()[5000] = 'x';
  EXPECT_EQ((*other)->bytes()[5000], 'x');
}

TEST(RingFile, its_name_goes_with_it_or_before) {
  const TestFolder folder;
  auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(folder.files(), 1U);
  (*file)->remove_name();
  EXPECT_EQ(folder.files(), 0U);
  (*file)->bytes()[5000] = 'x';  // the memory stays
  auto second = RingFile::create(small_in(folder));
  ASSERT_TRUE(second);
  second->reset();
  EXPECT_EQ(folder.files(), 0U);
}

TEST(RingFile, impossible_sizes_are_refused) {
  const TestFolder folder;
  const auto refused = [&](auto change) {
    RingFileOptions options = small_in(folder);
    change(options);
    const auto file = RingFile::create(options);
    return !file && folder.files() == 0;
  };
  EXPECT_FALSE(refused([](RingFileOptions&) {}));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.to_gateway_bytes = 2048; }));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.to_gateway_bytes = 5000; }));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.to_client_bytes = 2ULL << 30U; }));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.to_client_bytes = 0; }));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.frame_bytes_max = 2041; }));
  EXPECT_TRUE(refused([](RingFileOptions& options) { options.frame_bytes_max = 7; }));
}

TEST(RingFile, a_folder_that_is_missing_or_open_to_all_is_refused) {
  const TestFolder folder;
  RingFileOptions options = small_in(folder);
  options.directory = folder.path() + "/missing";
  const auto missing = RingFile::create(options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("missing: cannot be opened as a directory"));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const auto open = RingFile::create(small_in(folder));
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().text, HasSubstr("it needs the sticky bit"));
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  EXPECT_TRUE(RingFile::create(small_in(folder)));
}

TEST(RingFile, no_room_is_an_error_that_leaves_no_file) {
  // A limit of the process in place of a full file system: the kernel refuses the memory as well.
  const TestFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{.rlim_cur = 8192, .rlim_max = before.rlim_max};
  const auto action = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto file = RingFile::create(small_in(folder));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, action);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().text,
              HasSubstr("no room for the shared memory of a client, 16384 bytes"));
  EXPECT_EQ(folder.files(), 0U);
}

TEST(RingFile, a_client_refuses_another_layout_and_what_is_no_ring) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  const std::string path = (*file)->path();
  const RingHeader good = (*file)->geometry();
  const auto error_of = [&](auto change) {
    RingHeader header = good;
    change(header);
    put(path, 0, &header, sizeof header);
    const auto opened = RingFile::open(path);
    return opened ? std::string{"none"} : opened.error().text;
  };
  EXPECT_EQ(error_of([](RingHeader&) {}), "none");
  EXPECT_THAT(error_of([](RingHeader& header) { header.version = 2; }),
              HasSubstr("has layout version 2, and this client knows 1"));
  EXPECT_THAT(error_of([](RingHeader& header) { header.magic = 0; }),
              HasSubstr("is no shared memory of a gateway"));
  EXPECT_THAT(error_of([](RingHeader& header) { header.file_bytes += 1; }),
              HasSubstr("says 16385 bytes"));
  EXPECT_THAT(error_of([](RingHeader& header) { header.to_client_offset = 1ULL << 60U; }),
              HasSubstr("do not follow the header"));
  EXPECT_THAT(error_of([](RingHeader& header) { header.to_gateway_bytes = 0; }),
              HasSubstr("power of two"));
  EXPECT_THAT(error_of([](RingHeader& header) { header.frame_bytes_max = 1U << 20U; }),
              HasSubstr("the longest frame"));
}

TEST(RingFile, a_client_follows_no_symbolic_link_and_opens_no_other_kind_of_file) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink((*file)->path(), link);
  const auto linked = RingFile::open(link);
  ASSERT_FALSE(linked);
  EXPECT_THAT(linked.error().text, HasSubstr("is a symbolic link"));
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(RingFile::open(pipe));  // and does not wait for a writer
  EXPECT_FALSE(RingFile::open(folder.path() + "/none"));
}

TEST(RingFile, a_file_of_a_killed_gateway_is_removed_and_no_other_one) {
  const TestFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto file = RingFile::create(small_in(folder));
    ::kill(::getpid(), file ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  const auto mine = RingFile::create(small_in(folder));
  ASSERT_TRUE(mine) << mine.error().text;
  std::ofstream{folder.path() + "/another file"} << "x";
  const ProcessMark gone{.process = 0x7FFF'FFFF, .start = 1};
  std::filesystem::create_symlink(folder.path() + "/another file",
                                  folder.path() + "/" + ring_name(gone, 1));
  // One that a process in another container may have: its id is unknown here, but it is locked.
  const std::string locked = folder.path() + "/" + ring_name(gone, 2);
  std::ofstream{locked} << "x";
  const int descriptor = ::open(locked.c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_EQ(folder.files(), 5U);

  EXPECT_EQ(RingFile::remove_stale(folder.path()).value_or(99), 1U);

  EXPECT_EQ(folder.files(), 4U);
  EXPECT_TRUE(std::filesystem::exists((*mine)->path()));
  ::close(descriptor);
  EXPECT_EQ(RingFile::remove_stale(folder.path()).value_or(99), 1U);
}

TEST(RingFile, a_file_that_is_cut_ends_no_process) {
  const TestFolder folder;
  const auto file = RingFile::create(small_in(folder));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_FALSE((*file)->failed());
  ASSERT_EQ(::truncate((*file)->path().c_str(), 0), 0);
  (*file)->bytes()[5000] = 'x';
  EXPECT_TRUE((*file)->failed());
}

}  // namespace
}  // namespace nexusfix::gateway
