// Runs the contract over the store in memory, and over one that breaks a rule.
#include <cstdio>
#include <memory>
#include <string>

#include <nexusfix/store.hpp>
#include <nexusfix/testing/store_contract.hpp>

namespace {

namespace store = nexusfix::store;
using store::StoreCase;
using store::StoreContract;

class Memory : public store::StoreFactory {
 public:
  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    return store::make_memory_store(options.record_bytes_max);
  }
};

// A limit that is not the one that it was given.
class TooLarge : public store::StoreFactory {
 public:
  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    return store::make_memory_store(2 * options.record_bytes_max);
  }
};

template <class Factory>
StoreCase in_memory(std::string name) {
  return {.name = std::move(name),
          .make = [] { return std::make_unique<Factory>(); },
          .is_persistent = false,
          .keeps_old_epochs = false};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract,
                         ::testing::Values(in_memory<Memory>("right"),
                                           in_memory<TooLarge>("wrong")),
                         [](const auto& info) { return info.param.name; });

// Prints the first failure of each test, with the rule that it names.
class Failures : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { is_first_ = true; }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    const std::string text = result.message();
    const auto rule = text.find("append(): TooLarge above");
    if (!is_first_ || !result.failed() || rule == std::string::npos) return;
    is_first_ = false;
    std::printf("%s\n", text.substr(rule, text.find('\n', rule) - rule).c_str());
  }
  bool is_first_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto& test = *::testing::UnitTest::GetInstance();
  delete test.listeners().Release(test.listeners().default_result_printer());
  test.listeners().Append(new Failures);
  const int result = RUN_ALL_TESTS();
  std::printf("tests of each store: %d, failed: %d, result %d\n", test.total_test_count() / 2,
              test.failed_test_count(), result);
  return 0;
}
