// From a message to the handler for its type: one jump over the types that a program lists.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>

namespace nexusfix::wire {

// The typed messages that a program handles: Messages<fix44::ExecutionReport, fix44::News>.
template <TypedMessage... Types>
struct Messages {};

namespace detail {

// A MsgType of one or two bytes, as all standard ones are, as a number: those bytes, and the SOH
// after a single one. 0 for all others, which are compared as text.
[[nodiscard]] constexpr std::uint32_t msg_type_key(std::string_view msg_type) noexcept {
  if (msg_type.size() - 1 >= 2) return 0;
  const char second = msg_type.size() == 2 ? msg_type[1] : kSoh;
  return static_cast<unsigned char>(msg_type[0]) | std::uint32_t{static_cast<unsigned char>(second)}
                                                       << 8U;
}

template <class M>
inline constexpr std::uint32_t kTypeKey = msg_type_key(M::kMsgType);

template <class M>
[[nodiscard]] bool is_type(std::string_view msg_type) noexcept {
  return kTypeKey<M> != 0 || msg_type == M::kMsgType;
}

template <class R, class M, class Visitor>
NEXUSFIX_ALWAYS_INLINE R visit_typed(const MessageView& message, Visitor& visitor) {
  constexpr bool kHasProof = requires { typename M::RequiredFields; };
  if constexpr (kHasProof) {
    if (M::is_proven(message)) [[likely]]
      return visitor(Unchecked::make_proven<M>(message));
  }
  const auto typed = M::from(message);
  if (!typed) [[unlikely]]
    return visitor(message, typed.error());
  if constexpr (kHasProof) M::prove(message);
  return visitor(*typed);
}

// The first of Candidates that has this key and this version.
template <std::uint32_t Key, class R, class IsVersion, class Visitor>
R visit_key(Messages<>, const MessageView& message, const IsVersion&, Visitor& visitor) {
  return visitor(message);
}
template <std::uint32_t Key, class R, class M, class... Others, class IsVersion, class Visitor>
R visit_key(Messages<M, Others...>, const MessageView& message, const IsVersion& is_version,
            Visitor& visitor) {
  if constexpr (kTypeKey<M> == Key) {
    if (is_type<M>(message.msg_type()) && is_version.template operator()<M>()) {
      return visit_typed<R, M>(message, visitor);
    }
  }
  return visit_key<Key, R>(Messages<Others...>{}, message, is_version, visitor);
}

// Comparisons of one number with constants, which compilers turn into a switch. For 8 and for 32
// types that was faster than a jump through a perfect hash table of functions, and than a
// std::variant of the types.
template <class R, class All, class IsVersion, class Visitor>
NEXUSFIX_ALWAYS_INLINE R jump(Messages<>, All, std::uint32_t, const MessageView& message,
                              const IsVersion&, Visitor& visitor) {
  return visitor(message);
}
template <class R, class M, class... Others, class All, class IsVersion, class Visitor>
NEXUSFIX_ALWAYS_INLINE R jump(Messages<M, Others...>, All all, std::uint32_t key,
                              const MessageView& message, const IsVersion& is_version,
                              Visitor& visitor) {
  if (key == kTypeKey<M>) return visit_key<kTypeKey<M>, R>(all, message, is_version, visitor);
  return jump<R>(Messages<Others...>{}, all, key, message, is_version, visitor);
}

inline constexpr std::string_view kTransportVersion = "FIXT.1.1";

// For a message of FIXT 1.1 with an ApplVerID (1128): whether it names M's version.
template <class M>
[[nodiscard]] std::optional<bool> names_version(const MessageView& message) noexcept {
  const auto appl_ver_id = message[tag::ApplVerID];
  if (!appl_ver_id) return std::nullopt;
  return application_version(*appl_ver_id) == std::string_view{M::kApplicationVersion};
}

// The version that the message itself names.
struct OwnVersion {
  const MessageView& message;

  template <class M>
  [[nodiscard]] bool operator()() const noexcept {
    if (message.begin_string() != std::string_view{M::kBeginString}) return false;
    if constexpr (M::kBeginString != kTransportVersion) return true;
    return names_version<M>(message).value_or(true);
  }
};

// Whether it is the version of M's dictionary, compared as a character if it can be.
template <class M>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool is_version_of(const NamedVersion& version) noexcept {
  constexpr char kApplVerID = appl_ver_id(M::kApplicationVersion);
  if constexpr (kApplVerID != 0) return version.appl_ver_id == kApplVerID;
  return version.name == std::string_view{M::kApplicationVersion};
}
template <class M>
[[nodiscard]] bool is_version_of(std::string_view version) noexcept {
  return version == std::string_view{M::kApplicationVersion};
}

// The version of the session, unless the message names another one. Version: a std::string_view or
// a NamedVersion.
template <class Version>
struct GivenVersion {
  const MessageView& message;
  const Version& version;

  template <class M>
  [[nodiscard]] bool operator()() const noexcept {
    const bool given = is_version_of<M>(version);
    if constexpr (M::kBeginString != kTransportVersion) return given;
    return names_version<M>(message).value_or(given);
  }
};

template <class... Types, class IsVersion, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, const MessageView& message,
                        const IsVersion& is_version, Visitor& visitor) {
  static_assert(std::invocable<Visitor&, const MessageView&>,
                "the visitor lacks a function (view) for the other messages");
  if constexpr (std::invocable<Visitor&, const MessageView&>) {
    using R = std::invoke_result_t<Visitor&, const MessageView&>;
    constexpr bool kTakesTypes = (std::is_invocable_r_v<R, Visitor&, const Types&> && ...);
    constexpr bool kTakesErrors =
        std::is_invocable_r_v<R, Visitor&, const MessageView&, const FieldError&>;
    static_assert(kTakesTypes, "the visitor lacks a function for one of the listed messages");
    static_assert(kTakesErrors,
                  "the visitor lacks a function (view, error) for a listed message with an error");
    if constexpr (kTakesTypes && kTakesErrors) {
      return jump<R>(types, types, msg_type_key(message.msg_type()), message, is_version, visitor);
    }
  }
}

}  // namespace detail

// Calls one function of the visitor and returns its result:
//   visitor(const M&)                                M of Types, if the message is one
//   visitor(const MessageView&, const FieldError&)   it is one, but M::from() has this error
//   visitor(const MessageView&)                      every other message
// A listed type matches only if the message has its version, too: BeginString, and ApplVerID (1128)
// on sessions of FIXT 1.1. No allocation. Exceptions of the visitor pass through.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(Messages<Types...>{}, message, detail::OwnVersion{message}, visitor);
}

// For a session whose version is known: "FIX.4.4", "FIX.5.0SP2". In a message of FIXT 1.1,
// an ApplVerID (1128) overrides it.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, std::string_view version,
                        const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(types, message, detail::GivenVersion<std::string_view>{message, version},
                          visitor);
}

// For a session that has the ApplVerID of its version.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, const NamedVersion& version,
                        const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(types, message, detail::GivenVersion<NamedVersion>{message, version},
                          visitor);
}

}  // namespace nexusfix::wire
