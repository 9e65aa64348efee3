#include "nexusfix/text/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/api/utf8.hpp"

namespace nexusfix::command {
namespace {

using Tree = nlohmann::ordered_json;

bool is_c1_control(std::string_view text) {
  return utf8_size(text) == 2 && printable_utf8_size(text) == 0;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = is_c1_control(bytes) ? 0 : utf8_size(bytes);
    if (size == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = utf8_size(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

// The library escapes what JSON forbids in a text; DEL and U+0080 to U+009F are allowed. They occur
// in texts only, so that an escape is valid wherever they stand.
std::string with_controls_escaped(std::string_view json) {
  constexpr char kDelete = '\x7f';
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const std::size_t size = utf8_size(json);
    if (json.front() == kDelete || is_c1_control(json)) {
      // The last byte of such a character is its number.
      text += fmt::format("\\u{:04x}", static_cast<unsigned char>(json[size - 1]));
    } else {
      text += json.substr(0, size);
    }
    json.remove_prefix(size);
  }
  return text;
}

}  // namespace

struct Json::Value {
  Tree tree;
};

Json::Json() : value_{std::make_unique<Value>()} {}
Json::Json(std::string_view text) : value_{std::make_unique<Value>(to_utf8(text))} {}
Json::Json(double number) : value_{std::make_unique<Value>(number)} {}
Json::Json(Boolean flag) : value_{std::make_unique<Value>(flag.value)} {}
Json::Json(Integer number)
    : value_{number.is_signed ? std::make_unique<Value>(number.bits)
                              : std::make_unique<Value>(static_cast<std::uint64_t>(number.bits))} {}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

std::optional<Json> Json::exact(std::string_view bytes) {
  if (!is_utf8(bytes)) return std::nullopt;
  Json text;
  text.value_->tree = bytes;
  return text;
}

Json Json::object(std::initializer_list<Member> members) {
  Json made;
  made.value_->tree = Tree::object();
  for (const Member& member : members) made.set(member.name, std::move(member.value));
  return made;
}

void Json::set(std::string_view name, Json value) {
  value_->tree[to_utf8(name)] = std::move(value.value_->tree);
}

void Json::add(std::string_view name, Json value) {
  auto& members = value_->tree.get_ref<Tree::object_t&>();
  members.push_back({to_utf8(name), std::move(value.value_->tree)});
}

Json Json::array() {
  Json made;
  made.value_->tree = Tree::array();
  return made;
}

void Json::push_back(Json value) { value_->tree.push_back(std::move(value.value_->tree)); }

std::string Json::line() const { return with_controls_escaped(value_->tree.dump()); }

std::string Json::document() const {
  constexpr int kIndent = 2;
  return with_controls_escaped(value_->tree.dump(kIndent)) + '\n';
}

}  // namespace nexusfix::command
