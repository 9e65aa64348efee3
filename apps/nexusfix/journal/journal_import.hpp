// `nexusfix journal import` and `export`: changing the engine without a sequence reset.
#pragma once

#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/journal/quickfix/quickfix_store.hpp"

namespace nexusfix::command {

struct ImportRequest {
  LogPlace place;       // created if it does not exist
  std::string from;     // the folder of the file store
  std::string prefix;   // only these files; empty: all
  std::string session;  // only this session; its name, if the files do not have it
  std::string reason;   // kept in the log
  bool is_confirmed = false;
};

int import_quickfix(Disk& disk, const ImportRequest& request, OpenPostgres open_postgres,
                    WallTime now);

struct ExportRequest {
  LogPlace place;
  std::string to;
  QuickfixForm form = QuickfixForm::Cpp;
  std::string session;  // only this one
  std::string prefix;   // of its files, if not the default
};

int export_quickfix(Disk& disk, const ExportRequest& request, OpenPostgres open_postgres);

}  // namespace nexusfix::command
