#include "logs/columns/arrow_command.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace nexusfix::command {

logs::OpenColumns linked_columns = nullptr;

std::string run_with_arrow(std::string_view subcommand, const Arguments& arguments) {
  if (linked_columns != nullptr) return {};
  Arguments words{"nexusfix", std::string{subcommand}};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::string failed;
  for (const char* const place : {"nexusfix-arrow", "../lib/nexusfix/nexusfix-arrow"}) {
    const std::string path = (folder / place).string();
    ::execv(path.c_str(), pointers.data());
    if (errno != ENOENT) failed = path + ": " + std::strerror(errno);
  }
  if (!failed.empty()) return failed;
  return "nexusfix-arrow, the part with Apache Arrow, is not installed: it is in the package "
         "nexusfix-logs, and `make install-arrow` in the source tree installs it";
}

}  // namespace nexusfix::command
