// What /proc says of the process: the kernel reads the same file when it writes a core dump.
#include "base/api/core_dumps.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace nexusfix {
namespace {

constexpr const char* kFilter = "/proc/self/coredump_filter";

std::string read_filter_of_process() {
  std::string text;
  std::ifstream{kFilter} >> text;
  return text;
}

// The calls concern the whole process, so each case has a process of its own.
template <class Case>
bool holds_in_a_process(Case holds) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream{kFilter} << "0x33";
    ::_exit(holds() ? 42 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 42;
}

class CoreDumps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (read_filter_of_process().empty()) GTEST_SKIP() << "no " << kFilter << " here";
  }
};

TEST_F(CoreDumps, have_no_memory_until_it_is_decided_and_then_as_before) {
  EXPECT_TRUE(holds_in_a_process([] {
    keep_memory_out_of_core_dumps();
    return read_filter_of_process() == "00000010";
  }));
  EXPECT_TRUE(holds_in_a_process([] {
    keep_memory_out_of_core_dumps();
    return let_memory_into_core_dumps() && read_filter_of_process() == "00000033";
  }));
}

TEST_F(CoreDumps, have_no_memory_any_more_once_that_is_for_good) {
  EXPECT_TRUE(holds_in_a_process([] {
    keep_memory_out_of_core_dumps();
    keep_memory_out_of_core_dumps(KeptOut::ForGood);
    return !let_memory_into_core_dumps() && read_filter_of_process() == "00000010";
  }));
}

}  // namespace
}  // namespace nexusfix
