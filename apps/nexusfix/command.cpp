#include "nexusfix/command.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>

#include <nexusfix/observe/logs.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/proxy.hpp>
#ifdef NEXUSFIX_POSTGRES_STORE
#include <nexusfix/store/postgres.hpp>
#endif
#ifdef NEXUSFIX_CLUSTER_PART
#include <nexusfix/cluster.hpp>
#endif
#ifdef NEXUSFIX_WEB_CONSOLE
#include <nexusfix/web.hpp>
#endif

#include "config/api/settings.hpp"
#include "nexusfix/dictionary/dict.hpp"
#include "nexusfix/events/explain.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/run/bench_of_log.hpp"

namespace nexusfix::command {
namespace {

constexpr std::array kCommands{
    Command{"demo", "run a venue and a trader on this machine, and measure them", "demo", run_demo},
    Command{"decode", "print FIX messages with field names and meanings", "decode messages.log",
            run_decode},
    Command{"grep", "find messages in logs by their fields",
            "grep 'MsgType=D and Price>150' messages.log", run_grep},
    Command{"stats", "count messages, gaps, rejects and latencies in logs", "stats messages.log",
            run_stats},
    Command{"order", "show the life of an order, and what its state must be",
            "order A1 messages.log", run_order},
    Command{"diff", "compare the logs of two sides", "diff trader.log venue.log", run_diff},
    Command{"replay", "send the messages of a log into a session",
            "replay --connect 127.0.0.1:5001 messages.log", run_replay},
    Command{"anonymise", "replace names and texts in logs by pseudonyms", "anonymise messages.log",
            run_anonymise},
    Command{"export", "write messages as rows of Parquet or Arrow files",
            "export --parquet day.parquet messages.log", run_export},
    Command{"validate", "find the errors in FIX messages", "validate messages.log", run_validate},
    Command{"dict", "look up fields, values and messages, and compare versions", "dict 39=2",
            run_dict},
    Command{"explain", "explain an event of the logs, and what to do", "explain NXF-1042",
            run_explain},
    Command{"config", "check, explain and write configuration files", "config check trader.cfg",
            run_config},
    Command{"doctor", "find what costs latency on this machine", "doctor venue.cfg", run_doctor},
    Command{"serve", "run the example venue, an acceptor with an order book", "serve venue.cfg",
            run_serve},
    Command{"gateway", "run sessions for other programs, which attach and detach",
            "gateway desk.cfg --clients desk.clients", run_gateway},
    Command{"connect", "log on to an acceptor, and send messages by hand or by script",
            "connect client.cfg", run_connect},
    Command{"test", "play test scripts against an engine, and report",
            "test session --acceptor 127.0.0.1:5001 --target VENUE", run_test},
    Command{"certify", "play a venue against your program, and write a report",
            "certify binance --engine './trader {config}'", run_certify},
    Command{"trade", "run the example trader, an initiator that sends orders",
            "trade trader.cfg --orders 1000", run_trade},
    Command{"ctl", "show and steer a running engine", "ctl status", run_ctl},
    Command{"tui", "show running engines on a live screen", "tui", run_tui},
    Command{"cluster", "show a cluster of engines, and move its shards", "cluster status venue.cfg",
            run_cluster},
    Command{"journal", "show, check, repair and change a journal", "journal show store/venue",
            run_journal},
    Command{"stream", "send the messages of a journal to another system",
            "stream -f --kafka kafka1:9092 --topic fix store/venue", run_stream},
    Command{"otlp", "send the metrics and events of an engine to OpenTelemetry",
            "otlp --to http://127.0.0.1:4318 venue.cfg", run_otlp},
    Command{"front-door", "accept clients on one port, and connect them to their engine",
            "front-door --listen 9878 venue-a.cfg@node1,node2", run_front_door},
    Command{"passwd", "set the users and passwords of an acceptor", "passwd users.txt BROKER",
            run_passwd},
    Command{"codegen", "write C++ types for the messages of a dictionary",
            "codegen venue.xml -o generated", run_codegen},
    Command{"simulate", "run engines in virtual time, with faults, and check them",
            "simulate --seeds 100", run_simulate},
    Command{"bench", "measure the parts of NexusFIX on this machine", "bench --quick", run_bench},
    Command{"help", "print help, man pages and the completion of shells", "help grep", run_help},
};

// A subcommand of a product that this program was built without: option is without NEXUSFIX_.
[[maybe_unused]] int without(std::string_view name, std::string_view option,
                             const Arguments& arguments) {
  const std::string built_without = fmt::format(
      "this program was built without it: build it with NEXUSFIX_{}=ON. docs/operations/install.md",
      option);
  CLI::App app{built_without, fmt::format("nexusfix {}", name)};
  app.allow_extras();
  if (const auto exit = parse_arguments(app, arguments)) return *exit;
  return fail(name, built_without);
}

}  // namespace

#ifndef NEXUSFIX_CLUSTER_PART
int run_cluster(Arguments arguments) {
  return without("cluster", "POSTGRES=ON and NEXUSFIX_CLUSTER", arguments);
}
#endif
#ifndef NEXUSFIX_FRONT_DOOR_PART
int run_front_door(Arguments arguments) { return without("front-door", "FRONT_DOOR", arguments); }
#endif
#ifndef NEXUSFIX_GATEWAY_PART
int run_gateway(Arguments arguments) { return without("gateway", "GATEWAY", arguments); }
#endif
#ifndef NEXUSFIX_TUI_PART
int run_tui(Arguments arguments) { return without("tui", "TUI", arguments); }
#endif
#ifndef NEXUSFIX_LOGS_PART
int run_anonymise(Arguments arguments) { return without("anonymise", "LOGS", arguments); }
int run_decode(Arguments arguments) { return without("decode", "LOGS", arguments); }
int run_dict_learn(Arguments arguments) { return without("dict learn", "LOGS", arguments); }
int run_diff(Arguments arguments) { return without("diff", "LOGS", arguments); }
int run_export(Arguments arguments) { return without("export", "LOGS", arguments); }
int run_grep(Arguments arguments) { return without("grep", "LOGS", arguments); }
int run_order(Arguments arguments) { return without("order", "LOGS", arguments); }
int run_replay(Arguments arguments) { return without("replay", "LOGS", arguments); }
int run_stats(Arguments arguments) { return without("stats", "LOGS", arguments); }
int run_validate(Arguments arguments) { return without("validate", "LOGS", arguments); }
int run_bench_of_log(const BenchOfLog&) {
  return fail("bench", "--from: this program was built without the log tools (NEXUSFIX_LOGS=ON)");
}
#endif
#ifndef NEXUSFIX_METRICS_PART
std::expected<std::string, std::string> explain_metrics(const std::vector<std::string>&,
                                                        ExplainForm) {
  return metrics_page();
}
std::expected<std::string, std::string> metrics_page() {
  return std::unexpected{
      "this program was built without the metrics: build it with NEXUSFIX_METRICS=ON. "
      "docs/operations/install.md"};
}
#endif
#ifndef NEXUSFIX_SIMULATOR_PART
int run_simulate(Arguments arguments) { return without("simulate", "SIMULATOR", arguments); }
#endif
#ifndef NEXUSFIX_STREAM_PART
int run_stream(Arguments arguments) { return without("stream", "STREAM", arguments); }
int run_otlp(Arguments arguments) { return without("otlp", "STREAM", arguments); }
std::span<const metrics::MetricDescription> stream_metrics() noexcept { return {}; }
#endif
#ifndef NEXUSFIX_TESTER_PART
int run_test(Arguments arguments) { return without("test", "TESTER", arguments); }
#endif
#ifndef NEXUSFIX_VENUES_PART
int run_certify(Arguments arguments) { return without("certify", "VENUES", arguments); }
int run_serve_venue(Arguments) {
  return fail("serve", "--venue: this program was built without the kits (NEXUSFIX_VENUES=ON)");
}
std::vector<std::string> kit_words() { return {}; }
#endif

std::span<const Command> commands() noexcept { return kCommands; }

engine::Parts linked_parts() noexcept {
  engine::Parts parts;
  parts.proxy = transport::proxy_part();
  parts.passwords = engine::password_part();
  parts.log_compression = observe::log_compression_part();
#ifdef NEXUSFIX_POSTGRES_STORE
  parts.postgres = store::postgres_part();
#endif
#ifdef NEXUSFIX_CLUSTER_PART
  parts.cluster = cluster::cluster_part();
#endif
#ifdef NEXUSFIX_WEB_CONSOLE
  parts.web = web::web_part();
#endif
  return parts;
}

}  // namespace nexusfix::command
