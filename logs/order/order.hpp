// `nexusfix order`: the life of an order, and what its state must be now.
#pragma once

#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct OrderOptions {
  std::string id{};  // a ClOrdID, OrigClOrdID, OrderID, ExecID or ExecRefID
  logs::LogRequest input{};
  std::string dictionary{};  // a file; its names come before the built-in ones
  bool is_json = false;
};

struct OrderStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Reads the logs several times, and standard input from a temporary file. Returns kSuccess;
// kFailure if no order has the identifier, a report disagrees with the computed state, or an opened
// file could not be read to its end; kUsage if a file or the dictionary cannot be opened.
int order_files(const OrderOptions& options, Disk& disk, OrderStreams streams);

}  // namespace nexusfix::command
