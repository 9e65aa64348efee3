// The cost of the flags of the preset `hardened`: the same code compiled with them, compared with
// this build.
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/measure/machine.hpp"
#include "bench/messages/messages.hpp"
#include "bench/module.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"

namespace nexusfix::bench {
namespace {

constexpr const char* kHardened = "NexusFIX hardened";
using HardenedModule = std::shared_ptr<const Module>;  // null: the options name none

// Job: the input of both builds. Make: makes a contestant from a subject and the job.
template <class Job, class Make>
Plan plan_hardened(const HardenedModule& module, Subjects subjects, std::shared_ptr<Job> job,
                   double bytes, Make make) {
  Plan plan{.owner = job, .bytes = bytes, .contestants = {}};
  plan.contestants.emplace_back(subjects.front()->name(), make(*subjects.front(), *job));
  if (module == nullptr) {
    plan.note = "no hardened build to compare with: --hardened";
    return plan;
  }
  plan.note = "hardened: " + module->hardening;
  plan.contestants.emplace_back(kHardened, make(*module->subject, *job));
  return plan;
}

RowSpec spec_of(std::string name, std::string purpose) {
  return {.name = std::move(name),
          .purpose = std::move(purpose),
          .published = {},
          .budget = {},
          .ratios = {{kHardened}}};
}

HardenedModule open_hardened(const std::string& path) {
  if (path.empty()) return nullptr;
  auto module = std::make_shared<Module>(open_module(path));
  const std::string commit = describe_machine(0).commit;
  if (module->commit != commit) {
    throw std::runtime_error{
        fmt::format("{} is of commit {}, this program of {}", path, module->commit, commit)};
  }
  if (module->hardening.empty()) {
    throw std::runtime_error{path + " is of a build that is not hardened"};
  }
  return module;
}

}  // namespace

Module open_module(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error{::dlerror()};
  void* const entry = ::dlsym(library, "nexusfix_bench_module");
  if (entry == nullptr) throw std::runtime_error{path + " has no benchmark"};
  Module module;
  // POSIX: the pointer from dlsym() may be called as a function.
  reinterpret_cast<decltype(&nexusfix_bench_module)>(entry)(module);
  return module;
}

void add_hardened_rows(std::vector<Row>& rows, const std::string& path) {
  const HardenedModule module = open_hardened(path);
  rows.push_back({spec_of("hardened/parse", "parse/ExecutionReport, hardened or not"),
                  [module](Subjects subjects) {
                    const auto messages = std::make_shared<Messages>(flow_execution_reports());
                    return plan_hardened(
                        module, subjects, messages, messages->mean_bytes,
                        [](Subject& subject, const Messages& job) { return subject.parse(job); });
                  }});
  rows.push_back({spec_of("hardened/encode", "encode/ExecutionReport, hardened or not"),
                  [module](Subjects subjects) {
                    const auto job = std::make_shared<EncodeJob<Execution>>(executions());
                    // Both are NexusFIX, and encode/ExecutionReport compares every field.
                    job->verify = [](const std::string& message, std::size_t) {
                      return message.empty() ? "nothing was encoded" : std::string{};
                    };
                    return plan_hardened(
                        module, subjects, job, 0,
                        [](Subject& subject, const EncodeJob<Execution>& executions) {
                          return subject.encode_execution(executions);
                        });
                  }});
  rows.push_back(
      {spec_of("hardened/inside", "inside, hardened or not"), [module](Subjects subjects) {
         return plan_hardened(module, subjects, std::make_shared<int>(), 0,
                              [](Subject& subject, int) { return subject.inside(); });
       }});
}

}  // namespace nexusfix::bench
