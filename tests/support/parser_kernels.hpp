// Kernels of the parser for tests that compare what it remembers with a new parser.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::testing {

// One of the kernels of this CPU that compare the tags of a frame with those of an earlier one, in
// turn by number; the one in use if there is none.
inline const wire::kernels::KernelTable& comparing_kernel(std::size_t number) {
  static const auto comparing = [] {
    const wire::kernels::KernelList all = wire::kernels::all();
    std::vector<const wire::kernels::KernelTable*> found;
    std::copy_if(all.tables, all.tables + all.count, std::back_inserter(found),
                 [](const auto* one) { return one->find_sequence != nullptr && one->supported(); });
    if (found.empty()) found.push_back(&wire::kernels::selected());
    return found;
  }();
  return *comparing[number % comparing.size()];
}

// The one that uses no shapes and compares no tags.
inline const wire::kernels::KernelTable& plain_kernel() {
  const wire::kernels::KernelList all = wire::kernels::all();
  return **std::find_if(all.tables, all.tables + all.count,
                        [](const auto* table) { return table->fits == nullptr; });
}

}  // namespace nexusfix::testing
