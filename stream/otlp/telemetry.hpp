// Sends the metrics and the events of an engine to a collector of OpenTelemetry.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/observe/logs.hpp>

#include "http/http_client.hpp"
#include "stream/otlp/otlp_json.hpp"
#include "stream/otlp/otlp_sender.hpp"

namespace nexusfix::stream {

struct TelemetryOptions {
  // Where the engine answers its metrics, such as http://127.0.0.1:9464/metrics; absent: none.
  std::optional<http::Address> metrics{};
  std::vector<std::string> events{};  // each FileLogPath of the engine; empty: no events
  std::chrono::seconds interval{10};
  std::chrono::seconds drain{5};  // after a signal, for what waits
  OtlpTarget metrics_target{};
  OtlpTarget logs_target{};
  OtlpResource resource{};
};

struct TelemetryParts {
  Disk& disk;
  Clock& clock;
  observe::EventLog& events;  // of this process
  bool (*is_interrupted)();
};

// Until a signal. The engine has no part in it: its port and its files are read. NXF-5071 and
// NXF-5072 say when the collector or the engine do not answer.
void send_telemetry(const TelemetryOptions& options, const TelemetryParts& parts);

}  // namespace nexusfix::stream
