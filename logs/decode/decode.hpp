// `nexusfix decode`: prints the messages in files or standard input for people.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "logs/output/message_writer.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

enum class ColourChoice : std::uint8_t { Auto, Always, Never };

struct DecodeOptions {
  logs::LogRequest input;
  std::string dictionary;  // a file in the QuickFIX XML form; empty: the built-in ones
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;  // of that file
  ColourChoice colour = ColourChoice::Auto;
  bool summary = false;                  // one line a message, and a count
  std::optional<logs::OutputForm> form;  // unset: for people
  bool shows_passwords = false;          // false: *** is in their place
  std::string fields;                    // the value of --fields; empty: all
};

struct DecodeStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if a message was faulty, there was none, or an opened file could not
// be read to its end; kUsage if a file or the dictionary cannot be opened. In a form for programs
// no message counts as faulty. Memory is bounded by one message and one chunk of a file.
int decode_files(const DecodeOptions& options, Disk& disk, DecodeStreams streams);

}  // namespace nexusfix::command
