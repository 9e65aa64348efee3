// `nexusfix validate`: reports the errors in the messages of files or standard input.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct ValidateOptions {
  logs::LogRequest input;
  std::string version;     // empty: each message's own
  std::string dictionary;  // a file; instead of a version
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of that file
  dictionary::ValidationRules rules;
  bool json = false;     // one object a message
  bool summary = false;  // only the counts
};

struct ValidateStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Sets a rule by a text such as "ValidateUserDefinedFields=N", as in a configuration. False: the
// text is no rule.
[[nodiscard]] bool set_rule(dictionary::ValidationRules& rules, std::string_view assignment);
// The names of the rules, separated by spaces.
[[nodiscard]] std::string rule_names();

// Returns kSuccess if every message is valid; kFailure if one is not, there is none, or an opened
// file could not be read to its end; kUsage if a file or a dictionary cannot be opened.
int validate_files(const ValidateOptions& options, Disk& disk, ValidateStreams streams);

}  // namespace nexusfix::command
