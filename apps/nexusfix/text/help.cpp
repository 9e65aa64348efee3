#include "nexusfix/text/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::size_t kHelpColumns = 80;

// "FILE..."
std::string argument_name(const CLI::Option& argument) {
  const bool is_list = argument.get_expected_max() == CLI::detail::expected_max_vector_size;
  return argument.get_name(true, false) + (is_list ? "..." : "");
}

// "-o, --output DIR", "--spin, --no-spin"
std::string option_name(const CLI::Option& option) {
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word + ", ";
  name.resize(name.size() - 2);
  return option.get_option_text().empty() ? name : name + ' ' + option.get_option_text();
}

// "at most N streamed orders are unanswered (1 to 100000; default 256)"
std::string option_description(const CLI::Option& option) {
  constexpr std::string_view kRange = " in [";
  std::string notes;
  const std::string type = option.get_type_name();
  if (const std::size_t at = type.find(kRange); at != std::string::npos) {
    notes = type.substr(at + kRange.size());
    notes.pop_back();
    if (const std::size_t dash = notes.find(" - "); dash != std::string::npos) {
      notes.replace(dash, 3, " to ");
    }
  }
  if (const std::string value = option.get_default_str(); !value.empty()) {
    notes += (notes.empty() ? "default " : "; default ") + value;
  }
  return option.get_description() + (notes.empty() ? "" : " (" + notes + ")");
}

std::string summary_of(const CLI::App& app) {
  const std::string text = app.get_description();
  return text.substr(0, text.find('\n'));
}

void append_rows(std::string& text, std::string_view heading, const std::vector<HelpRow>& rows,
                 std::size_t columns) {
  if (rows.empty()) return;
  text += fmt::format("\n{}:\n", heading);
  for (const HelpRow& row : rows) {
    const std::string lead = fmt::format("  {:<{}}  ", row.name, columns);
    append_wrapped(text, lead, row.description, kHelpColumns);
  }
}

// Each line of details is a paragraph. The first one is empty.
void append_details(std::string& text, std::string_view details) {
  while (!details.empty()) {
    const std::string_view line = details.substr(0, details.find('\n'));
    append_wrapped(text, "", line, kHelpColumns);
    details.remove_prefix(std::min(line.size() + 1, details.size()));
  }
}

std::string help_text(const HelpFacts& facts) {
  std::vector<HelpRow> subcommands;
  subcommands.reserve(facts.subcommands.size());
  for (const HelpFacts& one : facts.subcommands) {
    subcommands.push_back({one.name.substr(one.name.rfind(' ') + 1), one.summary});
  }
  std::size_t columns = 0;
  for (const std::vector<HelpRow>* rows :
       {&facts.arguments, &facts.options, static_cast<const std::vector<HelpRow>*>(&subcommands)}) {
    for (const HelpRow& row : *rows) columns = std::max(columns, row.name.size());
  }
  std::string text =
      fmt::format("{0}: {1}\n\nUsage: {0} {2}\n", facts.name, facts.summary, facts.usage);
  append_details(text, facts.details);
  append_rows(text, "Arguments", facts.arguments, columns);
  append_rows(text, "Options", facts.options, columns);
  append_rows(text, "Subcommands", subcommands, columns);
  return facts.footer.empty() ? text : text + '\n' + facts.footer + '\n';
}

HelpFacts facts_of(const CLI::App& app, std::string name) {
  HelpFacts facts;
  facts.name = std::move(name);
  std::string required;
  std::string usage;
  for (const CLI::Option* one : app.get_options({})) {
    if (one->get_group().empty()) continue;  // hidden
    if (one->get_positional()) {
      const std::string argument = argument_name(*one);
      usage += one->get_required() ? ' ' + argument : " [" + argument + ']';
      facts.arguments.push_back({argument, option_description(*one)});
    } else if (one == app.get_help_ptr()) {
      facts.options.push_back({option_name(*one), "print this help"});
    } else {
      facts.options.push_back({option_name(*one), option_description(*one)});
      const std::string& shown = facts.options.back().name;
      if (one->get_required()) required += shown.substr(shown.find("--")) + ' ';
    }
  }
  for (const CLI::App* one : app.get_subcommands({})) {
    facts.subcommands.push_back(facts_of(*one, facts.name + ' ' + one->get_name()));
  }
  if (!facts.subcommands.empty()) required += "SUBCOMMAND ";
  facts.summary = summary_of(app);
  facts.usage = required + "[OPTIONS]" + usage;
  facts.details = app.get_description().substr(facts.summary.size());
  facts.footer = app.get_footer();
  return facts;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    return help_text(facts_of(*app, std::move(name)));
  }
};

}  // namespace

HelpFacts help_facts(const CLI::App& app) { return facts_of(app, app.get_name()); }

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string argument_error(const CLI::App& app, const CLI::Error& error) {
  std::string name = app.get_name();
  for (const CLI::App* one = &app; !one->get_subcommands().empty();) {
    one = one->get_subcommands().front();
    name += ' ' + one->get_name();
  }
  return fmt::format("{}: {}\nSee `{} --help`.\n", name, error.what(), name);
}

}  // namespace nexusfix::command
