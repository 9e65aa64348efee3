// A Logon that changes its password.
#include <string>
#include <utility>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/state/session_entry.hpp"

namespace nexusfix::engine {
namespace {

// SessionStatus (1409): "new session password does not comply with policy".
constexpr std::uint32_t kPasswordAgainstPolicy = 3;

}  // namespace

bool begin_password_change(LoopContext& loop, SessionEntry& entry, LogonAnswer& answer) {
  if (entry.connection() == nullptr) return false;
  LogonCredentials& credentials = entry.connection()->credentials();
  if (credentials.is_changing()) return true;  // The Logon was accepted already.
  if (credentials.change() == nullptr || !answer.accepted) return false;
  if (!entry.machine.would_admit()) return false;  // The state machine gives the reason.
  const std::string_view wrong =
      loop.shared.credentials->new_password_error(credentials.change()->new_password.view());
  if (!wrong.empty()) {
    loop.report.peer(EventId::NewPasswordRefused, entry,
                     "NewPassword (925): " + std::string{wrong});
    answer =
        LogonAnswer::refuse("NewPassword (925): " + std::string{wrong}, kPasswordAgainstPolicy);
    return false;
  }
  entry.logons.password_change.begin(entry.commands.logon_id(), std::move(answer));
  loop.shared.credentials->submit(
      Credentials::Change{.loop = loop.index,
                          .socket = entry.connection()->socket_id(),
                          .password = std::move(*credentials.begin_change())});
  return true;
}

}  // namespace nexusfix::engine
