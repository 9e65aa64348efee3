#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/proxy.hpp>

#include "c/src/engine_data.hpp"
#include "c/src/message_data.hpp"
#include "c/src/results.hpp"
#include "config/api/settings.hpp"

namespace engine = nexusfix::engine;
namespace config = nexusfix::config;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
using nexusfix::c::to_text;

namespace {

// Attached to a session of the engine: the interface sees that the session is no more.
struct Attachment {
  explicit Attachment(nxf_session& of) : port{&of} {}
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment() {
    port->encoder.give_up();
    port->session = nullptr;
    port->is_logged_on = false;
  }
  nxf_session* port;
};

}  // namespace

nxf_session::nxf_session(nxf_engine& of, engine::Session& from)
    : engine{of}, handle{from.handle()}, name{from.name()}, session{&from} {
  encoder.is_of_session = true;
}

nxf_engine::nxf_engine(const nxf_application& given) : application{given} {
  if (given.dictionary != nullptr) dictionary = given.dictionary->data;
}

nxf_session& nxf_engine::port_of(engine::Session& session) {
  if (const Attachment* const known = session.data<Attachment>()) return *known->port;
  const std::lock_guard lock{mutex};
  // A session that was removed and added again keeps its handle of the interface.
  for (nxf_session& one : sessions) {
    if (one.session != nullptr || one.name != session.name()) continue;
    one.session = &session;
    one.handle = session.handle();
    session.attach<Attachment>(one);
    return one;
  }
  nxf_session& made = sessions.emplace_back(*this, session);
  session.attach<Attachment>(made);
  return made;
}

void nxf_engine::on_logon(engine::Session& session) {
  nxf_session& port = port_of(session);
  port.is_logged_on = true;
  if (application.on_logon != nullptr) application.on_logon(application.user_data, &port);
}

void nxf_engine::on_logout(engine::Session& session) {
  nxf_session& port = port_of(session);
  port.is_logged_on = false;
  if (application.on_logout != nullptr) application.on_logout(application.user_data, &port);
}

void nxf_engine::on_disconnect(engine::Session& session, const engine::Disconnection& gone) {
  if (application.on_disconnect == nullptr) return;
  application.on_disconnect(application.user_data, &port_of(session), gone.is_orderly ? 1 : 0,
                            to_text(gone.text));
}

engine::MessageReply nxf_engine::on_message(engine::Session& session,
                                            const nexusfix::wire::MessageView& message) {
  if (application.on_message == nullptr) return engine::unsupported_message_type();
  const nxf_message shown{.view = message, .dictionary = dictionary, .owned = {}};
  nxf_reply reply;
  application.on_message(application.user_data, &port_of(session), &shown, &reply);
  return reply.reply;
}

void nxf_engine::on_admin(engine::Session& session, const nexusfix::wire::MessageView& message) {
  if (application.on_admin == nullptr) return;
  const nxf_message shown{.view = message, .dictionary = dictionary, .owned = {}};
  application.on_admin(application.user_data, &port_of(session), &shown);
}

void nxf_engine::on_not_sent(engine::Session& session, const engine::NotSentMessage& message) {
  if (application.on_not_sent == nullptr) return;
  const std::string why = message.why.what();
  application.on_not_sent(application.user_data, &port_of(session), to_text(message.bytes),
                          to_text(why));
}

void nxf_engine::write(const nexusfix::observe::Event& event) {
  application.on_event(application.user_data, static_cast<std::uint32_t>(event.id),
                       static_cast<std::int32_t>(event.severity()), to_text(event.session),
                       to_text(event.text));
}

namespace {

nxf_status report_settings(nxf_error* error, const config::SettingsErrors& found) {
  std::string text;
  for (const config::SettingsError& one : found) {
    if (!text.empty()) text += '\n';
    text += one.what();
  }
  return report(error, NXF_CONFIGURATION, {.text = text});
}

nxf_status open_engine(std::expected<config::Settings, config::SettingsErrors> settings,
                       const nxf_application& application, nxf_engine** to, nxf_error* error) {
  if (!settings) return report_settings(error, settings.error());
  if (settings->event_loops != 1) {
    return report(error, NXF_CONFIGURATION,
                  {.text = "EventLoops: an engine of the C interface has one event loop"});
  }
  auto made = std::make_unique<nxf_engine>(application);
  engine::EngineOptions options;
  if (application.on_event != nullptr) options.log = made.get();
  options.parts.passwords = engine::password_part();
  options.parts.proxy = nexusfix::transport::proxy_part();
  auto opened = engine::Engine::open(std::move(*settings), *made, options);
  if (!opened) return report(error, NXF_CONFIGURATION, {.text = opened.error().text});
  made->engine.emplace(std::move(*opened));
  made->remote.emplace(made->engine->remote());
  for (engine::Session& session : made->engine->sessions()) made->port_of(session);
  *to = made.release();
  return NXF_OK;
}

[[nodiscard]] bool read_application(const nxf_application* from, nxf_application& to) {
  constexpr std::size_t kFirstSize = offsetof(nxf_application, dictionary) + sizeof to.dictionary;
  return nexusfix::c::read_options(from, kFirstSize, to);
}

nxf_status result_of(int code) { return code == 0 ? NXF_OK : NXF_IO; }

}  // namespace

nxf_status nxf_engine_open(const char* path, const nxf_application* application,
                           nxf_engine** engine, nxf_error* error) {
  nxf_application given{};
  if (path == nullptr || engine == nullptr) {
    return refuse_argument(error, "nxf_engine_open: an argument is NULL");
  }
  *engine = nullptr;
  if (!read_application(application, given)) {
    return refuse_argument(error, "nxf_application: struct_size is too small");
  }
  return guarded(error, [&] {
    nexusfix::PosixDisk disk;
    return open_engine(config::load_settings(disk, path), given, engine, error);
  });
}

nxf_status nxf_engine_open_text(const char* text, size_t size, const char* name,
                                const nxf_application* application, nxf_engine** engine,
                                nxf_error* error) {
  nxf_application given{};
  if (text == nullptr || name == nullptr || engine == nullptr) {
    return refuse_argument(error, "nxf_engine_open_text: an argument is NULL");
  }
  *engine = nullptr;
  if (!read_application(application, given)) {
    return refuse_argument(error, "nxf_application: struct_size is too small");
  }
  return guarded(error, [&] {
    return open_engine(config::parse_settings(text_of(text, size), name), given, engine, error);
  });
}

void nxf_engine_free(nxf_engine* engine) { delete engine; }

nxf_status nxf_engine_run(nxf_engine* engine) {
  if (engine == nullptr) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&] { return result_of(engine->engine->run()); });
}

nxf_status nxf_engine_poll(nxf_engine* engine, int64_t timeout_ns) {
  if (engine == nullptr || timeout_ns < 0) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> nxf_status {
    const bool goes_on = engine->engine->poll(std::chrono::nanoseconds{timeout_ns});
    return goes_on ? NXF_OK : NXF_END;
  });
}

nxf_status nxf_engine_start(nxf_engine* engine) {
  if (engine == nullptr) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&] {
    engine->engine->start();
    return NXF_OK;
  });
}

nxf_status nxf_engine_join(nxf_engine* engine) {
  if (engine == nullptr) return NXF_INVALID_ARGUMENT;
  return guarded(nullptr, [&] { return result_of(engine->engine->join()); });
}

void nxf_engine_stop(nxf_engine* engine) {
  if (engine != nullptr) engine->engine->stop();
}

uint16_t nxf_engine_port(const nxf_engine* engine) {
  return engine == nullptr ? std::uint16_t{0} : engine->engine->accept_port();
}

nxf_session* nxf_engine_session_at(nxf_engine* engine, size_t index) {
  if (engine == nullptr) return nullptr;
  const std::lock_guard lock{engine->mutex};
  return index < engine->sessions.size() ? &engine->sessions[index] : nullptr;
}

nxf_session* nxf_engine_session(nxf_engine* engine, const char* name) {
  if (engine == nullptr || name == nullptr) return nullptr;
  const std::lock_guard lock{engine->mutex};
  for (nxf_session& one : engine->sessions) {
    if (one.name == name) return &one;
  }
  return nullptr;
}
