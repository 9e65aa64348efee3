// The arguments of every subcommand that reads logs.
#pragma once

#include <optional>
#include <string>

#include "nexusfix/logs/output/message_writer.hpp"
#include "nexusfix/logs/source/log_reader.hpp"

namespace CLI {
class App;
}

namespace nexusfix::command {

// FILE..., --as, --delimiter, --from, --to, --rotated and --merge.
void add_log_options(CLI::App& app, logs::LogRequest& request);

// -f, after add_log_options().
void add_follow_option(CLI::App& app, logs::LogRequest& request);

// --raw, --ndjson, --json, --csv and --table, which exclude each other, and --fields.
void add_output_options(CLI::App& app, std::optional<logs::OutputForm>& form, std::string& fields);

}  // namespace nexusfix::command
