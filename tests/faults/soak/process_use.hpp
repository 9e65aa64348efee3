// The resources that this process uses.
#pragma once

#include <cstdint>
#include <string>

namespace nexusfix::soak {

struct ProcessUse {
  std::uint64_t resident_bytes = 0;   // with the mapped segments of journals
  std::uint64_t anonymous_bytes = 0;  // of these, its own memory: heap and stacks
  std::uint64_t heap_bytes = 0;       // allocated and not freed
  std::uint64_t descriptors = 0;
  std::uint64_t folder_bytes = 0;  // on the disk
};

[[nodiscard]] ProcessUse use_now(const std::string& folder);

}  // namespace nexusfix::soak
