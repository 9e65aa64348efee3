// The rows of `nexusfix bench --from`: parse, validate, and the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/field.hpp>

#include "logs/bench/block_timer.hpp"
#include "logs/bench/log_engine.hpp"
#include "logs/validate/message_checker.hpp"

namespace nexusfix::logs {

struct LogRow {
  std::string_view name{};
  std::string_view purpose{};  // of one operation
  std::optional<LogFigures> figures{};
  std::string missing{};  // why there are no figures
};

// The messages of a sample, all of which parse, by what can be measured with them.
struct LogInputs {
  std::vector<std::string> messages;   // all of them
  std::vector<std::string> valid{};    // that the dictionary accepts
  std::vector<std::string> engines{};  // of those, the application's
  std::uint64_t invalid = 0;
  std::string first_violation{};
  std::uint64_t of_session = 0;  // administrative ones
};

[[nodiscard]] LogInputs inputs_of(std::vector<std::string> messages,
                                  command::MessageChecker& checker);

struct LogRowSettings {
  double ns_per_tick = 1;
  Passes passes{};
  Passes engine_passes{.of_block = 5, .single = 1};  // its journal grows
};

[[nodiscard]] LogRow parse_row(const LogInputs& inputs, const wire::DataFieldTable& data_fields,
                               const LogRowSettings& settings);
[[nodiscard]] LogRow validate_row(const LogInputs& inputs, const command::MessageChecker& checker,
                                  const LogRowSettings& settings);
// The rows inside/receive and inside: the messages that an engine passes to its application, and
// that the application can send back. refused counts the others.
[[nodiscard]] std::vector<LogRow> engine_rows(const LogInputs& inputs,
                                              const wire::DataFieldTable& data_fields,
                                              const LogEngineSettings& engine,
                                              const LogRowSettings& settings,
                                              std::uint64_t& refused);

}  // namespace nexusfix::logs
