#include "python/src/log_query.hpp"

#include <algorithm>
#include <memory>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

#include "nexusfix/dictionary/field_names.hpp"
#include "python/src/catalog.hpp"
#include "python/src/errors.hpp"
#include "python/src/log_batches.hpp"

namespace nexusfix::python {
namespace {

constexpr const char* kStreamCapsule = "arrow_array_stream";

// The class of Python.
class Query {
 public:
  Query(std::vector<std::string> paths, const std::string& where, const std::string& fields,
        const std::shared_ptr<Catalog>& dictionary, bool with_names, std::int64_t batch_rows)
      : progress_{std::make_shared<LogProgress>()} {
    const command::FieldNames names{dictionary == nullptr ? nullptr : &dictionary->application()};
    auto matcher = logs::make_matcher(where, names);
    if (!matcher) raise_wrong("FixError", matcher.error(), "ExpressionWrong");
    auto columns = logs::plan_columns(fields, names, {.with_names = with_names});
    if (!columns) raise_wrong("FieldNameError", "fields: " + columns.error(), "NameUnknown");
    query_ = {std::move(paths), std::move(*matcher), std::move(*columns), batch_rows};
  }

  // A capsule as the Arrow PyCapsule interface has it. Each call reads the logs from their begin,
  // and progress() is that of the last call.
  [[nodiscard]] nb::object stream() {
    progress_ = std::make_shared<LogProgress>();
    auto stream = std::make_unique<ArrowArrayStream>();
    LogQuery query{query_.paths, std::nullopt, query_.columns, query_.batch_rows};
    if (query_.matcher) query.matcher.emplace(query_.matcher->copy());
    make_stream(*stream, std::make_unique<LogBatches>(std::move(query), progress_));
    return nb::steal(PyCapsule_New(stream.release(), kStreamCapsule, [](PyObject* capsule) {
      auto* const kept =
          static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamCapsule));
      if (kept->release != nullptr) kept->release(kept);
      delete kept;
    }));
  }
  [[nodiscard]] const LogProgress& progress() const noexcept { return *progress_; }

 private:
  [[noreturn]] static void raise_wrong(const char* type, std::string text, std::string_view rule) {
    raise({.type = type, .text = std::move(text), .tag = {}, .offset = {}, .rule = rule});
  }

  LogQuery query_;
  std::shared_ptr<LogProgress> progress_;
};

}  // namespace

void add_log_query(nb::module_& module) {
  nb::class_<Query> type{module, "LogQuery"};
  type.def(nb::init<std::vector<std::string>, const std::string&, const std::string&,
                    const std::shared_ptr<Catalog>&, bool, std::int64_t>(),
           nb::arg("paths"), nb::arg("where"), nb::arg("fields"), nb::arg("dictionary").none(),
           nb::arg("names"), nb::arg("batch_rows"));
  type.def("stream", &Query::stream);
  type.def_prop_ro("rows", [](const Query& self) { return self.progress().rows.load(); });
  type.def_prop_ro("bytes", [](const Query& self) { return self.progress().bytes.load(); });
  type.def_prop_ro("misfits", [](const Query& self) { return self.progress().misfits.load(); });
}

}  // namespace nexusfix::python
