#include <CLI/CLI.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <mutex>
#include <sys/resource.h>
#include <utility>

#include "base/api/printable_text.hpp"
#ifdef NEXUSFIX_WEB_CONSOLE
#include <nexusfix/web.hpp>
#endif

#include "logs/columns/arrow_command.hpp"
#include "nexusfix/events/explain.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "stream/destination.hpp"
#include "stream/stream.hpp"

namespace nexusfix::command {
namespace {

using stream::RecordFormat;
using stream::StreamOptions;

struct WantedStream {
  StreamOptions stream;
  stream::Destination destination;
  std::string fields;
  std::string format = "raw";
  std::string metrics_host = "127.0.0.1";
  std::optional<std::uint16_t> metrics_port;
  std::int64_t drain_seconds = 10;
  bool is_followed = false;
  bool begins_at_end = false;
  bool accepts_gap = false;
};

std::expected<void, std::string> prepare(WantedStream& wanted, Disk& disk) {
  StreamOptions& options = wanted.stream;
  if (auto found = wanted.destination.check(disk); !found) return found;
  if (options.cursor_name.empty()) options.cursor_name = wanted.destination.name();
  if (!store::is_cursor_name(options.cursor_name)) {
    return std::unexpected{
        "--cursor: 1 to 64 letters, digits, - and _ were expected, as it is the name of a file"};
  }
  if (wanted.destination.name() == "otlp" && wanted.format != "raw") {
    return std::unexpected{"--format is not for --otlp"};
  }
  if (wanted.format == "json") options.encoder.format = RecordFormat::Json;
  if (wanted.format == "arrow") {
    if (wanted.destination.has_lines()) {
      return std::unexpected{fmt::format(
          "--format arrow: --{} gets lines: raw or json was expected", wanted.destination.name())};
    }
    options.encoder.format = RecordFormat::Arrow;
    options.encoder.open_columns = linked_columns;
    auto columns = logs::plan_columns(wanted.fields, FieldNames{});
    if (!columns) return std::unexpected{"--fields: " + columns.error()};
    options.encoder.columns = std::move(*columns);
  } else if (!wanted.fields.empty()) {
    return std::unexpected{"--fields is for --format arrow"};
  }
  options.drain = std::chrono::seconds{wanted.drain_seconds};
  options.follow.is_followed = wanted.is_followed;
  if (wanted.begins_at_end) options.follow.begin = store::FollowOptions::Begin::Newest;
  if (wanted.accepts_gap) options.follow.gap = store::FollowOptions::Gap::Accept;
  return {};
}

void add_stream_options(CLI::App& app, WantedStream& wanted) {
  app.add_option("JOURNAL", wanted.stream.journals,
                 "folders of journals, or configuration files of engines, also with "
                 "Store=postgresql")
      ->required();
  app.add_option("--format", wanted.format, "raw, json or arrow")
      ->capture_default_str()
      ->check(CLI::IsMember({"raw", "json", "arrow"}))
      ->option_text("FORMAT");
  app.add_option("--fields", wanted.fields, "the columns of arrow, as of `nexusfix export`")
      ->option_text("TAGS");
  app.add_flag("-f,--follow", wanted.is_followed, "go on when the journal grows, until a signal");
  app.add_option("--cursor", wanted.stream.cursor_name,
                 "the name of the cursor; each has its own place in the log "
                 "(default: that of the option of the destination)")
      ->option_text("NAME");
  app.add_option("--cursor-folder", wanted.stream.cursor_folder,
                 "where cursors of databases are (default: FileStorePath of the configuration)")
      ->option_text("FOLDER");
  app.add_flag("--from-now", wanted.begins_at_end,
               "begin a new cursor at the end of the log (default: at its start)");
  app.add_flag("--accept-gap", wanted.accepts_gap,
               "go on after a part that the log lacks, in place of an error");
  app.add_option("--engine", wanted.stream.engine,
                 "the value of the header engine (default: the journal's folder, or the schema)")
      ->option_text("NAME");
  app.add_option("--drain", wanted.drain_seconds, "how long a signal waits for acknowledgements")
      ->capture_default_str()
      ->check(CLI::Range(0, 3'600))
      ->option_text("SECONDS");
  app.add_option("--metrics-port", wanted.metrics_port, "serve the lag to Prometheus")
      ->check(CLI::Range(0, 65'535))
      ->option_text("PORT");
  app.add_option("--metrics-host", wanted.metrics_host, "the address of that port")
      ->capture_default_str()
      ->option_text("HOST");
}

#ifdef NEXUSFIX_WEB_CONSOLE
// The last state, for the thread that answers Prometheus.
class LatestState {
 public:
  void put(const stream::StreamState& state) {
    std::string text = stream::to_prometheus(state);
    const std::lock_guard lock{mutex_};
    text_ = std::move(text);
  }
  [[nodiscard]] std::string text() {
    const std::lock_guard lock{mutex_};
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};
#endif

int stream_with(WantedStream& wanted, PosixDisk& disk, stream::Broker& broker) {
  SystemClock clock;
  observe::StreamEventLog events{stderr};
  stream::StreamParts parts{.disk = disk,
                            .clock = clock,
                            .broker = broker,
                            .postgres = linked_parts().postgres,
                            .events = events,
                            .is_interrupted = is_interrupted,
                            .on_state = {}};
#ifdef NEXUSFIX_WEB_CONSOLE
  LatestState latest;
  std::unique_ptr<web::MetricsPort> port;
  if (wanted.metrics_port) {
    auto opened = web::MetricsPort::open(wanted.metrics_host, *wanted.metrics_port,
                                         [&] { return latest.text(); });
    if (!opened) {
      fail("stream", "--metrics-port: " + opened.error());
      return kUsage;
    }
    port = std::move(*opened);
    parts.on_state = [&](const stream::StreamState& state) { latest.put(state); };
    events.write({.time = clock.now().wall,
                  .id = EventId::MetricsOpened,
                  .session = {},
                  .text = fmt::format("metrics: port {}", port->port())});
  }
#else
  if (wanted.metrics_port) {
    fail("stream", "--metrics-port: this nexusfix was built without NEXUSFIX_WEB");
    return kUsage;
  }
#endif
  return stream::stream_logs(wanted.stream, parts);
}

}  // namespace

std::span<const metrics::MetricDescription> stream_metrics() noexcept {
  return stream::stream_metrics();
}

int run_stream(Arguments arguments) {
  CLI::App app{
      "Sends the messages of journals and PostgreSQL stores to one destination, from a durable "
      "cursor on, beside the engine. Each record names its session and its place in the log: after "
      "a crash, a consumer drops by them what is repeated. The cursor passes what the destination "
      "has acknowledged. An engine keeps the segments of a journal that the cursor has not passed.",
      "nexusfix stream"};
  WantedStream wanted;
  add_stream_options(app, wanted);
  wanted.destination.add_options(app);
  app.footer(
      "Examples:\n"
      "  $ nexusfix stream -f --kafka kafka1:9092,kafka2:9092 --topic fix store/venue\n"
      "  $ nexusfix stream --format json --kafka 127.0.0.1:9092 --topic fix venue.cfg\n"
      "  $ nexusfix stream -f --stdout store/venue | ./my_archive\n"
      "  $ nexusfix stream -f --command ./my_archive store/venue\n\n"
      "Exit status:\n"
      "  0  a signal came, or without -f the whole log is acknowledged\n"
      "  1  a message cannot be stored, or the log cannot be read further\n"
      "  2  a log cannot be opened or does not fit its cursor, or the arguments\n"
      "     are wrong");
  const Arguments all = arguments;
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  const std::string without_arrow =
      wanted.format == "arrow" ? run_with_arrow("stream", all) : std::string{};
  if (!without_arrow.empty()) {
    fail("stream", "--format arrow: " + without_arrow);
    return kUsage;
  }
  PosixDisk disk;
  if (auto prepared = prepare(wanted, disk); !prepared) {
    fail("stream", printable(prepared.error()));
    return kUsage;
  }
  // An engine on the same cores comes first.
  constexpr int kNice = 10;
  static_cast<void>(setpriority(PRIO_PROCESS, 0, kNice));
  catch_interrupts();
  auto broker = wanted.destination.open(disk, wanted.stream.encoder.format == RecordFormat::Json);
  if (!broker) {
    fail("stream", printable(broker.error()));
    return kUsage;
  }
  return stream_with(wanted, disk, **broker);
}

}  // namespace nexusfix::command
