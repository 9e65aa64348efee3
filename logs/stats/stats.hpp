// `nexusfix stats`: what the messages of logs add up to.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct StatsOptions {
  logs::LogRequest input{};
  std::string expression{};  // only messages that fulfil it; empty: all
  std::string dictionary{};  // a file; its names come before the built-in ones
  bool is_json = false;
  bool is_html = false;
  bool shows_all = false;  // all rows of each table
  bool has_timeline = false;
  std::size_t slowest_max = 0;
};

struct StatsStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if there was no message, or an opened file could not be read to its
// end; kUsage if a file or the dictionary cannot be opened, or the expression is wrong.
int stats_files(const StatsOptions& options, Disk& disk, StatsStreams streams);

}  // namespace nexusfix::command
