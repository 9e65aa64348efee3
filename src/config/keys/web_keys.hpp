// The keys of the web console and of the metrics, for the part nexusfix::web.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;

inline constexpr ValueRule kHostNames =
    read_by<read_host_names>("list", "host names or addresses, such as desk.example.com,10.0.0.5,");

inline constexpr KeyRow kWeb[] = {
    {"MetricsPort", NextStart, port(0), sets<&WebSettings::metrics_port>, "", "9464",
     "the port of /metrics (Prometheus), /healthz and /readyz; 0: any free port"},
    {"MetricsHost", NextStart, kAddress, sets<&WebSettings::metrics_host>, "127.0.0.1", "10.0.0.5",
     "the address of this machine on which MetricsPort listens"},
    {"ConsolePort", NextStart, port(0), sets<&WebSettings::console_port>, "", "8080",
     "the port of the web console; 0: any free port"},
    {"HttpAcceptPort", NextStart, port(0), sets<&WebSettings::http_accept_port>, "", "9911",
     "the port of a read-only web console; 0: none"},
    {"ConsoleHost", NextStart, kAddress, sets<&WebSettings::console_host>, "127.0.0.1", "::1",
     "the address of this machine on which the web console listens; others than 127.0.0.1 and ::1 "
     "need ConsoleCertificateFile"},
    {"ConsoleNames", NextStart, kHostNames, sets<&WebSettings::console_names, read_host_names>, "",
     "desk.example.com", "the names by which browsers reach the web console, besides its address"},
    {"ConsoleActs", NextStart, kYesOrNo, sets<&WebSettings::allows_acts>, "N", "Y",
     "Y: operators may log sessions out, reset and set them in the web console; N: it only shows"},
    {"ConsoleCertificateFile", NextStart, path("the path of a file"),
     sets<&WebSettings::certificate_file>, "", "console.pem",
     "the certificate of the web console, PEM or PKCS#12: it then speaks HTTPS only"},
    {"ConsoleCertificateKeyFile", NextStart, path("the path of a file"),
     sets<&WebSettings::certificate_key_file>, "", "console.key",
     "the private key of ConsoleCertificateFile, if it is in a file of its own"},
    {"ConsoleAuthoritiesFile", NextStart, path("the path of a file"),
     sets<&WebSettings::authorities_file>, "", "desk-ca.pem",
     "the authorities of operators' certificates: browsers must show one, and no token is asked "
     "for"},
};

}  // namespace nexusfix::config::keys
