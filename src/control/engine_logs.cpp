#include "control/api/engine_logs.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/api/exceptions.hpp"

namespace nexusfix::engine {
namespace {

bool is_wanted(const observe::SessionLogOptions& log) noexcept {
  return !log.files.folder.empty() || log.screen.has_incoming || log.screen.has_outgoing ||
         log.screen.has_events;
}

observe::SessionLogOptions options_of(const config::SessionSettings& settings,
                                      const wire::DataFieldTable& data_fields) {
  const session::SessionId& id = settings.session.id;
  const observe::LogFileParty sender{id.sender_comp_id, id.sender_sub_id, id.sender_location_id};
  const observe::LogFileParty target{id.target_comp_id, id.target_sub_id, id.target_location_id};
  observe::SessionLogOptions options{
      .name = id.to_string(),
      .prefix = observe::log_file_prefix(id.begin_string, sender, target, id.qualifier),
      .former_prefix =
          observe::former_log_file_prefix(id.begin_string, sender, target, id.qualifier),
      .files = settings.log.files,
      .screen = settings.log.screen,
      .masked = settings.log.masked};
  for (observe::MaskedField& field : options.masked) {
    if (field.length_tag == 0) {
      field.length_tag = data_fields.length_tag_for(field.tag).value_or(0);
    }
  }
  return options;
}

}  // namespace

EngineLogs::EngineLogs(observe::EventLog& events, bool is_standard_error,
                       observe::MessageLog* messages, std::uint32_t loop)
    : events_{events},
      is_standard_error_{is_standard_error},
      tap_{messages},
      masked_{tap_, loop},
      messages_{tap_.is_heard() ? &masked_ : nullptr} {
  update_open();
}

void EngineLogs::add_reader(std::shared_ptr<observe::TapChannel> reader) {
  tap_.add(std::move(reader));
  messages_ = &masked_;
  update_open();
}

EngineLogs::~EngineLogs() {
  try {
    for (std::size_t i = 0; i < held_; ++i) {
      const Early& one = early_[i];
      events_.write({one.time, one.id, one.session, one.text});
    }
  } catch (const std::bad_alloc&) {  // the engine did not start; its error has the reason
  }
}

std::expected<void, std::string> EngineLogs::open(Disk& disk, const config::Settings& settings,
                                                  const wire::DataFieldTable& data_fields,
                                                  const Parts& parts, std::uint32_t loop,
                                                  WallTime now) {
  is_open_ = true;
  disk_ = &disk;
  queue_bytes_ = settings.log_queue_bytes;
  compression_ = parts.log_compression;
  takes_unknown_ = settings.logs_unknown_sessions;
  global_options_.prefix = loop == 0 ? "GLOBAL" : "GLOBAL-loop-" + std::to_string(loop);
  const std::vector<Early> early = std::exchange(early_, {});
  const std::size_t held = std::exchange(held_, 0);
  bool wanted = false;
  global_.has_standard_error = false;
  options_.reserve(settings.sessions.size() + 1);  // and the global ones
  for (const config::SessionSettings& one : settings.sessions) {
    global_.has_standard_error = global_.has_standard_error || one.log.has_standard_error;
    observe::SessionLogOptions options = options_of(one, data_fields);
    wanted = wanted || is_wanted(options);
    static_cast<void>(widen_global(options));
    if (one.is_template) continue;  // a session that is made of it joins later
    Place& place = places_[options.name];
    place = {append(std::move(options)), one.log.has_standard_error};
  }
  for (std::size_t i = 0; i < held; ++i) {
    const Early& one = early[i];
    if (place_of(one.session).has_standard_error) {
      events_.write({one.time, one.id, one.session, one.text});
    }
  }
  if (wanted) {
    if (auto begun = begin(now); !begun) return begun;
  } else {
    global_.index = add(global_options_, /*is_global=*/true);
  }
  for (const Early& one : early) {
    if (logs_ != nullptr) log_event(place_of(one.session), one.id, one.session, one.text, one.time);
  }
  return {};
}

// Opens all present logs; the last one is for events that belong to no session.
std::expected<void, std::string> EngineLogs::begin(WallTime now) {
  global_.index = append(global_options_);
  auto opened = observe::SessionLogs::open(
      *disk_, {.queue_bytes = queue_bytes_, .compression = compression_}, options_, now);
  if (!opened) return std::unexpected{"the logs cannot be written: " + opened.error()};
  logs_ = std::move(*opened);
  update_open();
  shared_.store(logs_.get(), std::memory_order_release);
  return {};
}

// The global log, for lines that belong to no session, has the files of the first session that has
// any. It is on the screen if any session's events are. It masks every field that any session
// masks, because an unauthenticated peer's message may have it.
bool EngineLogs::widen_global(const observe::SessionLogOptions& session) {
  const observe::SessionLogOptions before = global_options_;
  if (global_options_.files.folder.empty()) global_options_.files = session.files;
  if (session.screen.has_events) {
    global_options_.screen.has_events = true;
    global_options_.screen.fraction_digits = session.screen.fraction_digits;
  }
  for (const observe::MaskedField& field : session.masked) {
    const auto known =
        std::ranges::find(global_options_.masked, field.tag, &observe::MaskedField::tag);
    if (known == global_options_.masked.end()) {
      global_options_.masked.push_back(field);
    } else if (field.length_tag != 0) {
      known->length_tag = field.length_tag;
    }
  }
  return global_options_ != before;
}

std::size_t EngineLogs::add(observe::SessionLogOptions options, bool is_global) {
  if (logs_ != nullptr) static_cast<void>(logs_->add(options, is_global));
  return append(std::move(options));
}

// The index in options_, in logs_ and in masked_.
std::size_t EngineLogs::append(observe::SessionLogOptions options) {
  options_.push_back(std::move(options));
  masked_.add(options_.back().name, options_.back().masked);
  return options_.size() - 1;
}

void EngineLogs::pass_on(std::size_t session, observe::MessageKind kind, std::string_view bytes,
                         WallTime now) noexcept {
  try {
    messages_->write(session, kind, bytes, now);
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    try {
      refused_.add(1, std::string{what_of(thrown)});
    } catch (const std::bad_alloc&) {
      refused_.add(1);
    }
  }
  if (tap_.is_heard()) return;
  messages_ = nullptr;
  update_open();
}

std::size_t EngineLogs::join(const config::SessionSettings& session,
                             const wire::DataFieldTable& data_fields, WallTime now) {
  observe::SessionLogOptions options = options_of(session, data_fields);
  if (const auto found = places_.find(options.name);
      found != places_.end() && options_[found->second.index] == options) {
    found->second.has_standard_error = session.log.has_standard_error;
    return found->second.index;
  }
  if (logs_ == nullptr && is_wanted(options)) {
    if (const auto begun = begin(now); !begun) {
      event(EventId::SessionLogNotMade, options.name, begun.error(), now);
    }
  }
  if (widen_global(options)) global_.index = add(global_options_, /*is_global=*/true);
  Place& place = places_[options.name];
  place = {options_.size(), session.log.has_standard_error};
  return add(std::move(options), /*is_global=*/false);
}

const EngineLogs::Place& EngineLogs::place_of(std::string_view session) const noexcept {
  const auto found = places_.find(session);
  return found == places_.end() ? global_ : found->second;
}

// In the global log, the line begins with the session's name.
void EngineLogs::log_event(const Place& place, EventId id, std::string_view session,
                           std::string_view text, WallTime now) {
  if (&place != &global_ || session.empty()) return logs_->event(place.index, id, text, now);
  logs_->event(place.index, id, std::string{session} + std::string{text}, now, session.size());
}

void EngineLogs::unknown(std::string_view bytes, bool is_message, WallTime now) noexcept {
  if (!takes_unknown_) return;
  if (is_message) {
    received(global_.index, bytes, now);
  } else {
    garbled(global_.index, bytes, now);
  }
}

void EngineLogs::event(EventId id, std::string_view session, std::string_view text, WallTime now) {
  const Place& place = place_of(session);
  if (event_tap_ != nullptr) event_tap_->write({now, id, session, text});
  constexpr std::size_t kEarlyMax = 1'000;
  const bool is_early = !is_open_ && early_.size() < kEarlyMax;
  if (is_early) early_.push_back({id, std::string{session}, std::string{text}, now});
  if (is_early && is_standard_error_) {
    held_ = early_.size();
  } else if (!is_standard_error_ || place.has_standard_error) {
    events_.write({now, id, session, text});
  }
  if (logs_ != nullptr) log_event(place, id, session, text, now);
}

void EngineLogs::report_notices(WallTime now) {
  for (const observe::LogNotice& notice : logs_->turn()) event(notice.id, {}, notice.text, now);
}

}  // namespace nexusfix::engine
