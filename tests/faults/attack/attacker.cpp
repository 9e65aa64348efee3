// All attacks on a venue's ports at once, within bounds:
//   attacker PORT TLS_PORT DRIBBLERS PARTS NICE
// TLS_PORT 0: the venue has no such port. PARTS: the percentage of the full size. NICE: the
// priority of this process, 0 to 19. Ends when the venue has closed all connections, or after a
// time limit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <sys/resource.h>

#include "faults/attack/hostile_peers.hpp"
#include "faults/attack/hostile_texts.hpp"

namespace nexusfix::attack {
namespace {

// The full size.
constexpr std::size_t kKnocks = 20'000;
constexpr std::size_t kBadLogons = 100'000;
constexpr std::size_t kTlsRubbish = 2'000;
constexpr std::size_t kTlsHellos = 2'000;
constexpr std::size_t kStormsOfAKind = 20;
constexpr std::size_t kHoards = 40;
constexpr std::chrono::milliseconds kDribbleEach{500};  // a smaller attack dribbles more slowly
// At the same time. PARTS does not change these.
constexpr std::size_t kStalledHandshakes = 600;  // more than one address may open
constexpr std::size_t kOneShots = 200;

// Each kind has its own addresses, so that one attack does not keep another out.
constexpr Source kDribbling{16, 20};
constexpr Source kKnocking{4, 1};
constexpr Source kStrange{32, 64};
constexpr Source kLoggedOn{6, 1};
constexpr Source kTlsStalling{7, 1};
constexpr Source kTlsRubbing{8, 2};
constexpr Source kTlsGreeting{10, 8};

struct Sizes {
  std::uint16_t port = 0;
  std::uint16_t tls_port = 0;
  std::size_t dribblers = 0;
  std::size_t parts = 0;

  [[nodiscard]] std::size_t part_of(std::size_t full) const noexcept { return full * parts / 100; }
};

// The attacks that log on first.
void add_storms(const Sizes& sizes, std::deque<Attack>& all) {
  const auto add = [&](Attack attack) { all.push_back(std::move(attack)); };
  for (const auto& storm : {garbled_storm, test_requests, repeated_resends, costly_streams}) {
    add({.name = "storms after Logon",
         .port = sizes.port,
         .source = kLoggedOn,
         .count = sizes.part_of(kStormsOfAKind),
         .at_once = 1,
         .text = storm});
  }
  add({.name = "hoards of early messages",
       .port = sizes.port,
       .source = kLoggedOn,
       .count = sizes.part_of(kHoards),
       .at_once = kHoarders,
       .text = early_orders});
  add({.name = "peers that never read",
       .port = sizes.port,
       .source = kLoggedOn,
       .count = sizes.part_of(kStormsOfAKind),
       .at_once = 1,
       .is_deaf = true,
       .leaves = Leaves::WhenSent,
       .text = unread_orders});
}

// Deques, because pointers to the elements must stay valid.
std::deque<Attack> attacks_of(const Sizes& sizes) {
  std::deque<Attack> all;
  const auto add = [&](Attack attack) { all.push_back(std::move(attack)); };
  add({.name = "dribblers",
       .port = sizes.port,
       .source = kDribbling,
       .count = sizes.dribblers,
       .at_once = sizes.dribblers,
       .lasts = true,
       .dribbles = true,
       .text = [](std::size_t) { return endless_logon(); }});
  add({.name = "connects",
       .port = sizes.port,
       .source = kKnocking,
       .count = sizes.part_of(kKnocks),
       .at_once = 2 * kOneShots,
       .leaves = Leaves::WhenConnected,
       .text = [](std::size_t) { return std::string{}; }});
  add({.name = "bad Logons",
       .port = sizes.port,
       .source = kStrange,
       .count = sizes.part_of(kBadLogons),
       .at_once = kOneShots,
       .text = bad_logon});
  add_storms(sizes, all);
  if (sizes.tls_port == 0) return all;
  add({.name = "stalled handshakes",
       .host = 2,
       .port = sizes.tls_port,
       .source = kTlsStalling,
       .count = kStalledHandshakes,
       .at_once = kStalledHandshakes,
       .lasts = true,
       .text = [](std::size_t) { return half_client_hello(); }});
  add({.name = "rubbish on the port with TLS",
       .host = 2,
       .port = sizes.tls_port,
       .source = kTlsRubbing,
       .count = sizes.part_of(kTlsRubbish),
       .at_once = kOneShots,
       .text = tls_rubbish});
  add({.name = "handshakes that end with our certificate",
       .host = 2,
       .port = sizes.tls_port,
       .source = kTlsGreeting,
       .count = sizes.part_of(kTlsHellos),
       .at_once = kOneShots,
       .leaves = Leaves::WhenAnswered,
       .text = [](std::size_t) { return client_hello(); }});
  return all;
}

std::size_t tell(const std::deque<Attack>& attacks) {
  std::size_t open = 0;
  for (const Attack& attack : attacks) {
    open += attack.open;
    std::printf("%7zu %s, of which %zu are open\n", attack.begun, attack.name.c_str(), attack.open);
  }
  std::fflush(stdout);
  return open;
}

int run(const Sizes& sizes) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds kLongest{520};  // after this time it hangs
  constexpr std::chrono::seconds kReportEvery{20};
  std::deque<Attack> attacks = attacks_of(sizes);
  HostilePeers peers{kDribbleEach * 100 / std::max<std::size_t>(sizes.parts, 1)};
  const auto until = steady_clock::now() + kLongest;
  auto reported_at = steady_clock::now() + kReportEvery;
  while (peers.advance(attacks) && steady_clock::now() < until) {
    if (steady_clock::now() < reported_at) continue;
    static_cast<void>(tell(attacks));
    reported_at += kReportEvery;
  }
  return tell(attacks) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nexusfix::attack

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto number = [&](int at) { return std::strtoul(argv[at], nullptr, 10); };
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, static_cast<int>(number(5))));
  return nexusfix::attack::run({.port = static_cast<std::uint16_t>(number(1)),
                                .tls_port = static_cast<std::uint16_t>(number(2)),
                                .dribblers = number(3),
                                .parts = number(4)});
}
