// Several threads find what one finds: messages, texts before them, offsets and faulty places.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "logs/grep/grep.hpp"
#include "logs/source/byte_source.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/passing_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::logs {
namespace {

using testing::FakeDisk;
using testing::fix;

struct Found {
  std::string bytes;
  std::string prefix;
  std::uint64_t offset = 0;
  bool operator==(const Found&) const = default;
};

struct All {
  std::vector<Found> messages;
  std::vector<std::string> errors;
  std::uint64_t skipped = 0;
  bool operator==(const All&) const = default;
};

class Keeping final : public ChunkWork {
 public:
  explicit Keeping(All& all) : all_{all} {}
  void each(const LogMessage& message) override {
    found_.push_back({std::string{message.bytes}, std::string{message.prefix}, message.offset});
  }
  AfterMessage take() override {
    std::ranges::move(found_, std::back_inserter(all_.messages));
    found_.clear();
    return AfterMessage::Continue;
  }
  void discard() override { found_.clear(); }

 private:
  All& all_;
  std::vector<Found> found_;
};

All read(Disk& disk, const std::string& path, unsigned jobs, std::size_t chunk_bytes = 0) {
  All all;
  const auto each = [&](const LogMessage& message) {
    all.messages.push_back(
        {std::string{message.bytes}, std::string{message.prefix}, message.offset});
    return AfterMessage::Continue;
  };
  const auto make = [&]() -> std::unique_ptr<ChunkWork> { return std::make_unique<Keeping>(all); };
  const auto failed = [&](std::string_view error) { all.errors.emplace_back(error); };
  LogRequest request{.files = {path}, .jobs = jobs, .chunk_bytes = chunk_bytes};
  request.shows_broken = true;
  const LogReport report = read_logs(disk, request, {each, [] {}, failed, kWaitForMore, make});
  all.skipped = report.skipped();
  return all;
}

// From a disk whose files one thread reads.
All read(const std::string& text, unsigned jobs, std::size_t chunk_bytes = 0) {
  FakeDisk disk;
  disk.set_contents("/log", text);
  return read(disk, "/log", jobs, chunk_bytes);
}

// A file that each thread reads.
class SharedLog {
 public:
  explicit SharedLog(const std::string& text) { std::ofstream{path_} << text; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] All read(unsigned jobs, std::size_t chunk_bytes) {
    return logs::read(disk_, path_, jobs, chunk_bytes);
  }

 private:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.file("log");
  PosixDisk disk_;
};

std::string order(int number, const std::string& more = {}) {
  return fix("FIX.4.4", "35=D|34=" + std::to_string(number) +
                            "|49=T|52=20240115-10:30:00|56=V|11=A" + std::to_string(number) + "|" +
                            more);
}

// A chunk that is smaller than what is shown of a broken line may have only a part of it.
void expect_equal(const All& found, const All& expected, std::size_t chunk_bytes) {
  constexpr std::size_t kShownBytes = 120;
  const bool is_small = chunk_bytes > 0 && chunk_bytes <= kShownBytes;
  EXPECT_EQ(found.messages, expected.messages) << "chunks of " << chunk_bytes;
  EXPECT_EQ(found.skipped, expected.skipped) << "chunks of " << chunk_bytes;
  EXPECT_EQ(found.errors.size(), expected.errors.size()) << "chunks of " << chunk_bytes;
  if (!is_small) {
    EXPECT_EQ(found.errors, expected.errors) << "chunks of " << chunk_bytes;
  }
}

void expect_the_same(const std::string& text, std::size_t messages) {
  const All one = read(text, 1);
  EXPECT_EQ(one.messages.size(), messages);
  for (const std::size_t chunk_bytes : {1U, 7U, 64U, 100U, 255U, 1000U}) {
    expect_equal(read(text, 3, chunk_bytes), one, chunk_bytes);
  }
  SharedLog log{text};
  const All shared = log.read(1, 0);
  EXPECT_EQ(shared.messages, one.messages);
  for (const std::size_t chunk_bytes : {0U, 1U, 7U, 64U, 100U, 255U, 1000U, 5000U}) {
    expect_equal(log.read(3, chunk_bytes), shared, chunk_bytes);
  }
}

TEST(Chunks, have_the_messages_of_lines) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "10:30 IN : " + order(i) + "\nan event\n";
  expect_the_same(text, 100);
}

TEST(Chunks, have_messages_whose_data_has_line_feeds) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "10:30 : " + order(i, "95=9|96=a\nb\nc\nd\ne|") + "\n";
  expect_the_same(text, 100);
}

TEST(Chunks, have_the_bytes_of_a_session_without_lines) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += order(i);
  expect_the_same(text, 100);
}

TEST(Chunks, have_escaped_lines_and_cut_ones_and_places_that_are_no_message) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "20240115-10:30:00.000 IN ESCAPED : 8=FIX.4.4\\x019=5\\x0135=0\\x0110=161\\x01\n";
    text += "8=FIXED is no message\n";
    text += "10:30 " + order(i).substr(0, 60) + "\n10:30 : " + order(i) + "\n";
  }
  const All one = read(text, 1);
  EXPECT_EQ(one.skipped, 30U);
  EXPECT_EQ(one.errors.size(), 1U + 60U + 1U);
  expect_the_same(text, 90);
}

TEST(Chunks, have_a_message_with_a_field_a_line) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    std::string message = order(i);
    std::ranges::replace(message, '\x01', '\n');
    text += message + "\n";
  }
  expect_the_same(text, 30);
}

// The pieces that a thread reads begin at multiples of 256 KiB of the file.
TEST(Chunks, have_the_messages_of_a_file_of_several_megabytes) {
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += "10:30 IN : " + order(i) + "\n";
  SharedLog log{text};
  EXPECT_EQ(log.read(3, 0), log.read(1, 0));
  EXPECT_EQ(log.read(2, 700'000), log.read(1, 0));
}

// The first message makes the file shorter.
class Truncating final : public ChunkWork {
 public:
  Truncating(All& all, const std::string& path) : keeping_{all}, path_{path} {}
  void each(const LogMessage& message) override {
    if (message.offset < 100) std::filesystem::resize_file(path_, 5000);
    keeping_.each(message);
  }
  AfterMessage take() override { return keeping_.take(); }
  void discard() override { keeping_.discard(); }

 private:
  Keeping keeping_;
  const std::string& path_;
};

// How many messages remain depends on the threads. None is missing before the last one.
TEST(Chunks, of_a_file_that_becomes_shorter_have_no_gap) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += order(i) + "\n";
  SharedLog log{text};
  const All whole = log.read(1, 0);
  All all;
  const auto make = [&]() -> std::unique_ptr<ChunkWork> {
    return std::make_unique<Truncating>(all, log.path());
  };
  const auto each = [](const LogMessage&) { return AfterMessage::Stop; };
  const auto failed = [&](std::string_view error) { all.errors.emplace_back(error); };
  PosixDisk disk;
  const LogRequest request{.files = {log.path()}, .jobs = 3, .chunk_bytes = 2000};
  read_logs(disk, request, {each, [] {}, failed, kWaitForMore, make});
  EXPECT_THAT(all.errors,
              ::testing::ElementsAre(::testing::HasSubstr("was cut while it was read")));
  ASSERT_GE(all.messages.size(), 1U);
  ASSERT_LT(all.messages.size(), whole.messages.size());
  all.messages.pop_back();  // it may be cut
  EXPECT_TRUE(
      std::ranges::equal(all.messages, std::span{whole.messages}.first(all.messages.size())));
}

TEST(FileSource, a_file_that_is_cut_while_it_is_read_is_an_error) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("log");
  std::ofstream{path} << std::string(1000, 'x');
  PosixDisk disk;
  const Source source = file_source(std::move(disk.open(path, OpenMode::Read).value()));
  std::array<char, 100> bytes{};
  EXPECT_EQ(source->read(bytes), 100U);
  std::filesystem::resize_file(path, 50);
  const auto got = source->read(bytes);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error(), "the file was cut while it was read");
}

// Its bytes from 5,000 on cannot be read.
class DamagedFile final : public File {
 public:
  explicit DamagedFile(std::unique_ptr<File> file) : file_{std::move(file)} {}
  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    constexpr std::uint64_t kDamage = 5000;
    if (offset >= kDamage) {
      return std::unexpected{DiskError{.path = "log", .operation = "read", .error_number = EIO}};
    }
    return file_->read_at(offset, bytes.first(std::min(bytes.size(), kDamage - offset)));
  }
  DiskResult<void> write_at(std::uint64_t, std::span<const char>) override { return {}; }
  DiskResult<void> sync() override { return {}; }
  DiskResult<std::uint64_t> size() override { return file_->size(); }
  DiskResult<void> truncate(std::uint64_t) override { return {}; }
  DiskResult<bool> try_lock() override { return true; }

 private:
  std::unique_ptr<File> file_;
};

class DamagedDisk final : public testing::PassingDisk {
 public:
  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = PassingDisk::open(path, mode);
    if (!file) return file;
    return std::make_unique<DamagedFile>(std::move(*file));
  }
};

TEST(Chunks, have_the_messages_before_damage_of_the_disk) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += order(i) + "\n";
  SharedLog log{text};
  DamagedDisk disk;
  const All one = read(disk, log.path(), 1);
  ASSERT_FALSE(one.errors.empty());
  EXPECT_GT(one.messages.size(), 40U);
  for (const std::size_t chunk_bytes : {0U, 100U, 1000U, 4999U, 5000U, 5001U}) {
    EXPECT_EQ(read(disk, log.path(), 3, chunk_bytes), one) << "chunks of " << chunk_bytes;
  }
}

// Its first message waits for the first message of another thread.
class Meeting final : public ChunkWork {
 public:
  Meeting(std::latch& all, std::atomic<int>& met) : all_{all}, met_{met} {}
  void each(const LogMessage&) override {
    thread_local bool is_known = false;
    if (std::exchange(is_known, true)) return;
    all_.arrive_and_wait();
    ++met_;
  }
  AfterMessage take() override { return AfterMessage::Continue; }
  void discard() override {}

 private:
  std::latch& all_;
  std::atomic<int>& met_;
};

// With fewer threads this test does not end, and fails at its time limit.
TEST(Chunks, of_one_file_are_read_by_all_threads_together) {
  constexpr unsigned kJobs = 3;
  std::string text;
  for (int i = 0; i < 300; ++i) text += order(i) + "\n";
  SharedLog log{text};
  PosixDisk disk;
  std::latch all{kJobs};
  std::atomic<int> met = 0;
  const auto make = [&]() -> std::unique_ptr<ChunkWork> {
    return std::make_unique<Meeting>(all, met);
  };
  const auto each = [](const LogMessage&) { return AfterMessage::Stop; };
  const LogRequest request{.files = {log.path()}, .jobs = kJobs, .chunk_bytes = 1000};
  read_logs(disk, request, {each, [] {}, [](std::string_view) {}, kWaitForMore, make});
  EXPECT_EQ(met, kJobs);
}

// Each form of output is that of one thread: the first row of a table, the signs between objects.
// The first bytes of a source are read to recognise it. A signal that comes then loses none.
int messages_after_signal(unsigned jobs) {
  command::catch_interrupts();
  std::raise(SIGINT);
  const All all = read(order(1) + '\n' + order(2) + '\n', jobs);
  const bool has_error = all.errors == std::vector<std::string>{"/log: interrupted"};
  return has_error ? static_cast<int>(all.messages.size()) : -1;
}

TEST(Chunks, have_the_messages_that_were_read_before_an_interrupt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(std::exit(messages_after_signal(1)), ::testing::ExitedWithCode(2), "");
  EXPECT_EXIT(std::exit(messages_after_signal(2)), ::testing::ExitedWithCode(2), "");
}

TEST(Chunks, print_what_one_thread_prints) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "10:30 IN : " + order(i) + "\n";
  FakeDisk disk;
  disk.set_contents("/log", text);
  disk.set_contents("/other", "x\n" + text);
  const auto output = [&](OutputForm form, unsigned jobs, bool only_count) {
    char* bytes = nullptr;
    std::size_t size = 0;
    std::FILE* const out = ::open_memstream(&bytes, &size);
    command::GrepOptions options{.expression = "MsgSeqNum>20", .form = form};
    options.input = {.files = {"/log", "/other"}, .jobs = jobs, .chunk_bytes = 300};
    options.only_count = only_count;
    EXPECT_EQ(command::grep_files(options, disk, {out, out}), command::kSuccess);
    std::fclose(out);
    const std::string result{bytes, size};
    std::free(bytes);
    return result;
  };
  for (const OutputForm form : {OutputForm::Line, OutputForm::Raw, OutputForm::Ndjson,
                                OutputForm::Json, OutputForm::Csv, OutputForm::Table}) {
    EXPECT_EQ(output(form, 3, false), output(form, 1, false)) << static_cast<int>(form);
  }
  EXPECT_EQ(output(OutputForm::Line, 3, true), "/log:179\n/other:179\n");
}

}  // namespace
}  // namespace nexusfix::logs
