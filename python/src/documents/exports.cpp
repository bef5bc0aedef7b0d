// exports.cpp - documents as files of other programs, and questions to them in SQL.
#include <chrono>
#include <future>
#include <thread>

#include "python/src/bind.hpp"
#include "python/src/kept.hpp"
#include "reel/documents.hpp"
#include "reel/error.hpp"
#include "reel/export.hpp"
#include "reel/sql.hpp"

namespace reel::python {
namespace {

py::dict export_to(const Trace& trace, const std::string& format, const std::string& path,
                   bool overwrite) {
  const auto known = parse_export_format(format);
  if (!known) {
    std::string names;
    for (const std::string& name : export_format_names())
      names += (names.empty() ? "" : ", ") + name;
    throw py::value_error("A document can be exported as " + names + ", not as '" + format + "'.");
  }
  ExportReport report;
  {
    const GilReleased released;
    report = export_trace(trace, *known, path, {.overwrite = overwrite});
  }
  py::dict row;
  row["files"] = to_texts(report.files);
  row["bytes"] = report.bytes;
  row["left_out"] = to_texts(report.left_out);
  return row;
}

py::object to_value(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return py::int_(*whole);
  if (const auto* real = std::get_if<double>(&value)) return py::float_(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return to_text(*text);
  return py::none();
}

// A query on a thread of its own. Going away, it ends the query.
class RunningQuery {
 public:
  RunningQuery(Sql sql, const std::string& statement)
      : sql_(std::move(sql)), result_(promise_.get_future()), worker_([this, &statement] {
          try {
            promise_.set_value(sql_.query(statement));
          } catch (...) {
            promise_.set_exception(std::current_exception());
          }
        }) {}
  ~RunningQuery() {
    // One that hasn't begun yet doesn't hear it, so until it has ended.
    while (!is_done(std::chrono::milliseconds(1))) sql_.interrupt();
    worker_.join();
  }
  RunningQuery(const RunningQuery&) = delete;

  bool is_done(std::chrono::milliseconds within) const {
    return !result_.valid() || result_.wait_for(within) == std::future_status::ready;
  }
  SqlResult result() { return result_.get(); }

 private:
  Sql sql_;
  std::promise<SqlResult> promise_;
  std::future<SqlResult> result_;
  std::thread worker_;
};

// So that this thread sees Ctrl-C meanwhile; its handler is Python's, and may raise anything.
// Called without the GIL.
SqlResult interruptible(Sql sql, const std::string& statement) {
  RunningQuery query(std::move(sql), statement);
  while (!query.is_done(std::chrono::milliseconds(50))) {
    const PythonCall python;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return query.result();
}

// One list for each column.
template <class Documents>
py::dict query(const Documents& documents, const std::string& statement) {
  SqlResult found;
  {
    const GilReleased released;
    Sql sql(documents);
    // Numbers of some would pass for those of all.
    if (sql.left_out() > 0) throw Error(Code::damaged_document, sql.problems().front());
    found = interruptible(std::move(sql), statement);
  }
  py::dict result;
  for (std::size_t column = 0; column < found.columns.size(); ++column) {
    py::list values(found.rows.size());
    for (std::size_t row = 0; row < found.rows.size(); ++row)
      values[row] = to_value(found.rows[row][column]);
    // Two columns of one name are both kept: SQLite allows them, a dict doesn't.
    py::str name = to_text(found.columns[column]);
    for (int number = 2; result.contains(name); ++number)
      name = to_text(found.columns[column] + "_" + std::to_string(number));
    result[name] = values;
  }
  return result;
}

}  // namespace

void bind_exports(py::module_& module) {
  module.def("export", &export_to, py::arg("trace"), py::arg("format"), py::arg("path"),
             py::arg("overwrite"));
  module.attr("export_formats") = to_texts(export_format_names());
  module.def("sql", &query<Trace>, py::arg("trace"), py::arg("statement"));
  module.def("sql_many", &query<std::vector<std::string>>, py::arg("paths"), py::arg("statement"));
  module.def("documents_in", &documents_in, py::arg("folder"));
}

}  // namespace reel::python
