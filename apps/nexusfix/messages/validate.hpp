// `nexusfix validate`: says what is wrong with the messages in files or standard input.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/validator.hpp>

#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct ValidateOptions {
  std::vector<std::string> files;  // none, or "-": standard input
  std::string version;             // empty: each message's own
  std::string dictionary;          // a file; instead of a version
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of that file
  std::string delimiter;  // between fields; empty: each message tells
  dictionary::ValidationRules rules;
  bool json = false;     // one object a message
  bool summary = false;  // nothing but the count
};

struct ValidateStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// "ValidateUserDefinedFields=N" and the like, as in a configuration. False: it is no such rule.
[[nodiscard]] bool set_rule(dictionary::ValidationRules& rules, std::string_view assignment);
// The names of the rules, separated by spaces.
[[nodiscard]] std::string rule_names();

// Returns kSuccess if every message is valid; kFailure if one is not or there is none; kUsage if a
// file cannot be read or a dictionary is none.
int validate_files(const ValidateOptions& options, Disk& disk, ValidateStreams streams);

int run_validate(Arguments arguments);

}  // namespace nexusfix::command
