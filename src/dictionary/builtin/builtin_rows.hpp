// The rows that nexusfix_codegen has made from the files in dictionaries/, in Version's order.
#pragma once

#include <cstddef>
#include <string_view>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

inline constexpr std::size_t kVersionCount = static_cast<std::size_t>(Version::Fixt11) + 1;

// Only builtin_names() needs it: a program that prints no names does not get the half megabyte of
// rows.
extern const NameTable::Rows kBuiltinRows[kVersionCount];
// The output of pack() for each version, one after the other, and their texts.
struct BuiltinPacked {
  std::string_view text;
  std::string_view packed;
  std::size_t sizes[kVersionCount];  // of the packed dictionaries
};
extern const BuiltinPacked kBuiltinPacked;

}  // namespace nexusfix::dictionary
