// Any text as a configuration: every error names a line of the file, reading it creates no file,
// the same text always has the same result, and the printed values, written as a configuration,
// have the same result. The disk is in memory, and no engine is started.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "config/api/changed_keys.hpp"
#include "config/api/explain_settings.hpp"
#include "config/api/preflight.hpp"
#include "nexusfix/config/config_report.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/disks/fake_disk.hpp"

namespace {

using namespace nexusfix::config;
using nexusfix::config::expiring_certificates;
using nexusfix::config::missing_addresses;
using nexusfix::config::preflight;
using nexusfix::testing::DiskCall;
using nexusfix::testing::FakeDisk;
using nexusfix::testing::require;

const std::string kFile = "/fuzz.cfg";
constexpr std::chrono::sys_seconds kNow{std::chrono::seconds{1'800'000'000}};

constexpr std::string_view kDictionary =
    "<fix type='FIX' major='4' minor='4' servicepack='0'><header/><trailer/><messages>"
    "<message name='Heartbeat' msgtype='0' msgcat='admin'/></messages><components/>"
    "<fields><field number='112' name='TestReqID' type='STRING'/></fields></fix>";
constexpr std::string_view kUsers =
    "trader:$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";

FakeDisk make_disk(const std::string& text) {
  FakeDisk disk;
  disk.set_contents(kFile, text);
  disk.set_contents("/d.xml", kDictionary);
  disk.set_contents("/users", kUsers);
  disk.set_contents("/days", "2026-12-25\n2027-01-01\n");
  disk.set_contents("/garbage", "-----BEGIN CERTIFICATE-----\ngarbage\n");
  return disk;
}

void check_silent(const FakeDisk& disk) {
  for (const DiskCall call : {DiskCall::Write, DiskCall::MakeDirectories, DiskCall::Remove,
                              DiskCall::Truncate, DiskCall::Sync}) {
    require(disk.calls(call) == 0);
  }
}

std::vector<std::string> texts_of(const SettingsErrors& all, const std::string& text) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::vector<std::string> result;
  for (const SettingsError& one : all) {
    require(!one.text.empty() && one.file == kFile && one.line <= lines);
    result.push_back(one.what());
    require(result.back().starts_with(
        one.line == 0 ? kFile + ": " : kFile + ":" + std::to_string(one.line) + ": "));
    // On one line, and safe for a terminal.
    require(std::ranges::none_of(result.back(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < ' ' || byte == 0x7F;
    }));
  }
  return result;
}

// The values of a session in written form.
using Values = std::vector<std::tuple<std::string, std::string, bool>>;

// "SocketConnectHost1" of a numbered key.
std::string name_of(const EffectiveValue& value) {
  return value.numbered.empty() ? std::string{value.key->name} : value.numbered;
}

// Secrets are not printed, and values of variables must not be expanded again.
bool is_printed(const EffectiveValue& value) {
  return value.line != 0 && !value.key->is_secret && value.key->name != "ExpandVariables";
}

Values values_of(const ExplainedSession& session) {
  Values values;
  for (const EffectiveValue& value : session.values) {
    const bool is_given = is_printed(value);
    if (value.key->is_secret || value.key->name == "ExpandVariables") continue;
    values.emplace_back(name_of(value), value.value, is_given);
  }
  return values;
}

std::string printed(const ExplainedSettings& explained) {
  std::string text;
  std::size_t line = 0;
  for (const ExplainedSession& session : explained.sessions) {
    if (session.line == line) continue;  // made from the session before it, for any CompID
    line = session.line;
    text += "[SESSION]\n";
    for (const EffectiveValue& value : session.values) {
      if (is_printed(value)) text += name_of(value) + "=" + value.value + "\n";
    }
  }
  return text;
}

void check_read_back(const ExplainedSettings& explained) {
  FakeDisk disk = make_disk(printed(explained));
  const auto again = explain_settings(disk, kFile);
  require(again.has_value() && again->sessions.size() == explained.sessions.size());
  for (std::size_t i = 0; i < explained.sessions.size(); ++i) {
    require(again->sessions[i].name == explained.sessions[i].name);
    require(values_of(again->sessions[i]) == values_of(explained.sessions[i]));
  }
  require(printed(*again) == printed(explained));
}

// Two equal sessions could not be distinguished.
void check_twice(const ExplainedSettings& explained) {
  const std::string text = printed(explained);
  const bool is_distinguished = std::ranges::all_of(
      explained.settings.sessions, [](const SessionSettings& one) { return one.is_template; });
  FakeDisk disk = make_disk(text + text);
  require(is_distinguished || !explain_settings(disk, kFile));
}

void check_shown(const ExplainedSettings& explained) {
  require(!nexusfix::command::config_text(explained, kNow, false).empty());
  require(!nexusfix::command::config_text(explained, kNow, true).empty());
  require(!nexusfix::command::config_json(explained).empty());
  require(!nexusfix::command::schedule_text(explained, {.from = kNow, .session = {}}).empty());
}

void check_around(const ExplainedSettings& explained, FakeDisk& disk) {
  const auto found = preflight(explained.settings, disk);
  require(found || !found.error().empty());
  if (!found) {
    for (const SettingsError& one : found.error()) require(!one.text.empty() && !one.file.empty());
  }
  static_cast<void>(expiring_certificates(explained.settings, disk, kNow));
}

// A session that is built from its keys alone is unchanged, and a configuration does not differ
// from itself.
void check_keys(const ExplainedSettings& explained, const std::string& text) {
  const auto whole = std::make_shared<const std::string>(text);
  const FileKeys keys{whole};
  const FileKeys same{whole};
  for (const ExplainedSession& session : explained.sessions) {
    require(keys.has(session.name));
    require(changed_keys({&keys, &keys, &keys}, same, session.name).empty());
    require(session_of({&keys, &same, &keys}, session.name).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int kIsSet = ::setenv("FUZZ_VALUE", "5001", 1);
  require(kIsSet == 0);
  const std::string text{reinterpret_cast<const char*>(data), size};
  FakeDisk disk = make_disk(text);
  const auto explained = explain_settings(disk, kFile);
  const auto loaded = nexusfix::config::load_settings(disk, kFile);
  require(explained.has_value() == loaded.has_value());
  if (!explained) {
    require(!explained.error().empty());
    require(texts_of(explained.error(), text) == texts_of(loaded.error(), text));
    check_silent(disk);
    return 0;
  }
  require(texts_of(explained->settings.warnings, text) == texts_of(loaded->warnings, text));
  check_keys(*explained, text);
  require(loaded->text == text && !explained->sessions.empty());
  check_shown(*explained);
  // Dictionaries are read and made into validators, which takes most of a run.
  if (size % 16 == 0) check_around(*explained, disk);
  check_silent(disk);
  check_read_back(*explained);
  check_twice(*explained);
  return 0;
}
