// Whether the bytes of a secret are wiped before their memory is given back. A program of its own,
// because it replaces operator delete.
#include "base/api/secret.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <vector>

#include "support/sanitized.hpp"

namespace {

const void* watched = nullptr;
std::size_t watched_bytes = 0;
int wiped_frees = 0;
int other_frees = 0;

void give_back(void* memory) noexcept {
  if (memory != nullptr && memory == watched) {
    const char* const bytes = static_cast<const char*>(memory);
    const bool is_wiped = std::all_of(bytes, bytes + watched_bytes, [](char c) { return c == 0; });
    ++(is_wiped ? wiped_frees : other_frees);
  }
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }

namespace nexusfix {
namespace {

constexpr std::string_view kPassword =
    "correct horse battery staple, 64 characters with all of this..";

class SecretTest : public ::testing::Test {
 protected:
  static void watch(const Secret& secret) {
    watched = secret.view().data();
    watched_bytes = secret.view().size();
    wiped_frees = other_frees = 0;
  }
  void TearDown() override { watched = nullptr; }
};

TEST_F(SecretTest, is_wiped_before_its_memory_is_given_back) {
  {
    const Secret secret{kPassword};
    watch(secret);
  }
  EXPECT_EQ(wiped_frees, 1);
  EXPECT_EQ(other_frees, 0);
}

TEST_F(SecretTest, is_wiped_at_once_when_another_one_replaces_it) {
  std::optional<Secret> secret{kPassword};
  watch(*secret);
  Secret other{"another"};
  *secret = std::move(other);
  EXPECT_EQ(secret->view(), "another");
  EXPECT_TRUE(other.empty());
  // The moved one may live long: its memory has no text now.
  if (!kIsSanitized) {
    const char* const bytes = static_cast<const char*>(watched);
    EXPECT_TRUE(std::all_of(bytes, bytes + watched_bytes, [](char c) { return c == 0; }));
  }
}

TEST_F(SecretTest, that_was_moved_is_in_one_place) {
  Secret secret{kPassword};
  const Secret moved{std::move(secret)};
  EXPECT_EQ(moved.view(), kPassword);
  EXPECT_TRUE(secret.empty());
}

TEST(WipedAtEnd, bytes_are_wiped_when_the_scope_ends) {
  std::string bytes{kPassword};
  {
    const WipedAtEnd wiped{bytes};
    EXPECT_EQ(bytes, kPassword);
  }
  EXPECT_EQ(bytes, std::string(kPassword.size(), '\0'));
}

// As a function does that has copied a password and returned.
[[gnu::noinline]] void leave_traces() {
  volatile char bytes[512];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = kPassword[i % kPassword.size()];
}

TEST(WipedAtEnd, traces_of_functions_that_have_returned_are_wiped_from_the_stack) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer has frames elsewhere";
  for (const bool wipes : {false, true}) {
    std::vector<char> stack(std::size_t{256} << 10U);
    pthread_attr_t attributes;
    ASSERT_EQ(::pthread_attr_init(&attributes), 0);
    ASSERT_EQ(::pthread_attr_setstack(&attributes, stack.data(), stack.size()), 0);
    pthread_t thread{};
    const auto run = [](void* must_wipe) -> void* {
      leave_traces();
      if (must_wipe != nullptr) wipe_traces();
      return nullptr;
    };
    bool wanted = true;
    ASSERT_EQ(::pthread_create(&thread, &attributes, run, wipes ? &wanted : nullptr), 0);
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
    ::pthread_attr_destroy(&attributes);
    EXPECT_EQ(
        (std::string_view{stack.data(), stack.size()}.find(kPassword) != std::string_view::npos),
        !wipes);
  }
}

}  // namespace
}  // namespace nexusfix
