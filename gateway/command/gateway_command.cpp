// nexusfix gateway: the sessions of a configuration file for other programs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>

#include "gateway/door/open_web_socket.hpp"
#include "gateway/door/socket_door.hpp"
#include "gateway/gateway.hpp"
#include "gateway/gateway_loop.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "nexusfix/run/serve_until_ended.hpp"
#include "observe/api/logs.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kGatewayCommand = "gateway";

struct GatewayArguments {
  std::string config;
  std::string clients;
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  bool checks_only = false;
  bool spin = false;
};

void add_fault(std::string& faults, const std::string& fault) {
  if (!faults.empty()) faults += '\n';
  faults += fault;
}

std::vector<std::string> names_of(const config::Settings& settings) {
  std::vector<std::string> names;
  for (const config::SessionSettings& one : settings.sessions) {
    names.push_back(one.session.id.to_string());
  }
  return names;
}

// What a message needs, so that it is neither lost nor repeated.
std::expected<void, std::string> check_gateway(const config::Settings& settings) {
  std::string faults;
  if (settings.store != config::StoreKind::Journal &&
      settings.store != config::StoreKind::PostgreSQL) {
    add_fault(faults, settings.file +
                          ": a gateway needs the journal or Store=postgresql, from which clients "
                          "get what they have missed");
  }
  if (settings.event_loops > 1) {
    add_fault(faults, fmt::format("{}: EventLoops={}: a gateway has one loop. Remove the key",
                                  settings.file, settings.event_loops));
  }
  for (const config::SessionSettings& one : settings.sessions) {
    const auto refuse = [&](std::string_view what) {
      add_fault(faults, fmt::format("{}:{}: session {}: {}", settings.file, one.line,
                                    one.session.id.to_string(), what));
    };
    if (one.is_template) {
      refuse(
          "AcceptorTemplate and DynamicSessions make sessions that no file of clients names. "
          "Name each session in a section of its own");
    }
    if (!one.journals_inbound) {
      refuse("a gateway needs JournalInbound=Y: clients get what they have missed from the log");
    }
    const config::OutboundLimitSettings& limit = one.outbound;
    if ((limit.messages_max != 0 || !limit.by_type.empty()) &&
        limit.rule != config::OutboundLimitRule::Refuse) {
      refuse(
          "OutboundMessages: a message that waits ends with the process. Add "
          "OutboundLimitRule=Refuse: then the client waits");
    }
  }
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  return {};
}

using ReadSettings = std::expected<config::Settings, std::string>;
using ReadClients = std::expected<gateway::ClientFile, std::string>;

// One run names the faults of both files.
std::string faults_of(const GatewayArguments& arguments, const ReadSettings& settings,
                      const ReadClients& clients) {
  std::string faults;
  const auto add = [&faults](const auto& result) {
    if (!result) add_fault(faults, result.error());
  };
  add(settings);
  if (settings) add(check_gateway(*settings));
  add(clients);
  if (settings && clients) add(check_clients(*clients, names_of(*settings), arguments.clients));
  return faults;
}

// The sessions that clients know have indexes: a reload may change all but their names.
struct SessionNames {
  std::vector<std::string> names;

  [[nodiscard]] std::expected<void, std::string> check(const config::Settings& fresh) const {
    std::vector<std::string> now = names_of(fresh);
    std::vector<std::string> known = names;
    std::ranges::sort(now);
    std::ranges::sort(known);
    if (now != known) {
      return std::unexpected{fresh.file + ": the sessions of a gateway change with a restart only"};
    }
    return check_gateway(fresh);
  }
};

// Where clients get what they have missed. The disk must outlive the result.
std::expected<gateway::OpenLog, std::string> log_of(Disk& disk, const std::string& config) {
  const auto place = find_log(disk, config);
  if (!place) return std::unexpected{place.error()};
  if (place->is_journal()) return gateway::journal_opener(disk, place->folder);
  const store::PostgresPart* const part = linked_parts().postgres;
  if (part == nullptr) {
    return std::unexpected{config + std::string{kNoPostgres}};
  }
  return [follow = part->follow, database = place->database](const store::FollowOptions& options) {
    return follow(database, options);
  };
}

// Clients that may open the socket may open the shared memory.
gateway::RingFileOptions memory_for(const gateway::ClientFile& clients) {
  constexpr std::uint32_t kGroupMayWrite = 0020;
  gateway::RingFileOptions options{.directory = clients.memory_path};
  if ((clients.socket_mode & kGroupMayWrite) != 0) options.group = ::getegid();
  return options;
}

using WebDoor = std::unique_ptr<gateway::ClientDoor>;

// Null: no port is configured. A port in use is an error before the sessions log on.
std::expected<WebDoor, std::string> web_door(const gateway::WebSocketSettings& web,
                                             const std::string& file,
                                             const config::Settings& settings) {
  if (!web.port) return nullptr;
  PosixDisk disk;
  auto door = gateway::open_web_socket(web, settings, disk);
  if (!door) return std::unexpected{fmt::format("{}:{}: {}", file, web.line, door.error())};
  return door;
}

template <class Application>
Served serve_with(const GatewayArguments& arguments, config::Settings settings,
                  gateway::GatewayOptions options, SessionNames& names) {
  const std::string path = options.clients.socket_path;
  const std::uint32_t mode = options.clients.socket_mode;
  const gateway::WebSocketSettings web_settings = options.clients.web_socket;
  const config::Settings kept = settings;
  Application application{std::move(options)};
  engine::EngineOptions engine_settings = engine_options(arguments.spin);
  engine_settings.notify_systemd = true;
  engine_settings.check_settings = {
      .call =
          [](void* context, const Settings& fresh) {
            return static_cast<const SessionNames*>(context)->check(fresh.values());
          },
      .context = &names};
  auto engine = open_to_serve(kGatewayCommand, std::move(settings), application, engine_settings);
  if (!engine) return engine.error();
  const auto refuse = [&](const std::string& why) {
    engine->refuse(why);
    return Served{.status = fail(kGatewayCommand, why), .was_open = true};
  };
  const auto service = transport::ServiceNotifier::from_environment();
  if (!service) return refuse(service.error().text);
  auto door = gateway::SocketDoor::open(path, mode);
  if (!door) return refuse(door.error());
  auto web = web_door(web_settings, arguments.clients, kept);
  if (!web) return refuse(web.error());
  if (const auto attached = application.attach(*engine); !attached) {
    return refuse(attached.error());
  }
  const engine::StopSignals signals{*engine};
  if (engine::StopSignals::received()) engine->stop();
  std::vector<gateway::ClientDoor*> doors{&*door};
  if (*web != nullptr) doors.push_back(web->get());
  for (const gateway::ClientDoor* const one : doors) {
    fmt::print("clients attach at {}\n", one->address());
  }
  std::fflush(stdout);
  gateway::serve_all(*engine, application, doors,
                     {.spins = arguments.spin, .service = service->get()});
  return {.status = engine::StopSignals::received() ? kSuccess : kFailure,
          .was_open = true,
          .is_handed_over = is_handed_over(*engine)};
}

Served serve(const GatewayArguments& arguments) {
  PosixDisk disk;
  auto settings = read_settings(disk, arguments.config, arguments.unknown_keys);
  auto clients = gateway::read_clients(arguments.clients);
  if (const std::string faults = faults_of(arguments, settings, clients); !faults.empty()) {
    return {.status = fail(kGatewayCommand, faults)};
  }
  if (arguments.checks_only) {
    fmt::print("{} and {}: no faults\n", arguments.config, arguments.clients);
    return {.status = kSuccess};
  }
  auto log = log_of(disk, arguments.config);
  if (!log) return {.status = fail(kGatewayCommand, log.error())};
  SystemClock clock;
  observe::StreamEventLog events{stderr};
  const bool has_observer =
      std::ranges::any_of(clients->clients, &gateway::ClientRights::is_observer);
  gateway::RingFileOptions memory = memory_for(*clients);
  gateway::GatewayOptions options{.clients = std::move(*clients),
                                  .open_log = std::move(*log),
                                  .version = NEXUSFIX_VERSION,
                                  .memory = std::move(memory),
                                  .events = &events,
                                  .clock = &clock};
  SessionNames names{names_of(*settings)};
  return has_observer ? serve_with<gateway::GatewayWithObservers>(arguments, std::move(*settings),
                                                                  std::move(options), names)
                      : serve_with<gateway::Gateway>(arguments, std::move(*settings),
                                                     std::move(options), names);
}

}  // namespace

int run_gateway(Arguments arguments) {
  GatewayArguments options;
  CLI::App app{
      "Runs the sessions of CONFIG for other programs. They attach at a Unix socket or a "
      "WebSocket, in any language, and come and go while the sessions stay logged on. Each "
      "message reaches the client that owns it, and each order the counterparty, once: also "
      "after kill -9 of either side.\n\n"
      "Ctrl-C or SIGTERM logs the sessions out and ends it.",
      "nexusfix gateway"};
  app.add_option("CONFIG", options.config, "the configuration file, with JournalInbound=Y")
      ->required();
  app.add_option("--clients", options.clients,
                 "who may attach, and to which sessions: docs/guide/gateway.md")
      ->required()
      ->option_text("FILE");
  add_strict(app, options.unknown_keys);
  app.add_flag("--check", options.checks_only, "say whether both files have faults, and end");
  app.add_flag("--spin", options.spin, "poll without sleeping: lower latency, a whole core");
  app.footer(
      "Examples:\n"
      "  $ nexusfix gateway desk.cfg --clients desk.clients\n"
      "  $ nexusfix gateway desk.cfg --clients desk.clients --check\n\n"
      "Exit status:\n"
      "  0  the gateway ended in order, or the files have no faults\n"
      "  1  a file has a fault, or the gateway could not start or go on\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return serve_until_ended([&options] { return serve(options); });
}

}  // namespace nexusfix::command
