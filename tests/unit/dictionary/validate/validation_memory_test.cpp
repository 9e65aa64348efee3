// A Validator allocates only when it is made. This program counts every allocation.
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/counted_new.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::dictionary {
namespace {

TEST(ValidatorAllocation, valid_and_invalid_messages_are_validated_without_an_allocation) {
  const Validator validator = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  ValidationMemory memory;
  const std::string head = "49=S|56=T|34=2|52=20240115-10:30:00|";
  std::string entries;
  for (int i = 0; i < 5'000; ++i) entries += "269=0|270=1.5|271=3|";
  const struct {
    std::string body;
    bool is_valid;
  } messages[] = {
      {"35=0|" + head, true},
      {"35=W|" + head + "55=B|268=5000|" + entries, true},
      {"35=W|" + head + "55=B|268=5001|" + entries, false},
      {"35=0|" + head + "99999=x|", false},
      {"35=0|" + head + "112=|", false},
      {"35=??|" + head, false},
  };
  for (const auto& message : messages) {
    wire::Parser parser;
    const std::string bytes = testing::fix("FIX.4.4", message.body);
    const auto parsed = parser.parse(bytes);
    ASSERT_TRUE(parsed);
    const std::size_t before = test::allocations;
    const bool is_valid = !validator.validate(*parsed);
    EXPECT_EQ(test::allocations, before);
    EXPECT_EQ(is_valid, message.is_valid) << message.body.substr(0, 60);
    // New, seen again, learned, known.
    for (int i = 0; i < 4; ++i) EXPECT_EQ(!validator.validate(*parsed, memory), is_valid);
    EXPECT_EQ(test::allocations, before);
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
