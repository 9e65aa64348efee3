// Mistakes where an engine is opened, which the compiler must refuse. NEXUSFIX_MISTAKE selects one;
// with 0 there is none, and the file compiles.
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/settings.hpp>

namespace nexusfix {

using fix44::ExecutionReport;
using fix44::NewOrderSingle;

struct Desk {
  void on_logon(Session&) {}
};

#if NEXUSFIX_MISTAKE == 0
struct Nothing {};  // only other threads use its sessions
struct Whole final {
  void on_message(Session&, const NewOrderSingle&) {}

 private:
  [[maybe_unused]] void on_message(Session&, int) {}
};
int use(Desk& desk, Nothing& nothing, Whole& whole, Settings settings) {
  auto engine = Engine::open(settings, desk);
  auto moved = Engine::open(std::move(settings), desk, EngineOptions{.busy_spin = true});
  auto other = Engine::open("venue.cfg", nothing);
  if (!engine || !moved || !other) return run("venue.cfg", whole);
  *moved = std::move(*other);
  return engine->run();
}
#elif NEXUSFIX_MISTAKE == 6  // would end before the engine
// error: the application must outlive its engine: Desk desk; Engine::open\("desk.cfg", desk\)
bool use() { return Engine::open("venue.cfg", Desk{}).has_value(); }
#elif NEXUSFIX_MISTAKE == 7
// error: the application must outlive its engine
bool use(const Settings& settings) { return Engine::open(settings, Desk{}).has_value(); }
#elif NEXUSFIX_MISTAKE == 8
// error: the application is an object of a class that is defined before: not const, a pointer
bool use(Desk& desk) { return Engine::open("venue.cfg", &desk).has_value(); }
#elif NEXUSFIX_MISTAKE == 9
// error: the application is an object of a class that is defined before: not const, a pointer
int use(Desk& desk) { return run("venue.cfg", &desk); }
#elif NEXUSFIX_MISTAKE == 10  // it could not start, or its store failed
// error: ignoring return(ed)? value
void use(Desk& desk) { run("venue.cfg", desk); }
#elif NEXUSFIX_MISTAKE == 11
// error: ignoring return(ed)? value
void use(Desk& desk) { Engine::open("venue.cfg", desk); }
#elif NEXUSFIX_MISTAKE == 15  // of a final class the compiler sees no private callback
// error: a final class without a public callback
class Venue final {
  void on_message(Session&, const NewOrderSingle&) {}
};
int use(Venue& venue) { return run("venue.cfg", venue); }
#elif NEXUSFIX_MISTAKE == 16  // a draft is not a received message
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, const ExecutionReport&) {}
  void on_message(Session&, const NewOrderSingle::Draft&) {}
};
int use(Venue& venue) { return run("venue.cfg", venue); }
#elif NEXUSFIX_MISTAKE == 17
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, const ExecutionReport&) {}
  void on_message(Session&, std::string_view) {}
};
int use(Venue& venue) { return run("venue.cfg", venue); }
#elif NEXUSFIX_MISTAKE == 18
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, const std::string&) {}
};
int use(Venue& venue) { return run("venue.cfg", venue); }
#endif

}  // namespace nexusfix
