// One test for each scenario and version: reads the folder and plays the scenarios in it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "peers/scenarios/engine_in_memory.hpp"

namespace nexusfix::scenarios {
namespace {

using tester::kVersions;
using tester::Script;

class ScenarioTest : public ::testing::Test {
 public:
  ScenarioTest(const Script& script, std::size_t version, Stream stream)
      : script_{script}, version_{version}, stream_{stream} {}
  void TestBody() override {
    if (const auto failure = play(script_, version_, stream_)) ADD_FAILURE() << *failure;
  }

 private:
  const Script& script_;
  std::size_t version_;
  Stream stream_;
};

std::vector<std::string> scenario_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() == ".scenario") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

// False: a scenario cannot be read; the error is on standard error.
bool read_all(const std::string& folder, std::vector<Script>& scripts) {
  for (const std::string& path : scenario_files(folder + "/scripts")) {
    auto script = read_scenario(path, folder + "/parts");
    if (!script) std::fprintf(stderr, "%s\n", script.error().c_str());
    if (!script) return false;
    scripts.push_back(std::move(*script));
  }
  if (scripts.empty()) std::fprintf(stderr, "%s: no scenario\n", folder.c_str());
  return !scripts.empty();
}

// The version that is played again with every message in pieces: the result must not depend on how
// the bytes arrive, and one version is enough to show it.
constexpr std::string_view kTornVersion = "4.4";

void add_test(const Script& script, std::size_t version, Stream stream) {
  const std::string suite = "scenario_" + script.name;
  std::string name{kVersions[version].test_name};
  if (stream == Stream::InPieces) name += "_in_pieces";
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&script, version, stream]() -> ScenarioTest* {
                            return new ScenarioTest{script, version, stream};
                          });
}

void add_tests(const Script& script) {
  for (std::size_t i = 0; i < kVersions.size(); ++i) {
    if (!script.versions.test(i)) continue;
    add_test(script, i, Stream::Whole);
    if (kVersions[i].name == kTornVersion) add_test(script, i, Stream::InPieces);
  }
}

}  // namespace
}  // namespace nexusfix::scenarios

int main(int count, char** arguments) {
  ::testing::InitGoogleTest(&count, arguments);
  std::vector<nexusfix::tester::Script> scripts;
  if (!nexusfix::scenarios::read_all(NEXUSFIX_SCENARIOS, scripts)) return 1;
  for (const auto& script : scripts) nexusfix::scenarios::add_tests(script);
  return RUN_ALL_TESTS();
}
