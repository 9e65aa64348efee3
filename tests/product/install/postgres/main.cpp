// Links the PostgreSQL store, and connects to a server that does not exist.
#include <cstdio>

#include <nexusfix/engine.hpp>
#include <nexusfix/store/postgres.hpp>

int main() {
  using namespace nexusfix;
  engine::EngineOptions options;
  options.parts.postgres = store::postgres_part();
  std::printf("the engine is given it: %s\n", options.parts.postgres != nullptr ? "yes" : "no");
  store::PostgresOptions nowhere;
  nowhere.host = "/nonexistent";
  const auto opened = store::open_postgres(nowhere);
  if (opened || opened.error().code != store::StoreErrorCode::Server) return 1;
  const std::string& text = opened.error().text;
  std::printf("no server: Server, \"%s\"\n", text.substr(0, text.find(':')).c_str());
  return 0;
}
