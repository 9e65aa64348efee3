// Links the PostgreSQL store, and connects to a server that does not exist.
#include <cstdio>

#include <nexusfix/engine.hpp>
#include <nexusfix/store/postgres.hpp>

int main() {
  using namespace nexusfix;
  engine::EngineOptions options;
  options.open_postgres = store::open_postgres;
  std::printf("the engine is given it: %s\n", options.open_postgres != nullptr ? "yes" : "no");
  store::PostgresOptions nowhere;
  nowhere.host = "/nonexistent";
  const auto opened = store::open_postgres(nowhere);
  if (opened || opened.error().code != store::StoreErrorCode::Server) return 1;
  const std::string& text = opened.error().text;
  std::printf("no server: Server, \"%s\"\n", text.substr(0, text.find(':')).c_str());
  return 0;
}
