// nexusfix codegen: typed messages from a dictionary.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>

#include "codegen/generate.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

int run_codegen(Arguments arguments) {
  codegen::MessagesJob job;
  CLI::App app{
      "Writes a C++ type for each message, component, group, field and enumeration. Compile with "
      "-I DIR, and #include <nexusfix/NAME/new_order_single.hpp>. A file whose content does not "
      "change is not written again. docs/guide/codegen.md describes the types; in CMake, "
      "nexusfix_generate() does it. --language: the fields for a client of the gateway.",
      "nexusfix codegen"};
  app.add_option("DICT", job.dictionary, "the dictionary: a file in QuickFIX XML or Orchestra")
      ->required();
  app.add_option("-o,--output", job.folder, "write the headers below this folder")
      ->required()
      ->option_text("DIR");
  app.add_option("--namespace", job.name_space,
                 "the namespace is nexusfix::NAME (default: the name of the file)")
      ->option_text("NAME");
  std::string language = "c++";
  app.add_option("--language", language, "c++ (default), go, java or typescript");
  app.footer(
      "Example:\n  $ nexusfix codegen venue.xml -o generated\n\n"
      "Exit status:\n  0  all headers are written\n"
      "  1  the dictionary has an error, or a file cannot be read or written\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  const auto wanted = codegen::language_of(language);
  job.language = wanted.value_or(codegen::Language::Cpp);
  const auto name = codegen::name_space_of(job);
  if (!wanted || !name) {  // another exit status than that of a faulty dictionary
    fail("codegen", wanted ? name.error() : "--language: c++, go, java or typescript expected");
    return kUsage;
  }
  PosixDisk disk;
  const auto generated = codegen::generate_messages(disk, job);
  if (!generated) return fail("codegen", generated.error());
  for (const std::string& warning : generated->warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  fmt::print("{}: {} {}, {} written", generated->folder, generated->headers,
             job.language == codegen::Language::Cpp ? "headers" : "files", generated->written);
  if (generated->removed != 0) fmt::print(", {} removed", generated->removed);
  fmt::print("\n");
  return kSuccess;
}

}  // namespace nexusfix::command
