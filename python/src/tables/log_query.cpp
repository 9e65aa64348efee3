#include "python/src/tables/log_query.hpp"

#include <algorithm>
#include <dlfcn.h>
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
#include "python/src/tables/log_batches.hpp"
#include "python/src/tables/log_tables.hpp"

namespace nexusfix::python {
namespace {

constexpr const char* kStreamCapsule = "arrow_array_stream";

// Whether this thread has the lock of the interpreter. The stable ABI does not declare the function
// that says so, but each CPython has it.
bool has_lock() {
  static const auto check = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return check != nullptr && check() != 0;
}

// What Python knows of a reading.
struct Reading {
  LogProgress progress;
  nb::object callback;  // called with the rows and bytes so far; None: there is none
  nb::object raised;    // what a signal or the callback raised; None: nothing
};

class PythonCalls : public ReadingCalls {
 public:
  explicit PythonCalls(std::shared_ptr<Reading> reading) : reading_{std::move(reading)} {}

  [[nodiscard]] bool goes_on() override {
    const nb::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error{};
      if (!reading_->callback.is_none()) {
        reading_->callback(reading_->progress.rows.load(), reading_->progress.bytes.load());
      }
      return true;
    } catch (nb::python_error& error) {
      reading_->raised = nb::borrow(error.value());
      return false;
    }
  }
  void without_lock(FunctionRef<void()> body) override {
    if (!has_lock()) return body();
    const nb::gil_scoped_release unlocked;
    body();
  }
  ~PythonCalls() override {
    if (nb::is_alive()) {
      const nb::gil_scoped_acquire locked;
      reading_.reset();
    } else {
      new std::shared_ptr<Reading>{std::move(reading_)};  // no object may be released any more
    }
  }

 private:
  std::shared_ptr<Reading> reading_;
};

struct QueryText {
  std::string kind;  // "messages", or the name of a table
  std::string where;
  std::string fields;  // of messages
  bool with_names = false;
  std::int64_t batch_rows = 0;
};

// The class of Python.
class Query {
 public:
  Query(std::vector<std::string> paths, QueryText text, std::shared_ptr<Catalog> dictionary,
        nb::object callback)
      : paths_{std::move(paths)},
        text_{std::move(text)},
        dictionary_{std::move(dictionary)},
        callback_{std::move(callback)},
        reading_{make_reading()} {
    const command::FieldNames names = field_names();
    auto matcher = logs::make_matcher(text_.where, names);
    if (!matcher) raise_wrong("FixError", matcher.error(), "ExpressionWrong");
    matcher_ = std::move(*matcher);
    auto columns = logs::plan_columns(text_.fields, names, {.with_names = text_.with_names});
    if (!columns) raise_wrong("FieldNameError", "fields: " + columns.error(), "NameUnknown");
    columns_ = std::move(*columns);
  }

  // A capsule as the Arrow PyCapsule interface has it. Each call reads the logs from their begin,
  // and progress() is that of the last call.
  [[nodiscard]] nb::object stream() {
    reading_ = make_reading();
    auto stream = std::make_unique<ArrowArrayStream>();
    make_stream(*stream, make_source(), std::make_unique<PythonCalls>(reading_));
    return nb::steal(PyCapsule_New(stream.release(), kStreamCapsule, [](PyObject* capsule) {
      auto* const kept =
          static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamCapsule));
      if (kept->release != nullptr) kept->release(kept);
      delete kept;
    }));
  }
  [[nodiscard]] const Reading& reading() const noexcept { return *reading_; }

 private:
  [[noreturn]] static void raise_wrong(const char* type, std::string text, std::string_view rule) {
    raise({.type = type, .text = std::move(text), .tag = {}, .offset = {}, .rule = rule});
  }
  [[nodiscard]] command::FieldNames field_names() const {
    return command::FieldNames{dictionary_ == nullptr ? nullptr : &dictionary_->application()};
  }
  [[nodiscard]] std::shared_ptr<Reading> make_reading() const {
    auto reading = std::make_shared<Reading>();
    reading->callback = callback_;
    reading->raised = nb::none();
    return reading;
  }
  [[nodiscard]] std::optional<logs::Matcher> make_matcher() const {
    return matcher_ ? std::optional{matcher_->copy()} : std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<BatchSource> make_source() const {
    const std::shared_ptr<LogProgress> progress{reading_, &reading_->progress};
    if (text_.kind == "messages") {
      return std::make_unique<LogBatches>(
          LogQuery{paths_, make_matcher(), columns_, text_.batch_rows}, progress);
    }
    return std::make_unique<TableBatches>(
        TableQuery{.paths = paths_,
                   .matcher = make_matcher(),
                   .table = make_log_table(text_.kind, field_names(), text_.with_names),
                   .batch_rows = text_.batch_rows,
                   .is_merged = text_.kind == "orders" && paths_.size() > 1},
        progress);
  }

  std::vector<std::string> paths_;
  QueryText text_;
  std::shared_ptr<Catalog> dictionary_;
  nb::object callback_;
  std::shared_ptr<Reading> reading_;
  std::optional<logs::Matcher> matcher_;
  std::vector<logs::Column> columns_;
};

}  // namespace

void add_log_query(nb::module_& module) {
  nb::class_<Query> type{module, "LogQuery"};
  type.def(
      "__init__",
      [](Query* self, std::string kind, std::vector<std::string> paths, std::string where,
         std::string fields, std::shared_ptr<Catalog> dictionary, bool names,
         std::int64_t batch_rows, nb::object progress) {
        new (self) Query{std::move(paths),
                         {std::move(kind), std::move(where), std::move(fields), names, batch_rows},
                         std::move(dictionary),
                         std::move(progress)};
      },
      nb::arg("kind"), nb::arg("paths"), nb::arg("where"), nb::arg("fields"),
      nb::arg("dictionary").none(), nb::arg("names"), nb::arg("batch_rows"),
      nb::arg("progress").none());
  type.def("stream", &Query::stream);
  const auto add = [&](const char* name, auto read) { type.def_prop_ro(name, read); };
  add("rows", [](const Query& self) { return self.reading().progress.rows.load(); });
  add("bytes", [](const Query& self) { return self.reading().progress.bytes.load(); });
  add("misfits", [](const Query& self) { return self.reading().progress.misfits.load(); });
  add("raised", [](const Query& self) { return self.reading().raised; });
}

}  // namespace nexusfix::python
