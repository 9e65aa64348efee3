#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/trade_capture_report.hpp>
#include <nexusfix/fix44/trd_reg_timestamps.hpp>
#include <nexusfix/fix44/user_request.hpp>

#include "unit/wire/draft/draft_text.hpp"

namespace nexusfix::fix44 {
namespace {

using DraftErrorCode = wire::DraftError::Code;
using DeskID = wire::Field<5001, std::string_view>;

TEST(Draft, a_new_one_is_empty) {
  const NewOrderSingle::Draft draft;
  EXPECT_TRUE(draft.empty());
  EXPECT_EQ(draft.field_count(), 0U);
  EXPECT_EQ(draft.cl_ord_id().error().code, wire::FieldErrorCode::Missing);
  EXPECT_EQ(to_string(draft), "");
  EXPECT_EQ(draft, NewOrderSingle::Draft{});
}

TEST(Draft, has_the_getters_of_its_message) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(Price{"150.25"}, OrderQty{100}));
  EXPECT_EQ(draft.cl_ord_id()->value, "A1");
  EXPECT_EQ(*draft.side(), Side::Buy);
  EXPECT_EQ(draft.price()->value, Decimal::from_literal("150.25"));
  EXPECT_FALSE(draft.stop_px());
  const auto typed = draft.typed();
  ASSERT_TRUE(typed.has_value());
  EXPECT_EQ(typed->symbol().value, "AAPL");
}

struct FixedClock final : Clock {
  Now time{};
  Now now() noexcept override { return time; }
};

TEST(Draft, now_is_the_time_of_the_call_by_the_clock_of_the_thread) {
  FixedClock clock;
  clock.time.wall = WallTime{std::chrono::milliseconds{1'700'000'000'123}};
  NewOrderSingle::Draft draft;
  {
    const ClockOfThread scope{clock};
    done(draft.set(ClOrdID{"A1"}, TransactTime::now()));
    clock.time.wall += std::chrono::seconds{5};
  }
  EXPECT_EQ(to_string(draft), "35=D|11=A1|60=20231114-22:13:20.123");
  EXPECT_EQ(draft.transact_time()->value, WallTime{std::chrono::milliseconds{1'700'000'000'123}});
}

TEST(Draft, now_is_the_time_of_the_system_without_another_clock) {
  NewOrderSingle::Draft draft;
  const WallTime before = SystemClock{}.now().wall - std::chrono::milliseconds{1};
  done(draft.set(TransactTime::now()));
  const WallTime after = SystemClock{}.now().wall;
  EXPECT_GT(draft.transact_time()->value, before);
  EXPECT_LE(draft.transact_time()->value, after);
}

TEST(Draft, an_entry_of_a_group_has_the_time_of_the_call_too) {
  FixedClock clock;
  clock.time.wall = WallTime{std::chrono::milliseconds{1'700'000'000'123}};
  const ClockOfThread scope{clock};
  TradeCaptureReport::Draft draft;
  auto times = draft.group<TrdRegTimestamps::NoTrdRegTimestamps>();
  done(times.add(TrdRegTimestamp::now()));
  clock.time.wall += std::chrono::seconds{1};
  done(times.add(TrdRegTimestamp{WallTime{}}));
  done(times[1].set(TrdRegTimestamp::now()));
  EXPECT_EQ(to_string(draft), "35=AE|768=2|769=20231114-22:13:20.123|769=20231114-22:13:21.123");
}

TEST(Draft, fields_of_the_header_come_first_and_the_others_in_the_order_of_their_first_set) {
  NewOrderSingle::Draft draft;
  done(draft.set(Symbol{"AAPL"}, SenderSubID{"desk"}, ClOrdID{"A1"}));
  done(draft.set(Side::Buy, OnBehalfOfCompID{"FIRM"}, Symbol{"MSFT"}));
  EXPECT_EQ(to_string(draft), "35=D|50=desk|115=FIRM|55=MSFT|11=A1|54=1");
}

TEST(Draft, a_field_that_is_set_again_keeps_its_place_whatever_its_size) {
  NewOrderSingle::Draft draft = order();
  for (const std::string& id :
       {std::string{"B2"}, std::string{"C"}, std::string(300, 'x'), std::string{"A1"}}) {
    done(draft.set(ClOrdID{id}));
    EXPECT_EQ(to_string(draft), "35=D|11=" + id + "|55=AAPL|54=1|60=19700101-00:00:00.000|40=2");
  }
}

// The usual amendment: OrigClOrdID gets the ClOrdID that the draft has.
TEST(Draft, takes_values_that_are_views_of_itself_also_while_its_memory_grows) {
  for (std::size_t size = 1; size < 600; size += 7) {
    OrderCancelReplaceRequest::Draft draft;
    const std::string id(size, 'a');
    done(draft.set(ClOrdID{id}));
    done(draft.set(OrigClOrdID{draft.cl_ord_id()->value}, ClOrdID{"next"},
                   Text{draft.cl_ord_id()->value}));
    EXPECT_EQ(draft.orig_cl_ord_id()->value, id);
    EXPECT_EQ(draft.text()->value, id);
    EXPECT_EQ(draft.cl_ord_id()->value, "next");
  }
}

TEST(Draft, an_edit_with_a_bad_value_changes_nothing) {
  NewOrderSingle::Draft draft = order();
  const std::string before = to_string(draft);
  const auto refused = [&](const wire::DraftResult& result) {
    EXPECT_EQ(to_string(draft), before);
    return result.has_value() ? std::pair{DraftErrorCode::FieldMissing, wire::Tag{0}}
                              : std::pair{result.error().code, result.error().tag};
  };
  using Error = std::pair<DraftErrorCode, wire::Tag>;
  EXPECT_EQ(refused(draft.set(Symbol{"MSFT"}, Text{""})), (Error{DraftErrorCode::EmptyValue, 58}));
  EXPECT_EQ(refused(draft.set(Symbol{"MSFT"}, Text{"a\x01"
                                                   "b"})),
            (Error{DraftErrorCode::SohInValue, 58}));
  EXPECT_EQ(refused(draft.set(Symbol{"MSFT"}, static_cast<Side>('x'))),
            (Error{DraftErrorCode::ValueOutOfRange, 54}));
  EXPECT_EQ(refused(draft.set(Symbol{"MSFT"}, TradeDate{wire::Date{}})),
            (Error{DraftErrorCode::ValueOutOfRange, 75}));
  const std::string large(wire::kDraftBytesMax, 'x');
  EXPECT_EQ(refused(draft.set(Symbol{"MSFT"}, Text{large})), (Error{DraftErrorCode::TooLong, 58}));
}

TEST(Draft, a_refused_first_edit_leaves_an_empty_draft) {
  NewOrderSingle::Draft draft;
  EXPECT_FALSE(draft.set(Text{""}));
  EXPECT_TRUE(draft.empty());
  EXPECT_EQ(draft.view().field_count(), 0U);
}

TEST(Draft, a_part_without_a_value_removes_its_field) {
  NewOrderSingle::Draft limit = order();
  const NewOrderSingle::Draft market = order();
  done(limit.set(Price{"1.5"}, Account{"X"}, EncodedText{"e"}));
  done(limit.set(market.price(), std::optional<Account>{}, std::optional<EncodedText>{}));
  EXPECT_EQ(limit, market);
}

TEST(Draft, erase_removes_fields_and_says_whether_they_were_there) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(Price{"1.5"},
                 EncodedText{"a\x01"
                             "b"},
                 DeskID{"north"}));
  EXPECT_TRUE(draft.erase<Price>());
  EXPECT_FALSE(draft.erase<Price>());
  EXPECT_TRUE(draft.erase(5001));
  EXPECT_FALSE(draft.erase(5001));
  EXPECT_FALSE(draft.erase(35));
  EXPECT_TRUE(draft.erase(354));  // the Length field goes with its data field
  EXPECT_EQ(draft, order());
}

TEST(Draft, a_data_field_may_contain_any_byte) {
  NewOrderSingle::Draft draft = order();
  const std::string any{
      "a\x01"
      "58=b\x00",
      7};
  done(draft.set(EncodedText{any}));
  EXPECT_EQ(draft.encoded_text()->value, any);
  EXPECT_EQ(draft.encoded_text_len()->value, 7U);
  done(draft.set(EncodedText{"short"}, Text{"t"}));
  EXPECT_EQ(draft.encoded_text()->value, "short");
  EXPECT_TRUE(to_string(draft).ends_with("|354=5|355=short|58=t"));
  done(draft.validate());
}

TEST(Draft, data_of_the_header_is_set_and_erased_with_its_length) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(XmlData{"<a>\x01</a>"}));
  EXPECT_EQ(draft.view()[212], "8");
  for (const wire::Tag tag : {212U, 213U}) {
    NewOrderSingle::Draft erased = draft;
    EXPECT_TRUE(erased.erase(tag));
    EXPECT_EQ(erased, order());
  }
}

TEST(Draft, user_defined_fields_are_set_by_tag_or_by_a_type) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(DeskID{"north"}));
  done(draft.set(5002, 42));
  done(draft.set(100'000, "large"));
  EXPECT_EQ(draft.get<DeskID>()->value, "north");
  EXPECT_EQ(draft.view()[5002], "42");
  EXPECT_EQ(draft.view()[100'000], "large");
  done(draft.set(100'000, "larger still"));
  done(draft.set(Price{1}));
  EXPECT_TRUE(to_string(draft).ends_with("|5001=north|5002=42|100000=larger still|44=1"));
  done(draft.validate());
}

TEST(Draft, a_field_of_the_dictionary_that_is_set_by_tag_must_be_of_its_type) {
  NewOrderSingle::Draft draft = order();
  const auto code = [](const wire::DraftResult& result) { return result.error().code; };
  done(draft.set(38, "100"));
  done(draft.set(54, "2"));
  EXPECT_EQ(draft.order_qty()->value, Decimal::from_int(100));
  EXPECT_EQ(code(draft.set(38, "many")), DraftErrorCode::ValueMalformed);
  EXPECT_EQ(code(draft.set(54, "x")), DraftErrorCode::ValueOutOfRange);
  EXPECT_EQ(code(draft.set(31, "1.5")), DraftErrorCode::FieldNotInMessage);  // LastPx
  for (const wire::Tag tag : {8U,  9U,  10U,   34U,  35U, 49U,  52U,  56U,  43U,  122U,
                              89U, 93U, 1128U, 627U, 0U,  453U, 354U, 355U, 212U, 213U}) {
    EXPECT_EQ(code(draft.set(tag, "1")), DraftErrorCode::TagInvalid) << tag;
  }
  EXPECT_EQ(draft.order_qty()->value, Decimal::from_int(100));
}

TEST(Draft, a_moved_from_draft_is_empty_and_may_be_used_again) {
  NewOrderSingle::Draft draft = order();
  NewOrderSingle::Draft moved = std::move(draft);
  EXPECT_EQ(moved, order());
  EXPECT_TRUE(draft.empty());  // NOLINT(bugprone-use-after-move): tested here
  done(draft.set(ClOrdID{"A2"}));
  moved = std::move(draft);
  EXPECT_EQ(to_string(moved), "35=D|11=A2");
}

TEST(Draft, a_copy_has_a_life_of_its_own) {
  NewOrderSingle::Draft draft = order();
  NewOrderSingle::Draft copy = draft;
  done(copy.set(ClOrdID{"other"}));
  EXPECT_EQ(draft, order());
  copy = draft;
  EXPECT_EQ(copy, draft);
  const NewOrderSingle::Draft& same = copy;
  copy = same;
  EXPECT_EQ(copy, draft);
  copy.clear();
  EXPECT_TRUE(copy.empty());
}

TEST(Draft, equality_ignores_the_order_of_fields_and_compares_texts) {
  NewOrderSingle::Draft one;
  NewOrderSingle::Draft other;
  done(one.set(Symbol{"AAPL"}, ClOrdID{"A1"}, Price{"1.5"}));
  done(other.set(Price{"1.5"}, ClOrdID{"A1"}, Symbol{"AAPL"}));
  EXPECT_EQ(one, other);
  done(other.set(Price{"1.50"}));
  EXPECT_NE(one, other);
  other.erase<Price>();
  EXPECT_NE(one, other);
}

TEST(Draft, prints_without_passwords_and_control_characters) {
  UserRequest::Draft draft;
  done(draft.set(Username{"a\tb"}, Password{"secret"}, RawData{"\x02"}));
  EXPECT_EQ(to_string(draft), "35=BE|553=a\\x09b|554=***|95=1|96=***");
}

TEST(Draft, is_encoded_as_the_fields_that_it_has) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(SenderSubID{"desk"}));
  wire::Parser parser;
  const std::string bytes = encoded(draft);
  const auto message = parser.parse(bytes);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ((*message)[50], "desk");
  const auto again = NewOrderSingle::Draft::from(*message);
  ASSERT_TRUE(again.has_value());
  EXPECT_NE(*again, draft);  // SenderSubID names a side of the session
  draft.erase<SenderSubID>();
  EXPECT_EQ(*again, draft);
}

}  // namespace
}  // namespace nexusfix::fix44
