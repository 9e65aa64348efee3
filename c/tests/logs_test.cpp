// Batches of messages from logs by the C interface.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "nexusfix.h"

namespace {

// 2024-01-15 10:30:00 UTC.
constexpr std::int64_t kTime = 1'705'314'600'000'000'000;

std::string message_of(unsigned number, char separator = '|') {
  std::string body = "35=D|49=TRADER|56=VENUE|34=" + std::to_string(number) +
                     "|52=20240115-10:30:00.001|11=A" + std::to_string(number) + "|58=text|";
  std::string text = "8=FIX.4.4|9=" + std::to_string(body.size()) + "|" + body;
  std::ranges::replace(text, '|', '\x01');
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::array<char, 8> trailer{};
  std::snprintf(trailer.data(), trailer.size(), "10=%03u\x01", sum % 256U);
  text += trailer.data();
  std::ranges::replace(text, '\x01', separator);
  return text;
}

std::string line_of(unsigned number, char separator = '|') {
  return "20240115-10:30:00.500 " + std::string{number % 2 == 1 ? "OUT" : "IN"} + " : " +
         message_of(number, separator) + "\n";
}

std::string log_of(unsigned count) {
  std::string text;
  for (unsigned number = 1; number <= count; ++number) text += line_of(number);
  return text;
}

template <class Member, class Value>
nxf_log_options options_with(Member nxf_log_options::* member, Value value) {
  nxf_log_options made{};
  made.*member = static_cast<Member>(value);
  return made;
}

struct Read {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> offsets;
  std::size_t batches = 0;
  nxf_status status = NXF_OK;  // the last
  nxf_error error{};
  nxf_log_faults faults{};
};

class CLogs : public ::testing::Test {
 protected:
  CLogs() {
    std::string path = std::filesystem::temp_directory_path() / "nexusfix-c-logs-XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  ~CLogs() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view text, const char* name = "messages.log") {
    std::ofstream file{folder_ / name, std::ios::binary};
    file << text;
    return folder_ / name;
  }
  std::string write_packed(std::string_view text) {
    std::string path = folder_ / "messages.log.gz";
    gzFile const file = gzopen(path.c_str(), "wb1");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    gzclose(file);
    return path;
  }
  static Read read_all(const std::string& path, std::size_t max = 100,
                       nxf_log_options options = {}) {
    options.struct_size = sizeof options;
    Read made;
    made.error.struct_size = sizeof made.error;
    made.faults.struct_size = sizeof made.faults;
    nxf_log* log = nullptr;
    made.status = nxf_log_open(path.c_str(), &options, &log, &made.error);
    if (made.status != NXF_OK) return made;
    std::vector<nxf_log_message> messages(max);
    std::size_t count = 0;
    while ((made.status = nxf_log_read(log, messages.data(), sizeof messages[0], max, &count,
                                       &made.error)) == NXF_OK) {
      EXPECT_GT(count, 0U);
      EXPECT_LE(count, max);
      ++made.batches;
      for (std::size_t i = 0; i < count; ++i) {
        made.numbers.push_back(messages[i].msg_seq_num);
        made.offsets.push_back(messages[i].offset);
      }
    }
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(nxf_log_read(log, messages.data(), sizeof messages[0], max, &count, nullptr),
              made.status);
    EXPECT_EQ(nxf_log_skipped(log, &made.faults), NXF_OK);
    nxf_log_free(log);
    return made;
  }

  std::filesystem::path folder_;
};

std::string text_of(nxf_text text) { return {text.data, text.size}; }

TEST_F(CLogs, a_message_has_its_session_type_time_direction_and_place) {
  const std::string path = write("a line without a message\n" + line_of(1) + line_of(2));
  nxf_log* log = nullptr;
  ASSERT_EQ(nxf_log_open(path.c_str(), nullptr, &log, nullptr), NXF_OK);
  std::array<nxf_log_message, 3> messages{};
  std::size_t count = 0;
  ASSERT_EQ(nxf_log_read(log, messages.data(), sizeof messages[0], 3, &count, nullptr), NXF_OK);
  ASSERT_EQ(count, 2U);
  const nxf_log_message& first = messages[0];
  EXPECT_EQ(text_of(first.bytes), message_of(1, '\x01'));
  EXPECT_EQ(text_of(first.prefix), "20240115-10:30:00.500 OUT : ");
  EXPECT_EQ(text_of(first.msg_type), "D");
  EXPECT_EQ(text_of(first.sender), "TRADER");
  EXPECT_EQ(text_of(first.target), "VENUE");
  EXPECT_EQ(first.msg_seq_num, 1U);
  EXPECT_EQ(first.offset, 25 + first.prefix.size);
  EXPECT_EQ(first.time, kTime + 500'000'000);
  EXPECT_EQ(first.direction, NXF_OUT);
  EXPECT_EQ(messages[1].direction, NXF_IN);
  nxf_parser* parser = nullptr;
  const nxf_message* parsed = nullptr;
  nxf_text text{};
  ASSERT_EQ(nxf_parser_new(nullptr, &parser, nullptr), NXF_OK);
  ASSERT_EQ(nxf_parse(parser, first.bytes.data, first.bytes.size, &parsed, nullptr), NXF_OK);
  EXPECT_EQ(nxf_message_text(parsed, 11, &text), NXF_OK);
  EXPECT_EQ(text_of(text), "A1");
  nxf_parser_free(parser);
  EXPECT_EQ(nxf_log_read(log, messages.data(), sizeof messages[0], 3, &count, nullptr), NXF_END);
  nxf_log_free(log);
}

TEST_F(CLogs, batches_of_any_size_have_the_messages_of_the_log_in_order) {
  const std::string path = write(log_of(1000));
  const Read once = read_all(path, 5000);
  ASSERT_EQ(once.status, NXF_END);
  ASSERT_EQ(once.numbers.size(), 1000U);
  EXPECT_EQ(once.batches, 1U);
  EXPECT_TRUE(std::ranges::is_sorted(once.numbers));
  for (const std::size_t max : {1U, 2U, 7U, 999U, 1000U, 1001U}) {
    const Read again = read_all(path, max);
    EXPECT_EQ(again.numbers, once.numbers) << max;
    EXPECT_EQ(again.offsets, once.offsets) << max;
    EXPECT_EQ(again.batches, (1000 + max - 1) / max) << max;
  }
  const Read small = read_all(path, 5000, options_with(&nxf_log_options::batch_bytes, 1));
  EXPECT_EQ(small.numbers, once.numbers);
  EXPECT_EQ(small.batches, 1000U);
}

TEST_F(CLogs, a_batch_keeps_its_texts_until_the_next_one) {
  const std::string path = write(log_of(20'000));  // several blocks of the scanner
  nxf_log* log = nullptr;
  ASSERT_EQ(nxf_log_open(path.c_str(), nullptr, &log, nullptr), NXF_OK);
  std::vector<nxf_log_message> messages(20'000);
  std::size_t count = 0;
  ASSERT_EQ(nxf_log_read(log, messages.data(), sizeof messages[0], 20'000, &count, nullptr),
            NXF_OK);
  ASSERT_GT(count, 10'000U);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(text_of(messages[i].bytes), message_of(static_cast<unsigned>(i + 1), '\x01'));
  nxf_log_free(log);
}

TEST_F(CLogs, a_caller_with_a_longer_struct_gets_messages_at_its_distance) {
  struct Longer {
    nxf_log_message message;
    std::uint64_t more = 77;
  };
  const std::string path = write(log_of(3));
  nxf_log* log = nullptr;
  ASSERT_EQ(nxf_log_open(path.c_str(), nullptr, &log, nullptr), NXF_OK);
  std::array<Longer, 3> messages{};
  std::size_t count = 0;
  ASSERT_EQ(nxf_log_read(log, &messages[0].message, sizeof(Longer), 3, &count, nullptr), NXF_OK);
  ASSERT_EQ(count, 3U);
  EXPECT_EQ(messages[2].message.msg_seq_num, 3U);
  EXPECT_EQ(messages[2].more, 77U);
  EXPECT_EQ(nxf_log_read(log, &messages[0].message, 8, 3, &count, nullptr), NXF_INVALID_ARGUMENT);
  nxf_log_free(log);
}

TEST_F(CLogs, a_packed_log_is_read_and_a_cut_one_is_an_error_after_its_messages) {
  const std::string text = log_of(5000);
  const std::string path = write_packed(text);
  EXPECT_EQ(read_all(path).numbers.size(), 5000U);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Read cut = read_all(path);
  EXPECT_EQ(cut.status, NXF_IO);
  ASSERT_GT(cut.numbers.size(), 100U);
  ASSERT_LT(cut.numbers.size(), 5000U);
  EXPECT_GE(cut.error.offset, cut.offsets.back());
  EXPECT_NE(std::string_view{cut.error.text}.find(path), std::string_view::npos);
}

TEST_F(CLogs, a_message_that_the_end_of_the_file_cuts_is_counted) {
  std::string text = log_of(2);
  text.resize(text.size() - 20);
  const Read read = read_all(write(text));
  EXPECT_EQ(read.status, NXF_END);
  EXPECT_EQ(read.numbers, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(read.faults.cut, 1U);
}

TEST_F(CLogs, a_line_of_100_mb_hides_no_message) {
  std::string text = line_of(1);
  text.append(100'000'000, 'x');
  text += "\n" + line_of(2);
  const Read read = read_all(write(text));
  EXPECT_EQ(read.status, NXF_END);
  EXPECT_EQ(read.numbers, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(CLogs, a_message_without_an_end_is_cut_after_1_mib) {
  std::string text = "8=FIX.4.4|9=99999999|35=D|34=1|58=";
  text.append(3'000'000, 'x');
  const Read read = read_all(write(text + "|\n" + line_of(2)));
  EXPECT_EQ(read.status, NXF_END);
  EXPECT_EQ(read.faults.too_long, 1U);
  EXPECT_EQ(read.numbers.back(), 2U);
}

TEST_F(CLogs, binary_garbage_has_the_messages_between_it) {
  std::mt19937 random{20240115};
  std::string text;
  for (unsigned number = 1; number <= 200; ++number) {
    for (int i = 0; i < 500; ++i) text += static_cast<char>(random());
    text += "8=FIX\n" + message_of(number, '\x01') + "\n";
  }
  const Read read = read_all(write(text), 16, options_with(&nxf_log_options::kind, "text"));
  EXPECT_EQ(read.status, NXF_END);
  EXPECT_EQ(read.numbers.size(), 200U);
  EXPECT_TRUE(std::ranges::is_sorted(read.numbers));
  EXPECT_EQ(read.faults.skipped, 200U);
}

TEST_F(CLogs, an_empty_log_has_no_messages) { EXPECT_EQ(read_all(write("")).status, NXF_END); }

TEST_F(CLogs, wrong_arguments_are_refused_with_a_reason) {
  const std::string path = write(log_of(1));
  const Read absent = read_all(folder_ / "none.log");
  EXPECT_EQ(absent.status, NXF_IO);
  EXPECT_NE(std::string_view{absent.error.text}.find("none.log"), std::string_view::npos);
  const Read kind = read_all(path, 1, options_with(&nxf_log_options::kind, "zip"));
  EXPECT_EQ(kind.status, NXF_INVALID_ARGUMENT);
  EXPECT_NE(std::string_view{kind.error.text}.find("journal"), std::string_view::npos);
  EXPECT_EQ(read_all(path, 1, options_with(&nxf_log_options::delimiter, "\\xZZ")).status,
            NXF_INVALID_ARGUMENT);
  EXPECT_EQ(read_all(path, 1, options_with(&nxf_log_options::zone_seconds, 100'000)).status,
            NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_log_open(nullptr, nullptr, nullptr, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_log_read(nullptr, nullptr, 0, 0, nullptr, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_log_skipped(nullptr, nullptr), NXF_INVALID_ARGUMENT);
  nxf_log_free(nullptr);
}

TEST_F(CLogs, a_zone_is_that_of_the_times_before_messages) {
  const std::string path = write(line_of(1));
  nxf_log_options options{};
  options.struct_size = sizeof options;
  options.zone_seconds = 3600;
  nxf_log* log = nullptr;
  ASSERT_EQ(nxf_log_open(path.c_str(), &options, &log, nullptr), NXF_OK);
  nxf_log_message message{};
  std::size_t count = 0;
  ASSERT_EQ(nxf_log_read(log, &message, sizeof message, 1, &count, nullptr), NXF_OK);
  EXPECT_EQ(message.time, kTime + 500'000'000 - 3'600'000'000'000);
  nxf_log_free(log);
}

}  // namespace
