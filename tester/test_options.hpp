// The options of `nexusfix test`.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "tester/load/load_options.hpp"
#include "tester/run/configured_session.hpp"
#include "transport/api/tls.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace nexusfix::tester {

struct ReportFiles {
  std::string junit{};
  std::string html{};
};

// The engine under test, and the session with it.
struct TestedEngine {
  std::string config{};
  std::string acceptor{};
  std::string initiator{};
  std::string begin_string{};
  std::string sender{};
  std::string target{};
  std::string restart{};  // commands of the shell; empty: none
  std::string logout{};
  bool uses_tls = false;
  transport::TlsSettings tls{};
};

struct TestOptions {
  std::vector<std::string> what{};
  TestedEngine engine{};
  std::vector<ConfiguredSession> sessions{};        // of --config, one for each sender
  std::optional<transport::Endpoint> configured{};  // the acceptor of --config, if it is tested
  std::vector<std::string> sets{};
  std::string only{};
  std::string except{};
  ReportFiles files{};
  std::string show{};
  std::uint64_t seed = 1;
  double timeout_seconds = 10;
  unsigned jobs = 1;
  bool lists = false;
  bool is_quiet = false;
  LoadTexts load{};
};

void add_test_options(CLI::App& app, TestOptions& options);

// What the options do not say is that of --config, or else the default. Reads the file and its
// keys. The error names the option, or file and line.
[[nodiscard]] std::expected<void, std::string> apply_configuration(TestOptions& options,
                                                                   Disk& disk);

}  // namespace nexusfix::tester
