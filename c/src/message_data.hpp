// A message of the C interface, and the parser that makes it.
#pragma once

#include <nexusfix/wire/parser.hpp>

#include "c/src/dictionary_data.hpp"

// A parser owns one, a copy is one, and a callback gets one that lives as long as the call.
struct nxf_message {
  nexusfix::wire::MessageView view;
  nexusfix::c::DictionaryData::Shared dictionary;  // null: that of the message's version
  nexusfix::wire::OwnedMessage owned;              // of a copy

  // May make the dictionary of a version, and so throws std::bad_alloc.
  [[nodiscard]] const nexusfix::c::DictionaryData& structure() const {
    return dictionary ? *dictionary : *nexusfix::c::DictionaryData::of_message(view);
  }
};

struct nxf_parser {
  nexusfix::wire::Parser parser;
  nxf_message message;
};
