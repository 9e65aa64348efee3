#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

struct Shipped {
  const char* file;
  Version version;
  const char* begin_string;
  unsigned service_pack;
  std::size_t messages;
};

constexpr std::array kShipped{
    Shipped{"FIX40", Version::Fix40, "FIX.4.0", 0, 27},
    Shipped{"FIX41", Version::Fix41, "FIX.4.1", 0, 28},
    Shipped{"FIX42", Version::Fix42, "FIX.4.2", 0, 46},
    Shipped{"FIX43", Version::Fix43, "FIX.4.3", 0, 68},
    Shipped{"FIX44", Version::Fix44, "FIX.4.4", 0, 93},
    Shipped{"FIX50", Version::Fix50, "FIX.5.0", 0, 93},
    Shipped{"FIX50SP1", Version::Fix50Sp1, "FIX.5.0", 1, 105},
    Shipped{"FIX50SP2", Version::Fix50Sp2, "FIX.5.0", 2, 156},
    Shipped{"FIXT11", Version::Fixt11, "FIXT.1.1", 0, 8},
};

class ShippedDictionary : public ::testing::TestWithParam<Shipped> {
 protected:
  void SetUp() override {
    PosixDisk disk;
    const std::string path = std::string{NEXUSFIX_DICTIONARIES} + '/' + GetParam().file + ".xml";
    const auto text = read_file(disk, path, kDictionaryBytesMax);
    ASSERT_TRUE(text) << text.error().what();
    auto loaded = load_quickfix_xml(*text, path);
    ASSERT_TRUE(loaded) << loaded.error().what();
    dictionary_ = std::move(*loaded);
  }
  Dictionary dictionary_;
};

TEST_P(ShippedDictionary, loads_without_a_warning) {
  EXPECT_TRUE(dictionary_.warnings.empty()) << dictionary_.warnings.front();
  EXPECT_EQ(dictionary_.begin_string, GetParam().begin_string);
  EXPECT_EQ(dictionary_.service_pack, GetParam().service_pack);
  EXPECT_EQ(dictionary_.messages.size(), GetParam().messages);
}

TEST_P(ShippedDictionary, is_compiled_in_name_by_name) {
  const NameTable names = builtin_names(GetParam().version);
  for (const FieldDefinition& field : dictionary_.fields) {
    ASSERT_EQ(names.field_name(field.tag), field.name);
    ASSERT_EQ(names.field_type(field.tag), field.type) << field.name;
    for (const FieldDefinition::EnumValue& value : field.values) {
      ASSERT_EQ(names.value_name(field.tag, value.value), value.name) << field.name;
    }
  }
  for (const MessageDefinition& message : dictionary_.messages) {
    ASSERT_EQ(names.message_name(message.msg_type), message.name);
  }
  EXPECT_EQ(names.field_name(wire::kTagMax), std::nullopt);
}

TEST_P(ShippedDictionary, is_compiled_in_whole) {
  EXPECT_EQ(builtin_dictionary(GetParam().version), dictionary_);
}

TEST_P(ShippedDictionary, is_unpacked_once_for_all_threads) {
  std::array<const Dictionary*, 4> seen{};
  std::vector<std::jthread> threads;
  for (const Dictionary*& place : seen) {
    threads.emplace_back([&place] { place = &builtin_dictionary(GetParam().version); });
  }
  threads.clear();
  for (const Dictionary* place : seen) EXPECT_EQ(place, &builtin_dictionary(GetParam().version));
}

TEST_P(ShippedDictionary, has_no_name_that_is_a_sentence) {
  constexpr std::size_t kNameBytesMax = 64;
  for (const FieldDefinition& field : dictionary_.fields) {
    for (const FieldDefinition::EnumValue& value : field.values) {
      EXPECT_LE(value.name.size(), kNameBytesMax) << field.name << ' ' << value.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, ShippedDictionary, ::testing::ValuesIn(kShipped),
                         [](const auto& info) { return std::string{info.param.file}; });

TEST(BuiltinNames, are_those_of_the_standard) {
  const NameTable names = builtin_names(Version::Fix44);
  EXPECT_EQ(names.field_name(11), "ClOrdID");
  EXPECT_EQ(names.value_name(54, "1"), "BUY");
  EXPECT_EQ(names.value_name(150, "F"), "TRADE");
  EXPECT_EQ(names.message_name("8"), "ExecutionReport");
  EXPECT_EQ(names.field_type(44), FieldType::Price);
  // FIX 4.2 has ExecTransType (20), and FIX 4.4 does not.
  EXPECT_EQ(builtin_names(Version::Fix42).field_name(20), "ExecTransType");
  EXPECT_EQ(names.field_name(20), std::nullopt);
}

TEST(Version, is_found_by_begin_string) {
  EXPECT_EQ(version_of_begin_string("FIX.4.2"), Version::Fix42);
  EXPECT_EQ(version_of_begin_string("FIXT.1.1"), Version::Fixt11);
  EXPECT_EQ(version_of_begin_string("FIX.5.0SP2"), Version::Fix50Sp2);
  EXPECT_EQ(version_of_begin_string("FIX.4.5"), std::nullopt);
  EXPECT_EQ(version_of_begin_string(""), std::nullopt);
}

// FIX 5.0 SP2, field 1128 ApplVerID.
TEST(Version, is_found_by_appl_ver_id) {
  EXPECT_EQ(version_of_appl_ver_id("2"), Version::Fix40);
  EXPECT_EQ(version_of_appl_ver_id("9"), Version::Fix50Sp2);
  EXPECT_EQ(version_of_appl_ver_id("1"), std::nullopt);
  EXPECT_EQ(version_of_appl_ver_id(""), std::nullopt);
}

}  // namespace
}  // namespace nexusfix::dictionary
