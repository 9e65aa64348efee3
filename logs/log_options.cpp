#include "logs/log_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "logs/messages/message_begin.hpp"
#include "logs/source/log_stamp.hpp"
#include "logs/source/log_time.hpp"

namespace nexusfix::command {
namespace {

// Not within add_jobs_option(): the callback outlives that function.
constexpr unsigned kJobsMax = 64;

void add_delimiter(CLI::App& app, std::string& delimiter) {
  app.add_option_function<std::string>(
         "--delimiter",
         [&](const std::string& text) { delimiter = *printing::read_delimiter(text); },
         "the separator of fields, such as `;`, SOH or \\x01 (default: detected in each message)")
      ->check([](const std::string& text) -> std::string {
        const auto read = printing::read_delimiter(text);
        return read ? "" : read.error();
      })
      ->option_text("TEXT");
}

void add_time(CLI::App& app, const std::string& name, std::optional<WallTime>& time,
              const std::string& meaning) {
  app.add_option_function<std::string>(
         name, [&](const std::string& text) { time = logs::read_time(text); }, meaning)
      ->check([](const std::string& text) -> std::string {
        return logs::read_time(text) ? ""
                                     : text +
                                           ": a time was expected, such as 20240115-10:30:00.5, "
                                           "\"2024-01-15 10:30\", "
                                           "2024-01-15 (UTC) or 2024-01-15T10:30:00+02:00";
      })
      ->option_text("TIME");
}

}  // namespace

void add_log_options(CLI::App& app, logs::LogRequest& request) {
  app.add_option("FILE", request.files,
                 "logs, raw bytes, hex dumps, archives of them (gzip, zstd, xz), and folders of "
                 "journals; without one, or for -: standard input");
  app.add_option_function<std::string>(
         "--as", [&](const std::string& name) { request.kind = *logs::source_kind(name); },
         "what the files are (default: recognised by their bytes): one of " +
             logs::source_kind_names())
      ->check([](const std::string& name) -> std::string {
        return logs::source_kind(name)
                   ? ""
                   : name + ": one of these was expected: " + logs::source_kind_names();
      })
      ->option_text("KIND");
  add_delimiter(app, request.delimiter);
  add_time(app, "--from", request.from,
           "only messages of this time and later; in UTC if it names no zone");
  add_time(app, "--to", request.until, "only messages before this time");
  app.add_option_function<std::string>(
         "--time-zone",
         [&](const std::string& zone) { request.stamps.zone = logs::read_zone(zone); },
         "the zone of times before messages that name none, such as +02:00 or CET "
         "(default: UTC)")
      ->check([](const std::string& zone) -> std::string {
        return logs::read_zone(zone) ? "" : zone + ": a zone was expected, such as +02:00 or CET";
      })
      ->option_text("ZONE");
  app.add_option("--time-format", request.stamps.format,
                 "the form of the times before messages, such as '%d.%m.%Y %H:%M:%S,%f %z' "
                 "(default: recognised)")
      ->check([](const std::string& format) -> std::string {
        const auto checked = logs::check_time_format(format);
        return checked ? "" : checked.error();
      })
      ->option_text("FORMAT");
  app.add_flag("--rotated", request.with_rotated,
               "read each file after the files that rotation made of it");
  app.add_flag("--merge", request.is_merged, "read all files together, in the order of time");
  app.add_flag("--broken", request.shows_broken,
               "print the places that begin with 8=FIX and are no message, and messages that do "
               "not end where their BodyLength says, on standard error");
}

void add_follow_option(CLI::App& app, logs::LogRequest& request) {
  app.add_flag("-f,--follow", request.is_followed,
               "wait for more messages at the end, also after a rotation, until Ctrl-C")
      ->excludes("--merge");
}

void add_jobs_option(CLI::App& app, logs::LogRequest& request) {
  app.add_option_function<unsigned>(
         "-j,--jobs",
         [&request](unsigned jobs) {
           const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
           request.jobs = jobs == 0 ? std::min(cores, kJobsMax) : jobs;
         },
         "threads that share the parts of each file; 0: one for each core (default: 1)")
      ->check(CLI::Range(0U, kJobsMax))
      ->option_text("N");
}

void add_where_option(CLI::App& app, std::string& expression) {
  app.add_option("--where", expression,
                 "only messages that fulfil an expression of `nexusfix grep`")
      ->option_text("EXPR");
}

void add_output_options(CLI::App& app, std::optional<logs::OutputForm>& form, std::string& fields,
                        bool& shows_passwords) {
  struct Choice {
    const char* name;
    logs::OutputForm form;
    const char* meaning;
  };
  using enum logs::OutputForm;
  std::vector<CLI::Option*> forms;
  for (const Choice choice :
       {Choice{"--raw", Raw, "print the exact bytes of each message after the text before it"},
        Choice{"--ndjson", Ndjson, "print a JSON object a line, with the exact message"},
        Choice{"--json", Json, "print the same objects as one JSON array"},
        Choice{"--csv", Csv,
               "print a row a message (RFC 4180), after a row of names; --csv=spreadsheet: a cell "
               "that would be a formula begins with an apostrophe"},
        Choice{"--table", Table, "print aligned columns"}}) {
    CLI::Option* const option = app.add_flag(choice.name, choice.meaning);
    option->each([&form, choice](const std::string& value) {
      const bool is_for_spreadsheet = choice.form == Csv && value == "spreadsheet";
      if (value != "true" && !is_for_spreadsheet) {
        throw CLI::ValidationError{choice.name, value + ": spreadsheet or no value was expected"};
      }
      form = is_for_spreadsheet ? Spreadsheet : choice.form;
    });
    for (CLI::Option* const other : forms) option->excludes(other);
    forms.push_back(option);
  }
  app.add_option("--fields", fields, "print only these fields, by tag or name, such as 11,Symbol")
      ->option_text("TAGS");
  app.add_flag("--show-passwords", shows_passwords,
               "print passwords (554, 925, 1402, 1404, and 96 of a Logon or UserRequest), not ***");
}

}  // namespace nexusfix::command
