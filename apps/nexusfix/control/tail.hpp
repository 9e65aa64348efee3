// `nexusfix ctl tail`: shows the messages of a running engine as they come and go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nexusfix::command {

enum class TailForm : std::uint8_t { Fields, Summary, Json };

struct TailOptions {
  std::vector<std::string> arguments;  // a session, conditions of a filter
  TailForm form = TailForm::Fields;
  std::string dictionary{};  // a file; its names come before the built-in ones
  std::uint64_t count = 0;   // it ends after this number of messages; 0: with Ctrl-C
};

// place: of the engine. Returns the exit status.
int run_tail(const std::string& place, const TailOptions& options);

}  // namespace nexusfix::command
