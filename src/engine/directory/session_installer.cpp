// Adds sessions to a running loop: all of them or none.
#include "engine/directory/session_installer.hpp"

#include <algorithm>

#include "base/api/exceptions.hpp"
#include "config/api/logon_signer.hpp"
#include "config/api/preflight.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

std::expected<void, EngineError> SessionInstaller::add_sessions(Settings settings) {
  if (!sessions_.transactor.is_idle()) {
    return std::unexpected{EngineError{"sessions are not added from within a callback"}};
  }
  if (loop_.work.is_stopping() || io_.commit.has_failed())
    return std::unexpected{EngineError{"the engine is stopping"}};
  static_cast<void>(sessions_.transactor.now());
  const std::size_t first_template = sessions_.templates.all().size();
  auto made = make_sessions(std::move(settings), nullptr);
  if (!made) return std::unexpected{std::move(made.error())};
  UndoGuard undo{[&] {
    while (sessions_.templates.all().size() > first_template)
      sessions_.templates.drop(sessions_.templates.all().size() - 1);
    discard_new(*made);
  }};
  for (SessionEntry* entry : made->entries) sessions_.registry.activate(*entry);
  for (SessionTemplate& one : made->templates) {
    io_.listeners.all()[one.listener].release();
    sessions_.templates.add(one);
  }
  undo.keep();
  for (SessionEntry* entry : made->entries) admit(*entry);
  return {};
}

// The error, if these sessions cannot all be added.
std::optional<EngineError> SessionInstaller::find_conflict(const Settings& settings) const {
  std::set<std::string, std::less<>> names;
  for (const SessionSettings& one : settings.sessions) {
    const std::string name = one.session.id.to_string();
    std::string wrong{session::validate(one.session)};
    std::size_t line = one.line;
    if (one.tls && !loop_.networks.tls) wrong = "TLS, in an engine that had none at its start";
    if (one.accept && one.accept->trusted_proxies && !loop_.networks.proxied) {
      wrong = "UseTCPProxy, in an engine that had none at its start";
    }
    const auto has_proxy = [](const auto& endpoint) { return endpoint.proxy != nullptr; };
    if (std::ranges::any_of(one.connect, has_proxy) && !loop_.networks.tunnel) {
      wrong = "ProxyType, in an engine that had none at its start";
    }
    if (!one.credentials.password_file.empty() && !loop_.shared.credentials) {
      wrong = "PasswordFile, in an engine that had none at its start";
    }
    if (auto missing = config::missing_parts(one, loop_.parts); !missing.empty()) {
      wrong = std::move(missing.front().text);
      line = missing.front().line;
    }
    if (!one.is_template &&
        (sessions_.registry.find(name) != nullptr || !names.insert(name).second)) {
      wrong = "there is such a session already";
    }
    if (wrong.empty()) continue;
    return EngineError{SettingsError{settings.file, line, name + ": " + wrong}.what()};
  }
  return std::nullopt;
}

std::expected<void, EngineError> SessionInstaller::read_what_is_named(Settings& settings) {
  if (loop_.shared.tls) {
    if (const auto errors = loop_.shared.tls->give(settings, *loop_.disk); !errors.empty()) {
      return std::unexpected{to_error(errors)};
    }
  }
  if (const auto errors = config::give_signers(settings, *loop_.disk, /*with_commands=*/true);
      !errors.empty()) {
    return std::unexpected{to_error(errors)};
  }
  return load_dictionaries(loop_, settings);
}

// All sessions or none. Their ports are open afterwards. read: the dictionaries' other content;
// null: dictionaries and certificates are still to be read.
std::expected<NewSessions, EngineError> SessionInstaller::make_sessions(
    Settings settings, const config::InDictionaries* read) {
  if (auto obstacle = find_conflict(settings)) return std::unexpected{std::move(*obstacle)};
  if (read != nullptr) {
    use_dictionaries(loop_, *read);
  } else if (auto done = read_what_is_named(settings); !done) {
    return std::unexpected{std::move(done.error())};
  }
  sessions_.registry.clear_doubts();
  if (auto adopted = sessions_.registry.adopt_former_names(settings.sessions); !adopted) {
    return std::unexpected{EngineError{std::move(adopted.error().text)}};
  }
  NewSessions made;
  made.entries.reserve(settings.sessions.size());
  made.templates.reserve(settings.sessions.size());
  sessions_.templates.all().reserve(sessions_.templates.all().size() + settings.sessions.size());
  UndoGuard undo{[&] { discard_new(made); }};
  for (SessionSettings& one : settings.sessions) {
    if (auto done = make_session(std::move(one), settings.file, made); !done)
      return std::unexpected{std::move(done.error())};
  }
  undo.keep();
  return made;
}

std::expected<void, EngineError> SessionInstaller::make_session(SessionSettings settings,
                                                                const std::string& file,
                                                                NewSessions& made) {
  std::size_t listener = 0;
  if (settings.accept) {
    const auto listening = io_.listeners.listen_for(settings, file);
    if (!listening) return std::unexpected{listening.error()};
    listener = *listening;
    io_.listeners.all()[listener].keep();
  }
  if (settings.is_template) {
    made.templates.push_back({std::move(settings), listener, nullptr});
    return {};
  }
  const auto entry = sessions_.registry.make_inactive_entry(std::move(settings));
  if (!entry) return std::unexpected{EngineError{entry.error().text}};
  (*entry)->acceptor.listen_at(listener);
  made.entries.push_back(*entry);
  return {};
}

void SessionInstaller::admit(SessionEntry& entry) {
  sessions_.registry.activate(entry);
  if (entry.settings().accept) io_.listeners.all()[entry.acceptor.listener()].release();
  loop_.report.session(EventId::SessionAdded, entry, "session added");
  sessions_.control.follow_schedule(entry);
}

void SessionInstaller::discard_new(NewSessions& made) noexcept {
  for (SessionEntry* entry : made.entries) {
    if (entry != nullptr) sessions_.registry.destroy(*entry);
  }
  made = {};
  for (Listener& listener : io_.listeners.all()) listener.release();
  close_unused(io_.listeners, sessions_.registry, sessions_.templates);
  io_.listeners.open_displaced();
}

}  // namespace nexusfix::engine
