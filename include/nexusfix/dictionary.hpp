// The dictionary layer: the names and the structure of FIX's tags, values and messages, from a file
// in QuickFIX XML or FIX Orchestra, or built into the library.
//
// What it is not: except for the Validator, it is not on the path of a message. Code that sends or
// receives typed messages uses the headers that are generated from a dictionary
// (nexusfix/fix44/...), and those do not need this layer.
// Threads: everything here is a value, or a view of constants. Any number of threads may read.
// Allocation: loading allocates. A lookup of a name and a validation do not.
//
//   auto names = dictionary::builtin_names(dictionary::Version::Fix44);
//   names.field_name(54);          // "Side"
//   names.value_name(54, "1");     // "BUY"
//   auto& fix44 = dictionary::builtin_dictionary(dictionary::Version::Fix44);
//   fix44.message("D")->name;      // "NewOrderSingle"
//   auto own = dictionary::load_dictionary(text, "venue.xml");
//   if (!own) std::cerr << own.error().what();   // venue.xml:12: field "Foo" is not defined ...
//   else wire::Parser parser{dictionary::data_fields(*own)};  // knows its Length/data pairs
//
//   auto validator = dictionary::Validator::make(fix44, {});
//   if (auto wrong = validator->validate(message)) std::cerr << explain(*wrong, message, fix44);
//   auto shapes = dictionary::GroupShapes::make(fix44);
//   for (auto entry : message.group(shapes->of("W", 268))) use(entry[270]);
#pragma once

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/validator.hpp>

namespace nexusfix {

// Also explains errors of the wire layer.
using dictionary::explain;

}  // namespace nexusfix
