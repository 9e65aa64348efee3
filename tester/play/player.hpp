// Plays a script against an engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "tester/play/own_fields.hpp"
#include "tester/play/received_message.hpp"
#include "tester/play/result.hpp"
#include "tester/play/wire.hpp"
#include "tester/script/message_text.hpp"
#include "tester/script/script.hpp"

namespace nexusfix::tester {

// What a script can do with the engine under test beside talking to it.
class EngineUnderTest {
 public:
  virtual ~EngineUnderTest() = default;
  // Kills it and starts it again. Nothing: done; otherwise the error.
  [[nodiscard]] virtual std::optional<std::string> restart() = 0;
  // Makes it send a Logout, and does not wait for the end of the session. Nothing: done; otherwise
  // the error.
  [[nodiscard]] virtual std::optional<std::string> log_out() {
    return "this engine has no command that logs it out";
  }
  // A `setting` or `app` statement; fields_of_version: expands its text. Nothing: done.
  [[nodiscard]] virtual std::optional<std::string> perform(const Statement& statement,
                                                           const Meaning& meaning);
  // What came from it beside messages, and no statement has expected. Nothing: nothing came.
  [[nodiscard]] virtual std::optional<std::string> unexpected() { return std::nullopt; }
  // Called before the first statement that is no setting.
  [[nodiscard]] virtual std::optional<std::string> start() { return std::nullopt; }
};

// When what came must have been expected.
enum class Strictness : std::uint8_t {
  AtRest,  // before a wait, a disconnection and the end: the engine works beside the script
  Always,  // before each action: the engine works only while the script waits for it
};

struct PlayOptions {
  std::size_t version = 0;  // index into kVersions
  EngineSide side = EngineSide::Acceptor;
  std::string sender_comp_id;      // of the tester
  std::string target_comp_id;      // of the engine under test
  transport::Endpoint acceptor{};  // where `connect` connects
  Names lets{};                    // --set: instead of the script's own
  std::chrono::milliseconds timeout{10'000};
  std::uint64_t seed = 1;
  Strictness strictness = Strictness::AtRest;
  bool ignores_heartbeats = true;
  std::function<bool()> is_interrupted = [] { return false; };
  OwnFields* own =
      nullptr;  // null: messages have what their lines say; otherwise it outlives play()
  // The rule of the caller that a received message breaks; nothing: it keeps all of them. Asked for
  // each message that a statement accepts, unless `checks off`. Null: there are none.
  std::function<std::optional<Breach>(std::string_view message)> examine{};
};

// Wire, clock and engine must outlive the call, which closes all connections at its end.
[[nodiscard]] Result play(const Script& script, const PlayOptions& options, Wire& wire,
                          Clock& clock, EngineUnderTest& engine);

}  // namespace nexusfix::tester
