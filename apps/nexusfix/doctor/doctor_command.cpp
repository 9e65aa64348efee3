// nexusfix doctor: checks what costs latency on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include <nexusfix/base/disk.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/doctor/doctor.hpp"
#include "nexusfix/files/settings_loader.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kDoctorCommand = "doctor";

struct DoctorOptions {
  std::string path;  // a configuration, or a journal's folder; empty: neither
  std::string root;
  bool all = false;
  bool json = false;
};

// Follows links in the part of the path that exists.
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  return error ? path : whole.string();
}

void plan_buffers(const config::SessionSettings& session, Plan& plan) {
  const auto take = [&](const transport::SocketOptions& socket) {
    plan.receive_buffer_bytes =
        std::max<std::uint64_t>(plan.receive_buffer_bytes, socket.receive_buffer_bytes);
    plan.send_buffer_bytes =
        std::max<std::uint64_t>(plan.send_buffer_bytes, socket.send_buffer_bytes);
  };
  if (session.accept) take(session.accept->options);
  for (const transport::Endpoint& endpoint : session.connect) take(endpoint.options);
}

std::expected<Plan, std::string> read_plan(Disk& disk, const std::string& path) {
  Plan plan;
  if (path.empty()) return plan;
  if (std::error_code error; path.ends_with(".cfg") && !std::filesystem::exists(path, error)) {
    return std::unexpected{path + ": there is no such configuration file"};
  }
  if (std::error_code error; disk.list(path) || !std::filesystem::exists(path, error)) {
    plan.journal_folder = absolute(path);
    return plan;
  }
  const auto settings = read_settings(disk, path);
  if (!settings) return std::unexpected{settings.error()};
  if (settings->store == config::StoreKind::Journal) {
    plan.journal_folder = absolute(settings->store_folder);
  }
  plan.cpus = settings->threads.cpus;
  std::ranges::sort(plan.cpus);
  plan.spins = settings->threads.busy_spin;
  plan.locks_memory = settings->threads.lock_memory;
  plan.sessions = settings->sessions.size();
  for (const config::SessionSettings& one : settings->sessions) {
    if (one.is_template) plan.sessions += settings->dynamic_sessions_max;
    plan_buffers(one, plan);
  }
  return plan;
}

int examine_machine(const DoctorOptions& options) {
  PosixDisk disk;
  const auto plan = read_plan(disk, options.path);
  if (!plan) return fail(kDoctorCommand, plan.error());
  const Machine machine{disk, options.root};
  const Findings findings = examine(machine, *plan);
  fmt::print("{}",
             options.json ? doctor_json(findings) : doctor_text(machine, findings, options.all));
  return has_warning(findings) ? kFailure : kSuccess;
}

}  // namespace

int run_doctor(Arguments arguments) {
  DoctorOptions options;
  CLI::App app{
      "Prints each problem of the machine, why it matters, and the command that changes it. It "
      "changes nothing itself.",
      "nexusfix doctor"};
  app.add_option("PATH", options.path,
                 "a configuration file, to compare its keys with the machine, or the folder of a "
                 "journal");
  app.add_flag("--all", options.all, "also explain what is in order");
  app.add_flag("--json", options.json, "print JSON, for programs");
  app.add_option("--root", options.root, "Read DIR/proc and DIR/sys")->group("");
  app.footer(
      "Examples:\n"
      "  $ nexusfix doctor\n"
      "  $ nexusfix doctor venue.cfg\n\n"
      "Exit status:\n"
      "  0  no warning\n"
      "  1  a warning, or PATH cannot be read\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return examine_machine(options);
}

}  // namespace nexusfix::command
