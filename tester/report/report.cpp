#include "tester/report/report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/api/escaped_text.hpp"
#include "tester/load/measured.hpp"

namespace nexusfix::tester {
namespace {

// The number of entries up to a failure that a terminal shows.
constexpr std::size_t kEntriesShown = 8;

std::string_view arrow_of(Side side) {
  switch (side) {
    case Side::Tester:
      return "-->";
    case Side::Engine:
      return "<--";
    case Side::Neither:
      break;
  }
  return "   ";
}

// The begin of a long text: files have the whole one.
std::string terminal_text(std::string_view text) {
  constexpr std::size_t kShownMax = 2'000;
  if (text.size() <= kShownMax) return std::string{text};
  std::size_t end = kShownMax;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // inside of a character
  return fmt::format("{} ... ({} more characters)", text.substr(0, end), text.size() - end);
}

enum class Place : std::uint8_t { Terminal, File };

std::string shown(std::string_view text, Place place) {
  return place == Place::File ? std::string{text} : terminal_text(text);
}

std::string entry_line(const Entry& entry, Place place) {
  return fmt::format("  {} {:8.3f} {} {}{}{}{}\n", entry.is_difference ? '!' : ' ',
                     seconds_of(entry.at), arrow_of(entry.side), entry.session,
                     entry.session.empty() ? "" : ": ", shown(entry.text, place),
                     entry.is_ignored ? " (ignored)" : "");
}

std::string last_lines(const Result& result, Place place) {
  std::string text;
  const std::size_t count = result.entries.size();
  for (std::size_t i = count - std::min(count, kEntriesShown); i < count; ++i) {
    text += entry_line(result.entries[i], place);
  }
  return text;
}

std::string failure_lines(const Result& result, Place place) {
  const Failure& failure = *result.failure;
  std::string text = fmt::format("  {}: {}\n    {}\n", failure.place,
                                 shown(failure.statement, place), shown(failure.what, place));
  if (!failure.expected.empty()) {
    text += fmt::format("    expected: {}\n", shown(failure.expected, place));
  }
  if (!failure.got.empty()) text += fmt::format("    got:      {}\n", shown(failure.got, place));
  return text + last_lines(result, place);
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return "passed";
    case Verdict::Failed:
      return "FAILED";
    case Verdict::Skipped:
      return "skipped";
    case Verdict::NotRun:
      break;
  }
  return "not run";
}

// The conversation for a JUnit report.
std::string conversation(const Result& result) {
  std::string text;
  for (const Entry& entry : result.entries) text += entry_line(entry, Place::File);
  return text;
}

// "p99 41.2 us".
std::string measurement_text(const Measurement& one) {
  const int digits = one.unit.empty() || one.unit == "messages/s" ? 0 : 1;
  return fmt::format("{:.{}f}{}{}", one.value, digits, one.unit.empty() ? "" : " ", one.unit);
}

std::string measurement_lines(const Result& result) {
  std::string text;
  for (const Measurement& one : result.measurements) {
    text += fmt::format("  {:<26} {}\n", one.name, measurement_text(one));
  }
  return text;
}

std::string html_measurements(const Result& result) {
  if (result.measurements.empty()) return {};
  std::string text = "<table class=\"values\">\n";
  for (const Measurement& one : result.measurements) {
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", markup_text(one.name),
                        markup_text(measurement_text(one)));
  }
  return text + "</table>\n";
}

std::string junit_properties(const Result& result) {
  if (result.measurements.empty()) return {};
  std::string text = "<properties>\n";
  for (const Measurement& one : result.measurements) {
    text += fmt::format("<property name=\"{}{}{}\" value=\"{:.3f}\"/>\n", markup_text(one.name),
                        one.unit.empty() ? "" : ", ", markup_text(one.unit), one.value);
  }
  return text + "</properties>\n";
}

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --bad: #c62828; --good: #2e7d32; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 24px auto;
       padding: 0 16px; }
h1 { font-size: 22px; } table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 4px 8px; border-bottom: 1px solid var(--line);
         vertical-align: top; }
summary { cursor: pointer; padding: 6px 0; } details { border-bottom: 1px solid var(--line); }
summary > span:first-child { display: inline-block; min-width: 4.2em; }
details[open] > :last-child { margin-bottom: 16px; } a { color: inherit; }
.passed { color: var(--good); } .failed { color: var(--bad); font-weight: 600; }
.skipped, .not-run, .place { color: var(--dim); }
.talk td { width: 46%; font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.talk i { font-style: normal; display: inline-block; max-width: 100%; }
.talk td.time { width: 8%; color: var(--dim); white-space: nowrap; }
.talk tr.difference td { background: #c6282822; } mark { background: #ffb300; color: #000; }
.values { width: auto; } .values td + td { text-align: right; }
.ignored { color: var(--dim); } .what { color: var(--bad); }
@media (max-width: 600px) {
  body { margin: 12px auto; padding: 0 8px; } .talk td { font-size: 11px; }
  .talk td, .talk th { padding: 4px; width: 50%; }
  summary .place { display: block; padding-left: 16px; }
  .talk th:first-child, .talk td.time { display: none; } .talk td[colspan] { width: 100%; } }
code { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
)";

std::string_view class_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return "passed";
    case Verdict::Failed:
      return "failed";
    case Verdict::Skipped:
      return "skipped";
    case Verdict::NotRun:
      break;
  }
  return "not-run";
}

// A message whose lines break between fields only, with MsgType in bold and the field that differs
// marked; or what has happened.
std::string html_text(const Entry& entry, const Result& result) {
  const std::string_view tag = entry.is_difference && result.failure
                                   ? std::string_view{result.failure->tag}
                                   : std::string_view{};
  bool is_marked = false;
  std::string fields;
  for (std::string_view rest = entry.text; entry.is_message && !rest.empty();) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    const std::string_view field = rest.substr(0, end);
    const std::string_view bar = end < rest.size() ? "|" : "";
    const bool differs = !tag.empty() && !is_marked && field.starts_with(tag) &&
                         field.substr(tag.size()).starts_with('=');
    is_marked |= differs;
    const std::string_view element = differs ? "mark" : field.starts_with("35=") ? "b" : "";
    const std::string text = markup_text(field);
    fields += element.empty() ? fmt::format("<i>{}{}</i>", text, bar)
                              : fmt::format("<i><{0}>{1}</{0}>{2}</i>", element, text, bar);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!entry.is_message) fields = markup_text(entry.text);
  return entry.is_difference && !is_marked ? "<mark>" + fields + "</mark>" : fields;
}

std::string html_row(const Entry& entry, const Result& result) {
  const std::string session =
      entry.session.empty() ? "" : "<b>" + markup_text(entry.session) + ":</b> ";
  const std::string cell =
      fmt::format("<span class=\"{}\">{}{}</span> <span class=\"place\">{}{}</span>",
                  entry.is_ignored ? "ignored" : "", session, html_text(entry, result),
                  markup_text(entry.place), entry.is_ignored ? ", ignored" : "");
  const bool is_of_tester = entry.side == Side::Tester;
  // What did not come is missing from the engine.
  const bool is_of_engine = entry.side == Side::Engine || (entry.is_difference && !is_of_tester);
  if (!is_of_tester && !is_of_engine) {
    return fmt::format(
        "<tr class=\"{}\"><td class=\"time\">{:.3f}</td><td colspan=\"2\">{}</td>"
        "</tr>\n",
        entry.is_difference ? "difference" : "", seconds_of(entry.at), cell);
  }
  return fmt::format("<tr class=\"{}\"><td class=\"time\">{:.3f}</td><td>{}</td><td>{}</td></tr>\n",
                     entry.is_difference ? "difference" : "", seconds_of(entry.at),
                     is_of_tester ? cell : "", is_of_engine ? cell : "");
}

// A reader looks at cases that failed, and at the one that was interrupted.
bool is_open(const Result& result) {
  return result.verdict == Verdict::Failed ||
         (result.verdict == Verdict::NotRun && !result.entries.empty());
}

std::string html_case(const Result& result) {
  std::string text = fmt::format(
      "<details id=\"{}\"{}><summary><span class=\"{}\">{}</span> {} <span class=\"place\">{} "
      "({:.2f} s)</span></summary>\n",
      markup_text(full_name(result)), is_open(result) ? " open" : "", class_of(result.verdict),
      word_of(result.verdict), markup_text(full_name(result)), markup_text(result.title),
      seconds_of(result.duration));
  if (!result.reason.empty()) text += "<p>" + markup_text(result.reason) + "</p>\n";
  for (const std::string& remark : result.remarks) {
    text += "<p>Remark: " + markup_text(remark) + "</p>\n";
  }
  if (result.failure) {
    const Failure& failure = *result.failure;
    text += fmt::format("<p><code>{}: {}</code><br><span class=\"what\">{}</span>",
                        markup_text(failure.place), markup_text(failure.statement),
                        markup_text(failure.what));
    if (!failure.expected.empty()) {
      text += "<br>expected: <code>" + markup_text(failure.expected) + "</code>";
    }
    if (!failure.got.empty()) text += "<br>got: <code>" + markup_text(failure.got) + "</code>";
    text += "</p>\n";
  }
  text += html_measurements(result);
  if (!result.entries.empty()) {
    text +=
        "<table class=\"talk\"><tr><th>Seconds</th><th>Counterparty (this tester)</th>"
        "<th>Engine under test</th></tr>\n";
    for (const Entry& entry : result.entries) text += html_row(entry, result);
    text += "</table>\n";
  }
  return text + "</details>\n";
}

// Links to the cases that failed, and what came of each.
std::string html_failures(const Run& run) {
  std::string text;
  for (const Result& result : run.results) {
    if (result.verdict != Verdict::Failed) continue;
    const std::string name = markup_text(full_name(result));
    text += fmt::format("<li><a href=\"#{0}\">{0}</a>", name);
    if (result.failure) {
      text += fmt::format(": <span class=\"what\">{}</span>", markup_text(result.failure->what));
    }
    text += "</li>\n";
  }
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

}  // namespace

std::string full_name(const Result& result) {
  return result.suite.empty() ? result.name : result.suite + "/" + result.name;
}

Counts count_of(const Run& run) {
  Counts counts;
  for (const Result& result : run.results) {
    switch (result.verdict) {
      case Verdict::Passed:
        ++counts.passed;
        break;
      case Verdict::Failed:
        ++counts.failed;
        break;
      case Verdict::Skipped:
        ++counts.skipped;
        break;
      case Verdict::NotRun:
        ++counts.not_run;
    }
  }
  return counts;
}

std::string result_lines(const Result& result) {
  std::string text = fmt::format("{}: {}", full_name(result), word_of(result.verdict));
  if (!result.reason.empty()) text += ": " + result.reason;
  text += fmt::format(" ({:.2f} s)\n", seconds_of(result.duration));
  for (const std::string& remark : result.remarks) text += "  remark: " + remark + "\n";
  text += measurement_lines(result);
  if (result.failure) text += failure_lines(result, Place::Terminal);
  if (result.verdict == Verdict::NotRun) text += last_lines(result, Place::Terminal);
  return text;
}

std::string summary_line(const Run& run, std::chrono::nanoseconds duration) {
  const Counts counts = count_of(run);
  std::string text = fmt::format("{} passed, {} failed", counts.passed, counts.failed);
  if (counts.skipped > 0) text += fmt::format(", {} skipped", counts.skipped);
  if (counts.not_run > 0) text += fmt::format(", {} not run", counts.not_run);
  text += fmt::format(" in {:.1f} s", seconds_of(duration));
  if (!run.ended_early.empty()) text += "; ended early: " + terminal_text(run.ended_early);
  return text + "\n";
}

std::string junit_xml(const Run& run) {
  const Counts counts = count_of(run);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"nexusfix test\" "
      "tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      run.results.size(), counts.failed, counts.skipped + counts.not_run);
  for (const Result& result : run.results) {
    text += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                        markup_text(result.suite.empty() ? "file" : result.suite),
                        markup_text(result.name), seconds_of(result.duration));
    text += junit_properties(result);
    if (result.failure) {
      text +=
          fmt::format("<failure message=\"{}\">{}</failure>\n", markup_text(result.failure->what),
                      markup_text(failure_lines(result, Place::File)));
    }
    if (result.verdict == Verdict::Skipped || result.verdict == Verdict::NotRun) {
      text += fmt::format("<skipped message=\"{}\"/>\n",
                          markup_text(result.reason.empty() ? "not run" : result.reason));
    }
    text += "<system-out>" + markup_text(conversation(result)) + "</system-out>\n</testcase>\n";
  }
  return text + "</testsuite>\n</testsuites>\n";
}

std::string html_page(const Run& run, const PageHead& head) {
  const Counts counts = count_of(run);
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n"
      "<p><span class=\"passed\">{2} passed</span>, <span class=\"{3}\">{4} failed</span>, "
      "{5} skipped, {6} not run.{7}{8}</p>\n",
      markup_text(head.title), kStyle, counts.passed, counts.failed > 0 ? "failed" : "passed",
      counts.failed, counts.skipped, counts.not_run,
      run.ended_early.empty() ? "" : " Ended early: ", markup_text(run.ended_early));
  if (!head.about.empty()) text += "<p class=\"place\">" + markup_text(head.about) + "</p>\n";
  text += html_failures(run);
  for (const Result& result : run.results) text += html_case(result);
  return text + "</body></html>\n";
}

}  // namespace nexusfix::tester
