// Writes an audit trail and a log outside the hot path. The caller only copies a message into a
// queue, which takes nanoseconds; another thread writes it.
//
// Usage: example_04_deferred
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/logger.hpp>

namespace deferred = nexusfix::deferred;

namespace {

const std::vector<std::string> kMessages{"8=FIX.4.4|35=D|11=A1|55=AAPL|54=1|38=100|",
                                         "8=FIX.4.4|35=D|11=A2|55=MSFT|54=2|38=50|",
                                         std::string(600, 'x')};  // too long for the audit trail

}  // namespace

int main() {
  nexusfix::SystemClock clock;
  std::string trail;

  // [deferred]
  deferred::Logger log;
  auto logging =
      log.start([](std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stdout); });
  // The constructor allocates all 1,024 slots, so that submit() allocates nothing.
  deferred::DeferredProcessor<deferred::MessageBuffer<512>, 1024> audit{
      {.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Sleep}};
  auto auditing = audit.start([&](const auto& message) {
    trail.append(message.span().data(), message.span().size()).push_back('\n');
  });
  if (!logging || !auditing) return 1;  // a thread could not start

  for (const std::string& message : kMessages) {
    const nexusfix::WallTime now = clock.now().wall;  // an engine has it already
    if (auto accepted = audit.submit(message, now); !accepted) {
      // The caller still has a refused message, and stats() counts it: none is lost silently.
      log.write<"audit refused a message of {} bytes, error {}">(now, message.size(),
                                                                 accepted.error());
    }
    log.write<"{} bytes: {:.24}">(now, message.size(), message);
  }
  audit.stop();  // returns when every accepted message is in the trail
  log.stop();
  // [end]

  std::printf("%s%llu messages in the trail\n", trail.c_str(),
              static_cast<unsigned long long>(audit.stats().processed));
  return 0;
}
