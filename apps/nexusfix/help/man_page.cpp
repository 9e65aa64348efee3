#include "nexusfix/help/man_page.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/api/ascii.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {
namespace {

// Text for roff: no character begins a request or an escape.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_first = escaped.empty() || escaped.back() == '\n';
    if (is_first && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '~') {
      escaped += "\\(ti";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string upper(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string header(std::string_view name, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"nexusfix {}\" \"NexusFIX\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper(name)), NEXUSFIX_VERSION, roff(name), roff(summary));
}

void append_rows(std::string& text, std::string_view heading, const std::vector<HelpRow>& rows) {
  if (rows.empty()) return;
  text += fmt::format(".SH {}\n", heading);
  for (const HelpRow& row : rows) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(row.name), roff(row.description));
  }
}

// Each line of details is a paragraph.
void append_paragraphs(std::string& text, std::string_view details) {
  bool is_first = true;
  while (!details.empty()) {
    const std::string_view line = details.substr(0, details.find('\n'));
    if (!line.empty()) text += (is_first ? "" : ".PP\n") + roff(line) + "\n";
    is_first = is_first && line.empty();
    details.remove_prefix(std::min(line.size() + 1, details.size()));
  }
}

// The lines of a footer as they are, with a heading for each of its parts: "Examples:".
void append_footer(std::string& text, std::string_view footer) {
  bool is_open = false;
  const auto close = [&] {
    if (is_open) text += ".fi\n";
    is_open = false;
  };
  while (!footer.empty()) {
    const std::string_view line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    if (!line.empty() && !line.starts_with(' ') && line.ends_with(':')) {
      close();
      text += fmt::format(".SH {}\n", roff(upper(line.substr(0, line.size() - 1))));
    } else if (!line.empty()) {
      if (!is_open) text += ".nf\n";
      is_open = true;
      text += roff(line.substr(std::min(line.find_first_not_of(' '), line.size()))) + "\n";
    }
  }
  close();
}

void append_body(std::string& text, const HelpFacts& facts) {
  text += fmt::format(".SH SYNOPSIS\n.B {}\n{}\n", roff(facts.name), roff(facts.usage));
  if (!facts.details.empty()) text += ".SH DESCRIPTION\n";
  append_paragraphs(text, facts.details);
  append_rows(text, "ARGUMENTS", facts.arguments);
  append_rows(text, "OPTIONS", facts.options);
}

}  // namespace

std::string man_name(std::string_view full_name) {
  std::string name{full_name};
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const HelpFacts& facts) {
  std::string text = header(man_name(facts.name), facts.summary);
  append_body(text, facts);
  for (const HelpFacts& sub : facts.subcommands) {
    text += fmt::format(".SH SUBCOMMAND {}\n{}.\n.PP\n.B {}\n{}\n", roff(upper(sub.name)),
                        roff(sub.summary), roff(sub.name), roff(sub.usage));
    if (!sub.details.empty()) {
      text += ".PP\n";
      append_paragraphs(text, sub.details);
    }
    for (const auto* const rows : {&sub.arguments, &sub.options}) {
      for (const HelpRow& row : *rows) {
        text += fmt::format(".TP\n.B {}\n{}\n", roff(row.name), roff(row.description));
      }
    }
  }
  append_footer(text, facts.footer);
  return text + ".SH SEE ALSO\n.BR nexusfix (1)\n";
}

std::string man_overview() {
  std::string text = header("nexusfix", "a FIX engine and its tools");
  text += ".SH SYNOPSIS\n.B nexusfix\nSUBCOMMAND [OPTIONS]\n.SH SUBCOMMANDS\n";
  for (const Command& command : commands()) {
    text +=
        fmt::format(".TP\n.BR nexusfix\\-{} (1)\n{}\n", roff(command.name), roff(command.purpose));
  }
  text +=
      ".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nprint the list of all subcommands\n"
      ".TP\n.B \\-\\-version\nprint the version\n"
      ".SH ENVIRONMENT\n.TP\n.B NEXUSFIX_PAGER, PAGER\n"
      "the program that shows long output on a terminal (default: less \\-FRX); empty: none\n"
      ".TP\n.B NO_COLOR\nprint no colours\n"
      ".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n.TP\n.B 1\nfailure, or the answer is no\n"
      ".TP\n.B 2\nwrong arguments\n";
  return text;
}

}  // namespace nexusfix::command
