#include "engine/engine_logs.hpp"

#include <utility>
#include <vector>

namespace nexusfix::engine {
namespace {

bool is_wanted(const LogSettings& log) noexcept {
  return !log.files.folder.empty() || log.screen.has_incoming || log.screen.has_outgoing ||
         log.screen.has_events;
}

// As QuickFIX/J names files: "VENUE_BOOK_LDN".
std::string joined(const std::string& comp_id, const std::string& sub_id,
                   const std::string& location_id) {
  std::string text = comp_id;
  if (!sub_id.empty()) text += '_' + sub_id;
  if (!location_id.empty()) text += '_' + location_id;
  return text;
}

observe::SessionLogOptions options_of(const SessionSettings& settings,
                                      const wire::DataFieldTable& data_fields) {
  const session::SessionId& id = settings.session.id;
  observe::SessionLogOptions options{
      .name = id.to_string(),
      .prefix = observe::log_file_prefix(
          id.begin_string, joined(id.sender_comp_id, id.sender_sub_id, id.sender_location_id),
          joined(id.target_comp_id, id.target_sub_id, id.target_location_id), id.qualifier),
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

// For what belongs to no session: the files of the first that has any; on the screen when any
// session's events are.
observe::SessionLogOptions global_options(const std::vector<observe::SessionLogOptions>& sessions,
                                          std::uint32_t loop) {
  observe::SessionLogOptions global{.prefix = loop == 0 ? "GLOBAL"
                                                        : "GLOBAL-loop-" + std::to_string(loop)};
  for (const observe::SessionLogOptions& one : sessions) {
    if (global.files.folder.empty()) global.files = one.files;
    if (!one.screen.has_events) continue;
    global.screen.has_events = true;
    global.screen.fraction_digits = one.screen.fraction_digits;
  }
  return global;
}

}  // namespace

std::expected<void, std::string> EngineLogs::open(Disk& disk, const Settings& settings,
                                                  const wire::DataFieldTable& data_fields,
                                                  std::uint32_t loop, WallTime now) {
  is_open_ = true;
  const std::vector<Early> early = std::exchange(early_, {});
  bool wanted = false;
  global_.has_standard_error = false;
  std::vector<observe::SessionLogOptions> sessions;
  for (const SessionSettings& one : settings.sessions) {
    wanted = wanted || is_wanted(one.log);
    global_.has_standard_error = global_.has_standard_error || one.log.has_standard_error;
    sessions.push_back(options_of(one, data_fields));
    places_[sessions.back().name] = {sessions.size() - 1, one.log.has_standard_error};
  }
  if (!wanted) return {};
  sessions.push_back(global_options(sessions, loop));
  global_.index = sessions.size() - 1;
  takes_unknown_ = settings.logs_unknown_sessions;
  auto opened = observe::SessionLogs::open(disk, {.queue_bytes = settings.log_queue_bytes},
                                           std::move(sessions), now);
  if (!opened) return std::unexpected{"the logs cannot be written: " + opened.error()};
  logs_ = std::move(*opened);
  for (const Early& one : early) {
    logs_->event(log_of(one.session), one.severity, one.text, one.time);
  }
  return {};
}

std::size_t EngineLogs::log_of(std::string_view session) const noexcept {
  const auto found = places_.find(session);
  return found == places_.end() ? global_.index : found->second.index;
}

void EngineLogs::unknown(std::string_view bytes, bool is_message, WallTime now) noexcept {
  if (logs_ == nullptr || !takes_unknown_) return;
  if (is_message) {
    logs_->received(global_.index, bytes, now);
  } else {
    logs_->garbled(global_.index, bytes, now);
  }
}

void EngineLogs::event(observe::Severity severity, std::string_view session, std::string_view text,
                       WallTime now) {
  const auto found = places_.find(session);
  const Place& place = found == places_.end() ? global_ : found->second;
  if (!is_standard_error_ || place.has_standard_error) {
    events_.write({now, severity, session, text});
  }
  constexpr std::size_t kEarlyMax = 1'000;
  if (!is_open_ && early_.size() < kEarlyMax) {
    early_.push_back({severity, std::string{session}, std::string{text}, now});
  }
  if (logs_ != nullptr) logs_->event(place.index, severity, text, now);
}

void EngineLogs::take_notices(WallTime now) {
  for (const observe::LogNotice& notice : logs_->turn())
    event(notice.severity, {}, notice.text, now);
}

}  // namespace nexusfix::engine
