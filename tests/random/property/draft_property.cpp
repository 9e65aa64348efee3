// Any sequence of edits gives the message that a model of it gives, and a draft that validate()
// accepts is a message that our parser and our validator accept.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/fix44/mass_quote.hpp>
#include <nexusfix/fix44/new_order_list.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "support/message_generator.hpp"

namespace nexusfix::testing {
namespace {

using namespace fix44;
using Party = NewOrderSingle::NoPartyIDs;
using SubId = Party::NoPartySubIDs;
using Order = NewOrderSingle::Draft;

// RapidCheck prints the seed of a failure.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(engine_);
  }
  // Sometimes longer than what an edit moves on the stack.
  std::string text() {
    std::string text(1 + below(below(20) == 0 ? 900 : 12), ' ');
    for (char& c : text) c = static_cast<char>('a' + below(26));
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

struct ModelParty {
  std::string id;
  std::string role;  // empty: none
  std::vector<std::string> sub_ids;
};

// The fields in the order of the message. The group has the tag 453 and is in `parties`.
struct Model {
  using Fields = std::vector<std::pair<int, std::string>>;
  Fields header;
  Fields body;
  std::vector<ModelParty> parties;

  static void set(Fields& fields, int tag, const std::string& value) {
    const auto found = std::ranges::find(fields, tag, &Fields::value_type::first);
    if (found == fields.end()) {
      fields.emplace_back(tag, value);
    } else {
      found->second = value;
    }
  }
  static void erase(Fields& fields, int tag) {
    std::erase_if(fields, [tag](const auto& field) { return field.first == tag; });
  }
  void keep_group() {
    if (parties.empty()) return erase(body, 453);
    set(body, 453, std::to_string(parties.size()));
  }
  [[nodiscard]] std::string text() const {
    std::string text = "35=D";
    for (const Fields* const fields : {&header, &body}) {
      for (const auto& [tag, value] : *fields) {
        if (tag == 355) text += "|354=" + std::to_string(value.size());
        text += '|' + std::to_string(tag) + '=' + value;
        if (tag == 453) text += text_of_parties();
      }
    }
    return text;
  }
  [[nodiscard]] std::string text_of_parties() const {
    std::string text;
    for (const ModelParty& party : parties) {
      text += "|448=" + party.id;
      if (!party.role.empty()) text += "|452=" + party.role;
      if (!party.sub_ids.empty()) text += "|802=" + std::to_string(party.sub_ids.size());
      for (const std::string& sub_id : party.sub_ids) text += "|523=" + sub_id;
    }
    return text;
  }
};

void require(const wire::DraftResult& result) { RC_ASSERT(result.has_value()); }

void edit_field(Random& random, Order& draft, Model& model) {
  const std::string text = random.text();
  const auto number = static_cast<std::int64_t>(random.below(2'000'000));
  switch (random.below(10)) {
    case 0:
      require(draft.set(ClOrdID{text}));
      return Model::set(model.body, 11, text);
    case 1:
      require(draft.set(OrderQty{number}, Text{text}));
      Model::set(model.body, 38, std::to_string(number));
      return Model::set(model.body, 58, text);
    case 2:
      require(draft.set(Side::Buy, SenderSubID{text}, Symbol{text}));
      Model::set(model.body, 54, "1");
      Model::set(model.header, 50, text);
      return Model::set(model.body, 55, text);
    case 3:
      require(draft.set(EncodedText{text}));
      return Model::set(model.body, 355, text);
    case 4:
      draft.erase<EncodedText>();
      draft.erase<SenderSubID>();
      Model::erase(model.header, 50);
      return Model::erase(model.body, 355);
    case 5: {
      const auto tag = static_cast<int>(5000 + random.below(3) * 50'000);
      require(draft.set(static_cast<wire::Tag>(tag), text));
      return Model::set(model.body, tag, text);
    }
    case 6:
      draft.erase<Text>();
      return Model::erase(model.body, 58);
    case 7:
      RC_ASSERT(!draft.set(ClOrdID{text}, Text{""}));
      return;
    case 8:
      require(draft.set(TransactTime{WallTime{}}, OrdType::Limit));
      Model::set(model.body, 60, "19700101-00:00:00.000");
      return Model::set(model.body, 40, "2");
    default:
      draft = Order{draft};  // with no more memory than it needs
      return;
  }
}

void edit_group(Random& random, Order& draft, Model& model) {
  auto parties = draft.group<Party>();
  RC_ASSERT(parties.size() == model.parties.size());
  const std::string text = random.text();
  const std::size_t at = random.below(model.parties.size() + 1);
  if (at == model.parties.size()) {
    require(parties.add(PartyID{text}));
    model.parties.push_back({text, "", {}});
    RC_ASSERT(!parties.erase(at + 1));
    return model.keep_group();
  }
  ModelParty& party = model.parties[at];
  auto sub_ids = parties[at].group<SubId>();
  const std::size_t sub = random.below(party.sub_ids.size() + 1);
  switch (random.below(6)) {
    case 0:
      require(parties.erase(at));
      model.parties.erase(model.parties.begin() + static_cast<std::ptrdiff_t>(at));
      return model.keep_group();
    case 1:
      require(parties[at].set(PartyRole::ClientId, PartyID{text}));
      party.id = text;
      party.role = "3";
      return;
    case 2:
      parties[at].erase<PartyRole>();
      party.role.clear();
      return;
    case 3:
      if (sub == party.sub_ids.size()) return;
      require(sub_ids.erase(sub));
      party.sub_ids.erase(party.sub_ids.begin() + static_cast<std::ptrdiff_t>(sub));
      return;
    case 4:
      if (sub == party.sub_ids.size()) return;
      require(sub_ids[sub].set(PartySubID{text}));
      party.sub_ids[sub] = text;
      return;
    default:
      require(sub_ids.add(PartySubID{text}));
      party.sub_ids.push_back(text);
      return;
  }
}

// What the session sends.
template <class M>
std::string sent(const wire::Draft<M>& draft) {
  std::string buffer(1U << 20U, ' ');
  wire::Encoder encoder{buffer,
                        wire::HeaderFields{M::kBeginString, "A", "B"},
                        {.msg_type = M::kMsgType, .msg_seq_num = 1}};
  return std::string{encoder.fields(draft.fields()).finish().value()};
}

const dictionary::Dictionary& fix44_dictionary() {
  static const auto& dictionary = dictionary::builtin_dictionary(dictionary::Version::Fix44);
  return dictionary;
}
const dictionary::Validator& validator() {
  // The fields that a venue of its own defines are not in the dictionary.
  static const auto made = [] {
    dictionary::ValidationRules rules;
    rules.validate_user_defined_fields = false;
    return dictionary::Validator::make(fix44_dictionary(), rules).value();
  }();
  return made;
}

TEST(DraftProperty, any_sequence_of_edits_gives_the_message_of_a_model) {
  std::size_t valid = 0;
  RC_ASSERT(rc::check([&](std::uint64_t seed) {
    Random random{seed};
    Order draft;
    Model model;
    wire::Parser parser;
    for (std::size_t left = random.below(60); left > 0; --left) {
      if (random.below(2) == 0) {
        edit_field(random, draft, model);
      } else {
        edit_group(random, draft, model);
      }
      const std::string text = to_string(draft);
      RC_ASSERT((draft.empty() ? "35=D" : text) == model.text());
    }
    const std::string bytes = sent(draft);
    const auto message = parser.parse(bytes);
    RC_ASSERT(message.has_value());
    draft.erase<SenderSubID>();
    RC_ASSERT(*Order::from(*message) == draft);
    if (!draft.validate()) return;
    ++valid;
    RC_ASSERT(!validator().validate(*message));
  }));
  EXPECT_GT(valid, 0U);
}

// Random messages of a dictionary, with nested groups and every type of field.
template <class M>
void a_received_message_is_kept(const char* name) {
  const auto& messages = fix44_dictionary().messages;
  const auto definition =
      std::ranges::find(messages, std::string_view{name}, &dictionary::MessageDefinition::name);
  ASSERT_NE(definition, messages.end());
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(std::string{name} + ", seed " + std::to_string(seed));
    MessageGenerator generator{fix44_dictionary(), fix44_dictionary(), seed,
                               Numbers::OfTypedFields};
    std::string body;
    const auto fullness = static_cast<Fullness>(seed % 3);
    for (const GeneratedField& field : generator.message(*definition, true, fullness)) {
      body += std::to_string(field.tag) + '=' + field.value + '\x01';
    }
    const std::string received = fix("FIX.4.4", body);
    wire::Parser parser;
    const auto message = parser.parse(received);
    ASSERT_TRUE(message.has_value());
    const auto draft = wire::Draft<M>::from(*message);
    ASSERT_TRUE(draft.has_value()) << draft.error().what();
    const auto good = draft->validate();
    ASSERT_TRUE(good.has_value()) << good.error().what() << bar(received).substr(0, 4000);
    const std::string bytes = sent(*draft);
    const auto again = parser.parse(bytes);
    ASSERT_TRUE(again.has_value());
    EXPECT_FALSE(validator().validate(*again)) << bar(bytes).substr(0, 4000);
    EXPECT_EQ(*wire::Draft<M>::from(*again), *draft);
    EXPECT_EQ(wire::Draft<M>::with_fields_of(*draft), *draft);
  }
}

TEST(DraftProperty, a_draft_of_a_received_message_is_a_valid_message) {
  a_received_message_is_kept<NewOrderSingle>("NewOrderSingle");
  a_received_message_is_kept<NewOrderList>("NewOrderList");
  a_received_message_is_kept<MassQuote>("MassQuote");
}

}  // namespace
}  // namespace nexusfix::testing
