// The test of a store that a program brings: the guide quotes it. It only has to compile.
#include <memory>

// [contract]
#include <nexusfix/testing/store_contract.hpp>

using nexusfix::store::StoreCase;
using nexusfix::store::StoreContract;
// [end]

namespace {

[[maybe_unused]] std::unique_ptr<nexusfix::store::StoreFactory> make_in_new_folder() {
  return nullptr;
}

// [suite]
INSTANTIATE_TEST_SUITE_P(Mine, StoreContract,
                         ::testing::Values(StoreCase{.name = "mine",
                                                     .make = [] { return make_in_new_folder(); }}),
                         [](const auto& info) { return info.param.name; });
// [end]

}  // namespace
