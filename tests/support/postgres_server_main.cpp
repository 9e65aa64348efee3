// A PostgreSQL server for a test in another language: prints the folder of its socket, and ends
// with its standard input. Its superuser is nexusfix, its database postgres.
#include <cstdio>
#include <memory>
#include <string>

#include "support/postgres_server.hpp"

int main() {
  using nexusfix::testing::PostgresServer;
  std::string why;
  const std::unique_ptr<PostgresServer> server =
      PostgresServer::make(PostgresServer::Syncs::No, why);
  std::printf("%s\n", server ? server->host().c_str() : why.c_str());
  std::fflush(stdout);
  while (server && std::getchar() != EOF) {
  }
  return server ? 0 : 1;
}
