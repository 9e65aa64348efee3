// Readable messages: `|` is SOH.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>

namespace nexusfix::test {

[[nodiscard]] inline std::string with_soh(std::string_view text) {
  std::string bytes{text};
  std::replace(bytes.begin(), bytes.end(), '|', '\x01');
  return bytes;
}

[[nodiscard]] inline std::string with_pipes(std::string_view bytes) {
  std::string text{bytes};
  std::replace(text.begin(), text.end(), '\x01', '|');
  return text;
}

// bytes followed by the right CheckSum field.
[[nodiscard]] inline std::string with_check_sum(std::string bytes) {
  const unsigned sum = std::accumulate(bytes.begin(), bytes.end(), 0U, [](unsigned total, char c) {
    return total + static_cast<unsigned char>(c);
  });
  const std::string digits = std::to_string(1000 + sum % 256).substr(1);
  return bytes + "10=" + digits + "\x01";
}

// body between BeginString, the right BodyLength and the right CheckSum.
[[nodiscard]] inline std::string message_of(std::string_view body_text,
                                            std::string_view begin_string = "FIX.4.4") {
  const std::string body = with_soh(body_text);
  return with_check_sum(
      with_soh("8=" + std::string{begin_string} + "|9=" + std::to_string(body.size()) + "|") +
      body);
}

// The reference ExecutionReport of 22 fields.
inline constexpr std::string_view kExecutionReportBody =
    "35=8|49=SENDER|56=TARGET|34=12345|52=20240115-10:30:00.123|37=ORDER123|17=EXEC456|150=F|39=2|"
    "55=AAPL|54=1|38=100|44=150.50|32=100|31=150.45|151=0|14=100|6=150.45|"
    "60=20240115-10:30:00.100|";

}  // namespace nexusfix::test
