// nexusfix test: plays scripts against an engine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <ranges>
#include <re2/re2.h>
#include <utility>

#include "base/api/utc_text.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/interrupt.hpp"
#include "nexusfix/files/write_file.hpp"
#include "tester/report/report.hpp"
#include "tester/run/given_names.hpp"
#include "tester/run/run.hpp"
#include "tester/run/suites.hpp"
#include "tester/test_options.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::command {
namespace {

using tester::Case;
using tester::TestOptions;

constexpr std::string_view kTestCommand = "test";

int refuse(std::string_view text) {
  fail(kTestCommand, text);
  return kUsage;
}

// "host:port", "[::1]:port" or "port".
std::optional<transport::Endpoint> endpoint_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  transport::Endpoint endpoint;
  if (colon != std::string_view::npos) {
    endpoint.host = transport::without_brackets(text.substr(0, colon));
  }
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (error != std::errc{} || stop != port.data() + port.size()) return std::nullopt;
  return endpoint;
}

std::string versions_text(const tester::VersionSet& versions) {
  std::string text;
  for (std::size_t i = 0; i < tester::kVersions.size(); ++i) {
    if (versions.test(i))
      text += (text.empty() ? "" : " ") + std::string{tester::kVersions[i].name};
  }
  return versions.all() ? "all versions" : text;
}

tester::EngineSide side_of(const TestOptions& options) {
  return options.engine.acceptor.empty() ? tester::EngineSide::Initiator
                                         : tester::EngineSide::Acceptor;
}

bool is_playable(const tester::Script& script, const TestOptions& options) {
  const auto side = static_cast<std::size_t>(side_of(options));
  return (!script.connects.test(side) || !options.engine.acceptor.empty()) &&
         (!script.listens.test(side) || !options.engine.initiator.empty());
}

// The sides of engines that a script can be played against.
std::string_view sides_text(const tester::Script& script) {
  const auto acceptor = static_cast<std::size_t>(tester::EngineSide::Acceptor);
  const auto initiator = static_cast<std::size_t>(tester::EngineSide::Initiator);
  const bool of_acceptor = !script.listens.test(acceptor);
  const bool of_initiator = !script.connects.test(initiator);
  if (of_acceptor && of_initiator) return "acceptor or initiator";
  if (of_acceptor) return "acceptor";
  return of_initiator ? "initiator" : "acceptor and initiator";
}

void list(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    fmt::print("{}{}{} ({}, {}): {}\n", one.suite, one.suite.empty() ? "" : "/", one.script.name,
               sides_text(one.script), versions_text(one.script.versions), one.script.title);
  }
}

// "; did you mean NAME?" of the cases and the words of their names.
std::string near_case(std::string_view text, const std::vector<Case>& cases) {
  std::vector<std::string_view> words;
  for (const Case& one : cases) {
    words.emplace_back(one.script.name);
    for (const auto word : std::views::split(one.script.name, '_')) words.emplace_back(word);
  }
  return tester::did_you_mean(text, words);
}

// The cases that these options can play. The error says why there is none.
std::expected<std::vector<Case>, std::string> chosen(std::vector<Case> cases,
                                                     const TestOptions& options,
                                                     std::size_t version) {
  const re2::RE2 only{options.only, re2::RE2::Quiet};
  const re2::RE2 except{options.except, re2::RE2::Quiet};
  if (!only.ok()) return std::unexpected{"--only: " + only.error()};
  if (!except.ok()) return std::unexpected{"--except: " + except.error()};
  const std::string near = near_case(options.only, cases);
  std::erase_if(cases, [&](const Case& one) {
    const std::string name = one.suite + "/" + one.script.name;
    const bool is_left_out = !options.except.empty() && re2::RE2::PartialMatch(name, except);
    return is_left_out || !re2::RE2::PartialMatch(name, only);
  });
  if (cases.empty()) return std::unexpected{"--only and --except leave no case" + near};
  if (options.lists) return cases;
  tester::VersionSet versions;
  for (const Case& one : cases) versions |= one.script.versions;
  std::erase_if(cases, [&](const Case& one) { return !one.script.versions.test(version); });
  if (cases.empty()) {
    return std::unexpected{fmt::format("no case is for {}: they are for {}",
                                       options.engine.begin_string, versions_text(versions))};
  }
  const std::string_view other = options.engine.acceptor.empty() ? "--acceptor" : "--initiator";
  std::erase_if(cases, [&](const Case& one) { return !is_playable(one.script, options); });
  if (cases.empty()) return std::unexpected{fmt::format("all cases need {}", other)};
  return cases;
}

std::expected<std::vector<Case>, std::string> read_all(const TestOptions& options,
                                                       const tester::Names& lets, Disk& disk) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, text] : lets) names.insert(name);
  std::vector<Case> cases;
  for (const std::string& what : options.what) {
    auto read = tester::read_cases(what, names, disk);
    if (!read) return std::unexpected{read.error()};
    std::ranges::move(*read, std::back_inserter(cases));
  }
  return cases;
}

// "A" or "A,B,C": a session for each case that runs at a time.
std::expected<std::vector<std::string>, std::string> senders_of(const TestOptions& options) {
  std::vector<std::string> senders = CLI::detail::split(options.engine.sender, ',');
  if (options.jobs > senders.size()) {
    return std::unexpected{fmt::format(
        "-j {} needs as many sessions of the engine under test: --sender A,B,...", options.jobs)};
  }
  if (options.jobs > 1 && !options.engine.initiator.empty()) {
    return std::unexpected{"-j: cases of an initiator are played one after another"};
  }
  senders.resize(options.jobs);
  for (auto one = senders.begin(); one != senders.end(); ++one) {
    if (std::find(senders.begin(), one, *one) == one) continue;
    return std::unexpected{"--sender: \"" + *one + "\" is given twice: each case needs its own"};
  }
  return senders;
}

// Cases that are played at a time share the engine.
std::expected<void, std::string> check_jobs(const TestOptions& options,
                                            const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    if (options.jobs == 1) break;
    const bool may_restart = one.script.restarts || one.suite == "soak";
    const bool restarts = may_restart && !options.engine.restart.empty();
    if (!restarts && (!one.script.logs_out || options.engine.logout.empty())) continue;
    return std::unexpected{
        fmt::format("-j: the command of {} would disturb the other cases: --except {}, or no -j",
                    restarts ? "--restart" : "--logout", one.script.name)};
  }
  return {};
}

std::expected<std::shared_ptr<transport::TlsContext>, std::string> tls_of(
    const TestOptions& options, transport::TlsRole role, Disk& disk) {
  if (!options.engine.uses_tls) return nullptr;
  transport::TlsSettings settings = options.engine.tls;
  settings.role = role;
  if (role == transport::TlsRole::Acceptor && !settings.authorities_file.empty()) {
    settings.client_certificate = transport::ClientCertificate::Required;
  }
  auto context = transport::TlsContext::make(std::move(settings), disk);
  if (!context) return std::unexpected{context.error().text};
  return std::move(*context);
}

std::expected<tester::RunOptions, std::string> run_options_of(const TestOptions& options,
                                                              std::size_t version,
                                                              tester::Names lets, Disk& disk) {
  tester::RunOptions run;
  auto senders = senders_of(options);
  if (!senders) return std::unexpected{senders.error()};
  run.senders = std::move(*senders);
  for (const tester::ConfiguredSession& one : options.sessions) run.own.push_back(one.own);
  run.restart_command = options.engine.restart;
  run.logout_command = options.engine.logout;
  run.play.version = version;
  run.play.side = side_of(options);
  run.play.target_comp_id = options.engine.target;
  run.play.lets = std::move(lets);
  run.play.seed = options.seed;
  run.play.timeout =
      std::chrono::milliseconds{static_cast<std::int64_t>(options.timeout_seconds * 1000)};
  run.play.is_interrupted = is_interrupted;
  if (!options.engine.acceptor.empty()) {
    const auto endpoint =
        options.configured ? options.configured : endpoint_of(options.engine.acceptor);
    if (!endpoint || endpoint->port == 0 || endpoint->host.empty()) {
      return std::unexpected{"--acceptor: \"" + options.engine.acceptor + "\" is not HOST:PORT"};
    }
    run.play.acceptor = *endpoint;
    auto tls = tls_of(options, transport::TlsRole::Initiator, disk);
    if (!tls) return std::unexpected{tls.error()};
    run.play.acceptor.tls = std::move(*tls);
  }
  if (!options.engine.initiator.empty()) {
    run.listener = endpoint_of(options.engine.initiator);
    if (!run.listener) {
      return std::unexpected{"--initiator: \"" + options.engine.initiator +
                             "\" is not HOST:PORT or PORT"};
    }
    auto tls = tls_of(options, transport::TlsRole::Acceptor, disk);
    if (!tls) return std::unexpected{tls.error()};
    run.listener->tls = std::move(*tls);
    run.on_listening = [](std::uint16_t port) {
      fmt::print("listening on port {}\n", port);
      std::fflush(stdout);
    };
  }
  auto load = tester::load_options_of(options.load);
  if (!load) return std::unexpected{load.error()};
  run.load = std::move(*load);
  if (!options.is_quiet) {
    run.load.on_progress = [](std::string_view text) {
      fmt::print("{}\n", text);
      std::fflush(stdout);
    };
  }
  run.on_result = [is_quiet = options.is_quiet](const tester::Result& result) {
    const bool is_shown =
        result.verdict == tester::Verdict::Failed || result.verdict == tester::Verdict::NotRun;
    if (is_quiet && !is_shown) return;
    fmt::print("{}", result_lines(result));
    std::fflush(stdout);
  };
  return run;
}

// "Acceptor at 127.0.0.1:5001, TESTER to ENGINE, from 2026-11-29 12:00:00 UTC."
std::string about_text(const TestOptions& options, WallTime begun) {
  const bool is_acceptor = !options.engine.acceptor.empty();
  return fmt::format(
      "{} {}, {} to {}, from {} UTC.", is_acceptor ? "Acceptor at" : "Initiator, to port",
      is_acceptor ? options.engine.acceptor : options.engine.initiator, options.engine.sender,
      options.engine.target.empty() ? "any" : options.engine.target,
      utc_text(std::chrono::floor<std::chrono::seconds>(begun), UtcForm::Plain));
}

// A report that cannot be written does not keep the other one from it.
int write_reports(const TestOptions& options, const tester::Run& run, WallTime begun, Disk& disk) {
  const tester::PageHead head{
      .title = fmt::format("nexusfix test, {}, seed {}", options.engine.begin_string, options.seed),
      .about = about_text(options, begun)};
  int status = kSuccess;
  const auto write = [&](std::string_view option, const std::string& path, const auto& text) {
    if (path.empty()) return;
    const auto written = write_whole_file(disk, path, text());
    if (!written) status = fail(kTestCommand, fmt::format("{}: {}", option, written.error()));
  };
  write("--junit", options.files.junit, [&] { return junit_xml(run); });
  write("--html", options.files.html, [&] { return html_page(run, head); });
  return status;
}

// A report that cannot be written is refused before the run.
std::optional<std::string> unwritable(const tester::ReportFiles& files, Disk& disk) {
  for (const auto& [option, path] :
       {std::pair{"--junit", files.junit}, std::pair{"--html", files.html}}) {
    if (path.empty()) continue;
    const auto status = disk.status(path);
    if (status || status.error().error_number != ENOENT) {
      if (auto file = disk.open(path, OpenMode::Create); !file) {
        return fmt::format("{}: {}", option, file.error().what());
      }
      continue;
    }
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (!disk.status(folder)) {
      return fmt::format("{}: there is no folder {}", option, path.substr(0, slash));
    }
    if (auto could = disk.could_write_into(folder); !could) {
      return fmt::format("{}: {}", option, could.error().what());
    }
  }
  return std::nullopt;
}

int show(const TestOptions& options) {
  std::vector<std::string> known;
  for (const tester::ShippedFile& file : tester::shipped_files()) {
    const std::string_view name = file.name.substr(0, file.name.rfind('.'));
    if (known.emplace_back(fmt::format("{}/{}", file.suite, name)) != options.show) continue;
    fmt::print("{}", file.text);
    return kSuccess;
  }
  for (const auto& suite : {tester::performance_cases(), tester::soak_cases()}) {
    for (const tester::LoadCase& load : suite) {
      if (known.emplace_back(fmt::format("{}/{}", load.suite, load.name)) != options.show) continue;
      fmt::print("# {}\n# This case is built in: it has no script.\n", load.title);
      return kSuccess;
    }
  }
  return refuse("--show: there is no case \"" + options.show + "\"" +
                tester::did_you_mean(options.show, {known.begin(), known.end()}) +
                "; --list shows them");
}

int test(TestOptions options) {
  PosixDisk disk;
  if (!options.show.empty()) return show(options);
  if (auto done = apply_configuration(options, disk); !done) return refuse(done.error());
  const auto version = tester::version_of(options.engine.begin_string);
  if (!version) return refuse("--begin-string: " + version.error());
  auto lets = tester::names_of(options.sets);
  if (!lets) return refuse(lets.error());
  TestOptions read = options;
  if (read.what.empty()) {
    for (const std::string_view name : tester::suite_names()) read.what.emplace_back(name);
  }
  auto cases = read_all(read, *lets, disk);
  if (!cases) return refuse(cases.error());
  if (auto done = tester::check_names(*lets, *cases); !done) return refuse(done.error());
  if (!options.lists && options.engine.acceptor.empty() && options.engine.initiator.empty()) {
    return refuse(
        "--acceptor HOST:PORT, --initiator PORT or --config FILE is missing: where the engine is");
  }
  if (!options.lists && options.what.empty()) return refuse("SUITE is missing: --list shows them");
  auto played = chosen(std::move(*cases), options, *version);
  if (!played) return refuse(played.error());
  if (options.lists) {
    list(*played);
    return kSuccess;
  }
  if (auto done = check_jobs(options, *played); !done) return refuse(done.error());
  if (options.engine.target.empty()) return refuse("--target is missing: the CompID of the engine");
  const auto run_options = run_options_of(options, *version, std::move(*lets), disk);
  if (!run_options) return refuse(run_options.error());
  if (const auto wrong = unwritable(options.files, disk)) return refuse(*wrong);
  catch_interrupts();
  SystemClock clock;
  const Now begin = clock.now();
  const auto run = tester::run_cases(*played, *run_options);
  if (!run) return refuse(run.error());
  fmt::print("{}", summary_line(*run, clock.now().mono - begin.mono));
  std::fflush(stdout);
  if (const int status = write_reports(options, *run, begin.wall, disk); status != kSuccess)
    return status;
  if (run->is_interrupted) return tester::kInterruptedStatus;
  const tester::Counts counts = count_of(*run);
  return counts.failed == 0 && run->ended_early.empty() ? kSuccess : kFailure;
}

}  // namespace

int run_test(Arguments arguments) {
  CLI::App app{
      "Plays scripts against a FIX engine, as its counterparty, and compares what it answers with "
      "what the scripts expect. SUITE is a suite that the program has, a file or a folder. "
      "docs/guide/test.md describes suites and reports, docs/guide/test-scripts.md the language.",
      "nexusfix test"};
  tester::TestOptions options;
  tester::add_test_options(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix test --list\n"
      "  $ nexusfix test session --acceptor 127.0.0.1:5001 --sender ME --target VENUE\n"
      "  $ nexusfix test session --initiator 5001 --sender VENUE --html report.html\n"
      "  $ nexusfix test session --config client.cfg\n"
      "  $ nexusfix test performance --acceptor 127.0.0.1:5001 --target VENUE\n"
      "  $ nexusfix test my.scenario --acceptor venue:5001 --target VENUE\n\n"
      "Exit status:\n"
      "  0  every case passed or was skipped\n"
      "  1  a case failed, the run ended early, or a report could not be written\n"
      "  2  the arguments or a script are wrong, or the port is in use\n"
      "  130  Ctrl-C or SIGTERM ended the run; the reports are whole");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return test(std::move(options));
}

}  // namespace nexusfix::command
