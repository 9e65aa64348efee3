// Where the fields of a typed message are is remembered by its sequence of tags. Each getter must
// find what a search finds, whatever messages came before, and while they live.
#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kHeader = "49=S|56=T|34=2|52=20240115-10:30:00.123|";

class Random {
 public:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>{0, end - 1}(engine_);
  }

 private:
  std::mt19937_64 engine_{7};
};

// What a getter finds. Each value is read as a text: what finds it is the same for all types, and
// compilers take long for the conversions of some hundred fields.
using Found = std::expected<std::string_view, wire::FieldError>;

void expect_same(const Found& got, const wire::MessageView& view, wire::Tag tag) {
  const auto wanted = view.get<std::string_view>(tag);
  ASSERT_EQ(got.has_value(), wanted.has_value()) << tag;
  if (got) {
    EXPECT_EQ(got->data(), wanted->data()) << tag;
    EXPECT_EQ(*got, *wanted) << tag;
  } else {
    EXPECT_EQ(got.error().code, wanted.error().code) << tag;
    EXPECT_EQ(got.error().offset, wanted.error().offset) << tag;
  }
}
template <class M, class F>
void expect_found(const M& message) {
  using Text = wire::Field<wire::tag_of<F>(), std::string_view>;
  const auto got = wire::detail::Unchecked::optional<Text>(message);
  expect_same(got ? Found{*got} : Found{std::unexpected{got.error()}}, message.view(),
              wire::tag_of<F>());
}
template <class M, class... F>
void expect_all_found(const M& message, wire::detail::FieldList<F...>) {
  (expect_found<M, F>(message), ...);
}

template <class... F>
std::vector<wire::Tag> tags_of(wire::detail::FieldList<F...>) {
  return {wire::tag_of<F>()...};
}

// Messages of one type with a few sequences of tags, which come again.
template <class M>
class Sequences {
 public:
  explicit Sequences(std::string required) : required_{std::move(required)} {
    constexpr std::size_t kSequences = 24;
    for (std::size_t i = 0; i < kSequences; ++i) sequences_.push_back(make());
  }

  std::string next() {
    const std::vector<std::string>& fields = sequences_[random_.below(sequences_.size())];
    std::string text = "35=" + std::string{M::kMsgType} + "|" + std::string{kHeader};
    for (const std::string& field : fields) text += field + (random_.below(40) == 0 ? "|" : "1|");
    return testing::fix("FIX.4.4", text);
  }

 private:
  // Each field without its value's last character. Some sequences have a tag twice, a tag that no
  // key identifies, or more fields than are remembered.
  std::vector<std::string> make() {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at < required_.size(); at = required_.find('|', at) + 1) {
      fields.push_back(required_.substr(at, required_.find('|', at) - at));
    }
    const std::array most{std::size_t{1}, std::size_t{6}, std::size_t{14}, std::size_t{30},
                          std::size_t{80}};
    for (std::size_t left = random_.below(most[random_.below(most.size())]); left > 0; --left) {
      fields.push_back(std::to_string(tags_[random_.below(tags_.size())]) + "=");
    }
    if (random_.below(4) == 0) fields.push_back("70000=");
    if (random_.below(4) == 0) fields.push_back(fields[random_.below(fields.size())]);
    for (std::size_t i = fields.size(); i > 1; --i) {
      std::swap(fields[i - 1], fields[random_.below(i)]);
    }
    return fields;
  }

  std::string required_;
  Random random_;
  std::vector<wire::Tag> tags_ = tags_of(typename M::Fields{});
  std::vector<std::vector<std::string>> sequences_;
};

// A message with what it is a view of.
template <class M>
struct Kept {
  std::string bytes;
  wire::Parser parser;
  std::optional<M> message;

  explicit Kept(std::string text) : bytes{std::move(text)} {}
};

template <class M>
void expect_getters_find_as_a_search_does(const std::string& required) {
  const Validator validator =
      Validator::make(builtin_dictionary(Version::Fix44), ValidationRules{}).value();
  ValidationMemory memory;
  Sequences<M> sequences{required};
  std::vector<std::unique_ptr<Kept<M>>> kept;
  int proven = 0;
  int read = 0;
  for (int i = 0; i < 3'000 && !::testing::Test::HasFailure(); ++i) {
    kept.push_back(std::make_unique<Kept<M>>(sequences.next()));
    Kept<M>& one = *kept.back();
    const auto view = one.parser.parse(one.bytes);
    if (view && !validator.validate(*view, memory)) view->record_proof(memory.proof());
    if (view) {
      proven += M::is_proven(*view) ? 1 : 0;
      if (auto message = M::from(*view)) {
        one.message.emplace(std::move(*message));
        M::prove(*view);
      }
    }
    for (const auto& earlier : kept) {
      if (!earlier->message) continue;
      ++read;
      expect_all_found(*earlier->message, typename M::Fields{});
    }
    if (kept.size() > 3) kept.erase(kept.begin());
  }
  EXPECT_GT(read, 3'000);
  EXPECT_GT(proven, 50);
}

TEST(OptionalFieldsProperty, getters_of_an_order_find_as_a_search_does) {
  expect_getters_find_as_a_search_does<fix44::NewOrderSingle>(
      "11=A|55=X|54=|60=20240115-10:30:00.12|40=|");
}

TEST(OptionalFieldsProperty, getters_of_a_report_find_as_a_search_does) {
  expect_getters_find_as_a_search_does<fix44::ExecutionReport>(
      "37=O|17=E|150=|39=|55=X|54=|151=|14=|6=|");
}

}  // namespace
}  // namespace nexusfix::dictionary
