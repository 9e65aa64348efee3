#include <gtest/gtest.h>
#include <string>

#include <nexusfix/fix44/new_order_cross.hpp>
#include <nexusfix/fix44/user_request.hpp>

#include "unit/wire/draft/draft_text.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::fix44 {
namespace {

using DraftErrorCode = wire::DraftError::Code;

std::string error_of(const wire::DraftResult& result) {
  return result ? "" : result.error().what();
}

// A draft of a message that was received with this body.
NewOrderSingle::Draft received(std::string_view body) {
  wire::Parser parser;
  const std::string bytes = test::message_of(body);
  const auto message = parser.parse(bytes);
  const auto draft = NewOrderSingle::Draft::from(*message);
  EXPECT_TRUE(draft.has_value()) << draft.error().what();
  return draft.value_or(NewOrderSingle::Draft{});
}

constexpr std::string_view kOrder =
    "35=D|34=2|49=A|52=x|56=B|11=A1|55=AAPL|54=1|60=20240101-"
    "00:00:00|40=1|";
std::string order_and(std::string_view more) { return std::string{kOrder}.append(more); }

TEST(DraftCheck, names_the_required_field_that_is_missing) {
  NewOrderSingle::Draft draft = order();
  done(draft.validate());
  draft.erase<OrdType>();
  EXPECT_EQ(error_of(draft.validate()), "OrdType (40): the required field is missing");
  EXPECT_EQ(draft.validate().error().name, "OrdType");
  EXPECT_EQ(error_of(NewOrderSingle::Draft{}.validate()),
            "ClOrdID (11): the required field is missing");
}

TEST(DraftCheck, names_the_entry_whose_required_field_is_missing) {
  NewOrderCross::Draft draft;
  done(draft.set(CrossID{"X"}, CrossType::CrossTradeWhichIsExecutedCompletelyOrNot,
                 CrossPrioritization::None, Symbol{"AAPL"}, TransactTime{WallTime{}},
                 OrdType::Limit));
  EXPECT_EQ(error_of(draft.validate()), "NoSides (552): the required field is missing");
  auto sides = draft.group<NewOrderCross::NoSides>();
  done(sides.add(Side::Buy, ClOrdID{"A1"}));
  done(sides.add(Side::Sell, ClOrdID{"A2"}));
  done(draft.validate());
  EXPECT_TRUE(sides[1].erase<ClOrdID>());
  EXPECT_EQ(error_of(draft.validate()),
            "ClOrdID (11) in entry 1 of group 552: the required field is missing");
}

TEST(DraftCheck, finds_what_a_received_message_has_and_the_dictionary_has_not) {
  const auto code_of = [](std::string_view more) {
    const auto result = received(order_and(more)).validate();
    return result ? DraftErrorCode::OtherType : result.error().code;
  };
  EXPECT_EQ(code_of(""), DraftErrorCode::OtherType);
  EXPECT_EQ(code_of("5001=own|"), DraftErrorCode::OtherType);
  EXPECT_EQ(code_of("38=many|"), DraftErrorCode::ValueMalformed);
  EXPECT_EQ(code_of("59=?|"), DraftErrorCode::ValueOutOfRange);
  EXPECT_EQ(code_of("31=1|"), DraftErrorCode::FieldNotInMessage);
  EXPECT_EQ(code_of("55=MSFT|"), DraftErrorCode::FieldTwice);
  EXPECT_EQ(code_of("453=2|448=A|"), DraftErrorCode::GroupCountWrong);
  EXPECT_EQ(code_of("453=0|"), DraftErrorCode::GroupCountWrong);
  EXPECT_EQ(code_of("453=1|448=A|448=B|"), DraftErrorCode::GroupCountWrong);
  EXPECT_EQ(code_of("453=1|448=A|452=x|"), DraftErrorCode::ValueMalformed);
  EXPECT_EQ(code_of("453=1|448=A|452=1|452=3|"), DraftErrorCode::FieldTwice);
  EXPECT_EQ(code_of("453=1|448=A|802=2|523=x|"), DraftErrorCode::GroupCountWrong);
  EXPECT_EQ(code_of("355=abc|"), DraftErrorCode::FieldMissing);
  EXPECT_EQ(error_of(received(order_and("453=2|448=A|448=B|452=x|")).validate()),
            "field 452 in entry 1 of group 453: the value is not of the field's type");
}

TEST(DraftFrom, keeps_the_body_and_the_route_and_leaves_out_what_belongs_to_the_session) {
  const auto draft = received(
      "35=D|34=2|43=Y|49=A|50=sub|52=x|56=B|57=sub|97=Y|115=ONBEHALF|116=trader|122=x|128=TO|"
      "142=here|143=there|347=UTF-8|369=1|627=1|628=hop|"
      "11=A1|55=AAPL|54=1|60=20240101-00:00:00.123456789012|40=1|5001=own|93=1|89=s|");
  EXPECT_EQ(to_string(draft),
            "35=D|115=ONBEHALF|116=trader|128=TO|347=UTF-8|11=A1|55=AAPL|54=1|"
            "60=20240101-00:00:00.123456789012|40=1|5001=own");
}

TEST(DraftFrom, a_draft_of_a_received_message_is_edited_like_any_other) {
  auto draft = received(order_and("453=2|448=A|452=1|448=B|452=3|"));
  done(draft.group<PartyEntry>()[1].set(PartyID{"C"}));
  done(draft.group<PartyEntry>().add(PartyID{"D"}));
  done(draft.set(Price{"1.5"}, OrdType::Limit));
  done(draft.validate());
  EXPECT_TRUE(to_string(draft).ends_with("|40=2|453=3|448=A|452=1|448=C|452=3|448=D|44=1.5"));
}

TEST(DraftFrom, refuses_another_message_and_one_with_a_fault) {
  wire::Parser parser;
  const auto code_of = [&](const std::string& bytes) {
    const auto message = parser.parse(bytes);
    EXPECT_TRUE(message.has_value());
    NewOrderSingle::Draft draft = order();
    const auto result = draft.assign(*message);
    EXPECT_EQ(draft, order());
    return result ? DraftErrorCode::FieldMissing : result.error().code;
  };
  EXPECT_EQ(code_of(test::message_of("35=8|34=2|")), DraftErrorCode::OtherType);
  EXPECT_EQ(code_of(test::message_of(order_and("x=1|"))), DraftErrorCode::MessageMalformed);
  // A Length field that its data field does not follow would announce what comes after it in the
  // draft.
  EXPECT_EQ(code_of(test::message_of(order_and("354=3|97=N|355=D|58=t|"))),
            DraftErrorCode::MessageMalformed);
  EXPECT_EQ(code_of(test::message_of(order_and("212=3|58=t|"))), DraftErrorCode::MessageMalformed);
  EXPECT_EQ(NewOrderSingle::Draft::from(wire::MessageView{}).error().code,
            DraftErrorCode::OtherType);
}

TEST(DraftFrom, assigning_replaces_everything) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(Price{1}, DeliverToCompID{"X"}));
  wire::Parser parser;
  const std::string bytes = test::message_of(kOrder);
  done(draft.assign(*parser.parse(bytes)));
  EXPECT_EQ(draft, received(kOrder));
}

TEST(DraftFrom, a_typed_message_is_assigned_also_the_own_view) {
  wire::Parser parser;
  const std::string bytes = test::message_of(order_and("44=1.5|"));
  const auto message = NewOrderSingle::from(*parser.parse(bytes));
  ASSERT_TRUE(message.has_value());
  NewOrderSingle::Draft draft = order();
  done(draft.set(DeliverToCompID{"X"}));
  done(draft.assign(*message));
  EXPECT_EQ(draft, received(order_and("44=1.5|")));
  const auto own = draft.typed();
  ASSERT_TRUE(own.has_value());
  done(draft.assign(*own));
  EXPECT_EQ(draft, received(order_and("44=1.5|")));
}

TEST(DraftEncode, a_password_is_noted_so_that_no_store_gets_it) {
  UserRequest::Draft draft;
  std::array<char, 512> buffer;
  for (const bool has_password : {false, true}) {
    done(draft.set(Username{"u"}));
    if (has_password) done(draft.set(Password{"p"}));
    wire::Encoder encoder{buffer, wire::HeaderFields{"FIX.4.4", "A", "B"}, {.msg_type = "BE"}};
    bool noted = false;
    encoder.record_passwords_in(noted);
    EXPECT_TRUE(encoder.fields(draft.fields()).finish());
    EXPECT_EQ(noted, has_password);
  }
}

}  // namespace
}  // namespace nexusfix::fix44
