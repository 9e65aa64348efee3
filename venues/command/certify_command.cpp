// nexusfix certify: plays a venue against the user's program, and writes a report to hand over.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "tester/report/report.hpp"
#include "tester/run/given_names.hpp"
#include "tester/run/run.hpp"
#include "transport/api/tls.hpp"
#include "venues/certify/certificate.hpp"
#include "venues/certify/certification.hpp"
#include "venues/certify/engine_process.hpp"
#include "venues/certify/examiner.hpp"
#include "venues/certify/suite.hpp"
#include "venues/kit/kit_files.hpp"
#include "venues/kit/kit_folder.hpp"

namespace nexusfix::command {
namespace {

using namespace venues;
using tester::Case;

constexpr std::string_view kCertifyCommand = "certify";

struct CertifyOptions {
  std::string venue;
  std::string endpoint;
  std::string engine;
  std::string version_of;
  std::string folder;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string key;
  std::string client;
  std::string only;
  std::string except;
  std::vector<std::string> sets;
  std::uint64_t seed = 1;
  double timeout_seconds = 10;
  std::string certificate;
  std::string certificate_key;
  bool lists = false;
  bool writes_kit = false;
};

int refuse(std::string_view text) {
  fail(kCertifyCommand, text);
  return kUsage;
}

// What the client of an endpoint says of itself.
struct ClientFacts {
  std::string comp_id;
  std::string venue_comp_id;
  std::size_t version = 0;  // index into tester::kVersions
};

std::expected<ClientFacts, std::string> client_of(const Kit& kit, const Endpoint& endpoint) {
  const auto settings =
      config::parse_settings(kit_file(kit.name, endpoint.client), endpoint.client);
  if (!settings) return std::unexpected{settings.error().front().what()};
  const session::SessionConfig& session = settings->sessions.front().session;
  const bool is_fixt = session.id.begin_string == "FIXT.1.1";
  const auto version = tester::version_of(is_fixt ? "FIX.5.0SP2" : session.id.begin_string);
  if (!version) return std::unexpected{version.error()};
  return ClientFacts{.comp_id = session.id.sender_comp_id,
                     .venue_comp_id = session.id.target_comp_id,
                     .version = *version};
}

std::expected<std::shared_ptr<transport::TlsContext>, std::string> tls_of(
    const CertifyOptions& options, Disk& disk) {
  if (options.certificate.empty()) return nullptr;
  transport::TlsSettings settings;
  settings.role = transport::TlsRole::Acceptor;
  settings.certificate_file = options.certificate;
  settings.key_file =
      options.certificate_key.empty() ? options.certificate : options.certificate_key;
  auto context = transport::TlsContext::make(std::move(settings), disk);
  if (!context) return std::unexpected{context.error().text};
  return std::move(*context);
}

std::expected<std::vector<Case>, std::string> cases_of(const CertifyOptions& options,
                                                       const Kit& kit, const Endpoint& endpoint,
                                                       const tester::Names& lets) {
  const re2::RE2 only{options.only, re2::RE2::Quiet};
  const re2::RE2 except{options.except, re2::RE2::Quiet};
  if (!only.ok()) return std::unexpected{"--only: " + only.error()};
  if (!except.ok()) return std::unexpected{"--except: " + except.error()};
  std::set<std::string, std::less<>> names;
  for (const auto& [name, text] : lets) names.insert(name);
  auto cases = suite_of(kit, endpoint, names);
  if (!cases) return cases;
  if (auto done = tester::check_names(lets, *cases); !done) return std::unexpected{done.error()};
  std::erase_if(*cases, [&](const Case& one) {
    const bool is_left_out =
        !options.except.empty() && re2::RE2::PartialMatch(one.script.name, except);
    return is_left_out || !re2::RE2::PartialMatch(one.script.name, only);
  });
  if (cases->empty()) return std::unexpected{"--only and --except leave no case"};
  return cases;
}

int list(const CertifyOptions& options) {
  for (const std::string_view name : kit_names()) {
    if (!options.venue.empty() && options.venue != name) continue;
    const auto kit = read_kit(name);
    if (!kit) return fail(kCertifyCommand, kit.error());
    fmt::print("{}: {}\n", kit->name, kit->title);
    for (const Endpoint& endpoint : kit->endpoints) {
      const auto cases = suite_of(*kit, endpoint, {});
      if (!cases) return fail(kCertifyCommand, cases.error());
      fmt::print("  {}: {} cases\n", endpoint.name, cases->size());
      if (options.venue.empty()) continue;
      for (const Case& one : *cases) {
        fmt::print("    {}: {}\n", one.script.name, one.script.title);
      }
    }
  }
  return kSuccess;
}

// The endpoint of the options, or the first one. Null: an error was printed.
const Endpoint* endpoint_of(const Kit& kit, const CertifyOptions& options) {
  if (options.endpoint.empty()) return &kit.endpoints.front();
  const Endpoint* const found = kit.endpoint(options.endpoint);
  if (found != nullptr) return found;
  std::vector<std::string_view> names;
  for (const Endpoint& one : kit.endpoints) names.push_back(one.name);
  std::string text = fmt::format("--endpoint: {} has no \"{}\"", kit.name, options.endpoint);
  text += tester::did_you_mean(options.endpoint, names) + " Endpoints:";
  for (const std::string_view name : names) (text += ' ') += name;
  refuse(text);
  return nullptr;
}

tester::RunOptions run_options_of(const CertifyOptions& options, const ClientFacts& client,
                                  tester::Names lets, std::shared_ptr<transport::TlsContext> tls) {
  tester::RunOptions run_options;
  run_options.senders = {client.venue_comp_id};
  run_options.play.version = client.version;
  run_options.play.side = tester::EngineSide::Initiator;
  run_options.play.target_comp_id = options.client.empty() ? client.comp_id : options.client;
  run_options.play.lets = std::move(lets);
  run_options.play.seed = options.seed;
  run_options.play.timeout =
      std::chrono::milliseconds{static_cast<std::int64_t>(options.timeout_seconds * 1'000)};
  run_options.listener =
      transport::Endpoint{.host = options.host, .port = options.port, .tls = std::move(tls)};
  run_options.play.is_interrupted = is_interrupted;
  return run_options;
}

int certify(CertifyOptions options) {
  if (options.lists && options.venue.empty()) return list(options);
  if (options.venue.empty()) return refuse("VENUE is missing: --list shows them");
  const auto kit = read_kit(options.venue);
  if (!kit) return refuse(kit.error());
  if (options.lists) return list(options);
  const Endpoint* const endpoint = endpoint_of(*kit, options);
  if (endpoint == nullptr) return kUsage;
  if (options.folder.empty()) options.folder = "certify-" + options.venue;
  PosixDisk disk;
  auto folder = full_folder(options.folder, disk);
  if (!folder) return fail(kCertifyCommand, folder.error());
  options.folder = std::move(*folder);
  if (auto written = write_kit(*kit, options.folder, disk); !written) {
    return fail(kCertifyCommand, written.error());
  }
  if (options.writes_kit) {
    fmt::print("the kit's files are in {}\n", options.folder);
    return kSuccess;
  }
  if (options.engine.empty()) return refuse("--engine 'COMMAND' is missing: the program to test");
  auto lets = tester::names_of(options.sets);
  if (!lets) return refuse(lets.error());
  const auto cases = cases_of(options, *kit, *endpoint, *lets);
  if (!cases) return refuse(cases.error());
  const auto client = client_of(*kit, *endpoint);
  if (!client) return fail(kCertifyCommand, client.error());
  auto verifier = read_verifier(*endpoint, options.folder, options.key, disk);
  if (!verifier) return refuse("--key: " + verifier.error());
  auto tls = tls_of(options, disk);
  if (!tls) return refuse("--certificate: " + tls.error());
  CertificateFacts facts{.endpoint = endpoint->name,
                         .command = options.engine,
                         .nexusfix_version = NEXUSFIX_VERSION,
                         .seed = options.seed};
  catch_interrupts();
  if (!options.version_of.empty()) {
    auto version = first_line_of(options.version_of, is_interrupted);
    if (is_interrupted()) return tester::kInterruptedStatus;
    if (!version) return refuse("--version-of: " + version.error());
    facts.program_version = std::move(*version);
  }
  const auto run_options = run_options_of(options, *client, std::move(*lets), std::move(*tls));
  SystemClock clock;
  facts.begun = clock.now().wall;
  const MonoTime begin = clock.now().mono;
  Examiner examiner{*endpoint, std::move(*verifier)};
  const auto run = run_certification({.command = options.engine,
                                      .folder = options.folder,
                                      .key = options.key,
                                      .host = options.host,
                                      .kit = *kit,
                                      .endpoint = *endpoint},
                                     *cases, run_options, examiner, disk);
  if (!run) return refuse(run.error());
  facts.duration = clock.now().mono - begin;
  fmt::print("{}", summary_line(*run, facts.duration));
  if (auto done = write_certificate(*kit, *run, facts, options.folder, disk); !done) {
    return fail(kCertifyCommand, done.error());
  }
  fmt::print("the report is in {}: summary.md, report.html\n", options.folder);
  if (run->is_interrupted) return tester::kInterruptedStatus;
  const tester::Counts counts = count_of(*run);
  return counts.failed == 0 && run->ended_early.empty() ? kSuccess : kFailure;
}

void add_options(CLI::App& app, CertifyOptions& options) {
  app.add_option("VENUE", options.venue, "the kit; --list shows them");
  app.add_option("--engine", options.engine,
                 "start the program to test by this command of the shell, once for each case. "
                 "{host}, {port}, {key}, {config} and {folder} in it, and the variables "
                 "NEXUSFIX_VENUE_HOST and so on, say where the venue is")
      ->option_text("COMMAND");
  app.add_option("--endpoint", options.endpoint, "of the venue; without it, the kit's first")
      ->option_text("NAME");
  app.add_flag("--list", options.lists, "list the kits, or the cases of VENUE");
  app.add_flag("--write-kit", options.writes_kit, "only write the kit's files into the folder");
  app.add_option("--version-of", options.version_of,
                 "a command that prints the version of the program, for the report")
      ->option_text("COMMAND");
  app.add_option("--folder", options.folder,
                 "of the kit's files and the report; without it, certify-VENUE")
      ->option_text("DIR");
  app.add_option("--host", options.host, "the address to listen at")
      ->capture_default_str()
      ->option_text("HOST");
  app.add_option("--port", options.port, "listen here; 0: any free port")
      ->capture_default_str()
      ->option_text("PORT");
  app.add_option("--key", options.key,
                 "verify Logons with this public key (PEM) or shared secret, not with that of the "
                 "folder")
      ->option_text("FILE");
  app.add_option("--client", options.client, "CompID of the program; without it, that of the kit")
      ->option_text("COMPID");
  app.add_option("--only", options.only, "only cases whose name matches")->option_text("REGEX");
  app.add_option("--except", options.except, "no cases whose name matches")->option_text("REGEX");
  app.add_option("--set", options.sets, "<NAME> in a script means this text")
      ->option_text("NAME=TEXT");
  app.add_option("--seed", options.seed, "repeats random values")
      ->capture_default_str()
      ->option_text("N");
  app.add_option("--timeout", options.timeout_seconds, "how long an expected message may take")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0))
      ->option_text("SECONDS");
  app.add_option("--certificate", options.certificate, "TLS, with this certificate (PEM)")
      ->option_text("FILE");
  app.add_option("--certificate-key", options.certificate_key,
                 "its private key; without it, in the same file")
      ->option_text("FILE");
}

}  // namespace

int run_certify(Arguments arguments) {
  CertifyOptions options;
  CLI::App app{
      "Plays the venue of a kit against your program, and writes a report to hand over: the "
      "conversation and the verdict of each case, versions and hashes. Your program must connect "
      "to the given port, sign its Logon, and do what docs/guide/certify.md says.",
      "nexusfix certify"};
  add_options(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix certify --list\n"
      "  $ nexusfix certify binance --engine './trader {config}'\n"
      "  $ nexusfix certify binance --endpoint market-data --engine './md {port}'\n\n"
      "Exit status:\n"
      "  0  every case passed or was skipped\n"
      "  1  a case failed, the run ended early, or a report could not be written\n"
      "  2  the arguments or a key are wrong, the port is in use, or the program does\n"
      "     not start\n"
      "  130  Ctrl-C or SIGTERM ended the run; the report is whole");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return certify(std::move(options));
}

}  // namespace nexusfix::command
