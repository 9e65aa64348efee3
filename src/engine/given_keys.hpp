// What a configuration's text says of each session, to be compared with what another one says.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace nexusfix::engine {

struct GivenKeys {
  std::size_t line = 0;                            // of its [SESSION]
  std::map<std::string_view, std::string> values;  // as they stand there or in [DEFAULT]
};

// By the name of the session. text has no mistakes.
[[nodiscard]] std::map<std::string, GivenKeys, std::less<>> given_keys(std::string_view text);

// "HeartBtInt, MaxLatency"; empty: nothing.
[[nodiscard]] std::string different_keys(const GivenKeys& left, const GivenKeys& right);

}  // namespace nexusfix::engine
