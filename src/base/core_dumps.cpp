#include "base/api/core_dumps.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/prctl.h>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {
namespace {

// Bit 4: the headers of programs and libraries, which identify the code that registers point into.
constexpr std::string_view kHeadersOnly = "0x10";

// The settings before the change.
struct Before {
  std::mutex mutex;
  bool is_kept_out = false;
  bool is_for_good = false;
  std::string filter;    // empty: there was no /proc
  int is_dumpable = -1;  // used if there is no /proc
};

Before& before() {
  static Before kept;
  return kept;
}

std::unique_ptr<File> open_filter() {
  PosixDisk disk;
  auto file = disk.open("/proc/self/coredump_filter", OpenMode::ReadWrite);
  return file ? std::move(*file) : nullptr;
}

// "00000033\n": hexadecimal without a prefix.
std::string read_filter(File& file) {
  std::array<char, 32> text{};
  const auto size = file.read_at(0, text);
  if (!size) return {};
  const std::string_view read{text.data(), *size};
  return "0x" + std::string{read.substr(0, read.find('\n'))};
}

}  // namespace

void keep_memory_out_of_core_dumps(KeptOut how) {
  Before& was = before();
  const std::lock_guard lock{was.mutex};
  was.is_for_good |= how == KeptOut::ForGood;
  if (was.is_kept_out) return;
  was.is_kept_out = true;
  if (const auto file = open_filter()) {
    was.filter = read_filter(*file);
    if (!was.filter.empty() && file->write_at(0, kHeadersOnly)) return;
  }
  was.filter.clear();
  // There is no /proc. This flag also excludes debuggers, so it is not the first choice.
  was.is_dumpable = ::prctl(PR_GET_DUMPABLE);
  ::prctl(PR_SET_DUMPABLE, 0);
}

bool let_memory_into_core_dumps() {
  Before& was = before();
  const std::lock_guard lock{was.mutex};
  if (was.is_for_good) return false;
  if (!was.is_kept_out) return true;
  was.is_kept_out = false;
  if (was.filter.empty()) {
    if (was.is_dumpable > 0) ::prctl(PR_SET_DUMPABLE, 1);
    return true;
  }
  const auto file = open_filter();
  if (file) static_cast<void>(file->write_at(0, was.filter));
  return true;
}

}  // namespace nexusfix
