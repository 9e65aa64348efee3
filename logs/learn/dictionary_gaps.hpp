// What messages have that a dictionary does not say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logs/learn/seen_messages.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::logs {

struct DictionaryGap {
  std::string where;  // "NewOrderSingle (D)", "field Side (54)"
  std::string what;   // "tag 5001 is not in the dictionary"
  std::uint64_t count = 0;
  SeenPlace first;
};

// Unknown messages and tags, fields that are not of their message, required ones that are missing,
// values that are not of the type or not listed. By message, then by tag.
[[nodiscard]] std::vector<DictionaryGap> dictionary_gaps(const SeenMessages& seen,
                                                         const command::NamedDictionary& named);

}  // namespace nexusfix::logs
