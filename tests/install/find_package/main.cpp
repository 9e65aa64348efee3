// Opens an engine with a session in memory, and one with a mistake in its settings.
#include <cstdio>

#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/settings.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace {

struct Venue {
  using Handles = nexusfix::engine::Messages<nexusfix::fix44::NewOrderSingle>;
  void on_message(nexusfix::engine::Session&, const nexusfix::fix44::NewOrderSingle&) {}
};

constexpr const char* kSettings = R"([DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=0
Store=memory
[SESSION]
BeginString=FIX.4.4
SenderCompID=VENUE
TargetCompID=TRADER
)";

}  // namespace

int main() {
  using namespace nexusfix;
  auto settings = engine::parse_settings(kSettings, "venue.cfg");
  if (!settings) {
    for (const auto& error : settings.error()) std::printf("%s\n", error.what().c_str());
    return 1;
  }
  Venue venue;
  auto opened = engine::Engine::open(std::move(*settings), venue);
  if (!opened) {
    std::printf("%s\n", opened.error().what().c_str());
    return 2;
  }
  const auto name = opened->session(0).name();
  std::printf("%.*s listens: %s\n", static_cast<int>(name.size()), name.data(),
              opened->accept_port() != 0 ? "yes" : "no");
  const auto wrong = engine::parse_settings("[SESSION]\nBeginString=FIX.9.9\n", "wrong.cfg");
  std::printf("wrong settings are refused: %s\n", wrong ? "no" : "yes");
  return 0;
}
