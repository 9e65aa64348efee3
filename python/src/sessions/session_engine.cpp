#include "python/src/sessions/session_engine.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/store.hpp>

#include "config/api/settings.hpp"
#include "python/src/errors.hpp"
#include "python/src/sessions/event_channel.hpp"
#include "python/src/sessions/gated_network.hpp"
#include "python/src/sessions/relay.hpp"

namespace nexusfix::python {

// All of an engine. Its thread shares it with the object of Python, and the last one destroys it.
struct EngineState {
  EventChannel channel;
  SessionPorts ports;
  std::optional<GatedNetwork> network;
  std::optional<Relay> relay;
  std::optional<engine::Engine> engine;
  std::optional<engine::Remote> remote;
};

namespace {

// Threads of engines that run, so that the process does not end under them.
class RunningEngines {
 public:
  void add() {
    const std::lock_guard lock{mutex_};
    if (process_.exchange(::getpid()) != ::getpid()) count_ = 0;  // a child of fork() has none
    ++count_;
  }
  void remove_at_end_of_thread() {
    std::unique_lock lock{mutex_};
    --count_;
    std::notify_all_at_thread_exit(ended_, std::move(lock));
  }
  void wait(std::chrono::duration<double> timeout) {
    // In a child of fork() another thread of the parent may have had the mutex, for ever.
    if (process_.load() != ::getpid()) return;
    std::unique_lock lock{mutex_};
    ended_.wait_for(lock, timeout, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t count_ = 0;
  std::atomic<pid_t> process_{::getpid()};
};

// Never destroyed: a thread may end after the destructors of static objects.
RunningEngines& running_engines() {
  static RunningEngines& engines = *new RunningEngines;
  return engines;
}

[[noreturn]] void raise_configuration_error(const std::string& text, nb::list faults) {
  nb::object type = nb::module_::import_("nexusfix.errors").attr("ConfigurationError");
  const nb::object error = type(text, faults);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error{};
}

[[noreturn]] void raise_session_error(const char* type, const std::string& text) {
  raise({.type = type, .text = text, .tag = {}, .offset = {}, .rule = {}});
}

void raise_settings_errors(const config::SettingsErrors& errors) {
  std::string text;
  nb::list faults;
  for (const config::SettingsError& error : errors) {
    if (!text.empty()) text += '\n';
    text += error.what();
    faults.append(nb::make_tuple(error.file, error.line, error.text));
  }
  raise_configuration_error(text, std::move(faults));
}

void refuse_setting(const config::Settings& settings, std::size_t line, const std::string& text) {
  raise_settings_errors({{.file = settings.file, .line = line, .text = text}});
}

void check_event_loops(const config::Settings& settings) {
  if (settings.event_loops == 1) return;
  refuse_setting(settings, 0, "EventLoops: a program in Python has one event loop");
}

void check_settings(const config::Settings& settings, bool is_initiator) {
  check_event_loops(settings);
  for (const config::SessionSettings& session : settings.sessions) {
    const bool is_ours = (session.session.role == session::Role::Initiator) == is_initiator;
    if (is_ours) continue;
    refuse_setting(
        settings, session.line,
        std::string{"ConnectionType: "} + (is_initiator ? "an Initiator has sessions that initiate"
                                                        : "an Acceptor has sessions that accept"));
  }
}

}  // namespace

SessionEngine::SessionEngine(EngineRequest request)
    : dictionary_{request.dictionary}, process_{::getpid()} {
  open(request);
}

void SessionEngine::open(EngineRequest& request) {
  std::expected<config::Settings, config::SettingsErrors> settings;
  {
    const nb::gil_scoped_release released;
    PosixDisk disk;
    settings = request.text ? config::parse_settings(*request.text, request.path)
                            : config::load_settings(disk, request.path);
  }
  if (!settings) raise_settings_errors(settings.error());
  check_settings(*settings, request.is_initiator);
  auto system = transport::make_epoll_network(settings->threads.busy_poll);
  if (!system) raise_session_error("SessionError", system.error().text);

  auto made = std::make_shared<EngineState>();
  EngineState& state = *made;
  state.network.emplace(std::move(*system), state.ports, request.waiting_bytes_max);
  const bool asks_counterparty = request.asks_logons && !request.is_initiator;
  state.relay.emplace(state.channel, state.ports, *state.network, asks_counterparty);
  std::vector<std::pair<std::string, std::vector<std::string>>> hosts;
  for (const config::SessionSettings& session : settings->sessions) {
    auto& [name, list] =
        hosts.emplace_back(session.session.id.to_string(), std::vector<std::string>{});
    for (const transport::Endpoint& place : session.connect) {
      list.push_back(place.host + ":" + std::to_string(place.port));
    }
  }
  const engine::EngineOptions options{.network = &*state.network,
                                      .log = &*state.relay,
                                      .parts = {.passwords = engine::password_part()}};
  std::optional<std::string> failed;
  {
    const nb::gil_scoped_release released;
    auto engine = engine::Engine::open(std::move(*settings), *state.relay, options);
    if (engine) {
      state.engine.emplace(std::move(*engine));
      state.relay->set_store(state.engine->store());
      state.remote.emplace(state.engine->remote());
      for (engine::Session& session : state.engine->sessions()) {
        SessionPort& port = state.relay->port_of(session);
        for (auto& [name, list] : hosts) {
          if (name == port.name) port.hosts = std::move(list);
        }
      }
    } else {
      failed = engine.error().text;
    }
  }
  if (failed) raise_configuration_error(*failed, nb::list{});
  GatedNetwork::Hooks hooks{.on_turn = [&state] { state.relay->on_turn(); }, .on_logon_wanted = {}};
  if (request.asks_logons && request.is_initiator) {
    hooks.on_logon_wanted = [&state](SessionPort& port) {
      state.channel.push({.kind = EventKind::LogonWanted, .session = port.id});
    };
  }
  state.network->set_hooks(std::move(hooks));
  state_ = std::move(made);
}

SessionEngine::~SessionEngine() {
  if (process_ != ::getpid()) {
    // A child of fork() has no thread of the engine: nothing of it may be destroyed.
    static_cast<void>(new std::shared_ptr{std::move(state_)});
    return;
  }
  if (!state_) return;
  state_->engine->stop();
  const nb::gil_scoped_release released;
  state_.reset();
}

EngineState& SessionEngine::state() const {
  if (process_ != ::getpid()) {
    raise_session_error("SessionError", "a child of fork() has no engine: open one in the child");
  }
  if (!state_) raise_session_error("SessionClosedError", "the engine has ended");
  return *state_;
}

SessionPort& SessionEngine::port_of(std::uint32_t session) const {
  static_cast<void>(state());
  if (session >= ports_.size()) raise_session_error("SessionError", "no such session");
  return *ports_[session];
}

void SessionEngine::start() {
  running_engines().add();
  static_cast<void>(state());
  std::promise<void> ended;
  ended_ = ended.get_future();
  std::thread{[state = state_, ended = std::move(ended)]() mutable {
    const int result = state->engine->run();
    state->relay->end(result);
    state.reset();
    ended.set_value();
    running_engines().remove_at_end_of_thread();
  }}.detach();
}

int SessionEngine::descriptor() const { return state().channel.descriptor(); }

nb::object SessionEngine::message_of(std::string_view bytes) const {
  try {
    return nb::steal(make_message(bytes, dictionary_));
  } catch (nb::python_error& error) {
    return nb::borrow(error.value());
  }
}

nb::list SessionEngine::drain(std::size_t count_max) {
  EngineState& state = this->state();
  nb::list events;
  state.channel.drain(count_max, [&](const EventHeader& header, std::string_view text) {
    const auto kind = static_cast<int>(header.kind);
    const auto readable = [text] {
      return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                            "backslashreplace"));
    };
    switch (header.kind) {
      case EventKind::Message:
        events.append(nb::make_tuple(kind, header.session, message_of(text), text.size()));
        return;
      case EventKind::LoggedOn:
      case EventKind::LoggedOut:
      case EventKind::LogonWanted:
        events.append(nb::make_tuple(kind, header.session));
        return;
      case EventKind::Disconnected:
        events.append(nb::make_tuple(kind, header.session, header.is_set, readable()));
        return;
      case EventKind::Sent: {
        const bool has_code = header.code != 0;
        const auto failure = static_cast<engine::SendFailure>(header.code - 1);
        const std::string_view why = has_code ? engine::to_string(failure) : std::string_view{};
        events.append(nb::make_tuple(kind, header.token, header.number, header.is_set, readable(),
                                     std::string{why}));
        return;
      }
      case EventKind::NewSession: {
        auto* const port = reinterpret_cast<SessionPort*>(header.number);  // as port_of() wrote it
        ports_.push_back(port);
        const session::SessionId& id = port->identity;
        events.append(nb::make_tuple(kind, header.session, port->name, id.begin_string,
                                     id.sender_comp_id, id.target_comp_id, id.qualifier));
        return;
      }
      case EventKind::LogonRequest:
        events.append(nb::make_tuple(kind, header.session, header.number, message_of(text)));
        return;
      case EventKind::Log:
        events.append(nb::make_tuple(kind, header.code, header.number, readable()));
        return;
      case EventKind::End:
        events.append(nb::make_tuple(kind, header.number));
        return;
    }
  });
  if (state.channel.has_waiting()) state.network->wake();
  return events;
}

void SessionEngine::release(std::uint32_t session, std::uint64_t bytes) {
  SessionPort& port = port_of(session);
  port.waiting_bytes.fetch_sub(bytes);
  if (port.is_held.load() && state().network->may_go_on(port)) state().network->wake();
}

bool SessionEngine::send(std::uint32_t session, const MessageObject& message, std::uint64_t token) {
  const SessionPort& port = port_of(session);
  const wire::MessageView& view = message.scope.view;
  if (view.begin_string() != port.identity.begin_string) {
    raise_session_error("SendError", "the message is of " + std::string{view.begin_string()} +
                                         ", and the session of " + port.identity.begin_string);
  }
  auto owned = wire::to_owned(view, *std::pmr::new_delete_resource());
  if (!owned) throw std::bad_alloc{};
  const auto posted = state().remote->post(
      port.handle,
      [outgoing = std::move(*owned)](engine::Session& to) {
        return send_fields(to, outgoing.view());
      },
      [relay = &*state().relay, token](const engine::PostResult& result) {
        relay->report(token, result);
      });
  if (posted) return true;
  if (posted.error().failure == engine::RemoteError::Failure::Full) return false;
  raise_session_error("SessionClosedError", posted.error().what());
}

namespace {

// A command of a session. An engine that has ended has nothing left to do.
template <class Task>
void post(EngineState& state, const SessionPort& port, Task&& task) {
  const auto posted = state.remote->post(port.handle, std::forward<Task>(task));
  if (!posted && posted.error().failure == engine::RemoteError::Failure::Full) {
    raise_session_error("SessionError", posted.error().what());
  }
}

LogonFields fields_of(const MessageObject* message, const std::string& why) {
  LogonFields logon{.state = LogonFields::State::Refused, .text = why, .fields = {}};
  if (message == nullptr) return logon;
  logon.state = LogonFields::State::Ready;
  for (const wire::FieldView field : message->scope.view) {
    if (wire::belongs_to_session(field.tag)) continue;
    logon.fields.emplace_back(field.tag, std::string{field.value});
  }
  return logon;
}

}  // namespace

void SessionEngine::log_out(std::uint32_t session, const std::string& text) {
  post(state(), port_of(session), [text](engine::Session& of) { of.log_out(text); });
}
void SessionEngine::log_on(std::uint32_t session) {
  post(state(), port_of(session), [](engine::Session& of) { of.log_on(); });
}
void SessionEngine::disconnect(std::uint32_t session, const std::string& why) {
  post(state(), port_of(session), [why](engine::Session& of) { of.disconnect(why); });
}

void SessionEngine::give_logon(std::uint32_t session, const MessageObject* message,
                               const std::string& why) {
  auto given = std::make_unique<LogonFields>(fields_of(message, why));
  SessionPort& port = port_of(session);
  post(state(), port,
       [&port, given = std::move(given)](engine::Session&) { port.logon = std::move(*given); });
}

void SessionEngine::answer_logon(std::uint32_t session, std::uint64_t request, bool is_accepted,
                                 const std::string& text) {
  auto answer = is_accepted ? engine::LogonAnswer::accept() : engine::LogonAnswer::refuse(text);
  post(state(), port_of(session),
       [request, answer](engine::Session& of) { of.answer_logon(request, answer); });
}

void SessionEngine::stop() { state().engine->stop(); }

void SessionEngine::close() {
  static_cast<void>(state());
  const nb::gil_scoped_release released;
  if (ended_.valid()) ended_.wait();
  state_.reset();
}

std::uint16_t SessionEngine::port() const { return state().engine->accept_port(); }

std::string SessionEngine::why(std::uint32_t session) const {
  const SessionPort& port = port_of(session);
  for (const engine::SessionStatistics& one : state().engine->statistics().sessions) {
    if (one.name == port.name) return one.why;
  }
  return {};
}

config::Settings parsed_settings(const std::string& text, const std::string& name) {
  auto settings = config::parse_settings(text, name);
  if (!settings) raise_settings_errors(settings.error());
  check_event_loops(*settings);
  return std::move(*settings);
}

void join_engines(double seconds) {
  const nb::gil_scoped_release released;
  running_engines().wait(std::chrono::duration<double>{seconds});
}

void add_session_engine(nb::module_& module) {
  nb::class_<SessionEngine> type{module, "SessionEngine"};
  type.def(
      "__init__",
      [](SessionEngine* self, std::string path, std::optional<std::string> text, bool is_initiator,
         bool asks_logons, std::uint64_t waiting_bytes_max, std::shared_ptr<Catalog> dictionary) {
        new (self) SessionEngine{{.path = std::move(path),
                                  .text = std::move(text),
                                  .is_initiator = is_initiator,
                                  .asks_logons = asks_logons,
                                  .waiting_bytes_max = waiting_bytes_max,
                                  .dictionary = std::move(dictionary)}};
      },
      nb::arg("path"), nb::arg("text").none(), nb::arg("is_initiator"), nb::arg("asks_logons"),
      nb::arg("waiting_bytes_max"), nb::arg("dictionary").none());
  type.def("start", &SessionEngine::start);
  type.def("drain", &SessionEngine::drain, nb::arg("count_max"));
  type.def("release", &SessionEngine::release, nb::arg("session"), nb::arg("size"));
  type.def("send", &SessionEngine::send, nb::arg("session"), nb::arg("message"), nb::arg("token"));
  type.def("log_out", &SessionEngine::log_out, nb::arg("session"), nb::arg("text"));
  type.def("log_on", &SessionEngine::log_on, nb::arg("session"));
  type.def("disconnect", &SessionEngine::disconnect, nb::arg("session"), nb::arg("why"));
  type.def("give_logon", &SessionEngine::give_logon, nb::arg("session"), nb::arg("message").none(),
           nb::arg("why"));
  type.def("answer_logon", &SessionEngine::answer_logon, nb::arg("session"), nb::arg("request"),
           nb::arg("is_accepted"), nb::arg("text"));
  type.def("stop", &SessionEngine::stop);
  type.def("close", &SessionEngine::close);
  type.def("why", &SessionEngine::why, nb::arg("session"));
  type.def_prop_ro("descriptor", &SessionEngine::descriptor);
  type.def_prop_ro("port", &SessionEngine::port);
  module.def("join_engines", join_engines, nb::arg("seconds"));
}

}  // namespace nexusfix::python
