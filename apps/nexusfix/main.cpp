// The command `nexusfix`: finds the subcommand and runs it.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nexusfix/wire/parser.hpp>

#include "base/api/core_dumps.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/help/build_facts.hpp"
#include "nexusfix/help/overview.hpp"
#include "nexusfix/help/pager.hpp"
#include "nexusfix/help/read_progress.hpp"

namespace nexusfix::command {
namespace {

void print_version() {
  fmt::print("nexusfix {}\ncommit {}\ncompiler {}\n", NEXUSFIX_VERSION, commit(), compiler());
#ifdef NEXUSFIX_PARTS
  fmt::print("parts{}\nwithout{}\n", NEXUSFIX_PARTS,
             *NEXUSFIX_PARTS_ABSENT == '\0' ? " nothing" : NEXUSFIX_PARTS_ABSENT);
#endif
}

// fmt::print() would throw where flush_output() reports.
void print_help() { std::fputs(overview().c_str(), stdout); }

// Printed bytes may still be in the buffer. A full disk appears here, and must not end as a
// success.
int flush_output(int status) {
  erase_read_progress();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "nexusfix: standard output could not be written%s%s\n",
               error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "");
  return status == kSuccess ? kFailure : status;
}

// Subcommands that read logs, and may take long. A followed log has no end.
bool shows_progress(std::string_view name, const Arguments& arguments) {
  constexpr std::array<std::string_view, 8> kReaders{"anonymise", "decode", "diff",  "export",
                                                     "grep",      "order",  "stats", "validate"};
  const bool follows = std::ranges::any_of(
      arguments, [](const std::string& word) { return word == "-f" || word == "--follow"; });
  return !follows && std::ranges::find(kReaders, name) != kReaders.end();
}

// The Python package has the server for assistants beside the program that pip put among those of
// its environment: that one starts this one by its own name. It replaces this process.
int run_mcp(char** words) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string failed;
  for (const std::filesystem::path& program : {std::filesystem::path{words[0]}, own}) {
    if (!program.has_parent_path()) continue;
    const std::string server = program.parent_path() / "nexusfix-mcp";
    ::execv(server.c_str(), words + 1);
    if (errno != ENOENT) failed = server + ": " + std::strerror(errno);
  }
  if (failed.empty() && words[2] != nullptr && std::string_view{words[2]} == "--help") {
    fmt::print(
        "nexusfix mcp: let an assistant read messages, logs and engines\n\n"
        "Usage: nexusfix mcp [--logs FOLDER] [--engine PATH]\n\n"
        "The Python package has it: docs/guide/python-mcp.md\n");
    return kSuccess;
  }
  if (failed.empty()) failed = "the Python package has it: docs/guide/python-mcp.md";
  fmt::print(stderr, "nexusfix mcp: {}\n", failed);
  return kFailure;
}

// pager: gets one if the output is for a person.
int run(int argc, char** argv, std::optional<Pager>& pager) {
  if (argc < 2) {
    print_help();
    return kUsage;
  }
  const std::string_view name = argv[1];
  if (name == "--help" || name == "-h") {
    print_help();
    return kSuccess;
  }
  if (name == "--version") {
    print_version();
    return kSuccess;
  }
  if (name == "mcp") return run_mcp(argv);
  if (!wire::selected_isa()) {
    fmt::print(stderr,
               "nexusfix: NEXUSFIX_FORCE_ISA: one of these was expected, if this CPU has it: {}\n",
               wire::known_isas());
    return kUsage;
  }
  for (const Command& command : commands()) {
    if (command.name != name) continue;
    Arguments arguments(argv + 2, argv + argc);
    pager.emplace(name, arguments);
    if (shows_progress(name, arguments)) show_read_progress();
    return command.run(std::move(arguments));
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

}  // namespace
}  // namespace nexusfix::command

int main(int argc, char** argv) {
  // The files that a subcommand reads may have passwords.
  nexusfix::keep_memory_out_of_core_dumps();
  // At the limit of a file's size the write fails, as on a full disk, and no signal ends the
  // process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    // It ends after the last byte is printed.
    std::optional<nexusfix::command::Pager> pager;
    return nexusfix::command::flush_output(nexusfix::command::run(argc, argv, pager));
  } catch (const std::exception& error) {
    using nexusfix::command::kFailure;
    if (std::ferror(stdout) != 0) return nexusfix::command::flush_output(kFailure);
    std::fprintf(stderr, "nexusfix: %s\n", error.what());  // fmt::print() might throw again
    return kFailure;
  }
}
