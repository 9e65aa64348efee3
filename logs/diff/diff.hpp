// `nexusfix diff`: what one side sent and the other did not get.
#pragma once

#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct DiffOptions {
  logs::LogRequest input{};  // two files
  bool is_json = false;
  bool is_quiet = false;  // print nothing: the status is the answer
};

struct DiffStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns as diff(1): 0 if the logs have the same messages, 1 if they do not, and 2 if a file
// cannot be opened or read to its end.
int diff_files(const DiffOptions& options, Disk& disk, DiffStreams streams);

}  // namespace nexusfix::command
