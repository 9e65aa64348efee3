#include "stream/destination.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "stream/otlp/otlp_json.hpp"
#include "stream/sinks/sinks.hpp"

namespace nexusfix::stream {
namespace {

using Failed = std::unexpected<std::string>;

constexpr std::int64_t kBatchLinesMax = 10'000;
constexpr std::int64_t kBatchWaitMax = 60'000;

// Null: this program was built without it.
OpenBroker linked_kafka() noexcept {
#ifdef NEXUSFIX_KAFKA_STREAM
  return open_kafka;
#else
  return nullptr;
#endif
}

// The settings of a file.
std::expected<void, std::string> read_properties(Disk& disk, const std::string& path,
                                                 BrokerSettings& broker) {
  constexpr std::size_t kBytesMax = 1U << 20U;
  const auto file = disk.open(path, OpenMode::ReadRegular);
  if (!file) return Failed{file.error().what()};
  std::string text(kBytesMax, '\0');
  const auto got = (*file)->read_at(0, text);
  if (!got) return Failed{got.error().what()};
  text.resize(*got);
  bool has_secret = false;
  auto settings = read_settings(text, has_secret);
  if (!settings) return Failed{path + ": " + settings.error()};
  if (has_secret) {
    const auto is_private = disk.is_private(path);
    if (!is_private) return Failed{is_private.error().what()};
    if (!*is_private) {
      return Failed{path + " has a secret, and others may read the file: chmod 600 " + path};
    }
  }
  broker.others = std::move(*settings);
  return {};
}

}  // namespace

void Destination::add_options(CLI::App& app) {
  app.add_option("--kafka", kafka_.brokers,
                 "to a topic of Kafka: addresses of brokers, with commas between")
      ->option_text("HOST:PORT,...");
  app.add_option("--topic", kafka_.topic, "the topic of Kafka that gets the messages")
      ->option_text("NAME");
  app.add_option("--properties", properties_,
                 "a file with settings of librdkafka, NAME=VALUE a line, also for secrets")
      ->option_text("FILE");
  app.add_option("--set", sets_, "one setting, such as security.protocol=ssl; repeatable")
      ->expected(1)
      ->take_all()
      ->option_text("NAME=VALUE");
  app.add_flag("--stdout", is_stdout_, "to standard output, a line of JSON a message");
  app.add_option("--command", command_,
                 "to the standard input of a command of /bin/sh, a line of JSON a message")
      ->option_text("COMMAND");
  app.add_option("--ack", ack_,
                 "of a command. line: each line that it prints is the id of the last "
                 "message that it has handled; exit: each batch has a process, whose "
                 "status 0 acknowledges it")
      ->capture_default_str()
      ->check(CLI::IsMember({"line", "exit"}))
      ->option_text("line|exit");
  app.add_option("--http", url_,
                 "to an HTTP server, by POST: batches with a line of JSON a message")
      ->option_text("URL");
  app.add_option("--otlp", otlp_,
                 "to a collector of OpenTelemetry, by OTLP/HTTP: a trace for each order")
      ->option_text("URL");
  app.add_option("--nats", nats_.servers,
                 "to a stream of NATS JetStream: servers, with commas between")
      ->option_text("URL,...");
  app.add_option("--subject", nats_.subject, "the subject of NATS that gets the messages")
      ->option_text("NAME");
  app.add_option("--credentials", nats_.credentials,
                 "a file of mode 600 with the credentials of a user of NATS")
      ->option_text("FILE");
  app.add_option("--token-file", http_.token_file,
                 "a file of mode 600 with the token for Authorization: Bearer, or of NATS; it "
                 "is read again before each request or connection")
      ->option_text("FILE");
  app.add_option("--ca", http_.tls.authorities,
                 "the authorities of TLS, in PEM (default: those of the system)")
      ->option_text("FILE");
  app.add_option("--certificate", http_.tls.certificate, "the stream's own certificate, in PEM")
      ->option_text("FILE");
  app.add_option("--key", http_.tls.key, "the private key of that certificate, in PEM")
      ->option_text("FILE");
  app.add_option("--batch", batch_lines_, "the most messages of a batch")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, kBatchLinesMax))
      ->option_text("COUNT");
  app.add_option("--batch-wait", batch_wait_ms_,
                 "how long the first message of a batch waits for others, in ms")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, kBatchWaitMax))
      ->option_text("MS");
}

std::string_view Destination::name() const noexcept {
  if (is_stdout_) return "stdout";
  if (!url_.empty()) return "http";
  if (!otlp_.empty()) return "otlp";
  if (!nats_.servers.empty()) return "nats";
  return command_.empty() ? "kafka" : "command";
}

bool Destination::has_lines() const noexcept { return name() != "kafka" && name() != "nats"; }

std::expected<void, std::string> Destination::check(Disk& disk) {
  const int count = (kafka_.brokers.empty() ? 0 : 1) + (is_stdout_ ? 1 : 0) +
                    (command_.empty() ? 0 : 1) + (url_.empty() ? 0 : 1) +
                    (nats_.servers.empty() ? 0 : 1) + (otlp_.empty() ? 0 : 1);
  if (count != 1) {
    return Failed{"one of --kafka, --stdout, --command, --http, --nats and --otlp was expected"};
  }
  if (name() == "kafka") return check_kafka(disk);
  if (!kafka_.topic.empty() || !properties_.empty() || !sets_.empty()) {
    return Failed{"--topic, --properties and --set are for --kafka"};
  }
  const http::TlsFiles& tls = http_.tls;
  const bool has_http = !http_.token_file.empty() || !tls.authorities.empty() ||
                        !tls.certificate.empty() || !tls.key.empty();
  if (name() != "http" && name() != "otlp" && name() != "nats" && has_http) {
    return Failed{"--token-file, --ca, --certificate and --key are for --http, --otlp and --nats"};
  }
  if (http_.tls.certificate.empty() != http_.tls.key.empty()) {
    return Failed{"--certificate and --key need each other"};
  }
  if (name() == "nats") return check_nats(disk);
  if (!nats_.subject.empty() || !nats_.credentials.empty()) {
    return Failed{"--subject and --credentials are for --nats"};
  }
  return name() == "http" || name() == "otlp" ? check_http(disk)
                                              : std::expected<void, std::string>{};
}

std::expected<void, std::string> Destination::check_http(Disk& disk) {
#ifdef NEXUSFIX_HTTP_STREAM
  const bool is_otlp = name() == "otlp";
  auto address = http::read_address(is_otlp ? otlp_ : url_);
  if (!address) return Failed{fmt::format("--{}: {}", name(), address.error())};
  http_.address = std::move(*address);
  if (is_otlp) {
    http_.body = HttpBody::Spans;
    if (auto path = signal_path(http_.address.path, "traces"); !path) {
      return Failed{"--otlp: " + path.error()};
    } else {
      http_.address.path = std::move(*path);
    }
  }
  http_.disk = &disk;
  if (http_.token_file.empty()) return {};
  if (!http_.address.is_tls && !http_.address.is_loopback()) {
    return Failed{
        "--token-file: everybody on the network can read a token over http://: use "
        "https://"};
  }
  const auto token = read_token(disk, http_.token_file);
  return token ? std::expected<void, std::string>{} : Failed{"--token-file: " + token.error()};
#else
  static_cast<void>(disk);
  return Failed{"--http and --otlp: this nexusfix was built without NEXUSFIX_TLS or Boost.Beast"};
#endif
}

std::expected<void, std::string> Destination::check_nats(Disk& disk) {
#ifdef NEXUSFIX_NATS_STREAM
  const auto is_bad = [](char c) { return c <= ' ' || c > '~' || c == '*' || c == '>'; };
  if (nats_.subject.empty() || std::ranges::any_of(nats_.subject, is_bad)) {
    return Failed{"--nats needs --subject: a name without blanks, * and >"};
  }
  if (nats_.servers.contains('@')) {
    return Failed{
        "--nats: a user or password was given: every user sees the command line. Use "
        "--credentials or --token-file"};
  }
  nats_.disk = &disk;
  nats_.tls = http_.tls;
  nats_.token_file = http_.token_file;
  if (!nats_.credentials.empty()) {
    const auto is_private = disk.is_private(nats_.credentials);
    if (!is_private) return Failed{std::string{"--credentials: "} + is_private.error().what()};
    if (!*is_private) {
      return Failed{nats_.credentials + " has a secret, and others may read the file: chmod 600 " +
                    nats_.credentials};
    }
  }
  if (nats_.token_file.empty()) return {};
  const auto token = read_token(disk, nats_.token_file);
  return token ? std::expected<void, std::string>{} : Failed{"--token-file: " + token.error()};
#else
  static_cast<void>(disk);
  return Failed{"--nats: this nexusfix was built without cnats: build it with NEXUSFIX_NATS=ON"};
#endif
}

std::expected<void, std::string> Destination::check_kafka(Disk& disk) {
  if (linked_kafka() == nullptr) {
    return Failed{
        "--kafka: this program has no Kafka client: install nexusfix-cluster, or build with "
        "-D NEXUSFIX_KAFKA=ON"};
  }
  if (kafka_.topic.empty()) return Failed{"--kafka needs --topic"};
  if (!properties_.empty()) {
    if (auto read = read_properties(disk, properties_, kafka_); !read) return read;
  }
  for (const std::string& text : sets_) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) {
      return Failed{"--set " + text + ": NAME=VALUE was expected"};
    }
    const std::string setting = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (auto allowed = check_setting(setting, value, false); !allowed) {
      return Failed{"--set: " + allowed.error()};
    }
    kafka_.others.emplace_back(setting, value);
  }
  return {};
}

std::expected<std::unique_ptr<Broker>, std::string> Destination::open(Disk& disk,
                                                                      bool is_object) const {
  const LineOptions lines{
      .is_object = is_object,
      .batch = {.lines = batch_lines_, .wait = std::chrono::milliseconds{batch_wait_ms_}}};
  if (is_stdout_) return open_lines(disk, STDOUT_FILENO, lines);
#ifdef NEXUSFIX_HTTP_STREAM
  if (!url_.empty() || !otlp_.empty()) return open_http(http_, lines);
#endif
#ifdef NEXUSFIX_NATS_STREAM
  if (!nats_.servers.empty()) return open_nats(nats_);
#endif
  if (!command_.empty()) {
    return open_command(
        {.command = command_, .ack = ack_ == "exit" ? CommandAck::Exit : CommandAck::Line}, lines);
  }
  return linked_kafka()(kafka_);
}

}  // namespace nexusfix::stream
