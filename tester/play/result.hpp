// What a played script has shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nexusfix::tester {

enum class Side : std::uint8_t { Tester, Engine, Neither };

// One step of the conversation.
struct Entry {
  Side side = Side::Neither;      // who has sent it
  std::string session{};          // empty: the first one
  std::chrono::nanoseconds at{};  // since the begin of the script
  std::string text{};             // a message, passwords masked; or what has happened
  std::string place{};            // the statement: "logon.scenario:12"
  bool is_message = false;
  bool is_ignored = false;     // no statement expects it
  bool is_difference = false;  // the first that was not as expected
};

struct Failure {
  std::string place{};
  std::string statement{};
  std::string what{};      // "39=8 instead of 39=2"
  std::string expected{};  // empty: `what` says it
  std::string got{};
  std::string tag{};  // of the field that differs; empty: none
};

// A value that a case has measured.
struct Measurement {
  std::string name{};  // "p99"
  double value = 0;
  std::string unit{};  // "us", "messages/s"; empty: a count
};

enum class Verdict : std::uint8_t { Passed, Failed, Skipped, NotRun };

struct Result {
  std::string suite{};  // empty: a file
  std::string name{};
  std::string title{};
  Verdict verdict = Verdict::NotRun;
  std::string reason{};  // Skipped
  std::optional<Failure> failure{};
  std::vector<std::string> remarks{};
  std::vector<Measurement> measurements{};
  std::vector<Entry> entries{};
  std::chrono::nanoseconds duration{};
  bool was_connected = false;  // a connection was made
};

}  // namespace nexusfix::tester
