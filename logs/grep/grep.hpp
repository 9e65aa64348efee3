// `nexusfix grep`: prints the messages that fulfil an expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "logs/output/message_writer.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct GrepOptions {
  std::string expression{};
  logs::LogRequest input{};
  logs::OutputForm form = logs::OutputForm::Line;
  std::string fields{};          // the value of --fields; empty: all
  std::string dictionary{};      // a file; its names come before the built-in ones
  bool is_inverted = false;      // messages that do not fulfil the expression
  bool only_count = false;       // print the number of messages, of each file if several
  std::uint64_t count_max = 0;   // stop after this number of messages; 0: no limit
  std::size_t before = 0;        // messages of context before each
  std::size_t after = 0;         // and after each
  bool shows_passwords = false;  // false: *** is in their place
  bool is_quiet = false;         // print nothing: the status is the answer
};

struct GrepStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Uses input.jobs threads, but only one for Table, and with count_max, context or is_quiet. Returns
// kSuccess if a message was found and every file was read; kFailure if none was found, or
// an opened file could not be read to its end; kUsage if a file or the dictionary cannot be opened,
// or the expression or the fields are wrong.
int grep_files(const GrepOptions& options, Disk& disk, GrepStreams streams);

}  // namespace nexusfix::command
