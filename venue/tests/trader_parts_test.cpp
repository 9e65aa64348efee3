#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "venue/trader/latency.hpp"
#include "venue/trader/order_plan.hpp"
#include "venue/trader/report_file.hpp"

namespace nexusfix::trader {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OrderPlanTest, groups_of_every_pattern_leave_nothing_on_the_book) {
  for (const Pattern pattern : {Pattern::Pairs, Pattern::Partials}) {
    std::int64_t position = 0;
    for (std::uint64_t number = 1; number <= 64 * group_size(pattern); ++number) {
      const PlannedOrder order = planned_order(number, pattern);
      const std::int64_t quantity = order.quantity.mantissa();
      EXPECT_GT(quantity, 0);
      EXPECT_EQ(order.side, number % 2 == 1 ? PlannedSide::Buy : PlannedSide::Sell);
      position += order.side == PlannedSide::Buy ? quantity : -quantity;
      EXPECT_GE(position, 0) << "a sell must find its buy on the book";
      if (number % group_size(pattern) == 0) {
        EXPECT_EQ(position, 0);
      }
    }
  }
}

TEST(OrderPlanTest, orders_of_a_group_have_one_price) {
  for (std::uint64_t number = 1; number < 200; number += 4) {
    for (std::uint64_t other = number + 1; other < number + 4; ++other) {
      EXPECT_EQ(planned_order(other, Pattern::Partials).price,
                planned_order(number, Pattern::Partials).price);
    }
  }
}

TEST(OrderPlanTest, cl_ord_id_gives_the_number_back) {
  char buffer[kClOrdIdBytesMax];
  for (const std::uint64_t number :
       {1ULL, 9ULL, 10ULL, 120'000ULL, 18'446'744'073'709'551'615ULL}) {
    EXPECT_EQ(order_number(write_cl_ord_id(number, buffer)), number);
  }
}

TEST(OrderPlanTest, cl_ord_ids_of_others_are_not_ours) {
  for (const char* id : {"", "T", "X1", "T0", "T01", "T1x", "T-1", "1", "T18446744073709551616"}) {
    EXPECT_EQ(order_number(id), std::nullopt) << id;
  }
}

// Files in memory. A test can make a write fail.
class MemoryDisk final : public Disk {
 public:
  class MemoryFile final : public File {
   public:
    MemoryFile(MemoryDisk& disk, std::string& content) : disk_{disk}, content_{content} {}
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      if (disk_.full) return std::unexpected{DiskError{"report", "write", 28}};
      content_.resize(offset);
      content_.append(bytes.data(), bytes.size());
      return {};
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      const std::string_view rest =
          std::string_view{content_}.substr(std::min<std::size_t>(offset, content_.size()));
      return rest.copy(bytes.data(), bytes.size());
    }
    DiskResult<void> sync() override { return {}; }
    DiskResult<std::uint64_t> size() override { return content_.size(); }
    DiskResult<void> truncate(std::uint64_t size) override {
      content_.resize(size);
      return {};
    }
    DiskResult<bool> try_lock() override { return true; }

   private:
    MemoryDisk& disk_;
    std::string& content_;
  };

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode) override {
    return std::make_unique<MemoryFile>(*this, files[path]);
  }
  DiskResult<void> make_directories(const std::string&) override { return {}; }
  DiskResult<std::vector<std::string>> list(const std::string&) override {
    return std::vector<std::string>{};
  }
  DiskResult<void> remove(const std::string&) override { return {}; }
  DiskResult<void> sync_directory(const std::string&) override { return {}; }

  std::map<std::string, std::string> files;
  bool full = false;
};

constexpr ReportLine kLine{"T1", "E7", "F", "2", "100", "100", "0", "12", "N"};

std::vector<std::string> reopened(MemoryDisk& disk) {
  std::vector<std::string> seen;
  const auto file = ReportFile::open(disk, "report", [&](const ReportLine& line) {
    seen.push_back(std::string{line.cl_ord_id} + " " + std::string{line.exec_id} + " " +
                   std::string{line.poss_dup});
  });
  if (!file) seen.push_back(file.error().what());
  return seen;
}

TEST(ReportFileTest, lines_are_read_when_the_file_is_opened_again) {
  MemoryDisk disk;
  {
    auto file = ReportFile::open(disk, "report", [](const ReportLine&) { FAIL(); });
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(kLine));
  }
  auto file = ReportFile::open(disk, "report", [](const ReportLine&) {});
  ASSERT_TRUE(file);
  ReportLine second = kLine;
  second.exec_id = "E8";
  second.poss_dup = "Y";
  ASSERT_TRUE(file->append(second));
  EXPECT_THAT(reopened(disk), ElementsAre("T1 E7 N", "T1 E8 Y"));
}

TEST(ReportFileTest, torn_last_line_is_cut_wherever_it_was_torn) {
  MemoryDisk disk;
  {
    auto file = ReportFile::open(disk, "report", [](const ReportLine&) {});
    ASSERT_TRUE(file->append(kLine));
    ASSERT_TRUE(file->append(kLine));
  }
  const std::string whole = disk.files["report"];
  const std::size_t second_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = second_line; size < whole.size(); ++size) {
    disk.files["report"] = whole.substr(0, size);
    EXPECT_THAT(reopened(disk), ElementsAre("T1 E7 N"));
    EXPECT_EQ(disk.files["report"].size(), second_line);
  }
}

TEST(ReportFileTest, torn_header_is_written_again) {
  MemoryDisk disk;
  disk.files["report"] = "ClOrd";
  EXPECT_THAT(reopened(disk), IsEmpty());
  EXPECT_TRUE(disk.files["report"].starts_with("ClOrdID\tExecID"));
}

TEST(ReportFileTest, a_file_that_held_no_line_is_new_and_one_with_its_header_is_not) {
  MemoryDisk disk;
  disk.files["torn"] = "ClOrd";
  for (const char* path : {"absent", "torn"}) {
    for (const bool is_new : {true, false}) {
      const auto file = ReportFile::open(disk, path, [](const ReportLine&) {});
      ASSERT_TRUE(file);
      EXPECT_EQ(file->is_new(), is_new) << path;
    }
  }
}

TEST(ReportFileTest, file_of_another_program_is_refused_and_not_changed) {
  MemoryDisk disk;
  disk.files["report"] = "my thesis\n";
  EXPECT_THAT(reopened(disk), ElementsAre(::testing::HasSubstr("not a report file")));
  EXPECT_EQ(disk.files["report"], "my thesis\n");
}

TEST(ReportFileTest, values_of_a_counterparty_cannot_add_columns_or_lines) {
  MemoryDisk disk;
  {
    auto file = ReportFile::open(disk, "report", [](const ReportLine&) {});
    ReportLine line = kLine;
    line.exec_id = "a\tb\nc";
    ASSERT_TRUE(file->append(line));
  }
  EXPECT_THAT(reopened(disk), ElementsAre("T1 a?b?c N"));
}

TEST(ReportFileTest, full_disk_is_an_error) {
  MemoryDisk disk;
  auto file = ReportFile::open(disk, "report", [](const ReportLine&) {});
  disk.full = true;
  EXPECT_FALSE(file->append(kLine));
}

std::vector<Nanoseconds> samples(std::initializer_list<int> values) {
  std::vector<Nanoseconds> result;
  for (const int value : values) result.emplace_back(value);
  return result;
}

TEST(LatencyTest, percentiles_are_samples_by_nearest_rank) {
  std::vector<Nanoseconds> thousand;
  for (int value = 1000; value >= 1; --value) thousand.emplace_back(value);
  const LatencySummary summary = summarize(thousand);
  EXPECT_EQ(summary.count, 1000U);
  EXPECT_EQ(summary.p50.count(), 500);
  EXPECT_EQ(summary.p90.count(), 900);
  EXPECT_EQ(summary.p99.count(), 990);
  EXPECT_EQ(summary.p999.count(), 999);
  EXPECT_EQ(summary.max.count(), 1000);
}

TEST(LatencyTest, few_samples_and_none_are_summarised) {
  EXPECT_EQ(summarize({}).count, 0U);
  const LatencySummary one = summarize(samples({7}));
  EXPECT_EQ(one.p50.count(), 7);
  EXPECT_EQ(one.p999.count(), 7);
}

TEST(LatencyTest, histogram_counts_every_sample_once) {
  std::vector<Nanoseconds> many;
  for (int value = 0; value < 5000; ++value) many.emplace_back(100 + value * value % 7919);
  many.emplace_back(1'000'000);
  for (const std::size_t rows : {1U, 2U, 12U, 40U}) {
    std::size_t total = 0;
    Nanoseconds edge = histogram(many, rows).front().from;
    for (const HistogramRow& row : histogram(many, rows)) {
      EXPECT_EQ(row.from, edge);
      edge = row.to;
      total += row.count;
    }
    EXPECT_EQ(total, many.size());
    EXPECT_GT(edge.count(), 1'000'000);
  }
}

TEST(LatencyTest, histogram_of_equal_samples_has_them_all) {
  std::size_t total = 0;
  for (const HistogramRow& row : histogram(samples({5, 5, 5}), 4)) total += row.count;
  EXPECT_EQ(total, 3U);
  EXPECT_THAT(histogram({}, 4), IsEmpty());
}

}  // namespace
}  // namespace nexusfix::trader
