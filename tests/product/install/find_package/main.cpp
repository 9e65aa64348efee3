// Opens an engine with a session in memory, and one with a mistake in its settings.
#include <array>
#include <cstdio>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/venue/quote_hint.hpp>
#include <nexusfix/wire.hpp>

namespace {

struct Venue {
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
  auto settings = parse_settings(kSettings, "venue.cfg");
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
  std::array<char, 256> buffer;
  auto header = wire::HeaderTemplate::make({"FIX.4.4", "VENUE", "TRADER"});
  const auto hint = wire::encode<venue::QuoteHint>(
      buffer, *header, {.msg_seq_num = 1}, venue::Symbol{"IBM"},
      group<venue::QuoteHint::NoLevels>(entry(venue::Level::Top, venue::HintPx{Decimal{105, 1}})));
  wire::Parser parser;
  const auto view = parser.parse(hint.value_or(""));
  const auto read = view ? venue::QuoteHint::from(*view) : std::unexpected{wire::FieldError{}};
  const auto level = read ? read->no_levels().entry(0) : std::nullopt;
  std::printf("own message: %s\n", level && level->hint_px() ? "yes" : "no");
  const auto wrong = parse_settings("[SESSION]\nBeginString=FIX.9.9\n", "wrong.cfg");
  std::printf("wrong settings are refused: %s\n", wrong ? "no" : "yes");
  return 0;
}
