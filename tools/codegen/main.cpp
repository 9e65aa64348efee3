// nexusfix_codegen: from dictionaries to C++, for builds. Users call `nexusfix codegen`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

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
  CLI::App app{"Makes C++ from FIX dictionaries: QuickFIX XML or Orchestra.", "nexusfix_codegen"};
  app.require_subcommand(1);
  MessagesJob messages;
  CLI::App* const messages_command =
      app.add_subcommand("messages", "headers with typed fields and messages");
  messages_command->add_option("DICTIONARY", messages.dictionary)->required();
  messages_command->add_option("--namespace", messages.name_space, "nexusfix::NAME, such as fix44");
  messages_command->add_option("-o,--output", messages.folder, "include folder to write below")
      ->required();
  NamesJob names;
  CLI::App* const names_command = app.add_subcommand("names", "the library's table of names");
  names_command->add_option("DICTIONARY", names.dictionaries)->required();
  names_command->add_option("-o,--output", names.file, "source file to write")->required();
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
