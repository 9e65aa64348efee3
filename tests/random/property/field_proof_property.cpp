// A typed message that is proven by its sequence of tags passes all checks of from(), whatever its
// values are; and a timestamp that is compared with the one before is one.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::dictionary {
namespace {

using Fields = std::vector<std::pair<int, std::string>>;

const Fields kHeader{{49, "S"}, {56, "T"}, {34, "2"}, {52, "20240115-10:30:00.123"}};
const Fields kOrder{
    {11, "A1"},  {21, "1"}, {55, "AAPL"},   {54, "1"}, {60, "20240115-10:30:00.123"},
    {38, "100"}, {40, "2"}, {44, "150.25"}, {59, "0"}};
const Fields kReport{{37, "O1"},
                     {17, "E1"},
                     {150, "0"},
                     {39, "0"},
                     {11, "A1"},
                     {55, "AAPL"},
                     {54, "1"},
                     {151, "100"},
                     {14, "0.5"},
                     {6, "0"},
                     {60, "20240115-10:30:00"}};

// Each is right for some fields and wrong for others.
const std::array<std::string, 31> kValues{"",
                                          "1",
                                          "2",
                                          "Z",
                                          "F",
                                          "\x81",
                                          "00",
                                          "-1",
                                          "1.5",
                                          "1.2.3",
                                          "A B",
                                          "9999999999999999999999999",
                                          "0.00000000000000000000001",
                                          "20240115-10:30:00",
                                          "20240115-10:30:59.999",
                                          "20240115-10:30:60.000",
                                          "20240115-10:30:00.12",
                                          "20240115-10:30:00.123456",
                                          "20240115-10:30:00.12345x",
                                          "20240115-23:59:59.123456789",
                                          "20240115-24:00:00.123456789",
                                          "20240115-10:30:00.1234567890123",
                                          "20240115-10:30:00.000000000001",
                                          "20240229-10:30:00.000",
                                          "20230229-10:30:00.000",
                                          "20991231-23:59:60",
                                          "21000101-00:00:00.000",
                                          "99991231-23:59:59.999",
                                          "00010101-00:00:00",
                                          "20001301-00:00:00.000",
                                          std::string(250, '7')};

class FieldProofProperty : public ::testing::Test {
 protected:
  [[nodiscard]] static std::string text_of(const std::string& msg_type, const Fields& body) {
    std::string text = "35=" + msg_type + "|";
    for (const Fields* const part : {&kHeader, &body}) {
      for (const auto& [tag, value] : *part) text += std::to_string(tag) + "=" + value + "|";
    }
    return testing::fix("FIX.4.4", text);
  }
  // Validates and reads the message as the engine does. Returns whether it was proven.
  template <class M>
  bool receive(const Validator& validator, const std::string& bytes) {
    const auto message = parser_.parse(bytes);
    if (!message) return false;
    const bool is_valid = !validator.validate(*message, memory_);
    EXPECT_EQ(is_valid, !validator.validate(*message)) << testing::bar(bytes);
    EXPECT_TRUE(is_valid || memory_.proof() == nullptr);
    if (!is_valid) return false;
    const wire::MessageView view = *message;
    const auto checked = M::from(view);
    view.record_proof(memory_.proof());
    const bool is_proven = M::is_proven(view);
    EXPECT_TRUE(checked || !is_proven) << testing::bar(bytes);
    EXPECT_EQ(M::from(view).has_value(), checked.has_value()) << testing::bar(bytes);
    if (checked) M::prove(view);
    return is_proven;
  }
  // Returns how many messages were proven.
  template <class M>
  std::size_t receive_many(const Validator& validator, const Fields& fields) {
    std::mt19937_64 random{7};
    const auto below = [&](std::size_t end) {
      return std::uniform_int_distribution<std::size_t>{0, end - 1}(random);
    };
    constexpr int kMessages = 20'000;
    std::size_t proven = 0;
    for (int i = 0; i < kMessages; ++i) {
      Fields changed = fields;
      const std::size_t changes = below(3);
      for (std::size_t j = 0; j < changes; ++j) {
        changed[below(changed.size())].second = kValues[below(kValues.size())];
      }
      if (below(8) == 0) std::swap(changed[below(changed.size())], changed[below(changed.size())]);
      if (below(16) == 0) changed.pop_back();
      proven += receive<M>(validator, text_of(std::string{M::kMsgType}, changed)) ? 1 : 0;
      if (HasFailure()) break;
    }
    return proven;
  }

  ValidationMemory memory_;
  wire::Parser parser_;
};

TEST_F(FieldProofProperty, a_proven_message_passes_the_checks) {
  const Validator validator = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  EXPECT_GT(receive_many<fix44::NewOrderSingle>(validator, kOrder), 2'000U);
  EXPECT_GT(receive_many<fix44::ExecutionReport>(validator, kReport), 2'000U);
}

// Bytes of an order whose shape is known are changed, and its size stays.
TEST_F(FieldProofProperty, a_message_that_fits_a_proven_shape_is_valid_and_passes_the_checks) {
  using namespace std::string_view_literals;
  constexpr std::string_view kBytes = "0123456789AFNYZ.-: \x81\x7f\0"sv;
  constexpr int kMessages = 20'000;
  const Validator validator = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  Fields fields = kOrder;
  for (const auto& field : {std::pair{110, "-10"}, std::pair{114, "N"}, std::pair{15, "USD"},
                            std::pair{126, "20240115-23:59:59.999"}, std::pair{18, "1 2"}}) {
    fields.emplace_back(field.first, field.second);
  }
  const std::string order = text_of("D", fields);
  const std::size_t first = order.find(
      "\x01"
      "11=");
  std::mt19937_64 random{7};
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>{0, end - 1}(random);
  };
  int proven = 0;
  int wrong = 0;
  const auto receive = [&](const std::string& bytes) {
    const auto message = parser_.parse(bytes);
    if (!message) return;
    const bool is_valid = !validator.validate(*message);
    EXPECT_EQ(validator.is_valid_after_header(*message, memory_), is_valid) << testing::bar(bytes);
    const wire::detail::FrameShape* const shape = message->shape();
    if (shape != nullptr && shape->proof().number != wire::detail::ShapeProof{}.number) {
      ++proven;
      if (!is_valid) ++wrong;
    }
    if (!is_valid) return;
    const wire::MessageView view = *message;
    view.record_proof(memory_.proof());
    const bool is_typed = fix44::NewOrderSingle::from(*message).has_value();
    EXPECT_EQ(fix44::NewOrderSingle::from(view).has_value(), is_typed) << testing::bar(bytes);
    if (is_typed) fix44::NewOrderSingle::prove(view);
  };
  for (int i = 0; i < kMessages && !HasFailure(); ++i) {
    for (int j = 0; j < 20; ++j) receive(order);
    std::string changed = order.substr(0, order.size() - 7);
    for (std::size_t changes = 1 + below(2); changes > 0; --changes) {
      changed[first + below(changed.size() - first)] = kBytes[below(kBytes.size())];
    }
    receive(test::with_check_sum(changed));
  }
  EXPECT_GT(proven, kMessages);
  EXPECT_GT(wrong, kMessages / 1'000);  // of the kinds that are checked in each message
}

// The validator allows what the typed message does not know.
TEST_F(FieldProofProperty, a_dictionary_with_more_values_proves_less) {
  Dictionary wider = builtin_dictionary(Version::Fix44);
  for (FieldDefinition& field : wider.fields) {
    if (field.tag == 54) {
      field.values.push_back({.value = "0", .name = "NONE"});
      field.values.push_back({.value = "Z", .name = "OTHER"});
    }
    if (field.tag == 60) field.type = FieldType::String;
  }
  const Validator validator = Validator::make(wider, {}).value();
  EXPECT_GT(receive_many<fix44::NewOrderSingle>(validator, kOrder), 2'000U);
  Fields other = kOrder;
  for (const char* const value : {"Z", "0"}) {
    other[3].second = value;
    for (int i = 0; i < 4; ++i) {
      receive<fix44::NewOrderSingle>(validator, text_of("D", kOrder));
      EXPECT_FALSE(receive<fix44::NewOrderSingle>(validator, text_of("D", other)));
    }
  }
}

TEST_F(FieldProofProperty, a_timestamp_of_a_known_minute_is_one) {
  const Validator validator = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  const std::string first = kOrder[4].second;
  for (int i = 0; i < 4; ++i) receive<fix44::NewOrderSingle>(validator, text_of("D", kOrder));
  for (std::size_t at = 0; at < first.size(); ++at) {
    for (const char c : std::string_view{"0123456789:.-/; AZ\x7f"}) {
      Fields changed = kOrder;
      changed[4].second[at] = c;
      receive<fix44::NewOrderSingle>(validator, text_of("D", changed));
      receive<fix44::NewOrderSingle>(validator, text_of("D", kOrder));
    }
  }
}

// The validator takes each year, a WallTime does not.
TEST_F(FieldProofProperty, a_known_minute_of_a_year_without_wall_times_proves_nothing) {
  const Validator validator = Validator::make(builtin_dictionary(Version::Fix44), {}).value();
  for (int i = 0; i < 4; ++i) receive<fix44::NewOrderSingle>(validator, text_of("D", kOrder));
  Fields late = kOrder;
  late[4].second = "99991231-23:59:59.999";
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(receive<fix44::NewOrderSingle>(validator, text_of("D", late)));
  }
  EXPECT_TRUE(receive<fix44::NewOrderSingle>(validator, text_of("D", kOrder)));
}

}  // namespace
}  // namespace nexusfix::dictionary
