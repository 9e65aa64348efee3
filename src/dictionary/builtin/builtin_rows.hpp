// The rows that nexusfix_codegen has made from the files in dictionaries/, in Version's order.
#pragma once

#include <cstdint>
#include <span>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/names.hpp>

namespace nexusfix::dictionary {

inline constexpr std::size_t kVersionCount = static_cast<std::size_t>(Version::Fixt11) + 1;

extern const NameTable::Rows kBuiltinRows[kVersionCount];
// The output of pack(). Its texts are in NameTable::Rows::text.
extern const std::span<const std::uint64_t> kBuiltinPacked[kVersionCount];

}  // namespace nexusfix::dictionary
