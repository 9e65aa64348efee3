// nexusfix codegen: typed messages in C++ from a dictionary.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>

#include "codegen/generate.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

int run_codegen(Arguments arguments) {
  codegen::MessagesJob job;
  CLI::App app{
      "Writes C++ headers from a dictionary (QuickFIX XML or Orchestra): a type for each message,\n"
      "component, group, field and enumeration. #include <nexusfix/NAME/new_order_single.hpp> and\n"
      "compile with -I DIR. A header is touched only if its content changes.\n"
      "docs/guide/codegen.md says what is in them. In CMake, nexusfix_generate() does the same at\n"
      "build time.\n"
      "Ends with 0 if all is written, 1 if the dictionary has a fault or a file cannot be read or\n"
      "written, 2 if the arguments are wrong.\n\n"
      "  $ nexusfix codegen venue.xml -o generated\n",
      "nexusfix codegen"};
  app.add_option("DICT", job.dictionary, "The dictionary's file")->required();
  app.add_option("-o,--output", job.folder, "Folder to write below")
      ->required()
      ->option_text("DIR REQUIRED");
  app.add_option("--namespace", job.name_space, "nexusfix::NAME; default: the file's name")
      ->option_text("NAME");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  // Wrong arguments have another exit status than a faulty dictionary.
  if (const auto name = codegen::name_space_of(job); !name) {
    fail("codegen", name.error());
    return kUsage;
  }
  PosixDisk disk;
  const auto generated = codegen::generate_messages(disk, job);
  if (!generated) return fail("codegen", generated.error());
  for (const std::string& warning : generated->warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  fmt::print("{}: {} headers, {} written", generated->folder, generated->headers,
             generated->written);
  if (generated->removed != 0) fmt::print(", {} removed", generated->removed);
  fmt::print("\n");
  return kSuccess;
}

}  // namespace nexusfix::command
