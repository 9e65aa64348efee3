// Links the PostgreSQL store, and connects to a server that does not exist.
#include <cstdio>
#include <string>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/store/postgres.hpp>

namespace {

struct Venue {};

}  // namespace

int main() {
  nexusfix::EngineOptions options;
  options.parts.postgres = nexusfix::store::postgres_part();
  std::printf("the engine is given it: %s\n", options.parts.postgres != nullptr ? "yes" : "no");
  auto settings = nexusfix::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=postgresql\n"
      "FileStorePath=.\nPostgreSQLStoreHost=/nonexistent\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n",
      "venue.cfg");
  if (!settings) return 1;
  Venue venue;
  const auto opened = nexusfix::Engine::open(std::move(*settings), venue, options);
  if (opened) return 2;
  const std::string& text = opened.error().what();
  std::printf("no server: \"%s\"\n", text.substr(0, text.find(':')).c_str());
  return 0;
}
