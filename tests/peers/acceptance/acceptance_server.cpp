// The acceptor that acceptance scripts are played against: every FIX version on one port.
//
// acceptance_server PORT    0: any free port; the first line of output names it
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "peers/acceptance/echo_application.hpp"

namespace nexusfix::acceptance {
namespace {

// FOLDER: the dictionaries that CMakeLists.txt makes for the scripts.
constexpr std::string_view kSessions = R"(
[SESSION]
BeginString=FIX.4.0
TargetCompID=TW40
[SESSION]
BeginString=FIX.4.1
TargetCompID=TW41
[SESSION]
BeginString=FIX.4.2
TargetCompID=TW42
[SESSION]
BeginString=FIX.4.3
TargetCompID=TW43
[SESSION]
BeginString=FIX.4.4
TargetCompID=TW44
DataDictionary=FOLDER/FIX44.xml
[SESSION]
BeginString=FIXT.1.1
TargetCompID=TW50
DefaultApplVerID=FIX.5.0
AppDataDictionary=FOLDER/FIX50.xml
[SESSION]
BeginString=FIXT.1.1
TargetCompID=TW50SP1
DefaultApplVerID=FIX.5.0SP1
AppDataDictionary=FOLDER/FIX50SP1.xml
[SESSION]
BeginString=FIXT.1.1
TargetCompID=TW50SP2
DefaultApplVerID=FIX.5.0SP2
AppDataDictionary=FOLDER/FIX50SP2.xml
[SESSION]
BeginString=FIX.4.4
TargetCompID=TW
[SESSION]
BeginString=FIX.4.4
TargetCompID=NO_CHECK_FIELDS_HAVE_VALUES
ValidateFieldsHaveValues=N
)";

std::string configuration(std::uint16_t port) {
  std::string text =
      "[DEFAULT]\n"
      "ConnectionType=acceptor\n"
      "SocketAcceptAddress=127.0.0.1\n"
      "SenderCompID=ISLD\n"
      "ResetOnLogon=Y\n"
      "LogoutTimeout=2\n"
      "LogoutCloseTimeout=0\n"
      "NonStopSession=Y\n"
      // FIX allows two ways here; this one requests everything that was sent so far.
      "ClosedResendInterval=N\n"
      "Store=memory\n"
      "SocketAcceptPort=";
  text.append(std::to_string(port)).append(kSessions);
  constexpr std::string_view kFolder = "FOLDER";
  for (std::size_t at = text.find(kFolder); at != std::string::npos; at = text.find(kFolder, at)) {
    text.replace(at, kFolder.size(), NEXUSFIX_CLOSED_DICTIONARIES);
  }
  return text;
}

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return port;
}

// For the signal handler; set before it is installed.
Engine* serving = nullptr;

int serve(std::uint16_t port) {
  auto settings = config::parse_settings(configuration(port), "acceptance");
  if (!settings) {
    for (const auto& error : settings.error()) std::fprintf(stderr, "%s\n", error.what().c_str());
    return 1;
  }
  // The scripts expect what QuickFIX does, also if it differs from FIX.
  for (config::SessionSettings& one : settings->sessions) {
    one.session.logon.logout_gap_timeout = std::chrono::seconds{0};
    one.session.fixt.business_reject_has_default_appl_ver_id = true;
  }
  EchoApplication application;
  auto engine = Engine::open(std::move(*settings), application);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  serving = &*engine;
  std::signal(SIGTERM, [](int) { serving->stop(); });
  std::signal(SIGINT, [](int) { serving->stop(); });
  std::printf("listening on port %u\n", unsigned{engine->accept_port()});
  std::fflush(stdout);
  return engine->run();
}

}  // namespace
}  // namespace nexusfix::acceptance

int main(int count, char** arguments) {
  const auto port = count == 2 ? nexusfix::acceptance::read_port(arguments[1]) : std::nullopt;
  if (!port) {
    std::fputs("Usage: acceptance_server PORT (0 to 65535)\n", stderr);
    return 2;
  }
  return nexusfix::acceptance::serve(*port);
}
