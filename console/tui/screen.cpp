#include "console/tui/screen.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/api/ascii.hpp"
#include "nexusfix/control/engine_report.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::tui {
namespace {

using command::counted;
using command::with_thousands;

constexpr std::size_t kNameColumnsMin = 12;
constexpr std::size_t kLastColumnsMin = 24;
constexpr std::size_t kDetailLinesMin = 16;  // of a screen that shows the selected session
constexpr std::size_t kFilterBytesMax = 60;
constexpr std::array<std::string_view, 3> kOrders{"attention", "name", "rate"};
constexpr std::array<std::string_view, 13> kHelp{
    "Keys",
    "  Up, Down, PgUp, PgDn, Home, End   select a session",
    "  /      filter: sessions whose name or state has the text; Enter keeps it, Esc ends it",
    "  s      sort by attention, name or rate",
    "  a      events of all sessions, or of the selected one",
    "  Tab    next engine",
    "  ?      this help",
    "  q      quit",
    "",
    "! marks a session that needs attention: its Logons fail, or it waits for an operator.",
    "IN/S and OUT/S are messages a second. Events are those of FileLogPath; without it, changes",
    "since this screen began. It changes nothing: nexusfix ctl gives commands.",
    "Any key goes back.",
};

// A column of the table, left of LAST CHANGE. Narrow screens lack those with a high rank.
struct Column {
  std::string_view title;
  std::size_t width;
  int rank;
};
constexpr std::array kColumns{
    Column{"STATE", 15, 0}, Column{"NEXT IN", 10, 1}, Column{"NEXT OUT", 10, 1},
    Column{"IN/S", 8, 2},   Column{"OUT/S", 8, 2},
};

std::string printable_ascii(std::string text) {
  std::ranges::replace_if(text, [](char byte) { return byte < ' ' || byte > '~'; }, '?');
  return text;
}

std::string clock_text(WallTime time, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const bool is_today =
      std::chrono::floor<std::chrono::days>(time) == std::chrono::floor<std::chrono::days>(now);
  return is_today ? fmt::format("{:%H:%M:%S}", seconds) : fmt::format("{:%Y-%m-%d}", seconds);
}

std::string rate_text(const std::optional<double>& rate) {
  if (!rate) return "-";
  return *rate > 0 && *rate < 10 ? fmt::format("{:.1f}", *rate)
                                 : with_thousands(static_cast<std::uint64_t>(std::lround(*rate)));
}

std::string micros(std::chrono::nanoseconds time) {
  return fmt::format("{:.1f} us", static_cast<double>(time.count()) / 1'000.0);
}

// "receive to sent P50 3.1 us, P99 12.0 us", of the rows that have measured something.
std::string latency_text(const std::vector<engine::LatencyRow>& rows) {
  std::string text;
  for (const engine::LatencyRow& row : rows) {
    if (row.count == 0 || (row.what != "receive to sent" && row.what != "TestRequest")) continue;
    text += fmt::format("{}{} P50 {}, P99 {}", text.empty() ? "" : "; ", row.what, micros(row.p50),
                        micros(row.p99));
  }
  return text;
}

std::string last_text(const SessionView& session, WallTime now) {
  if (session.last) {
    return clock_text(session.last->seen_at, now) + ' ' + session.last->text;
  }
  const engine::SessionStatistics& status = session.status;
  std::string text =
      status.logon_changed_at ? clock_text(*status.logon_changed_at, now) + ' ' : std::string{};
  return text.append(status.why.empty() ? to_string(status.state) : status.why);
}

double rate_of(const SessionView& session) {
  return session.in_rate.value_or(0) + session.out_rate.value_or(0);
}

bool has_ignoring_case(std::string_view text, std::string_view part) {
  return part.empty() || !std::ranges::search(text, part, {}, to_lower, to_lower).empty();
}

struct Widths {
  std::size_t name;
  std::size_t last;  // 0: no such column
  int rank;          // columns above it are left out
};

Widths widths_of(std::size_t columns, std::size_t longest_name) {
  for (int rank = 2; rank > 0; --rank) {
    std::size_t fixed = 2;
    for (const Column& one : kColumns) fixed += one.rank <= rank ? one.width + 1 : 0;
    if (columns < fixed + kNameColumnsMin) continue;
    const std::size_t left = columns - fixed;
    const std::size_t name = std::min(left, std::max(longest_name, kNameColumnsMin));
    const std::size_t last = left - name > kLastColumnsMin ? left - name - 1 : 0;
    return {.name = last > 0 ? name : left, .last = last, .rank = rank};
  }
  const std::size_t fixed = 2 + kColumns.front().width + 1;
  return {.name = columns > fixed ? columns - fixed : 1, .last = 0, .rank = 0};
}

std::string row_text(const Widths& widths, std::string_view mark, std::string_view name,
                     const std::array<std::string, kColumns.size()>& cells, std::string_view last) {
  // Long names differ at their ends.
  std::string shown{name};
  if (shown.size() > widths.name) {
    shown = widths.name > 2 ? ".." + shown.substr(shown.size() - widths.name + 2)
                            : shown.substr(0, widths.name);
  }
  std::string text = fmt::format("{:<2}{:<{}}", mark, shown, widths.name);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (kColumns[i].rank > widths.rank) continue;
    text += i == 0 ? fmt::format(" {:<{}}", cells[i], kColumns[i].width)
                   : fmt::format(" {:>{}}", cells[i], kColumns[i].width);
  }
  if (widths.last > 0) text += fmt::format(" {}", last);
  return text;
}

}  // namespace

Screen::Screen(std::vector<EngineView> engines) : engines_{std::move(engines)} {}

bool Screen::is_needed(const SessionView& session) const {
  return has_ignoring_case(session.status.name, filter_) ||
         has_ignoring_case(to_string(session.status.state), filter_);
}

std::vector<const SessionView*> Screen::rows() const {
  std::vector<const SessionView*> found;
  for (const SessionView& one : engines_[shown_].sessions()) {
    if (is_needed(one)) found.push_back(&one);
  }
  const auto by = [this](const SessionView* one) {
    const bool is_quiet = !command::needs_attention(one->status);
    return std::tuple{order_ == Order::Attention && is_quiet,
                      order_ == Order::Rate ? -rate_of(*one) : 0.0,
                      std::string_view{one->status.name}};
  };
  std::ranges::sort(found, {}, by);
  return found;
}

std::string Screen::selected() const {
  const auto shown = rows();
  if (shown.empty()) return {};
  const bool is_shown = std::ranges::any_of(
      shown, [this](const SessionView* one) { return one->status.name == selected_; });
  return is_shown ? selected_ : shown.front()->status.name;
}

void Screen::edit_filter(Key key) {
  if (key.kind == Key::Enter) is_filtering_ = false;
  if (key.kind == Key::Escape) {
    is_filtering_ = false;
    filter_.clear();
  }
  if (key.kind == Key::Backspace && !filter_.empty()) filter_.pop_back();
  if (key.kind == Key::Character && filter_.size() < kFilterBytesMax) filter_ += key.character;
}

void Screen::move(Key key) {
  const auto shown = rows();
  if (shown.empty()) return;
  const auto found =
      std::ranges::find(shown, selected(), [](const SessionView* one) { return one->status.name; });
  const auto at = static_cast<std::size_t>(found - shown.begin());
  const std::size_t last = shown.size() - 1;
  std::size_t to = at;
  if (key.kind == Key::Up) to = at - std::min<std::size_t>(at, 1);
  if (key.kind == Key::Down) to = std::min(last, at + 1);
  if (key.kind == Key::PageUp) to = at - std::min(at, page_);
  if (key.kind == Key::PageDown) to = std::min(last, at + page_);
  if (key.kind == Key::Home) to = 0;
  if (key.kind == Key::End) to = last;
  selected_ = shown[to]->status.name;
}

bool Screen::press(Key key) {
  if (std::exchange(shows_help_, false)) return true;
  const bool is_edit = key.kind == Key::Character || key.kind == Key::Enter ||
                       key.kind == Key::Escape || key.kind == Key::Backspace;
  if (is_filtering_ && is_edit) {
    edit_filter(key);
    return true;
  }
  if (key.kind == Key::Escape) filter_.clear();
  if (key.kind == Key::Tab) {
    shown_ = (shown_ + 1) % engines_.size();
    first_ = 0;
  }
  if (key.kind != Key::Character) {
    move(key);
    return true;
  }
  if (key.character == '/') is_filtering_ = true;
  if (key.character == 's') {
    order_ = static_cast<Order>((static_cast<std::size_t>(order_) + 1) % kOrders.size());
  }
  if (key.character == 'a') shows_all_changes_ = !shows_all_changes_;
  if (key.character == '?' || key.character == 'h') shows_help_ = true;
  return key.character != 'q';
}

void Screen::add_head(std::vector<Line>& out, Size size, WallTime now) const {
  const EngineView& view = engines_[shown_];
  const engine::EngineStatus& status = view.look().status;
  const auto on = std::ranges::count(status.sessions, engine::SessionState::LoggedOn,
                                     &engine::SessionStatistics::state);
  std::string title = clock_text(now, now) + " UTC  ";
  // Before the place, which may be long.
  if (engines_.size() > 1) title += fmt::format("(engine {} of {}) ", shown_ + 1, engines_.size());
  title += view.place();
  if (status.process == 0) {  // It has not answered yet.
    out.push_back({title, Style::Heading});
    out.push_back(
        {view.loss().empty() ? "asks the engine" : "NO ANSWER: " + view.loss(), Style::Attention});
    return;
  }
  const std::string process =
      fmt::format("  process {}, since {}", status.process, clock_text(status.started, now));
  if (title.size() + process.size() <= size.columns) title += process;
  out.push_back({title, Style::Heading});
  const std::size_t attention = view.attention_count();
  double in = 0;
  double total = 0;
  for (const SessionView& one : view.sessions()) {
    in += one.in_rate.value_or(0);
    total += rate_of(one);
  }
  out.push_back(
      {fmt::format("{}, {} logged on, {} {} attention; in {}/s, out {}/s",
                   counted(view.sessions().size(), "session"), on, attention,
                   attention == 1 ? "needs" : "need", rate_text(in), rate_text(total - in)),
       attention > 0 ? Style::Attention : Style::Plain});
  if (const std::string text = latency_text(view.look().loops); !text.empty()) {
    out.push_back({text});
  }
  if (!view.loss().empty()) {
    out.push_back({fmt::format("NO ANSWER since {}, asks again each second: {}",
                               clock_text(view.lost_since(), now), view.loss()),
                   Style::Attention});
  }
  if (!status.standby.empty()) out.push_back({"standby: " + status.standby, Style::Attention});
  if (!status.cluster.empty()) out.push_back({status.cluster});
  if (is_filtering_ || !filter_.empty()) {
    out.push_back({fmt::format("filter: {}{}", filter_, is_filtering_ ? "_" : ""), Style::Help});
  }
}

void Screen::add_table(std::vector<Line>& out, Size size, std::size_t height, WallTime now) {
  const auto shown = rows();
  std::size_t longest = 0;
  for (const SessionView* one : shown) longest = std::max(longest, one->status.name.size());
  const Widths widths = widths_of(size.columns, longest);
  std::array<std::string, kColumns.size()> titles;
  std::ranges::transform(kColumns, titles.begin(),
                         [](const Column& one) { return std::string{one.title}; });
  out.push_back({row_text(widths, "", "SESSION", titles, "LAST CHANGE"), Style::Heading});
  page_ = height > 1 ? height - 1 : 1;
  const std::string chosen = selected();
  const auto found =
      std::ranges::find(shown, chosen, [](const SessionView* one) { return one->status.name; });
  const auto at = static_cast<std::size_t>(found - shown.begin());
  first_ = std::min(first_, at);
  if (at >= first_ + page_) first_ = at - page_ + 1;
  if (shown.empty()) {
    out.push_back({filter_.empty() ? "  no sessions" : "  no session has the filter's text"});
  }
  for (std::size_t i = first_; i < std::min(shown.size(), first_ + page_); ++i) {
    const SessionView& one = *shown[i];
    const engine::SessionStatistics& status = one.status;
    const bool needs = command::needs_attention(status);
    std::string state{one.resent_now > 0 ? "resending" : to_string(status.state)};
    out.push_back({row_text(widths, needs ? "!" : "", status.name,
                            {std::move(state), std::to_string(status.next.next_inbound),
                             std::to_string(status.next.next_outbound), rate_text(one.in_rate),
                             rate_text(one.out_rate)},
                            last_text(one, now)),
                   status.name == chosen ? Style::Selected
                   : needs               ? Style::Attention
                                         : Style::Plain});
  }
}

void Screen::add_details(std::vector<Line>& out, std::size_t height, WallTime now) const {
  const EngineView& view = engines_[shown_];
  const auto found = std::ranges::find(view.sessions(), selected(),
                                       [](const SessionView& one) { return one.status.name; });
  if (found == view.sessions().end()) return;
  const std::size_t end = out.size() + height;
  const engine::SessionStatistics& status = found->status;
  out.push_back(
      {fmt::format("{}  {}, {}{}{}", status.name, status.is_initiator ? "initiator" : "acceptor",
                   to_string(status.state), status.why.empty() ? "" : ": ", status.why),
       Style::Heading});
  const auto time = [now](const std::optional<WallTime>& of) {
    return of ? clock_text(*of, now) : std::string{"never"};
  };
  out.push_back(
      {fmt::format("  since {}; last received {}; unsent {}", time(status.logon_changed_at),
                   time(status.in.last_at), counted(status.unsent_bytes, "byte"))});
  out.push_back({fmt::format(
      "  Logons {}, failed {}; failed connects {}; disconnects {}; gaps {}; garbled {}",
      status.logons, status.logon_failures, status.connect_failures, status.disconnects,
      status.gaps, status.garbled)});
  out.push_back(
      {fmt::format("  resent {}{}", counted(status.resent, "message"),
                   found->resent_now > 0 ? fmt::format(", {} in the last second", found->resent_now)
                                         : std::string{})});
  const std::string latency = view.look().latency_session == status.name
                                  ? latency_text(view.look().latencies)
                                  : std::string{};
  if (!latency.empty()) out.push_back({"  " + latency});
  if (out.size() < end) add_changes(out, end - out.size(), now);
}

// The newest one first.
void Screen::add_changes(std::vector<Line>& out, std::size_t height, WallTime now) const {
  const EngineView& view = engines_[shown_];
  const std::string chosen = selected();
  const bool has_events = !view.events().empty();
  const std::deque<Change>& changes = has_events ? view.events() : view.changes();
  out.push_back({fmt::format("{}{}{}", has_events ? "events" : "changes",
                             shows_all_changes_ ? " of all sessions" : "",
                             has_events ? "" : ", since this screen began") +
                     (shows_all_changes_ ? "" : " (a: of all sessions)"),
                 Style::Heading});
  std::size_t left = height - 1;
  for (auto one = changes.rbegin(); one != changes.rend() && left > 0; ++one) {
    if (!shows_all_changes_ && !one->session.empty() && one->session != chosen) continue;
    const bool names = shows_all_changes_ && !one->session.empty();
    out.push_back({fmt::format("  {}  {}{}{}", clock_text(one->seen_at, now),
                               names ? one->session : "", names ? ": " : "", one->text),
                   has_events && !one->text.starts_with("INFO") ? Style::Attention : Style::Plain});
    --left;
  }
}

std::string Screen::foot() const {
  if (is_filtering_) return "type the filter; Enter keeps it, Esc ends it";
  std::string text = fmt::format("q quit  ? help  / filter  s sort ({})",
                                 kOrders[static_cast<std::size_t>(order_)]);
  return engines_.size() > 1 ? text + "  Tab engine" : text;
}

std::vector<Line> Screen::lines(Size size, WallTime now) {
  std::vector<Line> out;
  if (shows_help_) {
    for (const std::string_view line : kHelp) out.push_back({std::string{line}, Style::Help});
  } else {
    add_head(out, size, now);
    const bool has_answered = engines_[shown_].look().status.process != 0;
    const std::size_t head = out.size();
    const std::size_t left = size.lines > head + 1 ? size.lines - head - 1 : 0;
    const bool has_details = has_answered && size.lines >= kDetailLinesMin;
    const std::size_t wanted = std::max<std::size_t>(rows().size(), 1) + 1;
    const std::size_t table = has_details ? std::min(wanted, left / 2) : left;
    if (has_answered && table > 1) add_table(out, size, table, now);
    if (has_details) {
      out.push_back({});
      if (size.lines > out.size() + 1) add_details(out, size.lines - out.size() - 1, now);
    }
  }
  out.resize(size.lines);
  if (size.lines > 1) out.back() = {.text = foot(), .style = Style::Help};
  for (Line& line : out) line.text = printable_ascii(line.text.substr(0, size.columns));
  return out;
}

}  // namespace nexusfix::tui
