// The command `nexusfix`: finds the subcommand and runs it.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <string_view>

#include <nexusfix/base/core_dumps.hpp>
#include <nexusfix/wire/isa.hpp>

#include "nexusfix/command.hpp"

namespace nexusfix::command {
namespace {

void print_help() {
  fmt::print(
      "nexusfix {}: a FIX engine and its tools\n\n"
      "Usage: nexusfix SUBCOMMAND [OPTIONS]\n\n"
      "Start with `nexusfix demo`, then with docs/guide/tutorial.md: a venue and a\n"
      "client of your own in two terminals.\n\n"
      "Subcommands:\n",
      NEXUSFIX_VERSION);
  for (const Command& command : commands()) {
    fmt::print("  {:<9}  {}\n             $ nexusfix {}\n", command.name, command.purpose,
               command.example);
  }
  fmt::print(
      "\nOptions:\n"
      "  -h, --help  print this help; `nexusfix SUBCOMMAND --help` explains one\n"
      "  --version   print the version\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  failure, or the answer is no\n"
      "  2  wrong arguments\n");
}

int run(int argc, char** argv) {
  if (argc < 2) {
    print_help();
    return kUsage;
  }
  const std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return kSuccess;
  }
  if (name == "--version") {
    fmt::print("nexusfix {}\n", NEXUSFIX_VERSION);
    return kSuccess;
  }
  if (!wire::selected_isa()) {
    fmt::print(stderr,
               "nexusfix: NEXUSFIX_FORCE_ISA: one of these was expected, if this CPU has it: {}\n",
               wire::known_isas());
    return kUsage;
  }
  for (const Command& command : commands()) {
    if (command.name == name) return command.run(Arguments(argv + 2, argv + argc));
  }
  const Command* nearest = nearest_command(name);
  if (nearest != nullptr) {
    fmt::print(stderr, "nexusfix: there is no subcommand '{}'. Did you mean '{}'?\n", name,
               nearest->name);
  } else {
    fmt::print(stderr, "nexusfix: there is no subcommand '{}'. `nexusfix --help` lists them.\n",
               name);
  }
  return kUsage;
}

// Printed bytes may still be in the buffer. A full disk appears here, and must not end as a
// success.
int flush_output(int status) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "nexusfix: standard output could not be written%s%s\n",
               error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "");
  return status == kSuccess ? kFailure : status;
}

}  // namespace
}  // namespace nexusfix::command

int main(int argc, char** argv) {
  // The files that a subcommand reads may have passwords.
  nexusfix::keep_memory_out_of_core_dumps();
  // At the limit of a file's size the write fails, as on a full disk, and no signal ends the
  // process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return nexusfix::command::flush_output(nexusfix::command::run(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nexusfix: %s\n", error.what());  // fmt::print() might throw again
    return nexusfix::command::kFailure;
  }
}
