// Sessions that come and go: of the file at the start, added, made of a template, removed.
#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/loop/runtime.hpp"
#include "engine/preflight/missing_parts.hpp"
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

std::expected<void, EngineError> Runtime::make_parsers(Settings& settings) {
  report_all(settings.warnings);
  const auto found = make_validators(settings, *seams_.disk);
  if (!found) return std::unexpected{to_error(found.error())};
  take_dictionaries(*found);
  return {};
}

void Runtime::take_dictionaries(const InDictionaries& found) {
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

store::StoreResult<SessionSlot*> Runtime::make_slot(SessionSettings settings) {
  const auto slot = make_slot_out(std::move(settings));
  if (!slot) return slot;
  try {
    put_in(**slot);
  } catch (const std::bad_alloc&) {
    bury(**slot);
    throw;
  }
  return slot;
}

store::StoreResult<SessionSlot*> Runtime::make_slot_out(SessionSettings settings) {
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
  const std::size_t count = slots_.size();
  try {
    SessionSlot* const slot = add_slot(std::move(settings), to_numbers(store_->session(*key)));
    give_key(*slot, *key);
    slot->handle_key = *key;
    slot->log = report_.logs().join(slot->settings, data_fields_, now_.wall);
    return slot;
  } catch (const std::bad_alloc&) {
    if (slots_.size() > count) bury(*slots_.back());
    throw;
  }
}

SessionSlot* Runtime::add_slot(SessionSettings settings, session::Numbers numbers) {
  touched_.reserve(slots_.size() + 2);
  deferred_.reserve(slots_.size() + 1);
  session_timers_.reserve(slots_.size() + 1);
  SessionSlot& slot =
      *slots_.emplace_back(std::make_unique<SessionSlot>(*this, std::move(settings), numbers));
  slot.is_out = true;
  note_rules(slot.settings);
  slots_by_name_.emplace(slot.name, &slot);
  return &slot;
}

void Runtime::give_key(SessionSlot& slot, store::SessionKey key) {
  if (slots_by_key_.size() <= key) slots_by_key_.resize(key + std::size_t{1});
  slots_by_key_[key] = &slot;
  slot.key = key;
}

// From here on it lets its counterparty in, or connects. Once more does no harm.
void Runtime::put_in(SessionSlot& slot) {
  if (slot.settings.session.role == session::Role::Initiator) {
    slot.is_out = false;
    slot.connect_policy.log_on(slot.connection != nullptr, now_.mono);
    return arm(slot, slot.connect_policy.connect_at());
  }
  // A qualifier does not travel; the configuration refuses it for acceptors.
  acceptors_.emplace(slot.name, &slot);
  if (seams_.directory) seams_.directory->add_acceptor(slot.name, loop());
  slot.is_out = false;
}

// "TLS", "proxies", or nothing of both.
std::string_view Runtime::difference_from(const transport::Endpoint& used,
                                          const transport::Endpoint& wanted) const {
  if (used.tls != wanted.tls) return "TLS";
  if (used.trusted_proxies != wanted.trusted_proxies) return "UseTCPProxy";
  return seams_.directory ? seams_.directory->difference(wanted) : std::string_view{};
}

namespace {

// For the loop that listens: nobody uses one of its ports any more.
class CloseUnused final : public LoopTask {
 public:
  void run(Runtime& runtime) override { runtime.close_unused_listeners(); }
};

}  // namespace

std::expected<void, transport::NetworkError> Runtime::open_listener(
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
std::expected<std::size_t, EngineError> Runtime::listen_for(const SessionSettings& settings,
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
std::expected<void, EngineError> Runtime::could_listen(const Settings& settings) const {
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

SessionSlot* Runtime::find_slot(std::string_view name) noexcept {
  const auto found = slots_by_name_.find(name);
  return found != slots_by_name_.end() ? found->second : nullptr;
}

std::expected<void, EngineError> Runtime::add_sessions(Settings settings) {
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
    for (SessionSlot* slot : made->slots) put_in(*slot);
    for (Template& one : made->templates) admit(one);
  } catch (const std::bad_alloc&) {
    while (templates_.size() > first_template) drop(templates_.size() - 1);
    take_away(*made);
    throw;
  }
  for (SessionSlot* slot : made->slots) admit(*slot);
  return {};
}

// Why not all of these can be added.
std::optional<EngineError> Runtime::what_hinders(const Settings& settings) const {
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
    if (auto missing = missing_parts(one, seams_.parts); !missing.empty()) {
      wrong = std::move(missing.front().text);
    }
    if (!one.is_template && (slots_by_name_.contains(name) || !names.insert(name).second)) {
      wrong = "there is such a session already";
    }
    if (wrong.empty()) continue;
    return EngineError{SettingsError{settings.file, one.line, name + ": " + wrong}.what()};
  }
  return std::nullopt;
}

std::expected<void, EngineError> Runtime::read_what_is_named(Settings& settings) {
  if (seams_.tls) {
    if (const auto errors = seams_.tls->give(settings, *seams_.disk); !errors.empty()) {
      return std::unexpected{to_error(errors)};
    }
  }
  return make_parsers(settings);
}

// All of them or none. Their ports are open. read: what their dictionaries say besides; null: these
// and certificates are still to be read.
std::expected<Runtime::NewSessions, EngineError> Runtime::make_sessions(
    Settings settings, const InDictionaries* read) {
  if (auto hindrance = what_hinders(settings)) return std::unexpected{std::move(*hindrance)};
  if (read != nullptr) {
    take_dictionaries(*read);
  } else if (auto done = read_what_is_named(settings); !done) {
    return std::unexpected{std::move(done.error())};
  }
  doubtful_names_.clear();
  if (auto adopted = adopt_former_names(settings.sessions); !adopted) {
    return std::unexpected{EngineError{std::move(adopted.error().text)}};
  }
  NewSessions made;
  made.slots.reserve(settings.sessions.size());
  made.templates.reserve(settings.sessions.size());
  templates_.reserve(templates_.size() + settings.sessions.size());
  try {
    for (SessionSettings& one : settings.sessions) {
      auto done = make_session(std::move(one), settings.file, made);
      if (done) continue;
      take_away(made);
      return std::unexpected{std::move(done.error())};
    }
  } catch (const std::bad_alloc&) {
    take_away(made);
    throw;
  }
  return made;
}

std::expected<void, EngineError> Runtime::make_session(SessionSettings settings,
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
  const auto slot = make_slot_out(std::move(settings));
  if (!slot) return std::unexpected{EngineError{slot.error().text}};
  (*slot)->listener = listener;
  made.slots.push_back(*slot);
  return {};
}

void Runtime::admit(SessionSlot& slot) {
  put_in(slot);
  if (slot.settings.accept) listeners_[slot.listener].is_kept = false;
  report_.session(EventId::SessionAdded, slot, "session added");
  follow_schedule(slot);
}

// Of one session or template: those who look have little to do where none has such a rule.
void Runtime::note_rules(const SessionSettings& settings) noexcept {
  if (settings.validates_check_sum) return;
  takes_unsound_ = true;
  if (seams_.directory) seams_.directory->take_unsound();
}

// There is room for it.
void Runtime::admit(Template& one) {
  note_rules(one.settings);
  if (seams_.directory) seams_.directory->add_template(one.settings.session.id, loop());
  listeners_[one.listener].is_kept = false;
  templates_.push_back(std::move(one));
}

void Runtime::drop(std::size_t index) noexcept {
  if (seams_.directory) {
    seams_.directory->remove_template(templates_[index].settings.session.id, loop());
  }
  templates_.erase(templates_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Runtime::take_away(NewSessions& made) noexcept {
  for (SessionSlot* slot : made.slots) {
    if (slot != nullptr) bury(*slot);
  }
  made = {};
  for (Listener& listener : listeners_) listener.is_kept = false;
  close_unused_listeners();
  open_displaced();
}

// Null: no template says that this identity is to be given a session, or it may not be named.
const Runtime::Template* Runtime::template_for(const Connection& connection,
                                               const session::SessionId& id) {
  const auto fits = [&](const Template& one) {
    return one.listener == connection.listener && stands_for(one.settings.session.id, id);
  };
  const auto found = std::ranges::find_if(templates_, fits);
  const bool is_found = found != templates_.end() && may_be_named(id.sender_comp_id) &&
                        may_be_named(id.target_comp_id) && find_slot(id.to_string()) == nullptr;
  return is_found ? &*found : nullptr;
}

// An unknown client is given a session if a template says so. The address is looked at first,
// because each name takes a place. One that was removed is not made again for its counterparty.
SessionSlot* Runtime::make_dynamic(const Connection& connection, const session::SessionId& id) {
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
  SessionSlot* made = nullptr;
  try {
    const auto slot = make_trial(std::move(settings));
    if (!slot) {
      dynamic_names_.disconnect(name, {});
      report_.unauthenticated(EventId::SessionNotStored, connection.source, name,
                              slot.error().text);
      return nullptr;
    }
    made = *slot;
    begin_dynamic(*made, connection, *found);
  } catch (const std::bad_alloc&) {
    if (made != nullptr) bury(*made);
    dynamic_names_.disconnect(name, {});
    throw;
  }
  return made;
}

void Runtime::begin_dynamic(SessionSlot& slot, const Connection& connection,
                            const Template& made_of) {
  slot.listener = connection.listener;
  slot.is_dynamic = true;
  slot.configured_as = made_of.settings.session.id.to_string();
  slot.texts = {made_of.origin, made_of.origin, made_of.origin};
  std::string made = "session made of the template in line " +
                     std::to_string(made_of.settings.line) + ", for " +
                     seams_.network->peer_name(connection.socket);
  if (slot.trial != nullptr) {
    slot.trial->made = std::move(made);  // said once it has logged on, in its own log
  } else {
    report_.unauthenticated(EventId::SessionMadeOfTemplate, connection.source, slot.name, made);
  }
  follow_schedule(slot);
}

void Runtime::remove(SessionSlot& slot, std::string_view text) {
  if (slot.is_leaving) return;
  leaving_.push_back(&slot);  // What needs memory comes first.
  slot.is_leaving = true;
  acceptors_.erase(slot.name);
  if (seams_.directory) seams_.directory->remove_acceptor(slot.name);
  slot.connect_policy.log_out();
  if (slot.connection != nullptr) log_out(slot, text);
}

// At the end of a turn, when nothing refers to them any more.
void Runtime::bury_leaving() {
  if (leaving_.empty()) [[likely]]
    return;
  const auto gone = std::ranges::partition(leaving_, [](const SessionSlot* slot) {
    return slot->connection != nullptr || slot->disconnection;
  });
  const std::vector<SessionSlot*> buried{gone.begin(), gone.end()};
  leaving_.erase(gone.begin(), gone.end());
  for (SessionSlot* slot : buried) {
    if (slot->has_logged_on) {
      report_.peer(EventId::SessionRemoved, *slot, "session removed");
    } else if (slot->trial == nullptr) {  // of a template, for a client that was not admitted
      report_.unauthenticated(EventId::SessionRemoved, {}, slot->name, "session removed");
    }
    bury(*slot);
  }
  if (!buried.empty()) close_unused_listeners();
}

void Runtime::bury(SessionSlot& slot) {
  session_timers_.disarm(slot);
  std::erase(with_next_settings_, &slot);
  std::erase(replaying_, &slot);
  std::erase(decided_, &slot);
  std::erase(deferred_, &slot);
  if (begun_ == &slot) begun_ = nullptr;
  if (reload_plan_) {
    for (auto* slots : {&reload_plan_->made.slots, &reload_plan_->back, &reload_plan_->out}) {
      std::ranges::replace(*slots, &slot, nullptr);
    }
    for (Change& change : reload_plan_->changes) {
      if (change.slot == &slot) change.slot = nullptr;
    }
  }
  if (const auto found = acceptors_.find(slot.name);
      found != acceptors_.end() && found->second == &slot) {
    acceptors_.erase(found);
    if (seams_.directory) seams_.directory->remove_acceptor(slot.name);
  }
  slots_by_name_.erase(slot.name);
  if (slot.handle_key >= kTrialKeysBegin) trials_.erase(slot.handle_key);
  if (slot.trial != nullptr) {
    dynamic_names_.disconnect(slot.name, slot.trial->numbers);
  } else if (slot.key < slots_by_key_.size() && slots_by_key_[slot.key] == &slot) {
    slots_by_key_[slot.key] = nullptr;
  }
  std::erase_if(slots_, [&](const auto& one) { return one.get() == &slot; });
}

// By a session that lets somebody in, or may make one that does.
bool Runtime::is_used(std::size_t listener) const {
  return listeners_[listener].is_kept ||
         std::ranges::any_of(slots_,
                             [&](const auto& one) {
                               return one->settings.accept && one->listener == listener &&
                                      !one->is_out;
                             }) ||
         std::ranges::any_of(templates_,
                             [&](const Template& one) { return one.listener == listener; });
}

void Runtime::close_unused_listeners() {
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
bool Runtime::displace_for(const transport::Endpoint& wanted) noexcept {
  bool any = false;
  for (Listener& one : listeners_) {
    if (!one.is_leaving || one.socket == 0 || one.endpoint.port != wanted.port) continue;
    seams_.network->close(std::exchange(one.socket, 0));
    one.is_displaced = any = true;
  }
  return any;
}

// The reload came to nothing.
void Runtime::open_displaced() noexcept {
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

void Runtime::close_listener(Listener& listener) {
  seams_.network->close(std::exchange(listener.socket, 0));
  static_cast<void>(with_memory([&] {
    report_.engine(EventId::PortClosed, "port " + std::to_string(listener.port) +
                                            " is closed: no session is left for it");
  }));
}

}  // namespace nexusfix::engine
