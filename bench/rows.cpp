#include "bench/row.hpp"

namespace nexusfix::bench {

std::vector<Row> all_rows(Amount amount, const std::string& hardened_module) {
  std::vector<Row> rows;
  add_parse_rows(rows);
  add_field_rows(rows);
  add_encode_rows(rows);
  add_group_rows(rows);
  add_typed_rows(rows);
  add_stream_rows(rows);
  add_deferred_rows(rows);
  add_ladder_rows(rows);
  add_kernel_rows(rows);
  add_dictionary_rows(rows);
  add_validate_rows(rows);
  add_session_rows(rows);
  add_store_rows(rows);
  add_journal_rows(rows, amount);
  add_engine_rows(rows);
  add_round_trip_rows(rows);
  add_tls_rows(rows);
  add_ring_rows(rows);
  add_gateway_rows(rows);
  add_hardened_rows(rows, hardened_module);
  add_sessions_rows(rows, amount);
  return rows;
}

}  // namespace nexusfix::bench
