// nexusfix otlp: the metrics and the events of an engine for a collector of OpenTelemetry.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include "base/api/printable_text.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/files/settings_loader.hpp"
#ifdef NEXUSFIX_HTTP_STREAM
#include "stream/otlp/telemetry.hpp"
#include "stream/sinks/http_sink.hpp"
#endif

namespace nexusfix::command {
namespace {

struct WantedTelemetry {
  std::string config;
  std::string to;
  std::string metrics;
  std::vector<std::string> events;
  std::string service = "nexusfix";
  std::string instance;
  std::int64_t interval_seconds = 10;
  std::int64_t drain_seconds = 5;
  std::string token_file;
  std::string authorities;
  std::string certificate;
  std::string key;
};

void add_otlp_options(CLI::App& app, WantedTelemetry& wanted) {
  app.add_option("CONFIG", wanted.config,
                 "the engine's configuration file: MetricsPort is where its metrics are, "
                 "FileLogPath its events");
  app.add_option("--to", wanted.to,
                 "the collector, such as http://127.0.0.1:4318; /v1/metrics and /v1/logs follow")
      ->required()
      ->option_text("URL");
  app.add_option("--metrics", wanted.metrics,
                 "where the engine answers Prometheus (default: MetricsPort)")
      ->option_text("URL");
  app.add_option("--events", wanted.events, "a folder of event logs (default: each FileLogPath)")
      ->allow_extra_args(false)
      ->option_text("FOLDER");
  app.add_option("--interval", wanted.interval_seconds, "the time from one read to the next")
      ->capture_default_str()
      ->check(CLI::Range(1, 3'600))
      ->option_text("SECONDS");
  app.add_option("--drain", wanted.drain_seconds, "how long a signal waits for the collector")
      ->capture_default_str()
      ->check(CLI::Range(0, 3'600))
      ->option_text("SECONDS");
  app.add_option("--service", wanted.service, "the attribute service.name")
      ->capture_default_str()
      ->option_text("NAME");
  app.add_option("--instance", wanted.instance,
                 "the attribute service.instance.id, by which engines of one service differ "
                 "(default: where the metrics are, or the folder)")
      ->option_text("NAME");
  app.add_option("--token-file", wanted.token_file,
                 "a file of mode 600 with a token, for `Authorization: Bearer`")
      ->option_text("FILE");
  app.add_option("--ca", wanted.authorities,
                 "the authorities of TLS, in PEM (default: those of the system)")
      ->option_text("FILE");
  app.add_option("--certificate", wanted.certificate, "an own certificate, in PEM")
      ->option_text("FILE");
  app.add_option("--key", wanted.key, "the private key of that certificate, in PEM")
      ->option_text("FILE");
}

#ifdef NEXUSFIX_HTTP_STREAM
using Failed = std::unexpected<std::string>;

// What the configuration says and the options do not.
std::expected<void, std::string> complete(WantedTelemetry& wanted, Disk& disk) {
  if (wanted.config.empty()) return {};
  const auto settings = read_settings(disk, wanted.config);
  if (!settings) return Failed{settings.error()};
  const config::WebSettings& web = settings->web;
  if (wanted.metrics.empty() && web.metrics_port && *web.metrics_port != 0) {
    // All addresses of this machine: this one is among them.
    const bool is_any = web.metrics_host == "0.0.0.0" || web.metrics_host == "::";
    const std::string host = is_any ? "127.0.0.1" : web.metrics_host;
    wanted.metrics = fmt::format("http://{}:{}/metrics",
                                 host.contains(':') ? '[' + host + ']' : host, *web.metrics_port);
  }
  if (wanted.events.empty()) {
    for (const config::SessionSettings& one : settings->sessions) {
      const std::string& folder = one.log.files.folder;
      const bool is_known = std::ranges::find(wanted.events, folder) != wanted.events.end();
      if (!folder.empty() && !is_known) wanted.events.push_back(folder);
    }
  }
  if (wanted.metrics.empty() && wanted.events.empty()) {
    return Failed{wanted.config +
                  ": MetricsPort or FileLogPath was expected, or --metrics URL or "
                  "--events FOLDER"};
  }
  return {};
}

std::expected<stream::OtlpTarget, std::string> target_of(const WantedTelemetry& wanted,
                                                         std::string_view signal, Disk& disk) {
  auto address = http::read_address(wanted.to);
  if (!address) return Failed{"--to: " + address.error()};
  auto path = stream::signal_path(address->path, signal);
  if (!path) return Failed{"--to: " + path.error()};
  address->path = std::move(*path);
  if (wanted.certificate.empty() != wanted.key.empty()) {
    return Failed{"--certificate and --key belong together"};
  }
  if (!wanted.token_file.empty()) {
    if (!address->is_tls && !address->is_loopback()) {
      return Failed{"--token-file: https:// was expected: others could read the token"};
    }
    const auto token = stream::read_token(disk, wanted.token_file);
    if (!token) return Failed{"--token-file: " + token.error()};
  }
  return stream::OtlpTarget{.address = std::move(*address),
                            .tls = {.authorities = wanted.authorities,
                                    .certificate = wanted.certificate,
                                    .key = wanted.key},
                            .token_file = wanted.token_file,
                            .disk = &disk};
}

std::expected<stream::TelemetryOptions, std::string> options_of(WantedTelemetry& wanted,
                                                                Disk& disk) {
  if (auto completed = complete(wanted, disk); !completed) return Failed{completed.error()};
  if (wanted.metrics.empty() && wanted.events.empty()) {
    return Failed{"a configuration file, --metrics URL or --events FOLDER was expected"};
  }
  stream::TelemetryOptions options;
  if (!wanted.metrics.empty()) {
    auto metrics = http::read_address(wanted.metrics);
    if (!metrics) return Failed{"--metrics: " + metrics.error()};
    if (metrics->path == "/") metrics->path = "/metrics";
    options.metrics = std::move(*metrics);
  }
  auto metrics_target = target_of(wanted, "metrics", disk);
  if (!metrics_target) return Failed{metrics_target.error()};
  auto logs_target = target_of(wanted, "logs", disk);
  if (!logs_target) return Failed{logs_target.error()};
  options.metrics_target = std::move(*metrics_target);
  options.logs_target = std::move(*logs_target);
  options.events = wanted.events;
  options.drain = std::chrono::seconds{wanted.drain_seconds};
  options.interval = std::chrono::seconds{wanted.interval_seconds};
  options.resource.service = wanted.service;
  options.resource.instance = !wanted.instance.empty()  ? wanted.instance
                              : !wanted.metrics.empty() ? wanted.metrics
                                                        : wanted.events.front();
  return options;
}

int send(WantedTelemetry& wanted) {
  PosixDisk disk;
  const auto options = options_of(wanted, disk);
  if (!options) {
    fail("otlp", printable(options.error()));
    return kUsage;
  }
  // An engine on the same cores comes first.
  constexpr int kNice = 10;
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kNice));
  catch_interrupts();
  SystemClock clock;
  observe::StreamEventLog events{stderr};
  stream::send_telemetry(
      *options, {.disk = disk, .clock = clock, .events = events, .is_interrupted = is_interrupted});
  return kSuccess;
}
#endif

}  // namespace

int run_otlp(Arguments arguments) {
  CLI::App app{
      "Sends the metrics of an engine and the events of its log to a collector of OpenTelemetry, "
      "by "
      "OTLP/HTTP, beside the engine. It reads the port of the metrics and the event files. While "
      "the collector is away, it keeps the newest metrics and at most 20,000 events, and counts "
      "what it drops. `nexusfix stream --otlp` sends the spans of orders.",
      "nexusfix otlp"};
  WantedTelemetry wanted;
  add_otlp_options(app, wanted);
  app.footer(
      "Examples:\n"
      "  $ nexusfix otlp --to http://127.0.0.1:4318 venue.cfg\n"
      "  $ nexusfix otlp --to https://otlp.example.com --token-file token venue.cfg\n"
      "  $ nexusfix otlp --to http://127.0.0.1:4318 \\\n"
      "      --metrics http://127.0.0.1:9464/metrics --events log\n\n"
      "Exit status:\n"
      "  0  a signal came\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
#ifdef NEXUSFIX_HTTP_STREAM
  return send(wanted);
#else
  fail("otlp", "this nexusfix was built without NEXUSFIX_TLS or Boost.Beast");
  return kUsage;
#endif
}

}  // namespace nexusfix::command
