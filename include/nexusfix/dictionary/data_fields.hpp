// What a dictionary says about fields whose values may hold SOH, in the form that a parser takes.
#pragma once

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/data_fields.hpp>

namespace nexusfix::dictionary {

// The standard's pairs of Length and data fields, and the dictionary's own, which win:
//
//   wire::Parser parser{dictionary::data_fields(venue)};
//
// Allocates. Any thread.
[[nodiscard]] wire::DataFieldTable data_fields(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
