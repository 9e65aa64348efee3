// nexusfix_codegen: writes C++ from dictionaries during a build. Users call `nexusfix codegen`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "codegen/emit_names.hpp"
#include "codegen/generate.hpp"

namespace nexusfix::codegen {
namespace {

using Result = std::expected<void, std::string>;

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
}

Result run(Disk& disk, const MessagesJob& job) {
  const auto generated = generate_messages(disk, job);
  if (!generated) return std::unexpected{generated.error()};
  print_warnings(generated->warnings);
  return {};
}

struct NamesJob {
  std::vector<std::string> dictionaries;
  std::string file;
};

Result run(Disk& disk, const NamesJob& job) {
  std::vector<dictionary::Dictionary> dictionaries;
  for (const std::string& path : job.dictionaries) {
    auto loaded = load_file(disk, path);
    if (!loaded) return std::unexpected{loaded.error()};
    print_warnings(loaded->warnings);
    dictionaries.push_back(std::move(*loaded));
  }
  const auto written = write_if_different(disk, job.file, emit_names(dictionaries));
  if (!written) return std::unexpected{written.error()};
  return {};
}

int codegen_main(int argc, char** argv) {
  CLI::App app{
      "Writes C++ from FIX dictionaries, for builds. Use `nexusfix codegen` by hand.\n"
      "Exit status: 0 success; 1 an error in a dictionary or a file; 2 wrong arguments\n",
      "nexusfix_codegen"};
  app.require_subcommand(1);
  MessagesJob messages;
  CLI::App* const messages_command =
      app.add_subcommand("messages", "Writes headers with a type for each message");
  messages_command->add_option("DICTIONARY", messages.dictionary, "QuickFIX XML or Orchestra")
      ->required()
      ->option_text("(required)");
  messages_command->add_option("--namespace", messages.name_space, "nexusfix::NAME, such as fix44")
      ->option_text("NAME");
  messages_command->add_option("-o,--output", messages.folder, "write the headers below DIR")
      ->required()
      ->option_text("DIR (required)");
  messages_command->footer(
      "Example:\n  nexusfix_codegen messages --namespace venue -o include venue.xml");
  NamesJob names;
  CLI::App* const names_command =
      app.add_subcommand("names", "Writes the table of the built-in names");
  names_command->add_option("DICTIONARY", names.dictionaries, "QuickFIX XML or Orchestra")
      ->required()
      ->option_text("... (required)");
  names_command->add_option("-o,--output", names.file, "write this source file")
      ->required()
      ->option_text("FILE (required)");
  names_command->footer("Example:\n  nexusfix_codegen names FIX42.xml FIX44.xml -o names.cpp");
  constexpr int kUsage = 2;  // the same as for `nexusfix codegen`
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (messages_command->parsed()) {
    if (const auto name = name_space_of(messages); !name) {
      std::fprintf(stderr, "nexusfix_codegen: %s\n", name.error().c_str());
      return kUsage;
    }
  }

  PosixDisk disk;
  const Result result = messages_command->parsed() ? run(disk, messages) : run(disk, names);
  if (result) return 0;
  std::fprintf(stderr, "nexusfix_codegen: %s\n", result.error().c_str());
  return 1;
}

}  // namespace
}  // namespace nexusfix::codegen

int main(int argc, char** argv) {
  try {
    return nexusfix::codegen::codegen_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nexusfix_codegen: %s\n", error.what());
    return 1;
  }
}
