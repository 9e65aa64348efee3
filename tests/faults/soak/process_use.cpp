#include "faults/soak/process_use.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string_view>
#include <system_error>

namespace nexusfix::soak {
namespace {

std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1'024;
  }
  return 0;
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code gone;  // A segment that is retired meanwhile is no error.
  for (auto at = std::filesystem::recursive_directory_iterator{folder, gone};
       !gone && at != std::filesystem::recursive_directory_iterator{}; at.increment(gone)) {
    std::error_code unknown;
    const std::uintmax_t size = at->is_regular_file(unknown) ? at->file_size(unknown) : 0;
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace

ProcessUse use_now(const std::string& folder) {
  ProcessUse use;
  use.resident_bytes = status_bytes("VmRSS:");
  use.anonymous_bytes = status_bytes("RssAnon:");
  const struct mallinfo2 heap = ::mallinfo2();
  use.heap_bytes = heap.uordblks + heap.hblkhd;
  const std::filesystem::directory_iterator descriptors{"/proc/self/fd"};
  use.descriptors = static_cast<std::uint64_t>(std::distance(begin(descriptors), end(descriptors)));
  use.folder_bytes = bytes_below(folder);
  return use;
}

}  // namespace nexusfix::soak
