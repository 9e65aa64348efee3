// JSON for programs, built and printed by the library nlohmann/json. Only json.cpp includes that
// library: each file that does compiles about three seconds longer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nexusfix::command {

// One JSON value. An object keeps its members in the order in which they were set.
class Json {
 public:
  struct Member;

  // The constructors are implicit, so that a member is written {"name", value}.
  Json();  // null
  // RFC 8259, sec. 8.1: JSON is UTF-8. Each byte that is not UTF-8, and each byte of U+0080 to
  // U+009F, becomes \xff with its backslash.
  explicit(false) Json(std::string_view text);
  explicit(false) Json(const std::string& text) : Json{std::string_view{text}} {}
  explicit(false) Json(const char* text) : Json{std::string_view{text}} {}
  explicit(false) Json(double number);  // null if it is not finite
  template <std::same_as<bool> Flag>
  explicit(false) Json(Flag flag) : Json{Boolean{flag}} {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  explicit(false) Json(Number number)
      : Json{Integer{static_cast<std::int64_t>(number), std::signed_integral<Number>}} {}
  template <class Value>
  explicit(false) Json(const std::optional<Value>& value) : Json{value ? Json{*value} : Json{}} {}

  Json(Json&&) noexcept;
  Json& operator=(Json&&) noexcept;
  ~Json();

  // A text that a reader converts to exactly these bytes. Returns nothing if they are not UTF-8.
  [[nodiscard]] static std::optional<Json> exact(std::string_view bytes);

  [[nodiscard]] static Json object(std::initializer_list<Member> members = {});
  // Adds a member to an object, or replaces the one with this name.
  void set(std::string_view name, Json value);
  // Adds a member to an object that has none with this name, without a search.
  void add(std::string_view name, Json value);

  [[nodiscard]] static Json array();
  // to_json makes a value of each item.
  template <class Items, class ToJson = std::identity>
  [[nodiscard]] static Json array(const Items& items, ToJson to_json = {}) {
    Json all = array();
    for (const auto& item : items) all.push_back(std::invoke(to_json, item));
    return all;
  }
  void push_back(Json value);

  // The results have no control characters, which a terminal would obey, except ends of lines.
  [[nodiscard]] std::string line() const;      // on one line, without its end
  [[nodiscard]] std::string document() const;  // indented, with the end of the last line

 private:
  struct Boolean {
    bool value;
  };
  struct Integer {
    std::int64_t bits;
    bool is_signed;
  };
  struct Value;

  explicit Json(Boolean flag);
  explicit Json(Integer number);

  std::unique_ptr<Value> value_;
};

struct Json::Member {
  std::string_view name;
  mutable Json value;  // mutable: object() moves it out of the list
};

}  // namespace nexusfix::command
