// The contract of a store, as a suite of GoogleTest for authors of stores. Each failure names the
// rule of nexusfix/store/store.hpp that the store breaks.
//
// Include it in one source of a test program, link nexusfix::store_contract and GoogleTest's
// main(), and instantiate it with the factory that the engine gets:
//
//   using nexusfix::store::StoreCase;
//   using nexusfix::store::StoreContract;
//   INSTANTIATE_TEST_SUITE_P(
//       Mine, StoreContract,
//       ::testing::Values(StoreCase{.name = "mine", .make = [] { return make_in_new_folder(); }}),
//       [](const auto& info) { return info.param.name; });
//
// It does not test what a crash leaves, nor full disks and failing ones: only the author knows how
// to cause them.
#pragma once

#include <nexusfix/testing/store_case.hpp>
#include <nexusfix/testing/store_record_rules.hpp>
#include <nexusfix/testing/store_session_rules.hpp>
