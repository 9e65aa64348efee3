// A scenario's file, read and checked line by line; README.md describes the language.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "peers/scenarios/version.hpp"

namespace nexusfix::scenarios {

enum class Verb : std::uint8_t {
  Let,
  Setting,
  ExpectConnect,
  ExpectDisconnect,
  ExpectMessage,
  SendMessage,
  SendFields,
  SendBytes,
  Disconnect,
  Restart,
  Wait,
  ApplicationSends,
  ApplicationLogsOut,
  ApplicationLogsOn,
  ApplicationLoggedOn,
  ApplicationLoggedOut,
  ApplicationGot,
};

struct Line {
  std::string place;      // "2a_msg_seq_num_correct.scenario:12"
  std::string statement;  // as written, after the versions
  VersionSet versions;
  Verb verb = Verb::Let;
  std::string text;  // what follows the verb
};

struct Script {
  std::string name;  // of the file, without folder and ending
  VersionSet versions;
  std::vector<Line> lines;  // with included lines in their place
};

// Reads a scenario; included files are in the folder `parts`. The error begins with its place.
[[nodiscard]] std::expected<Script, std::string> read_script(const std::string& path,
                                                             const std::string& parts);

}  // namespace nexusfix::scenarios
