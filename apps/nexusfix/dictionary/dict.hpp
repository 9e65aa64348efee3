// `nexusfix dict`: answers questions about FIX.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct DictOptions {
  std::vector<std::string> words;  // questions; with diff: what to compare, or none
  std::string version;             // empty: FIX.4.4, and other versions for what it lacks
  std::string dictionary;          // a file; instead of a version
  std::vector<std::string> diff;   // two versions or files
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of the files
  bool json = false;
};

struct DictStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if a question has no answer; kUsage if a dictionary cannot be read.
int answer_questions(const DictOptions& options, Disk& disk, DictStreams streams);

int run_dict(Arguments arguments);

}  // namespace nexusfix::command
