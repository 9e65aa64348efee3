#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

// The build runs this program once for each value of NEXUSFIX_FORCE_ISA in CMakeLists.txt, and once
// without it.
TEST(SelectedIsa, is_the_forced_one_or_the_best_or_an_error) {
  const char* const forced = std::getenv("NEXUSFIX_FORCE_ISA");
  const kernels::KernelList all = kernels::all();
  const kernels::KernelTable* wanted = nullptr;
  for (std::size_t i = 0; i < all.count && wanted == nullptr; ++i) {
    const bool named = forced != nullptr && std::string{forced} == all.tables[i]->name;
    if (named || (forced == nullptr && all.tables[i]->supported())) wanted = all.tables[i];
  }
  const auto selected = selected_isa();
  if (wanted == nullptr) {
    ASSERT_FALSE(selected);
    EXPECT_EQ(selected.error().code, detail::IsaError::Code::Unknown);
  } else if (!wanted->supported()) {
    ASSERT_FALSE(selected);
    EXPECT_EQ(selected.error().code, detail::IsaError::Code::Unsupported);
  } else {
    ASSERT_TRUE(selected);
    EXPECT_EQ(*selected, wanted->name);
    EXPECT_EQ(&kernels::selected(), wanted);
  }
}

TEST(SelectedIsa, parsing_works_even_when_the_forced_one_is_an_error) {
  Parser parser;
  EXPECT_TRUE(parser.parse(test::message_of("35=0|34=1|")));
}

TEST(SelectedIsa, every_kernel_of_the_build_has_a_known_name) {
  const kernels::KernelList all = kernels::all();
  std::string names;
  for (std::size_t i = 0; i < all.count; ++i) {
    names += (i == 0 ? "" : ", ") + std::string{all.tables[i]->name};
  }
  EXPECT_EQ(known_isas(), names);
  EXPECT_STREQ(all.tables[all.count - 1]->name, "scalar");
}

}  // namespace
}  // namespace nexusfix::wire
