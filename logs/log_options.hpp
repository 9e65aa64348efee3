// The arguments of every subcommand that reads logs.
#pragma once

#include <optional>
#include <string>

#include "logs/output/message_writer.hpp"
#include "logs/source/log_reader.hpp"

namespace CLI {
class App;
}

namespace nexusfix::command {

// FILE..., --as, --delimiter, --from, --to, --rotated and --merge.
void add_log_options(CLI::App& app, logs::LogRequest& request);

// -f, after add_log_options().
void add_follow_option(CLI::App& app, logs::LogRequest& request);

// --jobs, after add_log_options(): for subcommands whose work goes to several threads.
void add_jobs_option(CLI::App& app, logs::LogRequest& request);

// --where: an expression of `nexusfix grep`.
void add_where_option(CLI::App& app, std::string& expression);

// --raw, --ndjson, --json, --csv and --table, which exclude each other, --fields and
// --show-passwords.
void add_output_options(CLI::App& app, std::optional<logs::OutputForm>& form, std::string& fields,
                        bool& shows_passwords);

}  // namespace nexusfix::command
