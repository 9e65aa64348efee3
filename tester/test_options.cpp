#include "tester/test_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <utility>

namespace nexusfix::tester {
namespace {

constexpr const char* kBeginString = "FIX.4.4";
constexpr const char* kSender = "TESTER";

void add_engine_options(CLI::App& app, TestOptions& options) {
  app.add_option("--acceptor", options.engine.acceptor, "where the engine under test listens")
      ->option_text("HOST:PORT");
  app.add_option("--initiator", options.engine.initiator,
                 "listen here for the engine under test, an initiator; 0: any free port")
      ->option_text("[HOST:]PORT");
  app.add_option("--config", options.engine.config,
                 "the initiator that the tester plays, as a client's configuration has it: where "
                 "the engine is, version, CompIDs, TLS, Username, Password, LogonTag, and the "
                 "key that signs its Logons. Options replace what it says")
      ->option_text("FILE");
  app.add_option("--begin-string", options.engine.begin_string,
                 "FIX.4.0 to FIX.4.4, FIX.5.0 to FIX.5.0SP2; FIXT.1.1 is FIX.5.0SP2")
      ->default_str(kBeginString)
      ->option_text("VERSION");
  app.add_option("--sender", options.engine.sender,
                 "CompID of the tester; several with commas for -j, a session each")
      ->default_str(kSender)
      ->option_text("COMPID[,...]");
  app.add_option("--target", options.engine.target, "CompID of the engine under test")
      ->option_text("COMPID");
  app.add_option(
         "--restart", options.engine.restart,
         "a shell command that kills the engine and starts it again, for cases that need it")
      ->option_text("COMMAND");
  app.add_option("--logout", options.engine.logout,
                 "a shell command that makes the engine send a Logout, for cases that need it")
      ->option_text("COMMAND");
  app.add_flag("--tls", options.engine.uses_tls, "connect or listen with TLS");
  app.add_option("--ca", options.engine.tls.authorities_file,
                 "TLS: the authorities that are trusted; default: the system's")
      ->option_text("FILE");
  app.add_option("--certificate", options.engine.tls.certificate_file,
                 "TLS: the tester's certificate")
      ->option_text("FILE");
  app.add_option("--key", options.engine.tls.key_file, "TLS: its key")->option_text("FILE");
}

void add_run_options(CLI::App& app, TestOptions& options) {
  app.add_option("--set", options.sets, "<NAME> means TEXT, instead of what the script says")
      ->option_text("NAME=TEXT");
  app.add_flag("--list", options.lists, "list the cases, and play none");
  app.add_option("--show", options.show, "print the script of a case that is shipped")
      ->option_text("SUITE/CASE");
  app.add_option("--only", options.only, "cases whose suite/name matches the regular expression")
      ->option_text("REGEX");
  app.add_option("--except", options.except, "not those that match this one")->option_text("REGEX");
  app.add_option("--seed", options.seed, "of <random>, garbage and altered bytes")
      ->capture_default_str()
      ->option_text("N");
  app.add_option("--timeout", options.timeout_seconds, "how long an expected message may take")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0))
      ->option_text("SECONDS");
  app.add_option("-j,--jobs", options.jobs, "play N cases at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 64))
      ->option_text("N");
  app.add_flag("-q,--quiet", options.is_quiet, "print only the cases that fail, and the sum");
  app.add_option("--junit", options.files.junit, "write a report in JUnit's XML")
      ->option_text("FILE");
  app.add_option("--html", options.files.html, "write a page with all conversations")
      ->option_text("FILE");
}

// The TLS keys of the file that an option replaces.
void merge_tls(TestedEngine& engine, transport::TlsSettings configured) {
  for (const auto member :
       {&transport::TlsSettings::authorities_file, &transport::TlsSettings::certificate_file,
        &transport::TlsSettings::key_file}) {
    if (!(engine.tls.*member).empty()) configured.*member = engine.tls.*member;
  }
  engine.tls = std::move(configured);
  engine.uses_tls = true;
}

}  // namespace

void add_test_options(CLI::App& app, TestOptions& options) {
  app.add_option("SUITE", options.what,
                 "session, robustness, performance, soak, or files and folders of scripts");
  add_engine_options(app, options);
  add_run_options(app, options);
  add_load_options(app, options.load);
}

std::expected<void, std::string> apply_configuration(TestOptions& options, Disk& disk) {
  TestedEngine& engine = options.engine;
  if (!engine.config.empty() && !options.lists) {
    if (!engine.initiator.empty()) {
      return std::unexpected{
          "--config is the initiator that the tester plays, and --initiator is another one: give "
          "one of them"};
    }
    WantedSessions wanted{.target = engine.target};
    if (!engine.sender.empty()) wanted.senders = CLI::detail::split(engine.sender, ',');
    auto sessions = configured_sessions(engine.config, wanted, disk);
    if (!sessions) return std::unexpected{sessions.error()};
    options.sessions = std::move(*sessions);
    const ConfiguredSession& first = options.sessions.front();
    if (engine.sender.empty()) engine.sender = first.sender_comp_id;
    engine.target = first.target_comp_id;
    if (engine.begin_string.empty()) {
      engine.begin_string = "FIX." + std::string{kVersions[first.version].name};
    }
    if (engine.acceptor.empty()) {
      options.configured = first.acceptor;
      engine.acceptor = fmt::format("{}:{}", first.acceptor.host, first.acceptor.port);
    }
    if (first.tls && !engine.uses_tls) merge_tls(engine, *first.tls);
  }
  if (engine.begin_string.empty()) engine.begin_string = kBeginString;
  if (engine.sender.empty()) engine.sender = kSender;
  return {};
}

}  // namespace nexusfix::tester
