// The export of nexusfix_bench_module.
#include "bench/measure/machine.hpp"
#include "bench/module.hpp"
#include "bench/nexusfix_subject.hpp"

namespace {

// -fstack-clash-protection defines no macro.
std::string hardening() {
  std::string text;
  [[maybe_unused]] const auto add = [&](const std::string& one) {
    text += (text.empty() ? "" : ", ") + one;
  };
#ifdef __SSP_STRONG__
  add("-fstack-protector-strong");
#endif
#ifdef _FORTIFY_SOURCE
  add("_FORTIFY_SOURCE=" + std::to_string(_FORTIFY_SOURCE));
#endif
#ifdef _GLIBCXX_ASSERTIONS
  add("_GLIBCXX_ASSERTIONS");
#endif
#if defined(__CET__) || defined(__ARM_FEATURE_BTI_DEFAULT)
  add("branches that are checked");
#endif
  return text;
}

}  // namespace

void nexusfix_bench_module(nexusfix::bench::Module& module) {
  // Reads the allowed cores before the program binds itself to one of them.
  static_cast<void>(nexusfix::bench::allowed_cores());
  module.commit = nexusfix::bench::describe_machine(0).commit;
  module.hardening = hardening();
  module.subject = nexusfix::bench::make_nexusfix_subject();
}
