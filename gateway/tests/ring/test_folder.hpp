// A folder of a test for files of rings, with the sticky bit, removed at the end.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::gateway::testing {

class TestFolder {
 public:
  TestFolder() {
    const std::filesystem::path memory{"/dev/shm"};
    std::string path =
        (std::filesystem::exists(memory) ? memory : std::filesystem::path{::testing::TempDir()}) /
        "nexusfix-ring-test.XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    path_ = path;
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{path_},
                                                  std::filesystem::directory_iterator{}));
  }

 private:
  std::string path_;
};

}  // namespace nexusfix::gateway::testing
