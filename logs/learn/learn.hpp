// `nexusfix dict learn`: makes a dictionary of the messages of logs, or compares them with one.
#pragma once

#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "logs/learn/learned_dictionary.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct LearnOptions {
  logs::LogRequest input{};
  std::string version{};            // empty: that of the first message
  logs::DictionaryFormat format{};  // of what is printed
  std::string against{};            // a dictionary; empty: print what is learned
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of that file
  bool json = false;  // with against: one object a gap
};

struct LearnStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if there is no message, a gap, or an opened file could not be read to
// its end; kUsage if a file or a dictionary cannot be opened.
int learn_dictionary(const LearnOptions& options, Disk& disk, LearnStreams streams);

}  // namespace nexusfix::command
