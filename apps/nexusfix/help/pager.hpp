// Shows the output of a subcommand in a pager, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nexusfix::command {

// While it lives, standard output goes to a pager if it is a terminal, the subcommand prints much,
// and NEXUSFIX_PAGER, PAGER or `less -FRX` is a program. An empty value or `cat` is no pager.
// Ctrl-C then ends this process with status 130 when the pager has ended. One object a process.
class Pager {
 public:
  // arguments: those of the subcommand. Help is paged, too; `-f` never is.
  Pager(std::string_view name, std::span<const std::string> arguments);
  // Flushes standard output, and waits until the reader leaves the pager.
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

 private:
  pid_t pid_ = 0;  // 0: there is none
};

// Whether standard output is a terminal, or goes to a pager on one: it may have colours.
[[nodiscard]] bool is_output_a_terminal() noexcept;

}  // namespace nexusfix::command
