// Tests that run with every kernel that this CPU supports.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::test {

[[nodiscard]] inline std::vector<const wire::kernels::KernelTable*> every_kernel() {
  std::vector<const wire::kernels::KernelTable*> runnable;
  const wire::kernels::KernelList all = wire::kernels::all();
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.tables[i]->supported()) runnable.push_back(all.tables[i]);
  }
  return runnable;
}

[[nodiscard]] inline std::string kernel_name(
    const testing::TestParamInfo<const wire::kernels::KernelTable*>& test) {
  return test.param->name;
}

}  // namespace nexusfix::test
