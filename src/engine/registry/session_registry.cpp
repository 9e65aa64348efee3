// Sessions that come and go: of the file at the start, added, made of a template, removed.
#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/loop/event_loop.hpp"
#include "engine/sessions/validators.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::size_t kDynamicCompIdBytesMax = 64;

session::Numbers to_numbers(const store::SessionRecord& record) {
  return {.next_inbound = record.next_inbound, .next_outbound = record.next_outbound};
}

// A CompID out of a stranger's Logon becomes part of names, in the store, in logs and of files:
// there it must be taken for nothing else.
bool may_be_named(std::string_view comp_id) noexcept {
  return !comp_id.empty() && comp_id.size() <= kDynamicCompIdBytesMax && comp_id != "." &&
         comp_id != ".." && std::ranges::all_of(comp_id, [](char byte) {
           constexpr std::string_view kOthers = "._-+@#$%&=()[]";
           return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                  (byte >= 'a' && byte <= 'z') || kOthers.find(byte) != std::string_view::npos;
         });
}

// At the key that is to be another one.
EngineError cannot_listen(const SessionSettings& settings, const std::string& file,
                          const transport::NetworkError& error) {
  const transport::Endpoint& endpoint = *settings.accept;
  const bool is_of_port =
      endpoint.host.empty() || error.error_number == EADDRINUSE || error.error_number == EACCES;
  const std::string what =
      is_of_port ? "SocketAcceptPort=" + std::to_string(endpoint.port) + ": " + error.text +
                       "; a port was expected that is free, and that this process may listen on"
                 : "SocketAcceptAddress=" + endpoint.host + ": " + error.text +
                       "; an address of this machine was expected";
  const std::size_t line = is_of_port ? settings.accept_port_line : settings.accept_host_line;
  return {SettingsError{file, line, what}.what()};
}

bool is_same(const transport::Endpoint& a, const transport::Endpoint& b) {
  return a.host == b.host && a.port == b.port;
}

}  // namespace

std::expected<void, EngineError> EventLoop::make_parsers(Settings& settings) {
  report_all(settings.warnings);
  const auto found = make_validators(settings, *seams_.disk);
  if (!found) return std::unexpected{to_error(found.error())};
  use_dictionaries(*found);
  return {};
}

void EventLoop::use_dictionaries(const InDictionaries& found) {
  for (const SettingsError& one : found.warnings) {
    const std::string text = one.what();
    // Several loops read the same dictionaries.
    if (seams_.directory && !seams_.directory->is_said_first(text)) continue;
    report_.engine(one.is_note ? EventId::DictionaryNote : EventId::DictionaryWarning, text);
  }
  for (const wire::DataFieldPair pair : found.data_fields.pairs()) data_fields_.add(pair);
  parser_ = wire::Parser{data_fields_};
  sending_parser_ = wire::Parser{data_fields_};
}

store::StoreResult<SessionEntry*> EventLoop::make_entry(SessionSettings settings) {
  const auto entry = make_inactive_entry(std::move(settings));
  if (!entry) return entry;
  try {
    activate(**entry);
  } catch (const std::bad_alloc&) {
    destroy(**entry);
    throw;
  }
  return entry;
}

store::StoreResult<SessionEntry*> EventLoop::make_inactive_entry(SessionSettings settings) {
  const std::string name = settings.session.id.to_string();
  if (seams_.directory) {
    if (const std::uint32_t home = seams_.directory->settle(name, loop()); home != loop()) {
      return std::unexpected{
          store::StoreError{store::StoreErrorCode::SessionRefused,
                            name + ": it is stored in loop " + std::to_string(home)}};
    }
  }
  if (const auto doubt = doubtful_names_.find(name); doubt != doubtful_names_.end()) {
    return std::unexpected{
        store::StoreError{store::StoreErrorCode::SessionRefused, name + ": " + doubt->second}};
  }
  const auto key = store_->open_session(name, now_.wall);
  if (!key) return std::unexpected{key.error()};
  const std::size_t count = entries_.size();
  try {
    SessionEntry* const entry = add_entry(std::move(settings), to_numbers(store_->session(*key)));
    give_key(*entry, *key);
    entry->handle_key = *key;
    entry->log = report_.logs().join(entry->settings, data_fields_, now_.wall);
    return entry;
  } catch (const std::bad_alloc&) {
    if (entries_.size() > count) destroy(*entries_.back());
    throw;
  }
}

SessionEntry* EventLoop::add_entry(SessionSettings settings, session::Numbers numbers) {
  undo_log_.reserve(entries_.size() + 2);
  deferred_.reserve(entries_.size() + 1);
  session_timers_.reserve(entries_.size() + 1);
  SessionEntry& entry =
      *entries_.emplace_back(std::make_unique<SessionEntry>(*this, std::move(settings), numbers));
  entry.is_out = true;
  note_rules(entry.settings);
  by_name_.emplace(entry.name, &entry);
  return &entry;
}

void EventLoop::give_key(SessionEntry& entry, store::SessionKey key) {
  if (by_key_.size() <= key) by_key_.resize(key + std::size_t{1});
  by_key_[key] = &entry;
  entry.key = key;
}

// From here on it lets its counterparty in, or connects. Once more does no harm.
void EventLoop::activate(SessionEntry& entry) {
  if (entry.settings.session.role == session::Role::Initiator) {
    entry.is_out = false;
    entry.connect_policy.log_on(entry.connection != nullptr, now_.mono);
    return arm(entry, entry.connect_policy.connect_at());
  }
  // A qualifier does not travel; the configuration refuses it for acceptors.
  acceptors_.emplace(entry.name, &entry);
  if (seams_.directory) seams_.directory->add_acceptor(entry.name, loop());
  entry.is_out = false;
}

// "TLS", "proxies", or nothing of both.
std::string_view EventLoop::difference_from(const transport::Endpoint& used,
                                          const transport::Endpoint& wanted) const {
  if (used.tls != wanted.tls) return "TLS";
  if (used.trusted_proxies != wanted.trusted_proxies) return "UseTCPProxy";
  return seams_.directory ? seams_.directory->difference(wanted) : std::string_view{};
}

namespace {

// For the loop that listens: nobody uses one of its ports any more.
class CloseUnused final : public LoopTask {
 public:
  void run(EventLoop& event_loop) override { event_loop.close_unused_listeners(); }
};

}  // namespace

std::expected<void, transport::NetworkError> EventLoop::open_listener(
    Listener& listener, const transport::Endpoint& wanted) {
  const auto listen = [&]() -> std::expected<void, transport::NetworkError> {
    const auto socket = seams_.network->listen(wanted);
    if (!socket) return std::unexpected{socket.error()};
    listener.socket = *socket;
    return {};
  };
  if (!seams_.directory) {
    if (listener.socket != 0) return {};
    auto done = listen();
    if (!done && done.error().error_number == EADDRINUSE && displace_for(wanted)) done = listen();
    return done;
  }
  if (!listener.close_unused) listener.close_unused = std::make_unique<CloseUnused>();
  const auto is_own = seams_.directory->claim(wanted, loop(), listen);
  if (!is_own) return std::unexpected{is_own.error()};
  listener.is_elsewhere = !*is_own;
  return {};
}

// Sessions of one endpoint share its listener.
std::expected<std::size_t, EngineError> EventLoop::listen_for(const SessionSettings& settings,
                                                            const std::string& file) {
  const transport::Endpoint& wanted = *settings.accept;
  std::size_t index = 0;
  while (index < listeners_.size() && !is_same(listeners_[index].endpoint, wanted)) ++index;
  if (index == listeners_.size()) listeners_.push_back({.endpoint = wanted});
  Listener& listener = listeners_[index];
  if (listener.socket == 0 && !listener.is_elsewhere) listener.endpoint = wanted;
  if (const std::string_view different = difference_from(listener.endpoint, wanted);
      !different.empty() && !listens_by_file_) {
    const std::string what = "[SESSION]: its " + std::string{different} +
                             " differs from that of who listens there already";
    return std::unexpected{EngineError{SettingsError{file, settings.line, what}.what()}};
  }
  const bool was_open = listener.socket != 0;
  if (auto opened = open_listener(listener, wanted); !opened) {
    return std::unexpected{cannot_listen(settings, file, opened.error())};
  }
  if (listener.socket != 0 && !was_open) {
    listener.port = seams_.network->local_port(listener.socket);
    listener.logon_timeout = {};
    listener.allowed = {};
    listener.pending_limits = {};
    listener.logon_bytes_max = 0;
    const std::string host = wanted.host.empty() ? "*" : wanted.host;
    report_.engine(EventId::PortOpened,
                   "listening on " + host + " port " + std::to_string(listener.port));
  }
  listener.logon_timeout = std::max(listener.logon_timeout, settings.session.logon.timeout);
  listener.pending_limits.widen(
      {settings.admission.pending_logons_max, settings.admission.pending_logons_per_address_max});
  listener.logon_bytes_max = std::max(listener.logon_bytes_max, settings.limits.logon_bytes_max);
  listener.allowed.allow(settings.admission.allowed_remote_addresses);
  if (seams_.directory) {
    seams_.directory->allow(wanted, loop(), listener.allowed, listener.logon_bytes_max);
  }
  return index;
}

// Sessions of one endpoint are asked for once.
std::expected<void, EngineError> EventLoop::could_listen(const Settings& settings) const {
  std::vector<const transport::Endpoint*> asked;
  EngineError errors;
  for (const SessionSettings& one : settings.sessions) {
    if (!one.accept || std::ranges::any_of(asked, [&](const transport::Endpoint* other) {
          return is_same(*other, *one.accept);
        })) {
      continue;
    }
    asked.push_back(&*one.accept);
    const auto could = seams_.network->could_listen(*one.accept);
    if (could) continue;
    if (!errors.text.empty()) errors.text += '\n';
    errors.text += cannot_listen(one, settings.file, could.error()).text;
  }
  if (errors.text.empty()) return {};
  return std::unexpected{std::move(errors)};
}

SessionEntry* EventLoop::find_entry(std::string_view name) noexcept {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : nullptr;
}

std::expected<void, EngineError> EventLoop::add_sessions(Settings settings) {
  if (phase_ != Phase::Idle) {
    return std::unexpected{EngineError{"sessions are not added from within a callback"}};
  }
  if (stopping_ || store_failed_) return std::unexpected{EngineError{"the engine is stopping"}};
  if (reload_plan_) return std::unexpected{EngineError{"a reload is under way: try again"}};
  static_cast<void>(now());
  const std::size_t first_template = templates_.size();
  auto made = make_sessions(std::move(settings), nullptr);
  if (!made) return std::unexpected{std::move(made.error())};
  try {
    for (SessionEntry* entry : made->entries) activate(*entry);
    for (Template& one : made->templates) add_template(one);
  } catch (const std::bad_alloc&) {
    while (templates_.size() > first_template) drop(templates_.size() - 1);
    discard_new(*made);
    throw;
  }
  for (SessionEntry* entry : made->entries) admit(*entry);
  return {};
}

// Why not all of these can be added.
std::optional<EngineError> EventLoop::find_conflict(const Settings& settings) const {
  std::set<std::string, std::less<>> names;
  for (const SessionSettings& one : settings.sessions) {
    const std::string name = one.session.id.to_string();
    std::string wrong{session::validate(one.session)};
    if (one.tls && !seams_.tls_network) wrong = "TLS, in an engine that had none at its start";
    if (one.accept && one.accept->trusted_proxies && !seams_.proxied_network) {
      wrong = "UseTCPProxy, in an engine that had none at its start";
    }
    const auto has_proxy = [](const auto& endpoint) { return endpoint.proxy != nullptr; };
    if (std::ranges::any_of(one.connect, has_proxy) && !seams_.tunnel_network) {
      wrong = "ProxyType, in an engine that had none at its start";
    }
    if (!one.credentials.password_file.empty() && !seams_.credentials) {
      wrong = "PasswordFile, in an engine that had none at its start";
    }
    if (!one.is_template && (by_name_.contains(name) || !names.insert(name).second)) {
      wrong = "there is such a session already";
    }
    if (wrong.empty()) continue;
    return EngineError{SettingsError{settings.file, one.line, name + ": " + wrong}.what()};
  }
  return std::nullopt;
}

std::expected<void, EngineError> EventLoop::read_what_is_named(Settings& settings) {
  if (seams_.tls) {
    if (const auto errors = seams_.tls->give(settings, *seams_.disk); !errors.empty()) {
      return std::unexpected{to_error(errors)};
    }
  }
  return make_parsers(settings);
}

// All of them or none. Their ports are open. read: what their dictionaries say besides; null: these
// and certificates are still to be read.
std::expected<EventLoop::NewSessions, EngineError> EventLoop::make_sessions(
    Settings settings, const InDictionaries* read) {
  if (auto hindrance = find_conflict(settings)) return std::unexpected{std::move(*hindrance)};
  if (read != nullptr) {
    use_dictionaries(*read);
  } else if (auto done = read_what_is_named(settings); !done) {
    return std::unexpected{std::move(done.error())};
  }
  doubtful_names_.clear();
  if (auto adopted = adopt_former_names(settings.sessions); !adopted) {
    return std::unexpected{EngineError{std::move(adopted.error().text)}};
  }
  NewSessions made;
  made.entries.reserve(settings.sessions.size());
  made.templates.reserve(settings.sessions.size());
  templates_.reserve(templates_.size() + settings.sessions.size());
  try {
    for (SessionSettings& one : settings.sessions) {
      auto done = make_session(std::move(one), settings.file, made);
      if (done) continue;
      discard_new(made);
      return std::unexpected{std::move(done.error())};
    }
  } catch (const std::bad_alloc&) {
    discard_new(made);
    throw;
  }
  return made;
}

std::expected<void, EngineError> EventLoop::make_session(SessionSettings settings,
                                                       const std::string& file, NewSessions& made) {
  std::size_t listener = 0;
  if (settings.accept) {
    const auto listening = listen_for(settings, file);
    if (!listening) return std::unexpected{listening.error()};
    listener = *listening;
    listeners_[listener].is_kept = true;
  }
  if (settings.is_template) {
    made.templates.push_back({std::move(settings), listener, nullptr});
    return {};
  }
  const auto entry = make_inactive_entry(std::move(settings));
  if (!entry) return std::unexpected{EngineError{entry.error().text}};
  (*entry)->listener = listener;
  made.entries.push_back(*entry);
  return {};
}

void EventLoop::admit(SessionEntry& entry) {
  activate(entry);
  if (entry.settings.accept) listeners_[entry.listener].is_kept = false;
  report_.session(EventId::SessionAdded, entry, "session added");
  follow_schedule(entry);
}

// Of one session or template: those who look have little to do where none has such a rule.
void EventLoop::note_rules(const SessionSettings& settings) noexcept {
  if (settings.validates_check_sum) return;
  takes_unsound_ = true;
  if (seams_.directory) seams_.directory->take_unsound();
}

// There is room for it.
void EventLoop::add_template(Template& one) {
  note_rules(one.settings);
  if (seams_.directory) seams_.directory->add_template(one.settings.session.id, loop());
  listeners_[one.listener].is_kept = false;
  templates_.push_back(std::move(one));
}

void EventLoop::drop(std::size_t index) noexcept {
  if (seams_.directory) {
    seams_.directory->remove_template(templates_[index].settings.session.id, loop());
  }
  templates_.erase(templates_.begin() + static_cast<std::ptrdiff_t>(index));
}

void EventLoop::discard_new(NewSessions& made) noexcept {
  for (SessionEntry* entry : made.entries) {
    if (entry != nullptr) destroy(*entry);
  }
  made = {};
  for (Listener& listener : listeners_) listener.is_kept = false;
  close_unused_listeners();
  open_displaced();
}

// Null: no template says that this identity is to be given a session, or it may not be named.
const EventLoop::Template* EventLoop::template_for(const Connection& connection,
                                               const session::SessionId& id) {
  const auto fits = [&](const Template& one) {
    return one.listener == connection.listener && stands_for(one.settings.session.id, id);
  };
  const auto found = std::ranges::find_if(templates_, fits);
  const bool is_found = found != templates_.end() && may_be_named(id.sender_comp_id) &&
                        may_be_named(id.target_comp_id) && find_entry(id.to_string()) == nullptr;
  return is_found ? &*found : nullptr;
}

// An unknown client is given a session if a template says so. The address is looked at first,
// because each name takes a place. One that was removed is not made again for its counterparty.
SessionEntry* EventLoop::make_dynamic(const Connection& connection, const session::SessionId& id) {
  const Template* const found = template_for(connection, id);
  if (found == nullptr ||
      !may_come_from(found->settings, seams_.network->peer_name(connection.socket))) {
    return nullptr;
  }
  // A password that is not right: bind() would refuse, and the name would stay.
  if (!found->settings.credentials.password_file.empty() &&
      connection.credentials.state != LogonCredentials::State::Right) {
    return nullptr;
  }
  const std::string name = id.to_string();
  SessionSettings settings = found->settings;
  settings.is_template = false;
  settings.session.id = id;
  if (const auto adopted = adopt_former_names({&settings, 1}); !adopted) {
    report_.unauthenticated(EventId::SessionNotStored, connection.source, name,
                            adopted.error().text);
    return nullptr;
  }
  if (!has_dynamic_place(connection, name)) return nullptr;
  SessionEntry* made = nullptr;
  try {
    const auto entry = make_trial(std::move(settings));
    if (!entry) {
      dynamic_names_.disconnect(name, {});
      report_.unauthenticated(EventId::SessionNotStored, connection.source, name,
                              entry.error().text);
      return nullptr;
    }
    made = *entry;
    begin_dynamic(*made, connection, *found);
  } catch (const std::bad_alloc&) {
    if (made != nullptr) destroy(*made);
    dynamic_names_.disconnect(name, {});
    throw;
  }
  return made;
}

void EventLoop::begin_dynamic(SessionEntry& entry, const Connection& connection,
                            const Template& made_of) {
  entry.listener = connection.listener;
  entry.is_dynamic = true;
  entry.configured_as = made_of.settings.session.id.to_string();
  entry.texts = {made_of.origin, made_of.origin, made_of.origin};
  std::string made = "session made of the template in line " +
                     std::to_string(made_of.settings.line) + ", for " +
                     seams_.network->peer_name(connection.socket);
  if (entry.trial != nullptr) {
    entry.trial->made = std::move(made);  // said once it has logged on, in its own log
  } else {
    report_.unauthenticated(EventId::SessionMadeOfTemplate, connection.source, entry.name, made);
  }
  follow_schedule(entry);
}

void EventLoop::remove(SessionEntry& entry, std::string_view text) {
  if (entry.is_leaving) return;
  leaving_.push_back(&entry);  // What needs memory comes first.
  entry.is_leaving = true;
  acceptors_.erase(entry.name);
  if (seams_.directory) seams_.directory->remove_acceptor(entry.name);
  entry.connect_policy.log_out();
  if (entry.connection != nullptr) log_out(entry, text);
}

// At the end of a turn, when nothing refers to them any more.
void EventLoop::destroy_leaving() {
  if (leaving_.empty()) [[likely]]
    return;
  const auto gone = std::ranges::partition(leaving_, [](const SessionEntry* entry) {
    return entry->connection != nullptr || entry->disconnection;
  });
  const std::vector<SessionEntry*> buried{gone.begin(), gone.end()};
  leaving_.erase(gone.begin(), gone.end());
  for (SessionEntry* entry : buried) {
    if (entry->has_logged_on) {
      report_.peer(EventId::SessionRemoved, *entry, "session removed");
    } else if (entry->trial == nullptr) {  // of a template, for a client that was not admitted
      report_.unauthenticated(EventId::SessionRemoved, {}, entry->name, "session removed");
    }
    destroy(*entry);
  }
  if (!buried.empty()) close_unused_listeners();
}

void EventLoop::destroy(SessionEntry& entry) {
  session_timers_.disarm(entry);
  std::erase(with_next_settings_, &entry);
  std::erase(replaying_, &entry);
  std::erase(decided_, &entry);
  std::erase(deferred_, &entry);
  if (begun_ == &entry) begun_ = nullptr;
  if (reload_plan_) {
    for (auto* entries : {&reload_plan_->made.entries, &reload_plan_->back, &reload_plan_->out}) {
      std::ranges::replace(*entries, &entry, nullptr);
    }
    for (Change& change : reload_plan_->changes) {
      if (change.entry == &entry) change.entry = nullptr;
    }
  }
  if (const auto found = acceptors_.find(entry.name);
      found != acceptors_.end() && found->second == &entry) {
    acceptors_.erase(found);
    if (seams_.directory) seams_.directory->remove_acceptor(entry.name);
  }
  by_name_.erase(entry.name);
  if (entry.handle_key >= kTrialKeysBegin) trials_.erase(entry.handle_key);
  if (entry.trial != nullptr) {
    dynamic_names_.disconnect(entry.name, entry.trial->numbers);
  } else if (entry.key < by_key_.size() && by_key_[entry.key] == &entry) {
    by_key_[entry.key] = nullptr;
  }
  std::erase_if(entries_, [&](const auto& one) { return one.get() == &entry; });
}

// By a session that lets somebody in, or may make one that does.
bool EventLoop::is_used(std::size_t listener) const {
  return listeners_[listener].is_kept ||
         std::ranges::any_of(entries_,
                             [&](const auto& one) {
                               return one->settings.accept && one->listener == listener &&
                                      !one->is_out;
                             }) ||
         std::ranges::any_of(templates_,
                             [&](const Template& one) { return one.listener == listener; });
}

void EventLoop::close_unused_listeners() {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Listener& one = listeners_[i];
    if ((one.socket == 0 && !one.is_elsewhere) || is_used(i)) continue;
    if (!seams_.directory) {
      close_listener(one);
      continue;
    }
    one.is_elsewhere = false;
    const auto unused = seams_.directory->leave(one.endpoint, loop());
    if (unused == loop()) {
      seams_.directory->retire(one.endpoint, loop(), [&] { close_listener(one); });
    } else if (unused && one.close_unused) {
      seams_.directory->post(*unused, std::exchange(one.close_unused, nullptr));
    }
  }
}

// Every address of a port and one of them cannot be listened on side by side, not even until the
// reload that moves a session from the one to the other is carried out. Several loops share their
// listeners, and what another one needs is not known here: there the move takes two reloads.
bool EventLoop::displace_for(const transport::Endpoint& wanted) noexcept {
  bool any = false;
  for (Listener& one : listeners_) {
    if (!one.is_leaving || one.socket == 0 || one.endpoint.port != wanted.port) continue;
    seams_.network->close(std::exchange(one.socket, 0));
    one.is_displaced = any = true;
  }
  return any;
}

// The reload came to nothing.
void EventLoop::open_displaced() noexcept {
  for (Listener& one : listeners_) {
    one.is_leaving = false;
    if (!std::exchange(one.is_displaced, false)) continue;
    static_cast<void>(with_memory([&] {
      const auto socket = seams_.network->listen(one.endpoint);
      if (socket) one.socket = *socket;
      if (!socket) {
        report_.engine(EventId::PortNotReopened, "cannot listen again: " + socket.error().text);
      }
    }));
  }
}

void EventLoop::close_listener(Listener& listener) {
  seams_.network->close(std::exchange(listener.socket, 0));
  static_cast<void>(with_memory([&] {
    report_.engine(EventId::PortClosed, "port " + std::to_string(listener.port) +
                                            " is closed: no session is left for it");
  }));
}

}  // namespace nexusfix::engine
