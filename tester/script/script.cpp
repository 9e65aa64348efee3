#include "tester/script/script.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/api/edit_distance.hpp"
#include "base/api/utf8.hpp"
#include "tester/script/condition.hpp"
#include "tester/script/message_text.hpp"

namespace nexusfix::tester {
namespace {

enum class Text : std::uint8_t { None, Allowed, Needed };
// What stands between a verb and its text.
enum class Before : std::uint8_t { Nothing, Count, CountTime, Within, Time, Range, Fields };

struct VerbName {
  std::string_view name;
  Verb verb;
  Text text;
  Before before = Before::Nothing;
};

// If two names match, the longer one comes first.
constexpr std::array kVerbs{
    VerbName{"let", Verb::Let, Text::Needed},
    VerbName{"session", Verb::Session, Text::Needed},
    VerbName{"connect", Verb::Connect, Text::None},
    VerbName{"expect connect", Verb::ExpectConnect, Text::None, Before::Within},
    VerbName{"disconnect", Verb::Disconnect, Text::None},
    VerbName{"expect disconnect", Verb::ExpectDisconnect, Text::None, Before::Within},
    VerbName{"expect exactly", Verb::ExpectExactly, Text::Needed, Before::Within},
    VerbName{"expect", Verb::ExpectMessage, Text::Needed, Before::Within},
    VerbName{"send fields", Verb::SendFields, Text::Needed},
    VerbName{"send bytes", Verb::SendBytes, Text::Needed},
    VerbName{"send first", Verb::SendFirst, Text::Needed, Before::Count},
    VerbName{"send rest", Verb::SendRest, Text::None},
    VerbName{"send garbage", Verb::SendGarbage, Text::None, Before::Count},
    VerbName{"send altered", Verb::SendAltered, Text::Needed, Before::Count},
    VerbName{"send", Verb::SendMessage, Text::Needed},
    VerbName{"pieces off", Verb::PiecesOff, Text::None},
    VerbName{"pieces", Verb::Pieces, Text::None, Before::CountTime},
    VerbName{"reading off", Verb::ReadingOff, Text::None},
    VerbName{"reading on", Verb::ReadingOn, Text::None},
    VerbName{"ignore nothing", Verb::IgnoreNothing, Text::None},
    VerbName{"ignore", Verb::Ignore, Text::Needed},
    VerbName{"wait", Verb::Wait, Text::None, Before::Time},
    VerbName{"timeout", Verb::Timeout, Text::None, Before::Time},
    VerbName{"repeat", Verb::Repeat, Text::None, Before::Count},
    VerbName{"if disconnect", Verb::IfDisconnect, Text::None, Before::Within},
    VerbName{"if silent", Verb::IfSilent, Text::None, Before::Time},
    VerbName{"if", Verb::If, Text::Needed, Before::Within},
    VerbName{"mark", Verb::Mark, Text::Needed},
    VerbName{"elapsed", Verb::Elapsed, Text::None, Before::Range},
    VerbName{"checks off", Verb::ChecksOff, Text::None},
    VerbName{"checks on", Verb::ChecksOn, Text::None},
    VerbName{"signing off", Verb::SigningOff, Text::None},
    VerbName{"signing on", Verb::SigningOn, Text::None},
    VerbName{"restart", Verb::Restart, Text::None},
    VerbName{"log out", Verb::LogOut, Text::None},
    VerbName{"remark", Verb::Remark, Text::Needed},
    VerbName{"fail", Verb::Fail, Text::Needed},
    VerbName{"skip", Verb::Skip, Text::Needed},
    VerbName{"stop", Verb::Stop, Text::None},
    VerbName{"setting", Verb::Setting, Text::Needed},
    VerbName{"app", Verb::Application, Text::Needed},
};
// Words that are no statements of a body.
constexpr std::array<std::string_view, 6> kOtherWords{"language", "versions", "include",
                                                      "else",     "end",      "else if"};
constexpr std::size_t kIncludesMax = 16;        // one in the other
constexpr std::size_t kLinesMax = 100'000;      // with what is included
constexpr std::size_t kErrorMax = 400;          // bytes of a line that an error shows
constexpr std::uint64_t kCountMax = 1'000'000;  // of a repetition, and of bytes

bool is_of_application(Verb verb) { return verb == Verb::Setting || verb == Verb::Application; }

// Whether its text begins with a field or the name of fields.
bool begins_with_field(Verb verb) {
  constexpr std::array kOfFields{
      Verb::ExpectMessage, Verb::ExpectExactly, Verb::SendMessage, Verb::SendFirst,
      Verb::SendAltered,   Verb::Ignore,        Verb::If};
  return std::ranges::find(kOfFields, verb) != kOfFields.end();
}

bool opens_block(Verb verb) {
  return verb == Verb::Repeat || verb == Verb::If || verb == Verb::IfDisconnect ||
         verb == Verb::IfSilent;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find(' '), text.size()));
}

// The text after the word or words; nothing if it does not begin with them.
std::optional<std::string_view> rest_after(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return std::nullopt;
  const std::string_view rest = text.substr(words.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  return trim(rest);
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = first_word(text);
  text = trim(text.substr(word.size()));
  return word;
}

bool take_count(std::string_view& text, std::uint64_t& count) {
  const std::string_view word = take_word(text);
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  return error == std::errc{} && stop == word.data() + word.size() && count <= kCountMax;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// "; did you mean WORD?" of the words that may follow the first one of a statement.
std::string near_second(const VerbName& verb, std::string_view word) {
  std::vector<std::string_view> words;
  const std::string_view first = first_word(verb.name);
  const bool has_second = first.size() != verb.name.size();
  for (const VerbName& one : kVerbs) {
    const auto second = rest_after(one.name, first);
    if (!has_second && second && !second->empty()) words.push_back(*second);
  }
  if (verb.before == Before::Within) words.emplace_back("within");
  return did_you_mean(word, words);
}

// What precedes the text of a statement. The error says what was expected.
std::optional<std::string> take_before(const VerbName& word, std::string_view& rest,
                                       Statement& to) {
  constexpr std::string_view kNoTime = "is not a time like 30s, 1500ms, 2m or 2h";
  const auto no_time = [&](std::string_view text) {
    return "\"" + std::string{text} + "\" " + std::string{kNoTime};
  };
  if (word.before == Before::Count || word.before == Before::CountTime) {
    const std::string_view written = first_word(rest);
    if (!take_count(rest, to.count)) {
      return "\"" + std::string{written} + "\" is not a number from 0 to 1000000" +
             near_second(word, written);
    }
  }
  if (word.before == Before::Range) {
    to.argument = take_word(rest);
    const std::string_view range = take_word(rest);
    const std::size_t dash = std::min(range.find('-'), range.size());
    to.time = parse_duration(range.substr(0, dash));
    const auto end = parse_duration(range.substr(std::min(dash + 1, range.size())));
    if (!to.time || !end) return std::string{"not of the form: elapsed NAME 28s-32s"};
    to.time_max = *end;
  }
  if (word.before == Before::Time || (word.before == Before::CountTime && !rest.empty())) {
    const std::string_view written = take_word(rest);
    to.time = parse_duration(written);
    if (!to.time) return no_time(written);
  }
  if (word.before == Before::Within && first_word(rest) == "within") {
    take_word(rest);
    const std::string_view written = take_word(rest);
    to.time = parse_duration(written);
    if (!to.time) return no_time(written);
  }
  return std::nullopt;
}

// The word before a time at the end of the text that is "within", or spelled like it. A pattern may
// end so: 58~answer within 3s.
std::optional<std::string_view> limit_at_end(std::string_view text) {
  const std::size_t time_at = text.rfind(' ');
  if (time_at == std::string_view::npos || !parse_duration(text.substr(time_at + 1))) return {};
  const std::size_t word_at = text.substr(0, time_at).rfind(' ');
  if (word_at == std::string_view::npos) return {};
  const std::string_view word = text.substr(word_at + 1, time_at - word_at - 1);
  const std::string_view fields = text.substr(0, word_at);
  const bool is_pattern = fields.substr(fields.rfind('|') + 1).contains('~');
  constexpr std::size_t kTypos = 2;
  return !is_pattern && edit_distance(word, "within") <= kTypos ? std::optional{word}
                                                                : std::nullopt;
}

// The begin of a text that is too long for an error.
std::string cut(std::string_view text) {
  if (text.size() <= kErrorMax) return std::string{text};
  std::size_t end = kErrorMax;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // inside of a character
  return std::string{text.substr(0, end)} + " ...";
}

// A character that is no text, such as NUL of another encoding.
std::size_t find_control(std::string_view line) {
  const auto found = std::ranges::find_if(line, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7F;
  });
  return static_cast<std::size_t>(found - line.begin());
}

class Reader {
 public:
  explicit Reader(const ReadOptions& options) : options_{options} { script_.versions.set(); }

  std::expected<Script, std::string> read(const std::string& file, std::string_view text) {
    script_.name = file.substr(file.find_last_of('/') + 1);
    script_.name = script_.name.substr(0, script_.name.rfind('.'));
    blocks_.push_back({.statements = &script_.statements});
    const std::string name = file.substr(file.find_last_of('/') + 1);
    if (!read_text(name, text, Scope{})) return std::unexpected{error_};
    if (blocks_.size() > 1) {
      const Statement& opener = *blocks_.back().opener;
      return std::unexpected{opener.place + ":" + std::to_string(opener.column) +
                             ": \"end\" is missing for: " + cut(opener.text)};
    }
    if (script_.statements.empty()) return std::unexpected{script_.name + ": the file is empty"};
    if (!has_language_) {
      return std::unexpected{name + ":2: \"language 1\" is missing: the version of the language"};
    }
    if (!check_names(script_.statements)) return std::unexpected{error_};
    return std::move(script_);
  }

 private:
  bool fail(std::string_view what) { return fail_at(line_, what); }
  // at: a view into line_, whose column is shown. Nothing is left of the line: that of its begin.
  bool fail_at(std::string_view at, std::string_view what) {
    if (at.data() == nullptr) at = trim(line_);
    error_ = (place_ + ":" + std::to_string(column_of(at)) + ": ").append(cut(what));
    return false;
  }
  std::size_t column_of(std::string_view at) const {
    return static_cast<std::size_t>(at.data() - line_.data()) + 1;
  }

  bool read_text(const std::string& file, std::string_view text, const Scope& scope) {
    if (++includes_ > kIncludesMax) return fail("too many includes, one in the other");
    text = without_byte_order_mark(text);
    std::size_t number = 0;
    bool is_title_read = false;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line_ = text.substr(0, end);
      place_ = file + ":" + std::to_string(++number);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (++lines_ > kLinesMax)
        return fail("the script and what it includes have over 100000 lines");
      if (const std::size_t at = find_control(line_); at < line_.size()) {
        return fail_at(line_.substr(at), "a control character; in a value write it as \\x01");
      }
      const std::string_view statement = trim(line_);
      if (number == 1 && (!statement.starts_with("# ") || statement.size() < 10)) {
        return fail("the first line must be a comment that names the tested rule and its source");
      }
      if (number == 1 && includes_ == 1) script_.title = statement.substr(2);
      is_title_read |= !statement.starts_with("# ") || includes_ > 1;
      if (number > 1 && !is_title_read) script_.title.append(statement.substr(1));
      is_title_read |= statement.ends_with('.');
      if (statement.empty() || statement.front() == '#') continue;
      if (!read_line(statement, scope)) return false;
    }
    --includes_;
    return true;
  }

  bool read_line(std::string_view text, Scope scope) {
    if (const Statement* const opener = blocks_.back().opener; opener != nullptr) {
      scope.versions &= opener->scope.versions;
      scope.sides &= opener->scope.sides;
    }
    if (text.front() == '[') {
      const std::size_t end = text.find(']');
      if (end == std::string_view::npos) return fail_at(text, "\"]\" is missing");
      if (!narrow(scope, text.substr(1, end - 1))) return false;
      text = trim(text.substr(end + 1));
      if (text.empty()) return fail_at(line_, "a statement is missing after \"]\"");
    }
    if (const auto named = rest_after(text, "versions")) return restrict(text, *named);
    if (const auto number = rest_after(text, "language")) return check_language(text, *number);
    if (const auto part = rest_after(text, "include")) return include(text, *part, scope);
    if (const auto rest = rest_after(text, "else")) return begin_else(text, *rest, scope);
    if (text == "end") return end_block(text);
    return read_statement(text, scope);
  }

  // "initiator 4.2+"
  bool narrow(Scope& scope, std::string_view text) {
    std::string_view rest = trim(text);
    const std::string_view word = first_word(rest);
    if (word == "acceptor" || word == "initiator") {
      take_word(rest);
      scope.sides.reset(static_cast<std::size_t>(word == "acceptor" ? EngineSide::Initiator
                                                                    : EngineSide::Acceptor));
      if (rest.empty()) return true;
    }
    const auto named = parse_versions(rest);
    if (!named) {
      return fail_at(text, named.error() + did_you_mean(word, {"acceptor", "initiator"}));
    }
    scope.versions &= *named;
    return true;
  }

  bool read_statement(std::string_view text, const Scope& scope) {
    Statement statement;
    statement.place = place_;
    statement.scope = scope;
    const std::string_view word = first_word(text);
    if (word.ends_with(':') && is_name(word.substr(0, word.size() - 1))) {
      statement.session = word.substr(0, word.size() - 1);
      if (!sessions_.contains(statement.session)) {
        std::vector<std::string_view> names(sessions_.begin(), sessions_.end());
        return fail_at(word, "there is no session \"" + statement.session + "\" above" +
                                 did_you_mean(statement.session, names));
      }
      text = trim(text.substr(word.size()));
    }
    statement.text = text;
    statement.column = column_of(text);
    for (const VerbName& one : kVerbs) {
      const auto rest = rest_after(text, one.name);
      if (!rest) continue;
      if (is_of_application(one.verb) && options_.application == Application::Absent) break;
      return complete(one, text, *rest, std::move(statement));
    }
    return unknown(text);
  }

  bool unknown(std::string_view text) {
    std::vector<std::string_view> words(kOtherWords.begin(), kOtherWords.end());
    for (const VerbName& one : kVerbs) {
      if (is_of_application(one.verb) && options_.application == Application::Absent) continue;
      // "checks" alone is no statement.
      if (first_word(text) == first_word(one.name) && text != one.name) {
        const auto second = trim(text.substr(first_word(text).size()));
        const VerbName first{.name = first_word(one.name), .verb = one.verb, .text = one.text};
        return fail_at(second, "unknown word: " + std::string{second} +
                                   near_second(first, first_word(second)));
      }
      words.push_back(first_word(one.name));
    }
    return fail_at(
        text, "unknown statement: " + std::string{text} + did_you_mean(first_word(text), words));
  }

  bool complete(const VerbName& word, std::string_view text, std::string_view rest,
                Statement statement) {
    const std::string name{word.name};
    statement.verb = word.verb;
    const bool needs = word.text == Text::Needed || word.before == Before::Count ||
                       word.before == Before::CountTime || word.before == Before::Time ||
                       word.before == Before::Range;
    if (rest.empty() && needs) return fail_at(text, "\"" + name + "\" needs an argument");
    const std::string_view words = rest;
    if (const auto wrong = take_before(word, rest, statement)) return fail_at(words, *wrong);
    if (rest.empty() && word.text == Text::Needed) {
      return fail_at(text, "\"" + name + "\" needs an argument");
    }
    if (!rest.empty() && word.text == Text::None) {
      const bool takes_none = word.before == Before::Nothing || word.before == Before::Within;
      return fail_at(rest, (takes_none ? "\"" + name + "\" takes no argument"
                                       : "unexpected text after \"" + name + "\"") +
                               near_second(word, first_word(rest)));
    }
    if (begins_with_field(word.verb) && is_name(rest.substr(0, 1))) {
      const std::string near = near_second(word, first_word(rest));
      return fail_at(rest, "unknown word: " + std::string{first_word(rest)} +
                               (near.empty() ? "; a field begins with its tag, as in 35=0" : near));
    }
    if (word.before == Before::Within) {
      if (const auto limit = limit_at_end(rest)) {
        const auto fields =
            trim(rest.substr(0, static_cast<std::size_t>(limit->data() - rest.data())));
        const auto time = rest.substr(rest.rfind(' ') + 1);
        return fail_at(*limit, "the time limit stands before the fields: " + name + " within " +
                                   std::string{time} + ' ' + std::string{fields});
      }
    }
    if (word.text != Text::None) statement.argument = rest;
    wrong_at_ = rest.empty() ? words : rest;
    if (const auto wrong = checked(statement, rest)) return fail_at(wrong_at_, *wrong);
    std::vector<Statement>& statements = *blocks_.back().statements;
    statements.push_back(std::move(statement));
    Statement& added = statements.back();
    if (opens_block(word.verb)) blocks_.push_back({.statements = &added.body, .opener = &added});
    return true;
  }

  // What a statement says about the script; the error in its text, at wrong_at_.
  std::optional<std::string> checked(const Statement& statement, std::string_view text) {
    switch (statement.verb) {
      case Verb::Let:
        return define(statement.argument);
      case Verb::Session:
        return declare(statement.argument);
      case Verb::ExpectMessage:
      case Verb::If:
      case Verb::Ignore:
        return check_conditions(text);
      case Verb::Mark:
        if (!is_name(statement.argument)) return "\"" + statement.argument + "\" is not a name";
        marks_.insert(statement.argument);
        return std::nullopt;
      case Verb::Elapsed:
        if (!marks_.contains(statement.argument)) {
          return "there is no \"mark " + statement.argument + "\" above" +
                 did_you_mean(statement.argument, {marks_.begin(), marks_.end()});
        }
        return std::nullopt;
      case Verb::Connect:
        script_.connects |= statement.scope.sides;
        return std::nullopt;
      case Verb::ExpectConnect:
        script_.listens |= statement.scope.sides;
        return std::nullopt;
      case Verb::Restart:
        script_.restarts = true;
        return std::nullopt;
      case Verb::LogOut:
        script_.logs_out = true;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> define(std::string_view text) {
    const std::size_t at = text.find(" = ");
    const std::string_view name = text.substr(0, at);
    if (at == std::string_view::npos || !is_name(name)) {
      return std::string{"not of the form: let NAME = TEXT"};
    }
    names_.emplace(name);
    script_.names.emplace(name);
    return std::nullopt;
  }

  std::optional<std::string> declare(std::string_view text) {
    const std::string_view name = take_word(text);
    if (!is_name(name) || text.empty()) {
      return std::string{"not of the form: session NAME 49=SENDER|56=TARGET"};
    }
    sessions_.emplace(name);
    return std::nullopt;
  }

  // Conditions without names are checked here, others when they are played.
  std::optional<std::string> check_conditions(std::string_view text) {
    for (const std::string_view item : split_fields(text)) {
      const std::size_t end = item.starts_with('[') ? item.find(']') : std::string_view::npos;
      const std::string_view field = end == std::string_view::npos ? item : item.substr(end + 1);
      if (names_in(field).empty()) {
        const auto condition = Condition::parse(field);
        if (!condition) {
          wrong_at_ = field;
          return condition.error() + near_comparison(field);
        }
      }
      const std::size_t as = field.find(" as ");
      if (as != std::string_view::npos) names_.emplace(trim(field.substr(as + 4)));
    }
    return std::nullopt;
  }

  static std::string near_comparison(std::string_view field) {
    const std::string_view words = trim(field.substr(first_word(field).size()));
    return did_you_mean(first_word(words), {"in", "present", "absent", "as"});
  }

  bool include(std::string_view text, std::string_view part, const Scope& scope) {
    const std::string name{part};
    if (!is_name(part)) return fail_at(text, "not of the form: include NAME");
    auto read = options_.parts(name);
    if (!read) return fail_at(part, read.error());
    const std::string place = place_;
    const std::string_view line = line_;
    const bool is_read = read_text(name + ".part", *read, scope);
    if (is_read) {
      place_ = place;
      line_ = line;
    }
    return is_read;
  }

  bool restrict(std::string_view text, std::string_view named) {
    if (!script_.statements.empty()) return fail_at(text, "\"versions\" must come first");
    const auto versions = parse_versions(named);
    if (!versions) return fail_at(named, versions.error());
    script_.versions = *versions;
    return true;
  }

  bool check_language(std::string_view text, std::string_view number) {
    if (!script_.statements.empty()) return fail_at(text, "\"language\" must come first");
    has_language_ = number == std::to_string(kLanguage);
    if (has_language_) return true;
    return fail_at(text, "this program plays language 1, and the script is of language " +
                             std::string{number});
  }

  // `else`, or `else if ...`: an `if` in the other branch, which the same `end` ends.
  bool begin_else(std::string_view text, std::string_view rest, const Scope& scope) {
    Block& block = blocks_.back();
    if (block.opener == nullptr || block.opener->verb == Verb::Repeat || block.is_other) {
      return fail_at(text, "\"else\" without \"if\"");
    }
    block.statements = &block.opener->otherwise;
    block.is_other = true;
    if (rest.empty()) return true;
    if (!rest_after(rest, "if")) {
      return fail_at(
          rest, "after \"else\" comes nothing, or \"if\"" + did_you_mean(first_word(rest), {"if"}));
    }

    if (!read_statement(rest, scope)) return false;
    blocks_.back().ends_outer = true;
    return true;
  }

  bool end_block(std::string_view text) {
    if (blocks_.size() == 1) return fail_at(text, "\"end\" without \"if\" or \"repeat\"");
    while (blocks_.back().ends_outer) blocks_.pop_back();
    blocks_.pop_back();
    return true;
  }

  std::string unknown_name(std::string_view name, std::string_view base) const {
    std::vector<std::string_view> known(names_.begin(), names_.end());
    known.insert(known.end(), kStandingNames.begin(), kStandingNames.end());
    return "<" + cut(name) + "> means nothing" + did_you_mean(base, known);
  }

  bool check_names(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      for (const std::string_view name : names_in(statement.text)) {
        const std::string_view base = name.substr(0, name.find_first_of("+-"));
        script_.names.emplace(base);
        const bool is_known =
            is_standing_name(base) || names_.contains(base) || options_.names.contains(base);
        auto wrong = is_known ? wrong_addition(name) : std::optional{unknown_name(name, base)};
        if (!wrong) continue;
        const auto at = static_cast<std::size_t>(name.data() - statement.text.data()) - 1;
        error_ = statement.place + ":" + std::to_string(statement.column + at) + ": " + *wrong +
                 ", in: " + cut(statement.text);
        return false;
      }
      if (!check_names(statement.body) || !check_names(statement.otherwise)) return false;
    }
    return true;
  }

  struct Block {
    std::vector<Statement>* statements;
    Statement* opener = nullptr;  // null: the script itself
    bool is_other = false;        // after `else`
    bool ends_outer = false;      // an `else if`: its end is that of the outer one
  };

  const ReadOptions& options_;
  Script script_;
  std::vector<Block> blocks_;  // the open ones, from outside
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> marks_;
  std::set<std::string, std::less<>> sessions_;
  std::string_view line_;
  std::string_view wrong_at_;  // of checked()
  std::string place_;
  std::size_t includes_ = 0;
  std::size_t lines_ = 0;
  bool has_language_ = false;
  std::string error_;
};

}  // namespace

std::expected<Script, std::string> parse_script(const std::string& file, std::string_view text,
                                                const ReadOptions& options) {
  return Reader{options}.read(file, text);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words) {
  std::size_t best = 1 + std::max<std::size_t>(1, word.size() / 3);
  std::string_view nearest;
  for (const std::string_view one : words) {
    const std::size_t distance = edit_distance(word, one);
    if (distance < best) {
      best = distance;
      nearest = one;
    }
  }
  return nearest.empty() ? std::string{} : "; did you mean " + std::string{nearest} + "?";
}

}  // namespace nexusfix::tester
