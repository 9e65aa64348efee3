// nexusfix help: the overview, the help of a subcommand, man pages, and shell completion.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include <nexusfix/base/disk.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/write_file.hpp"
#include "nexusfix/help/completion.hpp"
#include "nexusfix/help/completion_words.hpp"
#include "nexusfix/help/man_page.hpp"
#include "nexusfix/help/overview.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kHelpCommand = "help";

HelpFacts facts_of(const Command& command) {
  HelpFacts facts;
  describe(command, [&](const CLI::App& app) { facts = help_facts(app); });
  return facts;
}

std::vector<HelpFacts> all_facts() {
  std::vector<HelpFacts> all;
  all.reserve(commands().size());
  for (const Command& command : commands()) all.push_back(facts_of(command));
  return all;
}

int print(std::string_view text) {
  fmt::print("{}", text);
  return kSuccess;
}

int print_completion(const std::string& shell) {
  const std::vector<HelpFacts> all = all_facts();
  if (shell == "zsh") return print(zsh_completion(all));
  return print(shell == "fish" ? fish_completion(all) : bash_completion(all));
}

int print_words(const std::string& kind) {
  const auto words = completion_words(kind);
  if (!words) {
    fail(kHelpCommand, kind + ": sessions, engines, events, keys, fields or kits was expected");
    return kUsage;
  }
  for (const std::string& word : *words) fmt::print("{}\n", word);
  return kSuccess;
}

// The pages and scripts of a package, where its installation expects them.
int write_pages(const std::string& folder) {
  PosixDisk disk;
  const std::vector<HelpFacts> all = all_facts();
  std::map<std::string, std::string> files{
      {"man/man1/nexusfix.1", man_overview()},
      {"bash-completion/completions/nexusfix", bash_completion(all)},
      {"zsh/site-functions/_nexusfix", zsh_completion(all)},
      {"fish/vendor_completions.d/nexusfix.fish", fish_completion(all)}};
  for (const HelpFacts& facts : all) {
    files.emplace("man/man1/" + man_name(facts.name) + ".1", man_page(facts));
  }
  for (const auto& [name, text] : files) {
    const std::string path = folder + "/" + name;
    if (auto made = disk.make_directories(path.substr(0, path.rfind('/'))); !made) {
      return fail(kHelpCommand, made.error().what());
    }
    if (auto written = write_whole_file(disk, path, text); !written) {
      return fail(kHelpCommand, written.error());
    }
  }
  return kSuccess;
}

}  // namespace

int run_help(Arguments arguments) {
  CLI::App app{
      "Without SUBCOMMAND it lists all of them. A man page and the completion of a shell have the "
      "same text as --help.",
      "nexusfix help"};
  std::string name;
  bool is_man = false;
  std::string shell;
  std::string folder;
  std::string words;
  app.add_option("SUBCOMMAND", name, "the subcommand to explain");
  CLI::Option* const man =
      app.add_flag("--man", is_man, "print a page for man, as `man -l -` reads it");
  CLI::Option* const completion =
      app.add_option("--completion", shell, "print the completion for a shell: bash, zsh or fish")
          ->check([](const std::string& word) -> std::string {
            const bool is_known = word == "bash" || word == "zsh" || word == "fish";
            return is_known ? "" : word + ": bash, zsh or fish was expected";
          })
          ->excludes(man)
          ->option_text("SHELL");
  app.add_option("--write", folder,
                 "write all man pages and completions below DIR, as an installation has them")
      ->excludes(man)
      ->excludes(completion)
      ->option_text("DIR");
  app.add_option("--words", words,
                 "print the words that a shell completes: one of sessions, engines, events, keys, "
                 "fields, kits")
      ->excludes(man)
      ->excludes(completion)
      ->option_text("KIND");
  app.footer(
      "Examples:\n"
      "  $ nexusfix help grep\n"
      "  $ nexusfix help grep --man | man -l -\n"
      "  $ source <(nexusfix help --completion bash)\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  a file could not be written\n"
      "  2  there is no such subcommand, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (!folder.empty()) return write_pages(folder);
  if (!words.empty()) return print_words(words);
  if (!shell.empty()) return print_completion(shell);
  if (name.empty()) return print(is_man ? man_overview() : overview());
  const auto found = std::ranges::find(commands(), std::string_view{name}, &Command::name);
  if (found == commands().end()) {
    const Command* const near = nearest_command(name);
    fail(kHelpCommand,
         "there is no subcommand '" + name + "'" +
             (near == nullptr ? "" : fmt::format(". Did you mean '{}'?", near->name)));
    return kUsage;
  }
  return is_man ? print(man_page(facts_of(*found))) : found->run({"--help"});
}

}  // namespace nexusfix::command
