#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/arena.hpp>

namespace nexusfix {
namespace {

// Counts the memory from the heap and checks that all of it is freed with the right sizes.
class CountingResource final : public std::pmr::memory_resource {
 public:
  std::size_t allocations = 0;
  std::size_t bytes_out = 0;
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > bytes_max - bytes_out) throw std::bad_alloc{};
    ++allocations;
    bytes_out += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    bytes_out -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(Arena, pieces_are_aligned_as_asked_and_do_not_overlap) {
  Arena arena{{.block_bytes = 512}};
  struct Piece {
    std::byte* at;
    std::size_t bytes;
    std::byte mark;
  };
  std::vector<Piece> pieces;
  std::size_t bytes = 1;
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (int i = 0; i < 20; ++i, bytes = bytes * 7 % 611) {
      auto* const at = static_cast<std::byte*>(arena.try_allocate(bytes, alignment));
      ASSERT_NE(at, nullptr);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignment, 0U);
      const auto mark = static_cast<std::byte>(pieces.size());
      std::fill_n(at, bytes, mark);
      pieces.push_back({at, bytes, mark});
    }
  }
  for (const Piece& piece : pieces) {
    EXPECT_EQ(std::count(piece.at, piece.at + piece.bytes, piece.mark),
              static_cast<std::ptrdiff_t>(piece.bytes));
  }
}

TEST(Arena, the_same_work_after_a_reset_takes_nothing_from_upstream) {
  CountingResource heap;
  Arena arena{{.block_bytes = 1024}, heap};
  const auto lap = [&] {
    for (std::size_t bytes = 1; bytes < 5000; bytes = bytes * 3 / 2 + 1) {
      ASSERT_NE(arena.try_allocate(bytes), nullptr);
    }
  };
  lap();
  const std::size_t before = heap.allocations;
  EXPECT_GT(before, 1U);
  for (int i = 0; i < 100; ++i) {
    arena.reset();
    lap();
  }
  EXPECT_EQ(heap.allocations, before);
  EXPECT_EQ(heap.bytes_out, arena.bytes_reserved());
  arena.release();
  EXPECT_EQ(heap.bytes_out, 0U);
  EXPECT_EQ(arena.bytes_reserved(), 0U);
  EXPECT_NE(arena.try_allocate(1), nullptr);
}

TEST(Arena, reserved_memory_is_available_without_upstream) {
  CountingResource heap;
  Arena arena{{.block_bytes = 256}, heap};
  ASSERT_TRUE(arena.reserve(1000));
  const std::size_t before = heap.allocations;
  for (int i = 0; i < 4; ++i) EXPECT_NE(arena.try_allocate(200), nullptr);
  EXPECT_EQ(heap.allocations, before);
}

TEST(Arena, never_holds_more_than_its_limit) {
  CountingResource heap;
  Arena arena{{.block_bytes = 1024, .bytes_max = 2000}, heap};
  std::size_t pieces = 0;
  while (arena.try_allocate(100) != nullptr) ++pieces;
  EXPECT_GE(pieces, 16U);  // a smaller second block is better than none
  EXPECT_LE(heap.bytes_out, 2000U);
  EXPECT_EQ(arena.bytes_reserved(), heap.bytes_out);
  arena.reset();
  EXPECT_NE(arena.try_allocate(100), nullptr);
  EXPECT_FALSE(arena.reserve(5000));
}

TEST(Arena, exhaustion_is_null_or_bad_alloc_and_leaves_it_usable) {
  Arena arena{{.block_bytes = 128, .bytes_max = 256}};
  EXPECT_EQ(arena.try_allocate(1000), nullptr);
  EXPECT_EQ(arena.try_allocate(std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(arena.try_allocate(std::numeric_limits<std::size_t>::max() - 8, 4096), nullptr);
  EXPECT_THROW(static_cast<void>(arena.allocate(1000)), std::bad_alloc);
  EXPECT_NE(arena.try_allocate(64), nullptr);
}

TEST(Arena, try_allocate_does_not_throw_when_upstream_is_exhausted) {
  Arena empty{{}, *std::pmr::null_memory_resource()};
  EXPECT_EQ(empty.try_allocate(1), nullptr);
  EXPECT_FALSE(empty.reserve(1));
  CountingResource heap;
  heap.bytes_max = 700;
  Arena arena{{.block_bytes = 512}, heap};
  EXPECT_NE(arena.try_allocate(400), nullptr);
  EXPECT_NE(arena.try_allocate(100), nullptr);  // a block of less than 512 bytes
  EXPECT_EQ(arena.try_allocate(400), nullptr);
}

TEST(Arena, a_piece_of_no_bytes_has_an_address_of_its_own) {
  Arena arena;
  void* const first = arena.try_allocate(0);
  void* const second = arena.try_allocate(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
}

TEST(Arena, serves_the_containers_of_the_standard_library) {
  CountingResource heap;
  Arena arena{{.block_bytes = 4096}, heap};
  {
    std::pmr::vector<std::pmr::string> texts{&arena};
    for (int i = 0; i < 100; ++i) texts.emplace_back(std::string(static_cast<std::size_t>(i), 'x'));
    EXPECT_EQ(std::string_view{texts[99]}, std::string(99, 'x'));
  }
  arena.reset();
  EXPECT_TRUE(arena.is_equal(arena));
}

TEST(ArenaDeathTest, an_alignment_that_is_no_power_of_two_is_a_programmers_error) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Arena arena;
  EXPECT_DEATH(static_cast<void>(arena.try_allocate(8, 24)), "has_single_bit");
}

#if defined(__SANITIZE_ADDRESS__)
TEST(ArenaDeathTest, a_piece_used_after_reset_is_reported) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Arena arena;
  auto* const piece = static_cast<volatile char*>(arena.try_allocate(16));
  arena.reset();
  EXPECT_DEATH(*piece = 1, "use-after-poison");
}
#endif

TEST(TryAllocate, gives_null_for_bad_alloc) {
  EXPECT_EQ(try_allocate(*std::pmr::null_memory_resource(), 1, 1), nullptr);
  CountingResource heap;
  void* const memory = try_allocate(heap, 10, 8);
  ASSERT_NE(memory, nullptr);
  heap.deallocate(memory, 10, 8);
  EXPECT_EQ(heap.bytes_out, 0U);
}

}  // namespace
}  // namespace nexusfix
