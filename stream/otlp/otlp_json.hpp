// The JSON encoding of OTLP, as far as the signals share it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::stream {

// The path of a signal ("traces", "metrics", "logs") below that of a collector: "/" gives
// "/v1/traces", "/otlp/" "/otlp/v1/traces". The error is one line: the path has a query.
[[nodiscard]] std::expected<std::string, std::string> signal_path(std::string_view base,
                                                                  std::string_view signal);

// What sends the data, the same for all of its requests.
struct OtlpResource {
  std::string service = "nexusfix";  // service.name
  std::string instance{};            // service.instance.id; empty: none
};

// {"resourceSpans":[{"resource":{...},"scopeSpans":[{"scope":{...},"spans":[
// signal: "Spans", "Metrics" or "Logs"; items: what follows them is: "spans", "metrics",
// "logRecords". The resource has also service.version and host.name.
[[nodiscard]] std::string otlp_head(const OtlpResource& resource, std::string_view signal,
                                    std::string_view items);
inline constexpr std::string_view kOtlpTail = "]}]}]}";

// Appends {"key":NAME,"value":{"stringValue":TEXT}}, after a comma if `to` does not end with [.
// name: a text without quotes and backslashes.
void append_attribute(std::string& to, std::string_view name, std::string_view value);
void append_attribute(std::string& to, std::string_view name, std::uint64_t value);

// The answer 200 of a collector may say that it has refused a part, which must not be sent again
// (OTLP, "Partial Success").
struct PartialSuccess {
  std::uint64_t rejected = 0;  // spans, data points or log records
  std::string message{};       // why, or a warning; empty: none
};
// body: as the collector sent it. Anything but an object with a partialSuccess is full success: a
// collector may answer with no body at all.
[[nodiscard]] PartialSuccess read_partial_success(std::string_view body);

}  // namespace nexusfix::stream
