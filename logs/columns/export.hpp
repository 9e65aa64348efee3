// `nexusfix export`: writes messages as rows of a file for data tools.
#pragma once

#include <cstdio>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "logs/columns/column_plan.hpp"
#include "logs/columns/column_writer.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

struct ExportOptions {
  logs::LogRequest input{};
  std::string expression{};  // only messages that fulfil it; empty: all
  std::string dictionary{};  // a file; its names come before the built-in ones
  std::string fields{};      // the value of --fields; empty: the usual ones
  logs::ColumnForms forms{};
  logs::ColumnFormat format = logs::ColumnFormat::Parquet;
  std::string path{};  // empty: standard output
};

struct ExportStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess; kFailure if there was no message, an opened file could not be read to its end,
// or the output could not be written: then it is removed; kUsage if a file cannot be opened or
// created, or an option is wrong.
int export_files(const ExportOptions& options, Disk& disk, logs::OpenColumns open,
                 ExportStreams streams);

}  // namespace nexusfix::command
