#include "python/src/sessions/simulated_world.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>

#include <nexusfix/simulator/world.hpp>

#include "python/src/errors.hpp"
#include "python/src/message.hpp"
#include "python/src/sessions/relay.hpp"
#include "python/src/sessions/session_engine.hpp"

namespace nexusfix::python {
namespace {

using Seconds = std::chrono::duration<double>;

simulator::WorldTime time_of(double seconds) {
  constexpr double kSecondsMax = 1e9;  // thirty years
  if (!(seconds >= 0 && seconds <= kSecondsMax)) {
    throw nb::value_error("a time is 0 to 1e9 seconds");
  }
  return std::chrono::duration_cast<simulator::WorldTime>(Seconds{seconds});
}

// What a world and its processes share. The first exception of Python ends the run.
struct WorldShare {
  simulator::World* world = nullptr;
  nb::object error;

  template <class Call>
  void guard(Call&& call) {
    if (error.is_valid()) return;
    try {
      call();
    } catch (nb::python_error& raised) {
      error = nb::borrow(raised.value());
      world->found("exception", "an application has raised");
    }
  }
};

// A session as an application sees it, which may keep the object after its process has died.
class SimulatedSession {
 public:
  SimulatedSession(engine::Session& session, std::shared_ptr<bool> is_alive, WorldShare& share)
      : session_{&session}, is_alive_{std::move(is_alive)}, share_{&share} {}

  nb::object send(const MessageObject& message) {
    const engine::SendResult sent = send_fields(alive(), message.scope.view);
    if (!sent) {
      raise(
          {.type = "SendError", .text = sent.error().what(), .tag = {}, .offset = {}, .rule = {}});
    }
    return nb::module_::import_("nexusfix.sessions")
        .attr("Sent")(sent->msg_seq_num, sent->is_transmitted);
  }
  void log_out(const std::string& text) { alive().log_out(text); }
  [[nodiscard]] std::string id() { return std::string{alive().name()}; }
  [[nodiscard]] bool is_logged_on() const { return *is_alive_ && session_->is_logged_on(); }
  void call_after(double seconds, nb::object call) {
    WorldShare* const share = share_;
    alive().call_after(time_of(seconds), [share, call = std::move(call)](engine::Session&) {
      share->guard([&] { call(); });
    });
  }

 private:
  engine::Session& alive() {
    if (!*is_alive_) {
      raise({.type = "SessionClosedError",
             .text = "the process of this session has died",
             .tag = {},
             .offset = {},
             .rule = {}});
    }
    return *session_;
  }

  engine::Session* session_;
  std::shared_ptr<bool> is_alive_;
  WorldShare* share_;
};

// The application of a process: an object of Python, made again at each start.
class SimulatedApplication {
 public:
  SimulatedApplication(WorldShare& share, const nb::object& make) : share_{share} {
    share_.guard([&] { object_ = make(); });
  }
  SimulatedApplication(const SimulatedApplication&) = delete;
  SimulatedApplication& operator=(const SimulatedApplication&) = delete;
  ~SimulatedApplication() { *is_alive_ = false; }

  void on_logon(engine::Session& session) { call("on_logon", session); }
  void on_logout(engine::Session& session) { call("on_logout", session); }
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
    call("on_message", session, message.bytes());
    return engine::accept();
  }
  void on_recovered(const engine::RecoveredMessage& recovered) {
    share_.guard([&] {
      if (!has("on_recovered")) return;
      object_.attr("on_recovered")(std::string{recovered.session},
                                   nb::steal(make_message(recovered.message.bytes(), nullptr)));
    });
  }
  void on_undone() {
    share_.guard([&] {
      if (has("on_undone")) object_.attr("on_undone")();
    });
  }
  [[nodiscard]] nb::object object() const { return object_; }

 private:
  [[nodiscard]] bool has(const char* name) const {
    return object_.is_valid() && nb::hasattr(object_, name);
  }
  template <class... Bytes>
  void call(const char* name, engine::Session& session, Bytes... bytes) {
    share_.guard([&] {
      if (!has(name)) return;
      object_.attr(name)(SimulatedSession{session, is_alive_, share_},
                         nb::steal(make_message(bytes, nullptr))...);
    });
  }

  WorldShare& share_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
  nb::object object_;
};

class SimulatedWorld {
 public:
  SimulatedWorld(std::uint64_t seed, const std::string& faults)
      : world_{simulator::WorldOptions{.seed = seed, .faults = faults_of(faults)}} {
    share_.world = &world_;
  }

  std::size_t add(const std::string& name, const std::string& settings, nb::object make) {
    check_idle();
    static_cast<void>(parsed_settings(settings, name));
    ++processes_;
    return world_.add_process<SimulatedApplication>(name, settings, std::ref(share_),
                                                    std::move(make));
  }
  void run(double seconds) {
    const auto time = time_of(seconds);
    enter([&] { world_.run(time); });
  }
  bool settle(double seconds) {
    const auto time = time_of(seconds);
    bool is_settled = false;
    enter([&] { is_settled = world_.settle(time); });
    return is_settled;
  }
  void after(double seconds, nb::object call) {
    check_alive();
    world_.after(time_of(seconds),
                 [this, call = std::move(call)] { share_.guard([&] { call(); }); });
  }
  void kill(std::size_t process) {
    check(process);
    world_.kill(process);
  }
  [[nodiscard]] nb::object application(std::size_t process) {
    check(process);
    auto* const found = world_.application<SimulatedApplication>(process);
    return found == nullptr ? nb::none() : found->object();
  }
  [[nodiscard]] double now() const { return Seconds{world_.now()}.count(); }
  [[nodiscard]] nb::object violation() const {
    const auto& found = world_.violation();
    if (!found) return nb::none();
    return nb::make_tuple(found->invariant, found->what);
  }

 private:
  static simulator::FaultSet faults_of(const std::string& text) {
    const auto faults = simulator::parse_faults(text);
    if (!faults) throw nb::value_error(faults.error().c_str());
    return *faults;
  }
  void check_alive() const {
    if (share_.error.is_valid()) {
      raise({.type = "SessionClosedError",
             .text = "an application has raised: the world has ended",
             .tag = {},
             .offset = {},
             .rule = {}});
    }
  }
  [[noreturn]] static void refuse(const char* why) {
    raise({.type = "SessionError", .text = why, .tag = {}, .offset = {}, .rule = {}});
  }
  void check_idle() const {
    check_alive();
    if (is_running_) refuse("not while the world runs");
  }
  void check(std::size_t process) const {
    check_idle();
    if (process >= processes_) refuse("no such process");
  }
  template <class Call>
  void enter(Call&& call) {
    check_idle();
    is_running_ = true;
    call();
    is_running_ = false;
    if (!share_.error.is_valid()) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(share_.error.ptr())), share_.error.ptr());
    throw nb::python_error{};
  }

  WorldShare share_;
  simulator::World world_;
  std::size_t processes_ = 0;
  bool is_running_ = false;
};

}  // namespace

void add_simulated_world(nb::module_& module) {
  nb::class_<SimulatedSession> session{module, "SimulatedSession"};
  session.def("send", &SimulatedSession::send, nb::arg("message"));
  session.def("log_out", &SimulatedSession::log_out, nb::arg("text") = "");
  session.def("call_after", &SimulatedSession::call_after, nb::arg("seconds"), nb::arg("call"));
  session.def_prop_ro("id", &SimulatedSession::id);
  session.def_prop_ro("is_logged_on", &SimulatedSession::is_logged_on);
  nb::class_<SimulatedWorld> world{module, "SimulatedWorld"};
  world.def(nb::init<std::uint64_t, const std::string&>(), nb::arg("seed"), nb::arg("faults"));
  world.def("add", &SimulatedWorld::add, nb::arg("name"), nb::arg("settings"), nb::arg("make"));
  world.def("run", &SimulatedWorld::run, nb::arg("seconds"));
  world.def("settle", &SimulatedWorld::settle, nb::arg("seconds"));
  world.def("after", &SimulatedWorld::after, nb::arg("seconds"), nb::arg("call"));
  world.def("kill", &SimulatedWorld::kill, nb::arg("process"));
  world.def("application", &SimulatedWorld::application, nb::arg("process"));
  world.def_prop_ro("now", &SimulatedWorld::now);
  world.def_prop_ro("violation", &SimulatedWorld::violation);
}

}  // namespace nexusfix::python
