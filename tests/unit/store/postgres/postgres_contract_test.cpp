// The contract of a store, over PostgreSQL.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include <nexusfix/testing/store_contract.hpp>

#include "unit/store/postgres/postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

// A schema of its own.
class PostgresPlace final : public StoreFactory {
 public:
  explicit PostgresPlace(std::uint32_t batches_in_flight_max)
      : postgres_{postgres_options(fresh_schema())} {
    postgres_.batches_in_flight_max = batches_in_flight_max;
  }
  StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) override {
    postgres_.on_durable = options.on_durable;
    postgres_.record_bytes_max = options.record_bytes_max;
    return open_postgres(postgres_);
  }

 private:
  PostgresOptions postgres_;
};

StoreCase postgres(std::string name, std::uint32_t batches_in_flight_max) {
  const auto make = [=]() -> std::expected<std::unique_ptr<StoreFactory>, std::string> {
    if (testing::PostgresServer::shared() == nullptr) {
      return std::unexpected{testing::PostgresServer::why()};
    }
    return std::make_unique<PostgresPlace>(batches_in_flight_max);
  };
  return {.name = std::move(name), .make = make};
}

INSTANTIATE_TEST_SUITE_P(PostgreSQL, StoreContract,
                         ::testing::Values(postgres("one_batch", 1), postgres("batches_ahead", 4)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nexusfix::store
