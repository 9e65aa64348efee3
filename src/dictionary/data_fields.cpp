#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

wire::DataFieldTable data_fields(const Dictionary& dictionary) {
  wire::DataFieldTable table = wire::DataFieldTable::standard();
  std::vector<wire::DataFieldTable::Pair> own;
  for (const FieldDefinition& field : dictionary.fields) {
    if (field.length_tag != 0) own.push_back({field.length_tag, field.tag});
  }
  table.add(own);
  return table;
}

}  // namespace nexusfix::dictionary
