#include "gateway/json/json_value.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace nexusfix::gateway {
namespace {

using Json = nlohmann::json;

// Makes the tree. False ends the reading.
class TreeBuilder final : public Json::json_sax_t {
 public:
  bool null() override { return add(JsonValue::Kind::Null) != nullptr; }
  bool boolean(bool value) override {
    JsonValue* const made = add(JsonValue::Kind::Boolean);
    if (made != nullptr) made->is_true = value;
    return made != nullptr;
  }
  bool number_integer(Json::number_integer_t value) override {
    return add(JsonValue::Kind::Integer, fmt::to_string(value)) != nullptr;
  }
  bool number_unsigned(Json::number_unsigned_t value) override {
    return add(JsonValue::Kind::Integer, fmt::to_string(value)) != nullptr;
  }
  bool number_float(Json::number_float_t, const Json::string_t&) override {
    return fail("a number is an integer of 64 bits: write others as a text, such as \"10.5\"");
  }
  bool string(Json::string_t& value) override {
    return add(JsonValue::Kind::Text, std::move(value)) != nullptr;
  }
  bool binary(Json::binary_t&) override { return fail("it is no JSON"); }
  bool key(Json::string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override { return open(JsonValue::Kind::Object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::Array); }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool end_object() override {
    std::vector<std::string_view> keys;
    for (const JsonValue& one : open_.back()->items) keys.emplace_back(one.key);
    std::ranges::sort(keys);
    if (std::ranges::adjacent_find(keys) != keys.end()) {
      return fail("a key comes twice in an object");
    }
    open_.pop_back();
    return true;
  }
  // The exception's text has a part of the JSON, which may be a token.
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return fail(
        fmt::format("it is no JSON in UTF-8, or a number is too large, at byte {}", position));
  }

  [[nodiscard]] JsonValue& root() noexcept { return root_; }
  [[nodiscard]] std::string& fault() noexcept { return fault_; }

 private:
  bool fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    return false;
  }
  JsonValue* add(JsonValue::Kind kind, std::string text = {}) {
    if (++count_ > kJsonValuesMax) {
      fail("more than 100,000 values");
      return nullptr;
    }
    JsonValue& made = open_.empty() ? root_ : open_.back()->items.emplace_back();
    made.kind = kind;
    made.text = std::move(text);
    made.key = std::exchange(key_, {});
    return &made;
  }
  // What is open does not move: values are added to the innermost one alone.
  bool open(JsonValue::Kind kind) {
    if (open_.size() == kJsonDepthMax) return fail("over 16 objects and arrays in one another");
    JsonValue* const made = add(kind);
    if (made == nullptr) return false;
    open_.push_back(made);
    return true;
  }

  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::string key_;
  std::string fault_;
  std::size_t count_ = 0;
};

}  // namespace

std::expected<JsonValue, std::string> read_json(std::string_view text) {
  if (text.size() > kJsonBytesMax) return std::unexpected{"JSON: more than 2 MiB"};
  TreeBuilder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::unexpected{"JSON: " + builder.fault()};
  }
  return std::move(builder.root());
}

}  // namespace nexusfix::gateway
