// `nexusfix anonymise`: writes logs without the names and texts of real parties.
#pragma once

#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "logs/anonymise/anonymiser.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct AnonymiseOptions {
  logs::LogRequest input{};
  std::string expression{};    // only messages that fulfil it; empty: all
  std::string dictionary{};    // a file; its names come before the built-in ones
  std::string key_file{};      // an existing file; empty: a new key that is forgotten
  std::string new_key_file{};  // a file that is created with a new key
  logs::PriceChoice prices = logs::PriceChoice::Keep;
  std::string kept{};    // fields whose values stay, as in --fields
  std::string hidden{};  // fields whose values get pseudonyms
};

struct AnonymiseStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if there was no message, an opened file could not be read to its end,
// or the output could not be written; kUsage if a file or the key cannot be opened or created, or
// an option is wrong.
int anonymise_files(const AnonymiseOptions& options, Disk& disk, AnonymiseStreams streams);

}  // namespace nexusfix::command
