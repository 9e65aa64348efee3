// A script of `nexusfix test`, read and checked; docs/guide/test-scripts.md describes the language.
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/version.hpp"

namespace nexusfix::tester {

enum class Verb : std::uint8_t {
  Let,
  Session,
  Connect,
  ExpectConnect,
  Disconnect,
  ExpectDisconnect,
  ExpectMessage,
  ExpectExactly,
  SendMessage,
  SendFields,
  SendBytes,
  SendFirst,
  SendRest,
  SendGarbage,
  SendAltered,
  Pieces,
  PiecesOff,
  ReadingOn,
  ReadingOff,
  Ignore,
  IgnoreNothing,
  Wait,
  Timeout,
  Repeat,
  If,
  IfDisconnect,
  IfSilent,
  Mark,
  Elapsed,
  ChecksOn,
  ChecksOff,
  SigningOn,
  SigningOff,
  Restart,
  LogOut,
  Remark,
  Fail,
  Skip,
  Stop,
  // Only where the tester runs the engine under test itself.
  Setting,
  Application,
};

// The language's version, which a script names.
inline constexpr unsigned kLanguage = 1;

// The side of the engine under test.
enum class EngineSide : std::uint8_t { Acceptor, Initiator };
inline constexpr std::size_t kEngineSides = 2;

// When a statement is played: "[initiator 4.2+]".
struct Scope {
  VersionSet versions = VersionSet{}.set();
  std::bitset<kEngineSides> sides = std::bitset<kEngineSides>{}.set();
};

struct Statement {
  std::string place;       // "logon.scenario:12"
  std::size_t column = 1;  // of the text in this line
  std::string text;        // as written, after the versions and the session
  Scope scope;
  std::string session;  // empty: the first one
  Verb verb = Verb::Let;
  std::string argument;                           // what follows verb, count and times
  std::uint64_t count = 0;                        // repeat; bytes of send and pieces
  std::optional<std::chrono::milliseconds> time;  // within, wait, pieces; elapsed: at least
  std::chrono::milliseconds time_max{};           // elapsed: at most
  std::vector<Statement> body;                    // repeat, if
  std::vector<Statement> otherwise;               // after `else`
};

struct Script {
  std::string name;   // of the file, without folder and ending
  std::string title;  // the tested rule and its source: the comment at the begin, to its first "."
  VersionSet versions;
  std::vector<Statement> statements;   // with included statements in their place
  std::bitset<kEngineSides> connects;  // has a `connect` for an engine on this side
  std::bitset<kEngineSides> listens;   // has an `expect connect`
  bool restarts = false;
  bool logs_out = false;
  std::set<std::string, std::less<>> names;  // that it has as <NAME>, or gives a text
};

// Whether `setting` and `app` are words of the language.
enum class Application : std::uint8_t { Absent, Present };

// The text of `include NAME`. The error says why there is none.
using PartReader = std::function<std::expected<std::string, std::string>(const std::string& name)>;

struct ReadOptions {
  PartReader parts;
  std::set<std::string, std::less<>> names;  // defined outside of the script, by --set
  Application application = Application::Absent;
};

// Reads a script. file: its name, for errors, which begin with "file:line:column: ".
[[nodiscard]] std::expected<Script, std::string> parse_script(const std::string& file,
                                                              std::string_view text,
                                                              const ReadOptions& options);

// The word of the list that is spelled most like this one: "; did you mean NAME?". Empty: none is
// near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& words);

}  // namespace nexusfix::tester
