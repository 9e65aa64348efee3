// nexusfix front-door: one address for the clients of several engines.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/proxy.hpp>
#include <nexusfix/transport/network.hpp>

#include "cluster/front_door/front_door.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::command {
namespace {

using front_door::FrontDoor;
using front_door::FrontDoorOptions;
using front_door::ShardDirectory;

constexpr std::string_view kFrontDoorCommand = "front-door";

struct WantedDoor {
  FrontDoorOptions door;
  std::vector<std::string> shards;  // "shard-a.cfg@node1,node2"
  std::vector<std::string> proxies;
  std::int64_t logon_seconds = 10;
  std::int64_t owner_seconds = 20;
};

// "9878", "0.0.0.0:9878" or "[::1]:9878". False: it is none of them.
bool read_listen_address(std::string_view text, transport::Endpoint& endpoint) {
  const std::size_t colon = text.rfind(':');
  const std::string_view port = colon == text.npos ? text : text.substr(colon + 1);
  const char* const end = port.data() + port.size();
  const auto [stop, fault] = std::from_chars(port.data(), end, endpoint.port);
  endpoint.host = transport::without_brackets(text.substr(0, colon == text.npos ? 0 : colon));
  return fault == std::errc{} && stop == end;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::expected<void, std::string> add_shard(Disk& disk, std::string_view text,
                                           ShardDirectory& shards) {
  const std::size_t at = text.rfind('@');
  const auto hosts = split(at == text.npos ? std::string_view{} : text.substr(at + 1));
  if (at == text.npos || at == 0 || std::ranges::find(hosts, std::string{}) != hosts.end()) {
    return std::unexpected{std::string{text} + ": CONFIG@HOST,HOST was expected"};
  }
  const auto settings = read_settings(disk, std::string{text.substr(0, at)});
  if (!settings) return std::unexpected{settings.error()};
  return shards.add(*settings, hosts);
}

std::expected<void, std::string> read_proxies(WantedDoor& wanted) {
  if (wanted.proxies.empty()) return {};
  transport::AllowList proxies;
  for (const std::string& text : wanted.proxies) {
    const auto range = transport::AllowList::Range::parse(text);
    if (!range) return std::unexpected{"--trusted-proxies: " + text + " is no address or network"};
    proxies.allow(*range);
  }
  wanted.door.listen.trusted_proxies = std::move(proxies);
  return {};
}

// Each client takes two descriptors, and the usual limit is 1,024.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

int run_door(WantedDoor& wanted) {
  const auto failed = [](std::string_view text) { return fail(kFrontDoorCommand, text); };
  PosixDisk disk;
  ShardDirectory shards;
  for (const std::string& text : wanted.shards) {
    if (const auto added = add_shard(disk, text, shards); !added) return failed(added.error());
  }
  if (const auto read = read_proxies(wanted); !read) return failed(read.error());
  wanted.door.logon_timeout = std::chrono::seconds{wanted.logon_seconds};
  wanted.door.owner_timeout = std::chrono::seconds{wanted.owner_seconds};
  raise_file_limit();
  const auto tcp = transport::make_epoll_network();
  if (!tcp) return failed(tcp.error().text);
  const auto network = transport::proxy_part()->make_proxied_network(**tcp);
  SystemClock clock;
  observe::StreamEventLog events{stderr};
  FrontDoor door{*network, clock, events, shards, wanted.door};
  if (const auto opened = door.open(); !opened) return failed(opened.error());
  fmt::print("listening on port {}\n", door.port());
  std::fflush(stdout);
  std::signal(SIGPIPE, SIG_IGN);
  catch_interrupts();
  // A signal ends a wait early; one that comes just before a wait is seen after this time.
  while (!is_interrupted()) door.serve(std::chrono::milliseconds{200});
  return kSuccess;
}

}  // namespace

int run_front_door(Arguments arguments) {
  WantedDoor wanted;
  CLI::App app{
      "Accepts the clients of several engines on one port. It reads the Logon of each connection, "
      "and connects to the engine that owns the session. Then it moves the bytes of both sides. It "
      "sends no message of its own, so it uses no MsgSeqNum.\n\n"
      "A SHARD is the configuration file of an engine, and the hosts on which the engine can run: "
      "venue-a.cfg@node1,node2. The file has the sessions and the port. Only the owner of the log "
      "listens on it. The front door tries all hosts until one accepts the connection. With "
      "UseTCPProxy=Y in the file, the engine gets the address of the client in a PROXY header.",
      "nexusfix front-door"};
  app.add_option("SHARD", wanted.shards, "CONFIG@HOST,HOST: an engine and its hosts")->required();
  app.add_option_function<std::string>(
         "--listen",
         [&](const std::string& text) {
           static_cast<void>(read_listen_address(text, wanted.door.listen));
         },
         "the port for the clients; 0: any free port")
      ->required()
      ->check([](const std::string& text) -> std::string {
        transport::Endpoint endpoint;
        return read_listen_address(text, endpoint) ? "" : text + ": [HOST:]PORT was expected";
      })
      ->option_text("[HOST:]PORT");
  app.add_option("--trusted-proxies", wanted.proxies,
                 "clients come from these load balancers, with a PROXY header")
      ->delimiter(',')
      ->option_text("ADDRESS,...");
  app.add_option("--logon-timeout", wanted.logon_seconds,
                 "close a connection without a Logon after this time")
      ->capture_default_str()
      ->check(CLI::Range(1, 3'600))
      ->option_text("SECONDS");
  app.add_option("--owner-timeout", wanted.owner_seconds,
                 "close a connection that no engine accepts for this time")
      ->capture_default_str()
      ->check(CLI::Range(1, 3'600))
      ->option_text("SECONDS");
  app.footer(
      "Example:\n"
      "  $ nexusfix front-door --listen 9878 venue-a.cfg@node1,node2 venue-b.cfg@node1,node2\n\n"
      "Exit status:\n"
      "  0  Ctrl-C or SIGTERM ended it\n"
      "  1  a file cannot be used, or the port cannot be opened\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return run_door(wanted);
}

}  // namespace nexusfix::command
