// nexusfix journal show, and what the other subcommands of `journal` share with it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "nexusfix/files/journal_locator.hpp"

namespace nexusfix::command {

struct ShowOptions {
  std::string folder;
  bool json = false;
  bool messages = false;
  bool decode = false;
  bool changes = false;
  bool archived = false;
  bool unsent = false;
  bool times = false;
  std::string session;
  std::uint64_t first = 1;
  std::uint64_t last = 0;   // 0: no limit
  std::uint64_t epoch = 0;  // 0: every epoch
  std::string direction;    // in, out or both; empty: both
  std::string since;        // empty: no limit
  std::string until;
  std::string text;  // that a message has; `|` stands for SOH

  [[nodiscard]] bool wants_messages() const {
    return messages || decode || times || first > 1 || last > 0 || epoch > 0 ||
           !direction.empty() || !since.empty() || !until.empty() || !text.empty();
  }
};

[[nodiscard]] CLI::App* add_show(CLI::App& app, ShowOptions& options);
// Returns the exit status.
[[nodiscard]] int show(const ShowOptions& options);

// Actions on the files of a journal cannot run on a database. Returns the exit status.
[[nodiscard]] int refuse_database(const LogPlace& place, std::string_view instead);

// A MsgSeqNum, or an epoch. The help does not show this range: its end limits no user.
[[nodiscard]] CLI::Range any_number();
// The argument LOG.
CLI::Option* add_folder(CLI::App& app, std::string& folder);

}  // namespace nexusfix::command
