// A row of the key table: everything that is declared about one key. The rows are in
// session_keys.hpp and the other files *_keys.hpp; key_table.hpp joins them.
//
//   {"MaxLatency", AtOnce, seconds(1, 86'400), sets<&HeaderConfig::max_latency>, "120", "30",
//    "CheckLatency: seconds that SendingTime may differ from our clock"},
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "config/api/settings.hpp"
#include "config/keys/value_rule.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {

// When a reload applies a changed value to a session that exists already.
enum class TakesEffect : std::uint8_t {
  AtOnce,
  NextLogon,     // at once without a connection
  NextStart,     // of the engine; ConnectionType also when the session is removed and added again
  OtherSession,  // part of the identity: the session is another one
};

[[nodiscard]] constexpr std::string_view to_string(TakesEffect effect) noexcept {
  switch (effect) {
    case TakesEffect::AtOnce:
      return "at once";
    case TakesEffect::NextLogon:
      return "at the next Logon";
    case TakesEffect::NextStart:
      return "at the next start";
    case TakesEffect::OtherSession:
      break;
  }
  return "as another session";
}

// Whose a value is. A key of the whole engine may stand in every session.
enum class Shared : std::uint8_t {
  No,       // the session's, or the engine's: then the last value counts
  Folder,   // the engine's, like all of the next ones: the first value counts, another one is a
            // warning
  Logs,     // another one is a warning
  Store,    // another one is an error
  Threads,  // another one is an error
  Web,      // another one is an error
};

// Where the members of a struct are in what the keys set: the settings of a session, of the engine,
// or the options of a session's sockets.
template <class Target_, auto... Path>
struct At {
  using Target = Target_;
  static auto& in(Target& target) { return (target.*....*Path); }
};
template <class Struct>
struct Place;
template <>
struct Place<SessionSettings> : At<SessionSettings> {};
template <>
struct Place<DictionarySettings> : At<SessionSettings, &SessionSettings::dictionary> {};
template <>
struct Place<dictionary::ValidationRules>
    : At<SessionSettings, &SessionSettings::dictionary, &DictionarySettings::rules> {};
template <>
struct Place<session::SessionConfig> : At<SessionSettings, &SessionSettings::session> {};
template <>
struct Place<session::HeartbeatConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::heartbeat> {};
template <>
struct Place<session::LogonConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::logon> {};
template <>
struct Place<session::ResetConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::reset> {};
template <>
struct Place<session::GapConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::gap> {};
template <>
struct Place<session::ResendConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::resend> {};
template <>
struct Place<session::HeaderConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::header> {};
template <>
struct Place<session::FixtConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::fixt> {};
template <>
struct Place<session::ValidationConfig>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::validation> {};
template <>
struct Place<session::SessionId>
    : At<SessionSettings, &SessionSettings::session, &session::SessionConfig::id> {};
template <>
struct Place<ReconnectSettings> : At<SessionSettings, &SessionSettings::reconnect> {};
template <>
struct Place<AdmissionSettings> : At<SessionSettings, &SessionSettings::admission> {};
template <>
struct Place<CredentialSettings> : At<SessionSettings, &SessionSettings::credentials> {};
template <>
struct Place<SessionLimits> : At<SessionSettings, &SessionSettings::limits> {};
template <>
struct Place<ThrottleSettings> : At<SessionSettings, &SessionSettings::throttle> {};
template <>
struct Place<OutboundLimitSettings> : At<SessionSettings, &SessionSettings::outbound> {};
template <>
struct Place<LogSettings> : At<SessionSettings, &SessionSettings::log> {};
template <>
struct Place<observe::LogFileOptions>
    : At<SessionSettings, &SessionSettings::log, &LogSettings::files> {};
template <>
struct Place<observe::ScreenLogOptions>
    : At<SessionSettings, &SessionSettings::log, &LogSettings::screen> {};
template <>
struct Place<Settings> : At<Settings> {};
template <>
struct Place<ThreadSettings> : At<Settings, &Settings::threads> {};
template <>
struct Place<WebSettings> : At<Settings, &Settings::web> {};
template <>
struct Place<ClusterSettings> : At<Settings, &Settings::cluster> {};
template <>
struct Place<store::Retention> : At<Settings, &Settings::journal_retention> {};
template <>
struct Place<store::PostgresOptions> : At<Settings, &Settings::postgres> {};
template <>
struct Place<transport::SocketOptions> : At<transport::SocketOptions> {};

template <class Struct, class Member>
Place<Struct> place_of(Member Struct::*);
template <auto Member>
using PlaceOf = decltype(place_of(Member));
template <auto Member>
using TargetOf = typename PlaceOf<Member>::Target;

// Puts a valid value into its member.
template <class Target>
using Setter = void (*)(Target& target, std::string_view value, const ValueRule& rule);

// At most one of the setters is given.
struct Sets {
  std::tuple<Setter<SessionSettings>, Setter<Settings>, Setter<transport::SocketOptions>> setters{};
  Shared sharing = Shared::No;

  template <class Target>
  [[nodiscard]] constexpr Setter<Target> into() const {
    return std::get<Setter<Target>>(setters);
  }
  template <class Target>
  static consteval Sets with(Setter<Target> setter) {
    Sets sets;
    std::get<Setter<Target>>(sets.setters) = setter;
    return sets;
  }
};

// A file in build/ reads the key, which needs more than its value.
inline constexpr Sets kReadByBuilder{};

template <class T>
void assign(T& member, std::string_view value) {
  if constexpr (std::same_as<T, bool>) {
    member = is_yes(value);
  } else if constexpr (std::same_as<T, std::string>) {
    member = value;
  } else if constexpr (std::same_as<T, double>) {
    member = *read_factor(value);
  } else if constexpr (std::integral<T>) {
    member = static_cast<T>(*read_number(value));
  } else if constexpr (requires { typename T::period; }) {  // a duration
    member = T{static_cast<typename T::rep>(*read_number(value))};
  } else {  // an optional
    assign(member.emplace(), value);
  }
}

// The value goes into the member as its type is read, or by Read.
template <auto Member, auto Read = nullptr>
inline constexpr Sets sets = Sets::with<TargetOf<Member>>(
    [](TargetOf<Member>& target, std::string_view value, const ValueRule&) {
      auto& member = PlaceOf<Member>::in(target).*Member;
      // g++ 12 compares no address in a constant expression with UndefinedBehaviorSanitizer.
      if constexpr (std::is_null_pointer_v<decltype(Read)>) {
        assign(member, value);
      } else {
        member = *Read(value);
      }
    });

// A number of this unit, into a finer duration.
template <class Unit, auto Member>
inline constexpr Sets sets_in = Sets::with<TargetOf<Member>>(
    [](TargetOf<Member>& target, std::string_view value, const ValueRule&) {
      PlaceOf<Member>::in(target).*Member =
          Unit{static_cast<typename Unit::rep>(*read_number(value))};
    });

// What each word of one_of() stands for, in their order, or Y and N.
template <auto Member, auto... Meanings>
inline constexpr Sets sets_to = Sets::with<TargetOf<Member>>(
    [](TargetOf<Member>& target, std::string_view value, const ValueRule& rule) {
      constexpr std::array kMeanings{Meanings...};
      PlaceOf<Member>::in(target).*Member = kMeanings.at(rule.word_index(value));
    });

consteval Sets shared(Shared sharing, Sets sets) {
  sets.sharing = sharing;
  return sets;
}

struct KeyRow {
  std::string_view name;  // in its usual spelling
  TakesEffect effect;
  ValueRule rule;
  Sets sets;
  std::string_view fallback;     // the value without the key; empty: none, or the key is required
  std::string_view example;      // a valid value, another one than the fallback
  std::string_view meaning;      // half a sentence
  std::string_view elsewhere{};  // the default of another engine; empty: the same, or no such key
  std::string_view group{};      // set by the table
};

}  // namespace nexusfix::config
