// The memory of drafts. This program counts every allocation and lets chosen ones fail.
#include <gtest/gtest.h>
#include <new>
#include <string>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/user_request.hpp>

#include "support/counted_new.hpp"
#include "unit/wire/draft/draft_text.hpp"

namespace nexusfix::fix44 {
namespace {

using nexusfix::test::allocations;
using nexusfix::test::failing_allocation;

// Builds and amends an order as a desk does.
bool build(NewOrderSingle::Draft& draft) {
  draft.clear();
  bool good = draft
                  .set(ClOrdID{"A1"}, Symbol{"AAPL"}, Side::Buy, TransactTime{WallTime{}},
                       OrdType::Limit, Price{"150.25"}, EncodedText{"text"})
                  .has_value();
  auto parties = draft.group<PartyEntry>();
  for (int i = 0; i < 20; ++i) good &= parties.add(PartyID{"a party"}).has_value();
  good &= parties[3].group<SubIdEntry>().add(PartySubID{"desk"}).has_value();
  good &= draft.set(ClOrdID{"a longer ClOrdID than before"}, Price{1}).has_value();
  good &= parties.erase(19).has_value();
  good &= draft.erase<EncodedText>() && draft.validate().has_value();
  return good;
}

TEST(DraftMemory, a_draft_whose_memory_has_grown_allocates_nothing) {
  NewOrderSingle::Draft draft;
  ASSERT_TRUE(build(draft));
  NewOrderSingle::Draft copy = draft;
  const std::string bytes = encoded(draft);
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  NewOrderSingle::Draft received = *NewOrderSingle::Draft::from(*message);
  ASSERT_TRUE(received.assign(*message));
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(build(draft));
    copy = draft;
    NewOrderSingle::Draft moved = std::move(copy);
    copy = std::move(moved);
    ASSERT_TRUE(copy == draft);
    ASSERT_TRUE(received.assign(*message));
  }
  EXPECT_EQ(allocations, before);
}

TEST(DraftMemory, a_draft_of_a_resource_allocates_there_and_its_copy_on_the_heap) {
  Arena arena;
  NewOrderSingle::Draft filled;
  ASSERT_TRUE(build(filled));
  ASSERT_TRUE(arena.reserve(1));
  std::size_t before = allocations;
  {
    NewOrderSingle::Draft draft{arena};
    ASSERT_TRUE(build(draft));
    ASSERT_TRUE(draft == filled);
    const NewOrderSingle::Draft moved = std::move(draft);
    ASSERT_TRUE(moved == filled);
    NewOrderSingle::Draft assigned{arena};
    assigned = filled;
    ASSERT_TRUE(assigned == filled);
    EXPECT_EQ(allocations, before);
    draft = moved;  // it has given its memory away, and the resource with it
    EXPECT_EQ(allocations, before + 1);
    before = allocations;
    const NewOrderSingle::Draft copy = moved;
    EXPECT_EQ(allocations, before + 1);
    arena.reset();
    ASSERT_TRUE(copy == filled);
    arena.release();
  }
}

TEST(DraftMemory, a_reserved_draft_allocates_once) {
  NewOrderSingle::Draft draft;
  const std::size_t before = allocations;
  draft.reserve(1024);
  EXPECT_EQ(allocations, before + 1);
  ASSERT_TRUE(build(draft));
  draft.reserve(1000);
  EXPECT_EQ(allocations, before + 1);
}

TEST(DraftMemory, an_empty_draft_and_a_move_allocate_nothing) {
  NewOrderSingle::Draft draft;
  ASSERT_TRUE(build(draft));
  const std::size_t before = allocations;
  const NewOrderSingle::Draft empty;
  const NewOrderSingle::Draft moved = std::move(draft);
  EXPECT_EQ(allocations, before);
}

// Each edit with each of its allocations failing.
template <class Edit>
void fails_without_change(const NewOrderSingle::Draft& before, Edit edit) {
  for (std::size_t failing = 1;; ++failing) {
    NewOrderSingle::Draft draft = before;  // with no more room than its fields need
    failing_allocation = allocations + failing;
    bool has_thrown = false;
    try {
      edit(draft);
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    failing_allocation = 0;
    if (!has_thrown) {
      EXPECT_GT(failing, 1U) << "nothing was allocated";
      return;
    }
    EXPECT_EQ(draft, before);
    EXPECT_EQ(to_string(draft), to_string(before));
  }
}

TEST(DraftMemory, freed_memory_has_no_password) {
  nexusfix::test::searched = "hunter2-hunter2";
  const auto with_password = [] {
    UserRequest::Draft draft;
    done(draft.set(Password{nexusfix::test::searched}));
    return draft;
  };
  UserRequest::Draft grown = with_password();
  done(grown.set(UserRequestID{std::string(100'000, 'x')}));
  UserRequest::Draft copied = grown;
  copied = with_password();
  done(copied.set(Password{"other"}));
  UserRequest::Draft cleared = with_password();
  cleared.clear();
  EXPECT_EQ(nexusfix::test::released_with_it, 0U);
  grown = {};
  cleared = {};
  EXPECT_EQ(nexusfix::test::released_with_it, 0U);
  nexusfix::test::searched = {};
}

TEST(DraftMemory, an_allocation_that_fails_leaves_the_draft_as_it_was) {
  NewOrderSingle::Draft draft = order();
  done(draft.group<PartyEntry>().add(PartyID{"A"}));
  done(draft.group<PartyEntry>().add(PartyID{"B"}));
  const std::string text(2000, 'x');
  using Order = NewOrderSingle::Draft;
  fails_without_change(draft, [&](Order& d) { done(d.set(Text{text}, Account{"a"})); });
  fails_without_change(draft, [&](Order& d) { done(d.set(5001, text)); });
  fails_without_change(draft, [&](Order& d) { done(d.group<PartyEntry>().add(PartyID{text})); });
  fails_without_change(draft, [&](Order& d) { done(d.group<PartyEntry>()[0].set(PartyID{text})); });
  fails_without_change(draft, [&](Order& d) { done(d.group<PartyEntry>().erase(0)); });
  fails_without_change(draft, [&](Order& d) { d.reserve(4096); });
  Order larger = draft;
  done(larger.set(Text{text}));
  fails_without_change(draft, [&](Order& d) { d = larger; });
  const std::string bytes = encoded(larger);
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  fails_without_change(draft, [&](Order& d) { done(d.assign(*message)); });
  fails_without_change(Order{}, [&](Order& d) { done(d.set(ClOrdID{"A"})); });
}

}  // namespace
}  // namespace nexusfix::fix44
