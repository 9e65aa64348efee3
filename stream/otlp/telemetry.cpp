#include "stream/otlp/telemetry.hpp"

#include <deque>
#include <fmt/format.h>
#include <utility>

#include "nexusfix/text/text.hpp"
#include "stream/otlp/event_tail.hpp"
#include "stream/otlp/metric_points.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenReads = 250ms;
constexpr auto kPause = 50ms;
constexpr http::Limits kScrapeLimits{.time = 5s, .answer_bytes = 8U << 20U};
constexpr unsigned kOk = 200;

class Telemetry {
 public:
  Telemetry(const TelemetryOptions& options, const TelemetryParts& parts)
      : options_{options}, parts_{parts}, started_{parts.clock.now().wall} {
    if (options.metrics) {
      engine_.emplace(*options.metrics, options.metrics_target.tls, kScrapeLimits);
      metrics_.emplace(options.metrics_target, options.resource, "Metrics", "metrics");
    }
    if (!options.events.empty()) {
      for (const std::string& folder : options.events) tails_.emplace_back(parts.disk, folder);
      logs_.emplace(options.logs_target, options.resource, "Logs", "logRecords");
    }
  }
  void run();

 private:
  // What does not answer at the moment, so that a change is reported once.
  struct Watched {
    std::string_view name;
    bool is_lost = false;
  };
  void read_events();
  void scrape();
  void serve();
  void finish();
  void watch(Watched& one, const std::string& fault);
  void report(EventId id, const std::string& text) {
    parts_.events.write({.time = parts_.clock.now().wall, .id = id, .session = {}, .text = text});
  }
  [[nodiscard]] bool is_idle() const {
    return (!metrics_ || metrics_->is_idle()) && (!logs_ || logs_->is_idle());
  }
  [[nodiscard]] std::uint64_t dropped_points() const { return metrics_ ? metrics_->dropped() : 0; }
  [[nodiscard]] std::uint64_t dropped_records() const { return logs_ ? logs_->dropped() : 0; }

  const TelemetryOptions& options_;
  const TelemetryParts& parts_;
  WallTime started_;
  std::optional<http::Client> engine_;
  std::deque<EventTail> tails_;
  std::optional<OtlpSender> metrics_;
  std::optional<OtlpSender> logs_;
  MonoTime next_read_;
  MonoTime next_scrape_;
  Watched engine_state_{"the engine"};
  Watched folder_state_{"the folder of event logs"};
  Watched metrics_state_{"the collector, for metrics"};
  Watched logs_state_{"the collector, for events"};
};

void Telemetry::watch(Watched& one, const std::string& fault) {
  if (fault.empty() != one.is_lost) return;
  one.is_lost = !fault.empty();
  if (one.is_lost) {
    report(EventId::StreamBrokerLost, fmt::format("no answer from {}: {}", one.name, fault));
    return;
  }
  report(EventId::StreamBrokerBack,
         fmt::format("answers from {} come again; dropped since the start: {} and {}", one.name,
                     command::counted(dropped_points(), "metric point"),
                     command::counted(dropped_records(), "event")));
}

void Telemetry::read_events() {
  std::string fault;
  for (EventTail& tail : tails_) {
    for (std::string& record : tail.read(parts_.clock.now().wall)) {
      logs_->add({.text = std::move(record)});
    }
    if (fault.empty()) fault = tail.fault();
  }
  watch(folder_state_, fault);
}

void Telemetry::scrape() {
  const auto answer = engine_->get({}, http::Body::Whole);
  const WallTime now = parts_.clock.now().wall;
  std::string fault;
  std::vector<MetricPart> parts;
  if (!answer) {
    fault = answer.error().text;
  } else if (answer->status != kOk) {
    fault = http::one_line(fmt::format("HTTP {} {}", answer->status, answer->reason));
  } else if (auto read = to_metric_parts(answer->body, now, started_); !read) {
    fault = read.error();
  } else {
    parts = std::move(*read);
  }
  watch(engine_state_, fault);
  std::vector<OtlpSender::Item> items;
  items.push_back(
      {.text = gauge_point("nexusfix.up", "1: the engine has answered; 0: it has not.",
                           fault.empty() ? 1 : 0, now) +
               ',' + stream::dropped_points(dropped_points(), dropped_records(), now, started_),
       .count = 3});
  for (MetricPart& one : parts) items.push_back({.text = std::move(one.text), .count = one.points});
  metrics_->replace(std::move(items));
}

void Telemetry::serve() {
  if (metrics_) {
    metrics_->serve(logs_ ? 0ms : kPause);
    watch(metrics_state_, metrics_->fault());
  }
  if (logs_) {
    logs_->serve(kPause);
    watch(logs_state_, logs_->fault());
  }
}

void Telemetry::run() {
  while (!parts_.is_interrupted()) {
    const MonoTime now = parts_.clock.now().mono;
    if (logs_ && now >= next_read_) {
      next_read_ = now + kBetweenReads;
      read_events();
    }
    if (engine_ && now >= next_scrape_) {
      next_scrape_ = now + options_.interval;
      scrape();
    }
    serve();
  }
  finish();
}

void Telemetry::finish() {
  if (logs_) read_events();
  const MonoTime deadline = parts_.clock.now().mono + options_.drain;
  while (!is_idle() && parts_.clock.now().mono < deadline) serve();
  report(EventId::StreamEnded,
         fmt::format("{} and {} dropped{}", command::counted(dropped_points(), "metric point"),
                     command::counted(dropped_records(), "event"),
                     is_idle() ? "" : "; what waited is lost"));
}

}  // namespace

void send_telemetry(const TelemetryOptions& options, const TelemetryParts& parts) {
  Telemetry{options, parts}.run();
}

}  // namespace nexusfix::stream
