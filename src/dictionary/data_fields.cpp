#include <nexusfix/dictionary/data_fields.hpp>

namespace nexusfix::dictionary {

wire::DataFieldTable data_fields(const Dictionary& dictionary) {
  wire::DataFieldTable table = wire::DataFieldTable::standard();
  for (const FieldDefinition& field : dictionary.fields) {
    if (field.length_tag != 0) table.add({field.length_tag, field.tag});
  }
  return table;
}

}  // namespace nexusfix::dictionary
