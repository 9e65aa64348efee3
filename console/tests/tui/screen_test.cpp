#include "console/tui/screen.hpp"

#include <gmock/gmock.h>
#include <string_view>

namespace nexusfix::tui {
namespace {

using engine::SessionState;
using engine::SessionStatistics;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr WallTime kTime{seconds{1'700'000'000}};  // 2023-11-14 22:13:20

Look three_sessions() {
  Look look;
  look.status.process = 4711;
  look.status.started = kTime - seconds{3'600};
  look.status.sessions = {
      {.name = "FIX.4.4:VENUE->BROKER",
       .state = SessionState::LoggedOn,
       .logon_changed_at = kTime,
       .next = {.next_inbound = 12, .next_outbound = 34}},
      {.name = "FIX.4.4:VENUE->ALPHA", .state = SessionState::LoggedOn, .logon_changed_at = kTime},
      {.name = "FIX.4.4:VENUE->OMEGA",
       .state = SessionState::Disabled,
       .logon_changed_at = kTime,
       .why = "disabled by anna"},
  };
  look.loops.push_back({.what = "receive to sent",
                        .count = 5,
                        .p50 = std::chrono::nanoseconds{3'100},
                        .p99 = std::chrono::nanoseconds{12'000}});
  return look;
}

Screen screen_of(Look look) {
  std::vector<EngineView> engines;
  engines.emplace_back("store/venue");
  engines.front().add(std::move(look), {.wall = kTime, .mono = MonoTime{}});
  return Screen{std::move(engines)};
}

std::string text_of(Screen& screen, Size size = {}) {
  std::string text;
  for (const Line& line : screen.lines(size, kTime)) (text += line.text) += '\n';
  return text;
}

// The names after "->", in the order of the table.
std::vector<std::string> order_of(Screen& screen) {
  std::vector<std::string> names;
  for (const Line& line : screen.lines({}, kTime)) {
    const std::size_t at = line.text.find("->");
    if (at == std::string::npos) continue;
    const std::string name = line.text.substr(at + 2, 5);
    if (!testing::Value(names, testing::Contains(name))) names.push_back(name);
  }
  return names;
}

void type(Screen& screen, std::string_view text) {
  for (const char byte : text) EXPECT_TRUE(screen.press({.character = byte}));
}

TEST(Screen, shows_the_engine_its_sessions_and_the_keys) {
  Screen screen = screen_of(three_sessions());
  const std::string text = text_of(screen);
  EXPECT_THAT(text, HasSubstr("22:13:20 UTC  store/venue  process 4711, since 21:13:20"));
  EXPECT_THAT(text, HasSubstr("3 sessions, 2 logged on, 1 needs attention"));
  EXPECT_THAT(text, HasSubstr("receive to sent P50 3.1 us, P99 12.0 us"));
  EXPECT_THAT(text, testing::ContainsRegex("FIX.4.4:VENUE->BROKER +logged on +12 +34"));
  EXPECT_THAT(text, testing::ContainsRegex("! FIX.4.4:VENUE->OMEGA +disabled"));
  EXPECT_THAT(text, HasSubstr("q quit  ? help"));
}

TEST(Screen, before_the_first_answer_it_says_nothing_of_the_engine) {
  std::vector<EngineView> engines;
  engines.emplace_back("store/venue");
  Screen screen{std::move(engines)};
  EXPECT_THAT(text_of(screen),
              testing::StartsWith("22:13:20 UTC  store/venue\nasks the engine\n\n"));
  EXPECT_THAT(text_of(screen), Not(HasSubstr("sessions")));
  screen.engine(0).lose("no engine runs", {.wall = kTime, .mono = MonoTime{}});
  EXPECT_THAT(text_of(screen), HasSubstr("store/venue\nNO ANSWER: no engine runs\n"));
}

TEST(Screen, what_needs_attention_comes_first_then_the_names) {
  Screen screen = screen_of(three_sessions());
  EXPECT_THAT(order_of(screen), testing::ElementsAre("OMEGA", "ALPHA", "BROKE"));
  EXPECT_EQ(screen.selected(), "FIX.4.4:VENUE->OMEGA");
  type(screen, "s");
  EXPECT_THAT(order_of(screen), testing::ElementsAre("ALPHA", "BROKE", "OMEGA"));
}

TEST(Screen, order_by_rate_has_the_busiest_first) {
  Screen screen = screen_of(three_sessions());
  Look later = three_sessions();
  later.status.sessions[0].in.messages = 500;
  screen.engine(0).add(std::move(later),
                       {.wall = kTime + seconds{1}, .mono = MonoTime{seconds{1}}});
  type(screen, "ss");
  EXPECT_THAT(order_of(screen), testing::ElementsAre("BROKE", "ALPHA", "OMEGA"));
  EXPECT_THAT(text_of(screen), HasSubstr("in 500/s, out 0/s"));
}

TEST(Screen, arrows_select_and_the_details_follow) {
  Screen screen = screen_of(three_sessions());
  EXPECT_THAT(text_of(screen), HasSubstr("acceptor, disabled: disabled by anna"));
  EXPECT_TRUE(screen.press({.kind = Key::Down}));
  EXPECT_EQ(screen.selected(), "FIX.4.4:VENUE->ALPHA");
  EXPECT_THAT(text_of(screen), HasSubstr("FIX.4.4:VENUE->ALPHA  acceptor, logged on"));
  EXPECT_TRUE(screen.press({.kind = Key::End}));
  EXPECT_TRUE(screen.press({.kind = Key::Down}));
  EXPECT_EQ(screen.selected(), "FIX.4.4:VENUE->BROKER");
  EXPECT_TRUE(screen.press({.kind = Key::Home}));
  EXPECT_TRUE(screen.press({.kind = Key::Up}));
  EXPECT_EQ(screen.selected(), "FIX.4.4:VENUE->OMEGA");
}

TEST(Screen, selection_follows_its_session_when_the_order_changes) {
  Screen screen = screen_of(three_sessions());
  EXPECT_TRUE(screen.press({.kind = Key::Down}));
  type(screen, "s");
  EXPECT_EQ(screen.selected(), "FIX.4.4:VENUE->ALPHA");
}

TEST(Screen, filter_finds_a_part_of_a_name_or_state_in_any_case) {
  Screen screen = screen_of(three_sessions());
  type(screen, "/omeq");
  EXPECT_TRUE(screen.press({.kind = Key::Backspace}));
  EXPECT_THAT(order_of(screen), testing::ElementsAre("OMEGA"));
  EXPECT_THAT(text_of(screen), HasSubstr("filter: ome_"));
  EXPECT_TRUE(screen.press({.kind = Key::Enter}));
  EXPECT_THAT(text_of(screen), HasSubstr("filter: ome\n"));
  EXPECT_TRUE(screen.press({.kind = Key::Escape}));
  EXPECT_EQ(order_of(screen).size(), 3U);
  type(screen, "/logged on");
  EXPECT_THAT(order_of(screen), testing::ElementsAre("ALPHA", "BROKE"));
  type(screen, "x");
  EXPECT_THAT(text_of(screen), HasSubstr("no session has the filter's text"));
  EXPECT_EQ(screen.selected(), "");
}

TEST(Screen, q_ends_it_but_not_in_a_filter) {
  Screen screen = screen_of(three_sessions());
  type(screen, "/q");
  EXPECT_TRUE(screen.press({.kind = Key::Escape}));
  EXPECT_FALSE(screen.press({.character = 'q'}));
}

TEST(Screen, help_shows_the_keys_until_the_next_key) {
  Screen screen = screen_of(three_sessions());
  type(screen, "?");
  EXPECT_THAT(text_of(screen), HasSubstr("sort by attention, name or rate"));
  type(screen, "q");
  EXPECT_THAT(text_of(screen), HasSubstr("SESSION"));
}

TEST(Screen, a_lost_engine_is_shown_with_the_last_known_sessions) {
  Screen screen = screen_of(three_sessions());
  screen.engine(0).lose("no engine runs", {.wall = kTime, .mono = MonoTime{}});
  const std::string text = text_of(screen);
  EXPECT_THAT(text, HasSubstr("NO ANSWER since 22:13:20, asks again each second: no engine runs"));
  EXPECT_THAT(text, HasSubstr("BROKER"));
}

TEST(Screen, tab_shows_the_next_engine) {
  std::vector<EngineView> engines;
  engines.emplace_back("store/a");
  engines.emplace_back("store/b");
  Screen screen{std::move(engines)};
  EXPECT_THAT(text_of(screen), HasSubstr("(engine 1 of 2) store/a"));
  EXPECT_TRUE(screen.press({.kind = Key::Tab}));
  EXPECT_THAT(text_of(screen), HasSubstr("(engine 2 of 2) store/b"));
}

TEST(Screen, a_wide_screen_has_the_last_change_and_a_narrow_one_the_state) {
  Screen screen = screen_of(three_sessions());
  EXPECT_THAT(text_of(screen, {.columns = 130}), HasSubstr("LAST CHANGE"));
  const std::string narrow = text_of(screen, {.columns = 36});
  EXPECT_THAT(narrow, Not(HasSubstr("NEXT IN")));
  EXPECT_THAT(narrow, testing::ContainsRegex("VENUE->OMEGA +disabled"));
}

TEST(Screen, every_size_is_filled_exactly) {
  Screen screen = screen_of(three_sessions());
  for (std::size_t columns = 0; columns < 150; columns += 7) {
    for (std::size_t lines = 0; lines < 40; ++lines) {
      const auto drawn = screen.lines({.columns = columns, .lines = lines}, kTime);
      ASSERT_EQ(drawn.size(), lines);
      for (const Line& line : drawn) ASSERT_LE(line.text.size(), columns) << line.text;
    }
  }
}

TEST(Screen, the_selected_row_is_on_the_screen) {
  Look look;
  look.status.process = 1;
  for (int i = 100; i < 200; ++i) {
    look.status.sessions.push_back(
        {.name = "S" + std::to_string(i), .state = SessionState::LoggedOn});
  }
  Screen screen = screen_of(std::move(look));
  for (int i = 0; i < 99; ++i) {
    const auto drawn = screen.lines({}, kTime);
    EXPECT_TRUE(std::ranges::any_of(drawn, [](const Line& line) {
      return line.style == Style::Selected;
    })) << i;
    EXPECT_TRUE(screen.press({.kind = i % 9 == 8 ? Key::PageDown : Key::Down}));
  }
  EXPECT_EQ(screen.selected(), "S199");
}

TEST(Screen, bytes_that_are_no_text_do_not_reach_the_terminal) {
  Look look;
  look.status.process = 1;
  look.status.sessions.push_back({.name = "A\x1b[2J\xff", .state = SessionState::LoggedOn});
  Screen screen = screen_of(std::move(look));
  EXPECT_THAT(text_of(screen), HasSubstr("A?[2J?"));
}

TEST(Screen, events_of_the_log_are_shown_in_place_of_changes) {
  Screen screen = screen_of(three_sessions());
  EXPECT_THAT(text_of(screen), HasSubstr("changes, since this screen began (a: of all sessions)"));
  screen.engine(0).add_events(
      {{.seen_at = kTime, .text = "INFO NXF-3001 : listening"},
       {.seen_at = kTime, .session = "FIX.4.4-VENUE-OMEGA", .text = "WARN NXF-1007 : refused"},
       {.seen_at = kTime, .session = "FIX.4.4-VENUE-ALPHA", .text = "INFO NXF-1001 : on"}});
  const std::string text = text_of(screen);  // OMEGA is selected
  EXPECT_THAT(text, HasSubstr("events (a: of all sessions)\n"
                              "  22:13:20  WARN NXF-1007 : refused\n"
                              "  22:13:20  INFO NXF-3001 : listening\n"));
  EXPECT_THAT(text, Not(HasSubstr("NXF-1001")));
  EXPECT_TRUE(screen.press({.character = 'a'}));
  EXPECT_THAT(text_of(screen), HasSubstr("events of all sessions\n"
                                         "  22:13:20  FIX.4.4:VENUE->ALPHA: INFO NXF-1001 : on\n"));
}

}  // namespace
}  // namespace nexusfix::tui
