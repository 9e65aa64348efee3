#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/fix44/news.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>

#include "unit/wire/draft/draft_text.hpp"

namespace nexusfix::fix44 {
namespace {

using DraftErrorCode = wire::DraftError::Code;
using wire::entry;
using wire::group;

std::string groups_of(const NewOrderSingle::Draft& draft) {
  const std::string text = to_string(draft);
  const auto at = text.find("|453=");
  return at == text.npos ? "" : text.substr(at + 1);
}

TEST(DraftGroup, entries_are_added_in_the_dictionarys_order_of_fields) {
  NewOrderSingle::Draft draft = order();
  auto parties = draft.group<PartyEntry>();
  EXPECT_TRUE(parties.empty());
  done(parties.add(PartyRole::ClientId, PartyID{"A"}));
  done(parties.add(PartyID{"B"}));
  EXPECT_EQ(groups_of(draft), "453=2|448=A|452=3|448=B");
  EXPECT_EQ(parties.size(), 2U);
  EXPECT_EQ(parties[0].party_id().value, "A");
  EXPECT_EQ(*parties[0].party_role(), PartyRole::ClientId);
  EXPECT_FALSE(parties[1].party_role());
  done(draft.validate());
}

TEST(DraftGroup, an_entry_is_changed_in_place) {
  NewOrderSingle::Draft draft = order();
  auto parties = draft.group<PartyEntry>();
  done(parties.add(PartyID{"A"}));
  done(parties.add(PartyID{"B"}));
  done(draft.set(Price{"1.5"}));
  done(parties[0].set(PartyRole::ClientId, PartyID{"a longer one"}));
  done(parties[0].set(PartyIDSource::Bic));
  done(parties[1].set(452, 1));
  EXPECT_EQ(groups_of(draft), "453=2|448=a longer one|447=B|452=3|448=B|452=1|44=1.5");
  EXPECT_TRUE(parties[0].erase<PartyIDSource>());
  EXPECT_FALSE(parties[0].erase<PartyIDSource>());
  EXPECT_EQ(parties[1].set(11, "X").error().code, DraftErrorCode::FieldNotInMessage);
  EXPECT_EQ(parties[1].set(5001, "X").error().code, DraftErrorCode::FieldNotInMessage);
  EXPECT_EQ(groups_of(draft), "453=2|448=a longer one|452=3|448=B|452=1|44=1.5");
}

TEST(DraftGroup, nested_groups_are_edited_like_their_group) {
  NewOrderSingle::Draft draft = order();
  auto parties = draft.group<PartyEntry>();
  done(parties.add(PartyID{"A"}));
  done(parties.add(PartyID{"B"}));
  auto nested = parties[0].group<SubIdEntry>();
  done(nested.add(PartySubID{"x"}));
  done(nested.add(PartySubID{"y"}, PartySubIDType{7}));
  done(parties[1].group<SubIdEntry>().add(PartySubID{"z"}));
  // A field of the entry goes before its nested group.
  done(parties[0].set(PartyRole::ClientId));
  EXPECT_EQ(groups_of(draft), "453=2|448=A|452=3|802=2|523=x|523=y|803=7|448=B|802=1|523=z");
  EXPECT_EQ(nested[1].party_sub_id().value, "y");
  done(nested.erase(0));
  done(nested[0].set(PartySubID{"w"}));
  EXPECT_EQ(groups_of(draft), "453=2|448=A|452=3|802=1|523=w|803=7|448=B|802=1|523=z");
  done(nested.erase(0));
  parties[1].group<SubIdEntry>().clear();
  EXPECT_EQ(groups_of(draft), "453=2|448=A|452=3|448=B");
  done(draft.validate());
}

TEST(DraftGroup, entries_are_erased_and_the_last_one_with_its_group) {
  NewOrderSingle::Draft draft = order();
  auto parties = draft.group<PartyEntry>();
  for (int i = 0; i < 12; ++i) done(parties.add(PartyID{std::to_string(i)}));
  EXPECT_EQ(parties.size(), 12U);
  done(parties.erase(0));
  done(parties.erase(10));
  done(parties.erase(4));
  EXPECT_EQ(groups_of(draft), "453=9|448=1|448=2|448=3|448=4|448=6|448=7|448=8|448=9|448=10");
  while (!parties.empty()) done(parties.erase(0));
  EXPECT_EQ(draft, order());
}

TEST(DraftGroup, an_entry_that_is_not_there_is_an_error_and_reads_as_missing) {
  NewOrderSingle::Draft draft = order();
  auto parties = draft.group<PartyEntry>();
  done(parties.add(PartyID{"A"}));
  auto second = parties[1];
  EXPECT_FALSE(second.exists());
  EXPECT_EQ(second.party_id().value, "");
  EXPECT_FALSE(second.party_role());
  EXPECT_EQ(second.no_party_sub_ids().size(), 0U);
  const auto set = second.set(PartyID{"B"});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, DraftErrorCode::NoEntry);
  EXPECT_EQ(set.error().what(), "entry 1 of group 453: the group has no such entry");
  EXPECT_EQ(second.group<SubIdEntry>().add(PartySubID{"x"}).error().code, DraftErrorCode::NoEntry);
  EXPECT_EQ(parties.erase(1).error().code, DraftErrorCode::NoEntry);
  EXPECT_EQ(draft.group<PartyEntry>()[0].group<SubIdEntry>().erase(0).error().code,
            DraftErrorCode::NoEntry);
  EXPECT_EQ(groups_of(draft), "453=1|448=A");
}

TEST(DraftGroup, set_replaces_all_entries_and_a_bad_value_none) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(group<PartyEntry>(entry(PartyID{"A"}), entry(PartyID{"B"}, PartyRole::ClientId)),
                 Price{"1.5"}));
  const std::vector<std::string> names{"x", "y", "z"};
  const auto make = [](const std::string& name) {
    return entry(PartyID{name}, group<SubIdEntry>(entry(PartySubID{name})));
  };
  done(draft.set(group<PartyEntry>(names, make)));
  const std::string three = "453=3|448=x|802=1|523=x|448=y|802=1|523=y|448=z|802=1|523=z|44=1.5";
  EXPECT_EQ(groups_of(draft), three);
  EXPECT_FALSE(draft.set(group<PartyEntry>(entry(PartyID{"A"}), entry(PartyID{""}))));
  EXPECT_FALSE(draft.group<PartyEntry>().add(PartyID{"\x01"}));
  EXPECT_EQ(groups_of(draft), three);
  done(draft.set(group<PartyEntry>(std::vector<std::string>{}, make)));
  EXPECT_EQ(groups_of(draft), "");
}

// News has Text only in the entries of its group.
TEST(DraftGroup, a_field_of_the_message_is_not_one_of_an_entry) {
  NewOrderSingle::Draft draft = order();
  done(draft.set(5001, "own"));
  News::Draft news;
  done(news.set(Headline{"h"}, group<News::LinesOfText>(entry(Text{"line"}))));
  EXPECT_FALSE(news.erase(58));
  EXPECT_EQ(news.set(58, "x").error().code, DraftErrorCode::FieldNotInMessage);
  EXPECT_EQ(to_string(news), "35=B|148=h|33=1|58=line");
  done(news.validate());
}

TEST(DraftGroup, entries_are_compared_in_order_and_their_fields_are_not) {
  NewOrderSingle::Draft one = order();
  NewOrderSingle::Draft other = order();
  done(one.set(group<PartyEntry>(entry(PartyID{"A"}), entry(PartyID{"B"}, PartyRole::ClientId))));
  done(other.set(group<PartyEntry>(entry(PartyID{"A"}), entry(PartyID{"B"}))));
  EXPECT_NE(one, other);
  done(other.group<PartyEntry>()[1].set(PartyRole::ClientId));
  EXPECT_EQ(one, other);
  done(other.set(Price{1}));
  done(one.set(group<PartyEntry>(std::vector<int>{}, [](int) { return entry(PartyID{"A"}); })));
  done(one.set(Price{1},
               group<PartyEntry>(entry(PartyID{"B"}, PartyRole::ClientId), entry(PartyID{"A"}))));
  EXPECT_NE(one, other);
  done(one.group<PartyEntry>().erase(0));
  done(one.group<PartyEntry>().add(PartyID{"B"}, PartyRole::ClientId));
  EXPECT_EQ(one, other);  // the group is at another place of the message
}

TEST(DraftGroup, a_replacement_takes_over_the_fields_and_groups_of_its_order) {
  NewOrderSingle::Draft draft = order();
  done(
      draft.set(Price{"1.5"}, EncodedText{"e"}, DeliverToCompID{"D"}, QuoteID{"q"},
                group<PartyEntry>(entry(PartyID{"A"}, group<SubIdEntry>(entry(PartySubID{"s"}))))));
  done(draft.set(5001, "own"));
  auto replace = OrderCancelReplaceRequest::Draft::with_fields_of(draft);
  done(replace.set(OrigClOrdID{draft.cl_ord_id()->value}, ClOrdID{"A2"}));
  done(replace.validate());
  EXPECT_EQ(to_string(replace),
            "35=G|128=D|11=A2|55=AAPL|54=1|60=19700101-00:00:00.000|40=2|44=1.5|354=1|355=e|"
            "453=1|448=A|802=1|523=s|5001=own|41=A1");
  EXPECT_TRUE(News::Draft::with_fields_of(NewOrderSingle::Draft{}).empty());
}

}  // namespace
}  // namespace nexusfix::fix44
