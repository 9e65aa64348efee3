#include "cluster/postgres/server/servers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <netdb.h>
#include <string_view>
#include <utility>

namespace nexusfix::store::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{5'000};
// The addresses of all hosts of a connection string together.
constexpr std::size_t kAddressesMax = 64;

// What libpq makes of the options, its environment and its service file.
struct Named {
  std::string hosts;
  std::string addresses;
  std::string ports;
  milliseconds timeout = kConnectTimeout;
};

Named named_servers(const PostgresOptions& options) {
  Named named;
  Parameters parameters{options};
  // libpq has no such mode: it completes its parameters and connects to nothing.
  parameters.add("sslmode", "(only to be read)");
  const ConnectionHandle read_only{parameters.start()};
  if (!read_only) return named;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> all{
      PQconninfo(read_only.get()), &PQconninfoFree};
  for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr; ++one) {
    if (one->val == nullptr) continue;
    const std::string_view key = one->keyword;
    const std::string_view value = one->val;
    if (key == "host") named.hosts = value;
    if (key == "hostaddr") named.addresses = value;
    if (key == "port") named.ports = value;
    if (key != "connect_timeout") continue;
    int seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (seconds > 0) named.timeout = std::chrono::seconds{seconds};
  }
  if (options.connect_timeout.count() > 0) named.timeout = options.connect_timeout;
  return named;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (;;) {
    const std::size_t end = list.find(',');
    parts.emplace_back(list.substr(0, end));
    if (end == list.npos) return parts;
    list.remove_prefix(end + 1);
  }
}

// The addresses of a host, as numbers; one or none: libpq resolves it by itself, and reports an
// error.
std::vector<std::string> addresses_of(const std::string& host) {
  std::vector<std::string> found;
  if (host.empty() || host.starts_with('/') || host.starts_with('@')) return found;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &wanted, &list) != 0) return found;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all{list, &::freeaddrinfo};
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      found.emplace_back(text.data());
    }
  }
  return found;
}

std::vector<ServerAddress> servers_of(const Named& named) {
  const std::vector<std::string> hosts = split(named.hosts);
  const std::vector<std::string> addresses = split(named.addresses);
  const std::vector<std::string> ports = split(named.ports);
  const std::size_t count = std::max(hosts.size(), addresses.size());
  const auto fits = [&](const std::vector<std::string>& list, bool may_be_one) {
    return list.empty() || list.size() == count || (may_be_one && list.size() == 1);
  };
  // libpq refuses lists of different lengths.
  if (count == 0 || !fits(hosts, false) || !fits(addresses, false) || !fits(ports, true)) {
    return {ServerAddress{}};
  }
  std::vector<ServerAddress> servers;
  for (std::size_t i = 0; i < count; ++i) {
    ServerAddress one;
    if (!hosts.empty()) one.host = hosts[i];
    if (!addresses.empty()) one.address = addresses[i];
    if (!ports.empty()) one.port = ports[ports.size() == 1 ? 0 : i];
    const auto several = addresses.empty() ? addresses_of(one.host) : std::vector<std::string>{};
    if (several.size() < 2) {
      servers.push_back(std::move(one));
      continue;
    }
    for (const std::string& address : several) {
      one.address = address;
      servers.push_back(one);
    }
  }
  if (servers.size() > kAddressesMax) servers.resize(kAddressesMax);
  return servers;
}

std::string to_text(const ServerAddress& server) {
  std::string text = server.host.empty() ? server.address : server.host;
  if (!server.host.empty() && !server.address.empty()) text += " (" + server.address + ")";
  if (!server.port.empty()) text += ", port " + server.port;
  return text;
}

}  // namespace

ServerResult<Connection> Servers::connect(int stop, Accept accept, std::optional<MonoTime> end) {
  if (auto right = check_connection_string(options_); !right) {
    return std::unexpected{std::move(right.error())};
  }
  const Named named = named_servers(options_);
  std::vector<ServerAddress> servers = servers_of(named);
  {
    const std::lock_guard lock{mutex_};
    const auto last = std::ranges::find(servers, last_);
    if (last != servers.end()) std::rotate(servers.begin(), last, last + 1);
  }
  SystemClock clock;
  ServerError all;
  bool may_pass = false;
  for (const ServerAddress& server : servers) {
    milliseconds limit = named.timeout;
    if (end) limit = std::min(limit, std::chrono::ceil<milliseconds>(*end - clock.now().mono));
    auto made = Connection::open(options_, server, std::max(limit, milliseconds{0}), stop);
    ServerResult<void> accepted;
    if (made) accepted = accept(*made);
    if (made && accepted) {
      const std::lock_guard lock{mutex_};
      last_ = server;
      return made;
    }
    ServerError error = made ? std::move(accepted.error()) : std::move(made.error());
    may_pass = may_pass || error.may_pass();
    if (servers.size() > 1) error.text = to_text(server) + ": " + error.text;
    all.text += (all.text.empty() ? "" : "; ") + error.text;
    all.state = std::move(error.state);
  }
  if (may_pass && !all.may_pass()) all.state.clear();
  return std::unexpected{std::move(all)};
}

}  // namespace nexusfix::store::postgres
