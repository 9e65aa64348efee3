// The thread that checks passwords.
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <nexusfix/base/disk.hpp>

#include "passwords/password_service.hpp"

namespace nexusfix::engine {
namespace {

constexpr int kNiceMax = 19;

TEST(PasswordThread, passwords_are_checked_by_a_thread_of_lower_priority) {
  const auto threads_with_lower_priority = [before = ::getpriority(PRIO_PROCESS, 0)] {
    std::size_t count = 0;
    for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
      const auto id = static_cast<id_t>(std::stoul(task.path().filename()));
      if (::getpriority(PRIO_PROCESS, id) > before) ++count;
    }
    return count;
  };
  if (::getpriority(PRIO_PROCESS, 0) == kNiceMax)
    GTEST_SKIP() << "started with the lowest priority";
  ASSERT_EQ(threads_with_lower_priority(), 0U);
  PosixDisk disk;
  const PasswordService credentials{disk, 1};
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes{5};
  while (threads_with_lower_priority() == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_EQ(threads_with_lower_priority(), 1U);
}

}  // namespace
}  // namespace nexusfix::engine
