// nexusfix serve --venue: the simulated venue of a kit.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/transport/network.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "venues/kit/kit.hpp"
#include "venues/kit/kit_files.hpp"
#include "venues/kit/kit_folder.hpp"
#include "venues/simulate/refusal_network.hpp"
#include "venues/simulate/simulated_venue.hpp"

namespace nexusfix::command {
namespace {

using namespace venues;

constexpr std::string_view kServeCommand = "serve";

struct VenueOptions {
  std::string venue;
  std::string folder;
  std::string key;
  Served served;
  std::optional<std::uint16_t> port;
};

int refuse(const std::string& text) {
  fail(kServeCommand, text);
  return kUsage;
}

// Without --port those of the kit; 0: free ones; otherwise this one and those after it.
std::expected<std::vector<std::uint16_t>, std::string> ports_of(const Kit& kit,
                                                                const VenueOptions& options,
                                                                RefusalNetwork& network) {
  if (options.port == 0) return network.open_ports(options.served.host, kit.endpoints.size());
  std::vector<std::uint16_t> ports;
  for (const config::SessionSettings& session : kit.settings.sessions) {
    const auto place = static_cast<std::uint16_t>(ports.size());
    ports.push_back(options.port ? static_cast<std::uint16_t>(*options.port + place)
                                 : session.accept->port);
  }
  return ports;
}

std::expected<SimulatedVenue::Gates, std::string> gates_of(const Kit& kit,
                                                           const VenueOptions& options,
                                                           Disk& disk) {
  SimulatedVenue::Gates gates;
  for (const Endpoint& endpoint : kit.endpoints) {
    auto verifier = read_verifier(endpoint, options.folder, options.key, disk);
    if (!verifier) return std::unexpected{verifier.error()};
    gates[endpoint.name] = std::make_unique<LogonGate>(endpoint.logon, std::move(*verifier));
  }
  return gates;
}

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

int serve(VenueOptions options) {
  const auto kit = read_kit(options.venue);
  if (!kit) return refuse("--venue: " + kit.error());
  if (options.folder.empty()) options.folder = options.venue;
  PosixDisk disk;
  auto folder = full_folder(options.folder, disk);
  if (!folder) return fail(kServeCommand, folder.error());
  options.folder = std::move(*folder);
  if (auto written = write_kit(*kit, options.folder, disk); !written) {
    return fail(kServeCommand, written.error());
  }
  auto system = transport::make_epoll_network();
  if (!system) return fail(kServeCommand, system.error().text);
  RefusalNetwork network{**system};
  auto ports = ports_of(*kit, options, network);
  if (!ports) return fail(kServeCommand, ports.error());
  options.served.ports = std::move(*ports);
  auto served = read_served_kit(*kit, options.folder, options.served);
  if (!served) return fail(kServeCommand, served.error());
  auto gates = gates_of(*served, options, disk);
  if (!gates) return refuse("--key: " + gates.error());
  SimulatedVenue venue{*served, std::move(*gates), say};
  engine::EngineOptions of_engine = engine_options(false);
  of_engine.network = &network;
  if (options.served.certificate.empty()) venue.refuse_by(network);
  auto engine = engine::Engine::open(served->settings, venue, of_engine);
  if (!engine) return fail(kServeCommand, engine.error().what());
  const engine::StopSignals signals{*engine};
  say(fmt::format("{}, simulated. Its files are in {}", served->title, options.folder));
  for (std::size_t i = 0; i < served->endpoints.size(); ++i) {
    const Place place{.host = options.served.host, .port = options.served.ports[i]};
    // Not before the ports are open: a start that fails changes nothing.
    const auto lines = place_client(*kit, kit->endpoints[i], options.folder, place, disk);
    if (!lines) return fail(kServeCommand, lines.error());
    say(fmt::format("{}: listening on port {}, for {}/{}{}", served->endpoints[i].name, place.port,
                    options.folder, served->endpoints[i].client,
                    *lines == ClientLines::Changed ? " (your lines in it are kept)" : ""));
  }
  return engine->run() == 0 ? kSuccess : kFailure;
}

}  // namespace

std::vector<std::string> kit_words() {
  const auto names = kit_names();
  return {names.begin(), names.end()};
}

int run_serve_venue(Arguments arguments) {
  VenueOptions options;
  CLI::App app{
      "Simulates the venue of a kit: it checks Logons and messages as the venue's public documents "
      "say, refuses what they refuse, and matches orders. The folder gets the kit's files, a "
      "configuration of a client for each endpoint, and keys for tests.\n\n"
      "It is no venue: what was not tried against the real one is in the kit's README.md. Ctrl-C "
      "or SIGTERM ends it.",
      "nexusfix serve --venue"};
  app.add_option("--venue", options.venue, "the kit: nexusfix certify --list shows them")
      ->required()
      ->option_text("NAME");
  app.add_option("--port", options.port,
                 "of the first endpoint, the others follow; 0: any free ports")
      ->check(CLI::Range(0, 65'000))
      ->option_text("PORT");
  app.add_option("--host", options.served.host, "the address to listen at")
      ->capture_default_str()
      ->option_text("HOST");
  app.add_option("--folder", options.folder, "of the kit's files; without it, the name of the kit")
      ->option_text("DIR");
  app.add_option("--key", options.key,
                 "verify Logons with this public key (PEM) or shared secret of a client, not with "
                 "that of the folder")
      ->option_text("FILE");
  app.add_option("--certificate", options.served.certificate, "TLS, with this certificate (PEM)")
      ->option_text("FILE");
  app.add_option("--certificate-key", options.served.certificate_key,
                 "its private key; without it, in the same file")
      ->option_text("FILE");
  app.footer(
      "Examples:\n"
      "  $ nexusfix serve --venue binance\n"
      "  $ nexusfix connect binance/client.cfg\n\n"
      "Exit status:\n"
      "  0  the venue ended in order\n"
      "  1  it could not start, for example because a port is in use\n"
      "  2  the arguments or a key are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return serve(std::move(options));
}

}  // namespace nexusfix::command
