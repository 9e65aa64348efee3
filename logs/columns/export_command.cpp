#include <CLI/CLI.hpp>
#include <utility>

#include "logs/columns/arrow_command.hpp"
#include "logs/columns/export.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {
int run_export(Arguments arguments) {
  CLI::App app{
      "Writes a row for each message: file, byte offset, time and direction, and the chosen fields "
      "with "
      "the types of the dictionary. A price is a decimal, a time a timestamp, and a group a list. "
      "A value that is not of its type is null, and counted.",
      "nexusfix export"};
  ExportOptions options;
  std::string arrow;
  add_log_options(app, options.input);
  add_jobs_option(app, options.input);
  CLI::Option* const parquet =
      app.add_option("--parquet", options.path, "write a Parquet file")->option_text("FILE");
  app.add_option("--arrow", arrow,
                 "write an Arrow file (Feather); for -: an Arrow stream to standard output")
      ->excludes(parquet)
      ->option_text("FILE");
  app.add_option("--fields", options.fields,
                 "the columns, by tag or name, such as 11,Price,NoPartyIDs (default: the usual "
                 "fields of orders, and the parties)")
      ->option_text("TAGS");
  app.add_flag("--names", options.forms.with_names,
               "give enumerated fields the names of their values, such as BUY for 1");
  app.add_option("--scale", options.forms.scale, "the digits of decimals after the point")
      ->check(CLI::Range(0U, logs::kDecimalScaleMax))
      ->capture_default_str()
      ->option_text("N");
  add_where_option(app, options.expression);
  add_dictionary_option(app, options.dictionary);
  app.footer(
      "Examples:\n"
      "  $ nexusfix export --parquet day.parquet --rotated messages.log\n"
      "  $ nexusfix export --arrow - --fields 11,44,453 messages.log | python3 read.py\n\n"
      "Exit status:\n"
      "  0  there are messages\n"
      "  1  there is none, or a file could not be read to its end or written\n"
      "  2  a file cannot be opened, or EXPR or the arguments are wrong");
  const Arguments all = arguments;
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.path.empty() && arrow.empty()) {
    fail("export", "--parquet or --arrow is required");
    return kUsage;
  }
  if (const std::string error = run_with_arrow("export", all); !error.empty()) {
    fail("export", error);
    return kUsage;
  }
  if (!arrow.empty()) {
    options.format = arrow == "-" ? logs::ColumnFormat::ArrowStream : logs::ColumnFormat::ArrowFile;
    options.path = arrow == "-" ? "" : arrow;
  }
  catch_interrupts();
  PosixDisk disk;
  return export_files(options, disk, linked_columns, {});
}

}  // namespace nexusfix::command
