#include "console/server/web_server.hpp"

#include <memory>
#include <utility>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/web.hpp>

#include "transport/api/tls.hpp"

namespace nexusfix::web {
namespace {

transport::Endpoint endpoint_of(const std::string& host, std::uint16_t port) {
  return {.host = std::string{transport::without_brackets(host)}, .port = port};
}

std::string url_of(const std::string& scheme, const std::string& host, std::uint16_t port) {
  const bool is_v6 = transport::without_brackets(host).find(':') != std::string_view::npos;
  const std::string name = is_v6 && !host.starts_with('[') ? '[' + host + ']' : host;
  return scheme + "://" + name + ':' + std::to_string(port) + '/';
}

ConsoleOptions console_options(const config::Settings& settings) {
  const config::WebSettings& web = settings.web;
  PosixDisk disk;
  ConsoleOptions options{.allows_acts = web.allows_acts,
                         .configuration_file = settings.text.empty() ? "" : settings.file,
                         .store_folder = {},
                         .token_file = "console.token",
                         .names = web.console_port ? SessionNames{disk, settings} : SessionNames{},
                         .is_encrypted = !web.certificate_file.empty(),
                         .has_certificates = !web.authorities_file.empty()};
  if (settings.store == config::StoreKind::Journal && !settings.store_folder.empty()) {
    options.store_folder = settings.store_folder;
    options.token_file = options.store_folder + "/console.token";
  }
  return options;
}

}  // namespace

std::expected<std::unique_ptr<WebServer>, std::string> WebServer::open(
    const config::Settings& settings) {
  std::unique_ptr<WebServer> server{new WebServer{settings}};
  for (const auto step : {&WebServer::open_metrics, &WebServer::open_console}) {
    if (std::string error = (server.get()->*step)(); !error.empty()) {
      return std::unexpected{std::move(error)};
    }
  }
  return server;
}

WebServer::WebServer(const config::Settings& settings)
    : file_{settings.file},
      settings_{settings.web},
      console_{console_options(settings), events_, clock_} {}

WebServer::~WebServer() {
  metrics_http_.stop();
  console_http_.stop();
  console_.end();
}

std::string WebServer::error_at(std::size_t line, const std::string& text) const {
  return config::SettingsError{file_, line, text}.what();
}

std::string WebServer::open_metrics() {
  if (!settings_.metrics_port) return {};
  auto port =
      metrics_http_.open(endpoint_of(settings_.metrics_host, *settings_.metrics_port), metrics_);
  if (!port) return error_at(settings_.metrics_line, "MetricsPort: " + port.error());
  metrics_port_ = *port;
  return {};
}

std::string WebServer::open_console() {
  if (!settings_.console_port) return {};
  transport::Endpoint endpoint = endpoint_of(settings_.console_host, *settings_.console_port);
  if (!settings_.certificate_file.empty()) {
    const bool asks = !settings_.authorities_file.empty();
    auto tls = transport::TlsContext::make(
        {.role = transport::TlsRole::Acceptor,
         .certificate_file = settings_.certificate_file,
         .key_file = settings_.certificate_key_file,
         .authorities_file = settings_.authorities_file,
         .client_certificate = asks ? transport::ClientCertificate::Required
                                    : transport::ClientCertificate::NotAsked},
        disk_);
    if (!tls) {
      return error_at(settings_.console_line, "ConsoleCertificateFile: " + tls.error().text);
    }
    endpoint.tls = std::move(*tls);
  }
  auto port = console_http_.open(endpoint, console_);
  if (!port) return error_at(settings_.console_line, "ConsolePort: " + port.error());
  console_port_ = *port;
  console_.listen_on(settings_.console_host, console_port_, settings_.console_names);
  return {};
}

std::expected<void, std::string> WebServer::start(engine::Operations& engine) {
  if (console_port_ != 0) {
    if (auto tokens = console_.begin(engine); !tokens) {
      return std::unexpected{error_at(settings_.console_line, tokens.error())};
    }
  }
  metrics_.serve(engine);
  if (metrics_port_ != 0) {
    engine.report(EventId::MetricsOpened,
                  "metrics: " + url_of("http", settings_.metrics_host, metrics_port_) + "metrics");
  }
  if (console_port_ != 0) {
    const bool has_tls = !settings_.certificate_file.empty();
    const bool has_certificates = !settings_.authorities_file.empty();
    engine.report(EventId::ConsoleOpened,
                  "web console: " +
                      url_of(has_tls ? "https" : "http", settings_.console_host, console_port_) +
                      (has_certificates ? "; browsers must show a certificate"
                                        : "; its token is in " + console_.token_file()) +
                      (settings_.allows_acts ? "" : "; it only shows"));
  }
  if (metrics_port_ != 0) metrics_http_.start();
  if (console_port_ != 0) console_http_.start();
  return {};
}

const WebPart* web_part() noexcept {
  static constexpr WebPart kPart{
      .open = [](const config::Settings& settings)
          -> std::expected<std::unique_ptr<engine::OperationsServer>, std::string> {
        auto opened = WebServer::open(settings);
        if (!opened) return std::unexpected{std::move(opened.error())};
        return std::move(*opened);
      }};
  return &kPart;
}

}  // namespace nexusfix::web
