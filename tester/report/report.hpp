// Reports of a run: lines of a terminal, JUnit XML and an HTML page. None of them has a password.
#pragma once

#include <string>
#include <string_view>

#include "tester/run/run.hpp"

namespace nexusfix::tester {

// "session/logon: passed (0.02 s)", and for a failure: statement, expected, got, and the last
// messages of the conversation.
[[nodiscard]] std::string result_lines(const Result& result);
// "12 passed, 1 failed, 2 skipped in 3.4 s".
[[nodiscard]] std::string summary_line(const Run& run, std::chrono::nanoseconds duration);

// The form that CI servers read: a test case for each case, in one test suite.
[[nodiscard]] std::string junit_xml(const Run& run);

// What a page is about.
struct PageHead {
  std::string title{};
  std::string about{};  // who was tested, when; empty: nothing
};
// A page without other files: all cases, and the conversation of each in two columns.
[[nodiscard]] std::string html_page(const Run& run, const PageHead& head);

struct Counts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t not_run = 0;
};
[[nodiscard]] Counts count_of(const Run& run);

[[nodiscard]] std::string full_name(const Result& result);  // "session/logon"

}  // namespace nexusfix::tester
