#include "console/tui/engine_view.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "nexusfix/control/engine_report.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::tui {
namespace {

using command::counted;
using engine::SessionStatistics;

std::string with_reason(std::string_view what, const std::string& why) {
  return why.empty() ? std::string{what} : fmt::format("{}: {}", what, why);
}

struct Counted {
  std::uint64_t SessionStatistics::* count;
  std::string_view one;
  std::string_view many;
};
constexpr Counted kFaults[]{
    {&SessionStatistics::gaps, "gap in the received MsgSeqNums", "gaps in the received MsgSeqNums"},
    {&SessionStatistics::garbled, "garbled message", "garbled messages"},
};

// "FIX.4.4-VENUE-BROKER", both of a session's name and of its file's.
std::string file_form(std::string_view name) {
  std::string form;
  while (!name.empty()) {
    const bool is_escaped = name.starts_with("%2D");
    const bool separates = is_escaped || std::string_view{":->/"}.contains(name.front());
    if (!separates) form += name.front();
    if (separates && !form.ends_with('-')) form += '-';
    name.remove_prefix(is_escaped ? 3 : 1);
  }
  return form;
}

}  // namespace

std::size_t EngineView::attention_count() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      sessions_, [](const SessionView& one) { return command::needs_attention(one.status); }));
}

void EngineView::record(SessionView* session, std::string text, WallTime now) {
  changes_.push_back({.seen_at = now,
                      .session = session == nullptr ? std::string{} : session->status.name,
                      .text = std::move(text)});
  if (session != nullptr) session->last = changes_.back();
  if (changes_.size() > kChangesMax) changes_.pop_front();
}

void EngineView::lose(std::string why, Now now) {
  if (loss_.empty()) {
    lost_since_ = now.wall;
    record(nullptr, with_reason("no answer", why), now.wall);
    // Rates across the pause would be wrong.
    looked_at_.reset();
  }
  loss_ = std::move(why);
  for (SessionView& one : sessions_) one.in_rate = one.out_rate = std::nullopt;
}

void EngineView::add_events(std::vector<Change> events) {
  for (Change& event : events) {
    const auto found = std::ranges::find_if(sessions_, [&](const SessionView& one) {
      return file_form(one.status.name) == file_form(event.session);
    });
    if (found != sessions_.end()) event.session = found->status.name;
    events_.push_back(std::move(event));
    if (events_.size() > kChangesMax) events_.pop_front();
  }
}

void EngineView::add(Look look, Now now) {
  const bool is_first = look_.status.process == 0;
  const bool is_other = !is_first && (look.status.process != look_.status.process ||
                                      look.status.started != look_.status.started);
  if (is_other) record(nullptr, "the engine has started again", now.wall);
  if (!is_other && !loss_.empty()) record(nullptr, "it answers again", now.wall);
  loss_.clear();
  std::map<std::string, SessionView, std::less<>> before;
  for (SessionView& one : sessions_) before.emplace(one.status.name, std::move(one));
  sessions_.clear();
  const std::chrono::duration<double> between =
      looked_at_ && !is_other ? now.mono - looked_at_->mono : std::chrono::nanoseconds{0};
  for (const SessionStatistics& status : look.status.sessions) {
    SessionView& session = sessions_.emplace_back(SessionView{.status = status});
    const auto found = before.find(status.name);
    if (found != before.end()) {
      compare(session, found->second, between, now.wall);
      before.erase(found);
    } else if (!is_first) {
      record(&session, "new session", now.wall);
    }
  }
  for (auto& [name, gone] : before) record(&gone, "the engine has it no longer", now.wall);
  look_ = std::move(look);
  looked_at_ = now;
}

void EngineView::compare(SessionView& now, const SessionView& before,
                         std::chrono::duration<double> between, WallTime at) {
  const SessionStatistics& status = now.status;
  now.last = before.last;
  if (status.state != before.status.state) {
    record(&now, with_reason(to_string(status.state), status.why), at);
  } else if (status.disconnects > before.status.disconnects) {
    record(&now, fmt::format("disconnected, and {} again", to_string(status.state)), at);
  } else if (status.failures_in_a_row > before.status.failures_in_a_row) {
    record(&now, with_reason("a Logon or connect failed", status.why), at);
  }
  // The counts of a restarted engine begin at 0.
  if (status.in.messages < before.status.in.messages ||
      status.out.messages < before.status.out.messages) {
    return;
  }
  if (between.count() > 0) {
    const auto rate = [between](std::uint64_t after, std::uint64_t earlier) {
      return static_cast<double>(after - earlier) / between.count();
    };
    now.in_rate = rate(status.in.messages, before.status.in.messages);
    now.out_rate = rate(status.out.messages, before.status.out.messages);
  }
  compare_numbers(now, before.status, at);
  now.resent_before = before.resent_before;
  now.resent_now = status.resent - std::min(status.resent, before.status.resent);
  if (now.resent_now > 0 && before.resent_now == 0) {
    now.resent_before = before.status.resent;
    record(&now, "resends messages", at);
  }
  if (now.resent_now == 0 && before.resent_now > 0) {
    record(&now, counted(status.resent - before.resent_before, "message") + " resent", at);
  }
}

void EngineView::compare_numbers(SessionView& now, const SessionStatistics& before, WallTime at) {
  const SessionStatistics& status = now.status;
  for (const Counted& fault : kFaults) {
    const std::uint64_t count = status.*fault.count;
    if (count <= before.*fault.count) continue;
    record(&now, counted(count - before.*fault.count, fault.one, fault.many), at);
  }
  if (status.next.next_inbound < before.next.next_inbound ||
      status.next.next_outbound < before.next.next_outbound) {
    record(&now,
           fmt::format("MsgSeqNums were set back: next in {}, out {}", status.next.next_inbound,
                       status.next.next_outbound),
           at);
  }
}

}  // namespace nexusfix::tui
