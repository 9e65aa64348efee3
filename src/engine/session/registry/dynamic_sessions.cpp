#include "engine/session/registry/dynamic_sessions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "base/api/ascii.hpp"
#include "base/api/exceptions.hpp"
#include "base/api/secret.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/link/io.hpp"
#include "engine/session/registry/session_registry.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {

DynamicNames::Answer DynamicNames::connect(std::string_view name, transport::Source source) {
  const auto known = names_.find(name);
  if (known != names_.end() && known->second.state == State::Kept) return Answer::Yes;
  const bool is_full = known == names_.end() && names_.size() >= limits_.all_max;
  if (is_full && idle_ == 0) return Answer::TooMany;
  const auto of_source = sources_.find(source);
  if (of_source != sources_.end() && of_source->second.fixed.size() >= limits_.per_source_max) {
    return Answer::TooManyOfSource;
  }
  if (is_full) displace_one();
  // All allocations come before the lists change.
  Listed node(1);
  OfSource& wanted = sources_[source];
  const auto [entry, is_new] = names_.try_emplace(std::string{name});
  Name& one = entry->second;
  const transport::Source before = one.source;
  if (is_new) {
    node.front() = entry;
    one.place = node.begin();
    wanted.fixed.splice(wanted.fixed.end(), node);
  } else {
    wanted.fixed.splice(wanted.fixed.end(), sources_.at(before).idle, one.place);
    --idle_;
  }
  one.source = source;
  one.state = State::Connected;
  if (!is_new) drop_if_empty(before);
  return Answer::Yes;
}

session::Numbers DynamicNames::numbers(std::string_view name) const {
  const auto found = names_.find(name);
  NEXUSFIX_ASSERT(found != names_.end());
  return found->second.numbers;
}

void DynamicNames::keep(std::string_view name) noexcept {
  const auto found = names_.find(name);
  if (found != names_.end()) found->second.state = State::Kept;
}

void DynamicNames::disconnect(std::string_view name,
                              std::optional<session::Numbers> numbers) noexcept {
  const auto found = names_.find(name);
  if (found == names_.end() || found->second.state != State::Connected) return;
  Name& one = found->second;
  one.state = State::Idle;
  if (numbers) one.numbers = *numbers;
  OfSource& lists = sources_.find(one.source)->second;
  lists.idle.splice(lists.idle.end(), lists.fixed, one.place);
  ++idle_;
}

// At least one name must be neither connected nor kept.
void DynamicNames::displace_one() {
  const auto most = std::ranges::max_element(
      sources_, {}, [](const auto& entry) { return entry.second.idle.size(); });
  const transport::Source source = most->first;
  names_.erase(most->second.idle.front());
  most->second.idle.pop_front();
  --idle_;
  drop_if_empty(source);
}

void DynamicNames::drop_if_empty(transport::Source source) noexcept {
  const auto found = sources_.find(source);
  if (found == sources_.end() || !found->second.idle.empty() || !found->second.fixed.empty()) {
    return;
  }
  sources_.erase(found);
}

namespace {

constexpr std::size_t kCompIdBytesMax = 64;

// A CompID of an unauthenticated peer becomes part of names: in the store, in logs, and of files.
bool may_be_named(std::string_view comp_id) noexcept {
  return !comp_id.empty() && comp_id.size() <= kCompIdBytesMax && comp_id != "." &&
         comp_id != ".." && std::ranges::all_of(comp_id, [](char byte) {
           constexpr std::string_view kOthers = "._-+@#$%&=()[]";
           return is_alphanumeric(byte) || kOthers.find(byte) != std::string_view::npos;
         });
}

constexpr std::string_view kLogonMsgType = "A";
// The most bytes of a client's messages that are kept until their log is known.
constexpr std::size_t kTrialBytesMax = 64U << 10U;

bool is_same(const SessionSettings& a, const SessionSettings& b) {
  return a.session.id == b.session.id && a.accept->host == b.accept->host &&
         a.accept->port == b.accept->port;
}

}  // namespace

// Null: no template matches this identity, or its CompIDs are not allowed in names.
const SessionTemplate* DynamicSessions::template_for(const Connection& connection,
                                                     const session::SessionId& id) {
  const SessionTemplate* const found = sessions_.templates.find(connection.accepted().listener, id);
  const bool is_allowed = found != nullptr && may_be_named(id.sender_comp_id) &&
                          may_be_named(id.target_comp_id) &&
                          sessions_.registry.find_entry(id.to_string()) == nullptr;
  return is_allowed ? found : nullptr;
}

std::expected<SessionEntry*, NotMade> DynamicSessions::make_dynamic(const Connection& connection,
                                                                    const session::SessionId& id) {
  using enum NotMade::Reason;
  const SessionTemplate* const found = template_for(connection, id);
  if (found == nullptr) return std::unexpected{NotMade{NotStored, "no template stands for it"}};
  const std::string name = id.to_string();
  SessionSettings settings = found->settings;
  settings.is_template = false;
  settings.session.id = id;
  if (const auto adopted = sessions_.registry.adopt_former_names({&settings, 1}); !adopted)
    return std::unexpected{NotMade{NotStored, adopted.error().text}};
  if (const auto place = find_place(connection, name); place != DynamicNames::Answer::Yes) {
    return std::unexpected{
        NotMade{place == DynamicNames::Answer::TooMany ? TooMany : TooManyOfSource}};
  }
  SessionEntry* made = nullptr;
  UndoGuard undo{[&] {
    if (made != nullptr) sessions_.registry.destroy(*made);
    names_.disconnect(name, {});
  }};
  const auto entry = make_trial(std::move(settings));
  if (!entry) return std::unexpected{NotMade{NotStored, entry.error().text}};
  made = *entry;
  begin_dynamic(*made, connection, *found);
  undo.keep();
  return made;
}

void DynamicSessions::begin_dynamic(SessionEntry& entry, const Connection& connection,
                                    const SessionTemplate& made_of) {
  entry.acceptor.listen_at(connection.accepted().listener);
  entry.membership.set_dynamic();
  entry.file.configure(made_of.settings.session.id.to_string(), made_of.origin);
  std::string made = "session made of the template in line " +
                     std::to_string(made_of.settings.line) + ", for " +
                     loop_.network->peer_name(connection.socket_id());
  if (entry.stored.trial_ != nullptr) {
    entry.stored.trial_->made = std::move(made);  // reported after its Logon, in its own log
  } else {
    loop_.report.unauthenticated(EventId::SessionMadeOfTemplate, connection.accepted().source,
                                 entry.name, made);
  }
}

void DynamicSessions::forget(SessionEntry& entry) noexcept {
  if (entry.stored.trial_ != nullptr) names_.disconnect(entry.name, entry.stored.trial_->numbers);
}

SessionTrial::~SessionTrial() {
  for (Received& one : received) wipe_bytes(one.bytes);
}

// Sessions whose names the store does not know are on trial until their Logon is accepted.

// A stored name has logged on before, and needs no place.
DynamicNames::Answer DynamicSessions::find_place(const Connection& connection,
                                                 const std::string& name) {
  if (io_.commit.store().find_session(name)) return DynamicNames::Answer::Yes;
  return names_.connect(name, connection.accepted().source);
}

store::StoreResult<SessionEntry*> DynamicSessions::make_trial(SessionSettings settings) {
  const std::string name = settings.session.id.to_string();
  if (io_.commit.store().find_session(name) || sessions_.registry.is_doubtful(name)) {
    return sessions_.registry.make_entry(std::move(settings));
  }
  if (const auto home =
          loop_.shared.directory ? loop_.shared.directory->home_of(name) : std::nullopt;
      home && *home != loop_.index) {
    return std::unexpected{
        store::StoreError{store::StoreErrorCode::SessionRefused,
                          name + ": it is stored in loop " + std::to_string(*home)}};
  }
  auto trial = std::make_unique<SessionTrial>();
  trial->numbers = names_.numbers(name);
  const std::size_t count = sessions_.registry.entries().size();
  UndoGuard undo{[&] {
    if (sessions_.registry.entries().size() > count)
      sessions_.registry.destroy(*sessions_.registry.entries().back());
  }};
  SessionEntry* const entry = sessions_.registry.add_entry(std::move(settings), trial->numbers);
  entry->stored.trial_ = std::move(trial);
  entry->stored.log_ = loop_.report.logs().global();
  sessions_.registry.give_trial_key(*entry);
  sessions_.registry.activate(*entry);
  undo.keep();
  return entry;
}

// answer: the MsgType of our answer. With a Logon the session becomes a normal one. Any other
// answer to a client that is not admitted is not stored.
void DynamicSessions::end_trial(SessionEntry& entry, std::string_view answer) {
  if (answer != kLogonMsgType) return log_trial(entry);
  if (loop_.shared.directory &&
      loop_.shared.directory->settle(entry.name, loop_.index) != loop_.index) {
    loop_.report.session(EventId::SessionNotStored, entry,
                         "another event loop has stored it in the meantime");
    throw EventAborted{};
  }
  const auto key = io_.commit.store().open_session(entry.name, loop_.now().wall);
  if (!key) {
    loop_.report.session(EventId::SessionNotStored, entry, key.error().text);
    throw EventAborted{};
  }
  // From here on the session is stored: the store has its numbers.
  const std::unique_ptr<SessionTrial> trial = std::move(entry.stored.trial_);
  sessions_.registry.give_key(entry, *key);
  loop_.shared.remotes->add(entry.name, entry.session.handle());
  entry.stored.log_ =
      loop_.report.logs().join(entry.settings(), loop_.parsers.data_fields, loop_.now().wall);
  names_.keep(entry.name);
  loop_.report.peer(EventId::SessionMadeOfTemplate, entry, trial->made);
  for (const SessionTrial::Received& one : trial->received) {
    loop_.report.logs().received(entry.stored.log_, one.bytes, one.at);
  }
}

void DynamicSessions::record_trial(SessionEntry& entry) {
  entry.stored.trial_->numbers = entry.machine.sequence_numbers();
  entry.progress.set_next_inbound(entry.stored.trial_->numbers.next_inbound);
  if (entry.machine.state() != session::State::LogonReceived) log_trial(entry);
}

void DynamicSessions::log_received(SessionEntry& entry, std::string_view frame) {
  if (entry.stored.trial_ == nullptr) [[likely]]
    return loop_.report.logs().received(entry.stored.log_, frame, loop_.now().wall);
  std::size_t bytes = frame.size();
  for (const SessionTrial::Received& one : entry.stored.trial_->received) bytes += one.bytes.size();
  if (bytes > kTrialBytesMax)
    return loop_.report.logs().unknown(frame, /*is_message=*/true, loop_.now().wall);
  entry.stored.trial_->received.push_back({loop_.now().wall, std::string{frame}});
}

// It was not accepted: its messages belong to no session.
void DynamicSessions::log_trial(SessionEntry& entry) {
  for (SessionTrial::Received& one : entry.stored.trial_->received) {
    loop_.report.logs().unknown(one.bytes, /*is_message=*/true, one.at);
    wipe_bytes(one.bytes);
  }
  entry.stored.trial_->received.clear();
}

bool SessionTemplates::has(const SessionSettings& settings) const {
  return std::ranges::any_of(
      templates_, [&](const SessionTemplate& one) { return is_same(one.settings, settings); });
}

// Clients that already have a session of the template keep it.
void SessionTemplates::drop_missing(const Settings& fresh) {
  for (std::size_t i = templates_.size(); i-- > 0;) {
    if (!keeps(templates_[i], fresh)) drop(i);
  }
}

bool SessionTemplates::keeps(const SessionTemplate& one, const Settings& fresh) {
  return !one.origin || std::ranges::any_of(fresh.sessions, [&](const SessionSettings& other) {
    return other.is_template && is_same(other, one.settings);
  });
}

void SessionTemplates::add(SessionTemplate& one) {
  apply_check_sum_rule(loop_, one.settings);
  if (loop_.shared.directory)
    loop_.shared.directory->add_template(one.settings.session.id, loop_.index);
  templates_.push_back(std::move(one));
}

void SessionTemplates::drop(std::size_t index) noexcept {
  if (loop_.shared.directory) {
    loop_.shared.directory->remove_template(templates_[index].settings.session.id, loop_.index);
  }
  templates_.erase(templates_.begin() + static_cast<std::ptrdiff_t>(index));
}

const SessionTemplate* SessionTemplates::find(std::size_t listener,
                                              const session::SessionId& id) const {
  const auto found = std::ranges::find_if(templates_, [&](const SessionTemplate& one) {
    return one.listener == listener && session::stands_for(one.settings.session.id, id);
  });
  return found == templates_.end() ? nullptr : &*found;
}

void close_unused(Listeners& listeners, const SessionRegistry& registry,
                  const SessionTemplates& templates) {
  listeners.close_unused([&](std::size_t listener) {
    return std::ranges::any_of(registry.entries(),
                               [&](const auto& one) {
                                 return one->settings().accept &&
                                        one->acceptor.listener() == listener &&
                                        !one->membership.is_out();
                               }) ||
           std::ranges::any_of(templates.all(), [&](const SessionTemplate& one) {
             return one.listener == listener;
           });
  });
}

}  // namespace nexusfix::engine
