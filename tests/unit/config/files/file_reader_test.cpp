// FileReader without an EventLoop, over a disk that takes no threads: jobs run in their order.
#include "config/api/file_reader.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/disks/fake_disk.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"

namespace nexusfix::config {
namespace {

class FileReaderComponent : public ::testing::Test {
 protected:
  // Notes what happens to it.
  class Job final : public FileJob {
   public:
    Job(std::string name, std::vector<std::string>& notes)
        : name_{std::move(name)}, notes_{notes} {}
    void read(Disk& disk) override {
      const auto file = disk.open(name_, OpenMode::Read);
      notes_.push_back("read " + name_ + (file ? "" : ": absent"));
    }
    void finish() override { notes_.push_back("finish " + name_); }
    void fail(std::string_view why) override { notes_.push_back(name_ + ": " + std::string{why}); }

   private:
    std::string name_;
    std::vector<std::string>& notes_;
  };
  [[nodiscard]] std::shared_ptr<Job> job(std::string name) {
    return std::make_shared<Job>(std::move(name), notes);
  }

  testing::FakeDisk disk;
  testing::ManualClock clock;
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  std::vector<std::string> notes;
  FileReader reader{disk, nullptr, network};
};

TEST_F(FileReaderComponent, jobs_run_one_after_the_other_in_their_order) {
  disk.set_contents("first", "x");
  EXPECT_FALSE(reader.is_busy());
  reader.add(job("first"));
  reader.add(job("second"));
  EXPECT_TRUE(reader.is_busy());
  EXPECT_TRUE(notes.empty()) << "serve() begins them";
  reader.serve(clock.now().mono);
  EXPECT_EQ(notes, (std::vector<std::string>{"read first", "finish first", "read second: absent",
                                             "finish second"}));
  EXPECT_FALSE(reader.is_busy());
}

TEST_F(FileReaderComponent, stop_drops_waiting_jobs_without_a_word) {
  reader.add(job("first"));
  reader.stop();
  EXPECT_FALSE(reader.is_busy());
  reader.serve(clock.now().mono);
  EXPECT_TRUE(notes.empty());
}

TEST_F(FileReaderComponent, read_now_reads_before_waiting_jobs_and_leaves_the_rest_to_the_caller) {
  reader.add(job("waits"));
  EXPECT_EQ(reader.read_now(job("now"), clock), "");
  EXPECT_EQ(notes, std::vector<std::string>{"read now: absent"});
  EXPECT_TRUE(reader.is_busy());
}

}  // namespace
}  // namespace nexusfix::config
