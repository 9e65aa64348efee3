#include <CLI/CLI.hpp>
#include <utility>

#include "nexusfix/logs/columns/export.hpp"
#include "nexusfix/logs/log_options.hpp"

namespace nexusfix::command {
namespace {

// Null: this program was built without it.
logs::OpenColumns linked_columns() noexcept {
#ifdef NEXUSFIX_ARROW_COLUMNS
  return logs::open_arrow_columns;
#else
  return nullptr;
#endif
}

}  // namespace

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
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.path.empty() && arrow.empty()) {
    fail("export", "--parquet or --arrow is required");
    return kUsage;
  }
  if (linked_columns() == nullptr) {
    fail("export", "this nexusfix was built without Apache Arrow: build it with NEXUSFIX_ARROW=ON");
    return kUsage;
  }
  if (!arrow.empty()) {
    options.format = arrow == "-" ? logs::ColumnFormat::ArrowStream : logs::ColumnFormat::ArrowFile;
    options.path = arrow == "-" ? "" : arrow;
  }
  logs::catch_interrupts();
  PosixDisk disk;
  return export_files(options, disk, linked_columns(), {});
}

}  // namespace nexusfix::command
