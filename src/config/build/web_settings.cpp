#include "config/build/web_settings.hpp"

#include <string>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::config {
namespace {

bool is_loopback(const std::string& host) {
  const auto address = transport::canonical_address(std::string{transport::without_brackets(host)});
  return address && (address->starts_with("127.") || *address == "::1");
}

// HttpAcceptPort opens the console of a configuration that does not know ConsolePort.
void take_http_accept_port(WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  const std::size_t line = keys.line_of("HttpAcceptPort");
  if (web.http_accept_port.value_or(0) == 0) return;
  if (web.console_port) {
    return report.warning(line, "HttpAcceptPort: not used with ConsolePort");
  }
  web.console_port = web.http_accept_port;
  web.console_line = line;
  if (!web.allows_acts) return;
  web.allows_acts = false;
  report.warning(keys.line_of("ConsoleActs"),
                 "ConsoleActs: not used with HttpAcceptPort, whose console only shows: ConsolePort "
                 "opens one for acts");
}

void report_without_console(const SharedKeys& keys, SettingsReport& report) {
  for (const Key key :
       {Key{"ConsoleHost"}, Key{"ConsoleNames"}, Key{"ConsoleActs"}, Key{"ConsoleCertificateFile"},
        Key{"ConsoleCertificateKeyFile"}, Key{"ConsoleAuthoritiesFile"}}) {
    const std::size_t line = keys.line_of(key);
    if (line != 0) {
      report.warning(line, std::string{key.name()} + ": not used without ConsolePort");
    }
  }
}

void check_console(const WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  const bool has_tls = !web.certificate_file.empty();
  if (!has_tls && !is_loopback(web.console_host)) {
    report.error(keys.line_of("ConsoleHost"),
                 "ConsoleHost=" + web.console_host +
                     ": a console that other machines reach needs ConsoleCertificateFile, or its "
                     "token is readable on the network");
  }
  for (const Key key : {Key{"ConsoleCertificateKeyFile"}, Key{"ConsoleAuthoritiesFile"}}) {
    const std::size_t line = keys.line_of(key);
    if (has_tls || line == 0) continue;
    report.error(line, std::string{key.name()} + ": needs ConsoleCertificateFile");
  }
}

}  // namespace

void build_web(WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  web.metrics_line = keys.line_of("MetricsPort");
  web.console_line = keys.line_of("ConsolePort");
  take_http_accept_port(web, keys, report);
  if (const std::size_t line = keys.line_of("MetricsHost"); line != 0 && !web.metrics_port) {
    report.warning(line, "MetricsHost: not used without MetricsPort");
  }
  if (!web.console_port) return report_without_console(keys, report);
  check_console(web, keys, report);
  const bool is_shared = web.metrics_port == web.console_port && *web.console_port != 0 &&
                         web.metrics_host == web.console_host;
  if (!is_shared) return;
  report.error(web.metrics_line, "MetricsPort=" + std::to_string(*web.metrics_port) + ": line " +
                                     std::to_string(web.console_line) +
                                     " has the same port; two different ones were expected");
}

}  // namespace nexusfix::config
