// The subcommands that write Arrow and Parquet run in `nexusfix-arrow`: this command, linked with
// Apache Arrow. It is installed beside `nexusfix`, or later: nothing else needs the large library.
#pragma once

#include <string>
#include <string_view>

#include "logs/columns/column_writer.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

// Set at the start of nexusfix-arrow. Null: this program is `nexusfix`.
extern logs::OpenColumns linked_columns;

// In `nexusfix`: replaces this process by nexusfix-arrow with this subcommand, from the folder of
// this program or ../lib/nexusfix. Returns only if that is impossible: why, and what helps. In
// nexusfix-arrow: returns an empty text.
[[nodiscard]] std::string run_with_arrow(std::string_view subcommand, const Arguments& arguments);

}  // namespace nexusfix::command
