#include "nexusfix/help/overview.hpp"

#include <fmt/format.h>

#include "nexusfix/command.hpp"

namespace nexusfix::command {

std::string overview() {
  std::string text = fmt::format(
      "nexusfix {}: a FIX engine and its tools\n\n"
      "Usage: nexusfix SUBCOMMAND [OPTIONS]\n\n"
      "Start with `nexusfix demo`, then with docs/guide/tutorial.md: a venue and a\n"
      "client of your own in two terminals.\n\n"
      "Subcommands:\n",
      NEXUSFIX_VERSION);
  for (const Command& command : commands()) {
    text += fmt::format("  {:<9}  {}\n             $ nexusfix {}\n", command.name, command.purpose,
                        command.example);
  }
  text +=
      "\nOptions:\n"
      "  -h, --help  print this help; `nexusfix SUBCOMMAND --help` explains one\n"
      "  --version   print the version\n\n"
      "Environment:\n"
      "  NEXUSFIX_PAGER, PAGER  show long output on a terminal (default: less -FRX)\n"
      "  NO_COLOR               print no colours\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  failure, or the answer is no\n"
      "  2  wrong arguments\n";
  return text;
}

}  // namespace nexusfix::command
