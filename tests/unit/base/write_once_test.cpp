#include "base/api/write_once.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace nexusfix {
namespace {

TEST(WriteOnce, one_claim_succeeds_and_the_value_is_seen_after_it_is_published) {
  WriteOnce<int> value;
  EXPECT_EQ(value.get(), nullptr);
  int* const written = value.claim();
  ASSERT_NE(written, nullptr);
  *written = 7;
  EXPECT_EQ(value.get(), nullptr);
  EXPECT_EQ(value.claim(), nullptr);
  value.publish();
  ASSERT_NE(value.get(), nullptr);
  EXPECT_EQ(*value.get(), 7);
  EXPECT_EQ(value.claim(), nullptr);
}

TEST(WriteOnce, threads_see_whole_values_of_one_writer) {
  constexpr std::size_t kValues = 1'000;
  static std::array<WriteOnce<std::array<std::size_t, 8>>, kValues> values;
  std::array<std::size_t, 4> claimed{};
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < claimed.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (auto& value : values) {
        if (auto* const written = value.claim()) {
          written->fill(thread);
          value.publish();
          ++claimed[thread];
        } else if (const auto* const seen = value.get()) {
          for (const std::size_t part : *seen) EXPECT_EQ(part, seen->front());
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(claimed[0] + claimed[1] + claimed[2] + claimed[3], kValues);
}

}  // namespace
}  // namespace nexusfix
