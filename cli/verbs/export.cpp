// export.cpp - `reel export`: a document as files that other programs open.
#include "reel/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/document_list.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/error.hpp"
#include "reel/page.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string to, output, table;
  std::vector<std::string> more;
  bool overwrite = false, hta = false, unaligned = false;
  std::uint32_t most = ExportOptions{}.most;
};

// Formats of the library, and the page as a file.
std::vector<std::string> format_names() {
  std::vector<std::string> names = export_format_names();
  names.emplace_back("html");
  return names;
}

// "pass.pftrace" of "runs/pass.reel", in the folder where we are.
std::string default_output(const Options& options) {
  const auto format = parse_export_format(options.to);
  return std::filesystem::path(options.path).stem().string() +
         (options.table.empty() ? "" : "." + options.table) +
         (format ? extension_of(*format) : ".html");
}

// "run.pftrace" of "run-0.reel" and "run-1.reel"; of a folder, its name.
std::string default_output(const std::vector<std::string>& documents, const std::string& first) {
  if (std::filesystem::is_directory(first))
    return std::filesystem::weakly_canonical(first).filename().string() + ".pftrace";
  std::string name = std::filesystem::path(documents.front()).stem().string();
  for (const std::string& document : documents) {
    const std::string other = std::filesystem::path(document).stem().string();
    const auto differ = std::ranges::mismatch(name, other);
    name.erase(differ.in1, name.end());
  }
  name.erase(name.find_last_not_of("0123456789-_.") + 1);
  return (name.empty() ? "run" : name) + ".pftrace";
}

// What one does with the file.
std::string hint_of(const std::string& to, const std::string& file) {
  const auto format = parse_export_format(to);
  if (!format) return "open it in a browser";
  switch (*format) {
    case ExportFormat::perfetto:
      return "open it in https://ui.perfetto.dev";
    case ExportFormat::chrome:
      return "open it in https://ui.perfetto.dev, https://www.speedscope.app or chrome://tracing";
    case ExportFormat::sqlite:
      return fmt::format("sqlite3 {} 'select * from kernel_usage'", file);
    case ExportFormat::dot:
      return fmt::format("dot -Tsvg {} -o {}.svg", file, file);
    case ExportFormat::pprof:
      return fmt::format("go tool pprof -http=: {}", file);
    case ExportFormat::parquet:
      return fmt::format(R"(duckdb -c "select * from '{}')",
                         std::filesystem::is_directory(file) ? file + "/commands.parquet" : file) +
             " limit 5\"";
    case ExportFormat::arrow:
    case ExportFormat::csv:
    case ExportFormat::jsonl:
      break;
  }
  return {};
}

// What would be refused at the end, with the option that allows it; nothing is read before.
void refuse_to_overwrite(const Options& options, const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (options.overwrite || options.output == "-" || !fs::exists(output, ignored)) return;
  if (fs::is_directory(output, ignored) ? !fs::is_empty(output, ignored)
                                        : fs::is_regular_file(output, ignored))
    throw Error(Code::io_failed,
                fmt::format("'{}' exists already{}; --overwrite replaces {}.", output,
                            fs::is_directory(output, ignored) ? " and is not empty" : "",
                            fs::is_directory(output, ignored) ? "files in it" : "it"));
}

ExportReport write(const Trace& trace, const Options& options, const std::string& output) {
  Progress progress(fmt::format("Writing {}", output));
  const auto show = [&](std::string_view what, double part) {
    progress.show(part > 0 ? fmt::format("{}: {} {:.0f}%", output, what, 100 * part)
                           : fmt::format("{}: {}", output, what));
  };
  if (const auto format = parse_export_format(options.to))
    return export_trace(trace, *format, output,
                        {.overwrite = options.overwrite,
                         .hta = options.hta,
                         .most = options.most,
                         .table = options.table,
                         .analysis = {.progress = show}});
  HtmlOptions how;
  how.overwrite = options.overwrite;
  how.progress = show;
  HtmlReport report = write_html(PageData(trace, {.progress = show}), output, how);
  return {{output}, report.file_bytes, std::move(report.left_out)};
}

// `json`: what --json begins with.
int tell_written(const Options& options, Json json, const std::string& output,
                 const ExportReport& report) {
  if (options.json) {
    json["format"] = options.to;
    json["written"] = output;
    json["files"] = report.files;
    json["bytes"] = report.bytes;
    json["left_out"] = report.left_out;
    print_json(json);
    return done;
  }
  for (const std::string& sentence : report.left_out)
    fmt::print(stderr, "reel: {}\n", printable(sentence));
  if (options.output == "-") return done;
  fmt::print("{}: {}{}\n", printable(output),
             report.files.size() > 1 ? count_text(report.files.size(), "file") + ", " : "",
             size_text(report.bytes));
  if (const std::string hint = hint_of(options.to, output); !hint.empty())
    fmt::print("\n{}\n", dim("  " + printable(hint)));
  return done;
}

bool is_run(const Options& options) {
  return !options.more.empty() || std::filesystem::is_directory(options.path);
}

int write_run(const Options& options) {
  if (options.to != "perfetto")
    throw Misuse(
        fmt::format("several documents go into one file with --to perfetto, not with {}; export "
                    "them one by one",
                    options.to));
  std::vector<std::string> paths{options.path};
  paths.insert(paths.end(), options.more.begin(), options.more.end());
  const std::vector<std::string> documents = documents_in(paths);
  const std::string output = options.output == "-"    ? "/dev/stdout"
                             : options.output.empty() ? default_output(documents, options.path)
                                                      : options.output;
  refuse_to_overwrite(options, output);
  const ExportReport report = [&] {
    Progress progress(fmt::format("Writing {}", output));
    return export_run(documents, output,
                      {.overwrite = options.overwrite,
                       .unaligned = options.unaligned,
                       .progress = [&](std::string_view what, double part) {
                         progress.show(fmt::format("{}: {} {:.0f}%", output, what, 100 * part));
                       }});
  }();
  return tell_written(options, {{"schema_version", 1}, {"documents", documents}}, output, report);
}

int run(const Options& options) {
  if (options.hta && options.to != "chrome")
    throw Misuse(fmt::format("--hta is for --to chrome, not for {}", options.to));
  const bool to_stdout = options.output == "-";
  const bool has_tables = options.to == "csv" || options.to == "parquet" || options.to == "arrow";
  if (!options.table.empty() && !has_tables)
    throw Misuse(fmt::format("--table is for --to csv, parquet and arrow, not for {}", options.to));
  if (to_stdout && (options.to == "sqlite" || options.to == "html"))
    throw Misuse(fmt::format("{} can't go to standard output; name a file by -o", options.to));
  if (to_stdout && has_tables && options.table.empty())
    throw Misuse(fmt::format(
        "{} is a file for each table, so it can't go to standard output; choose one by --table",
        options.to));
  if (to_stdout && options.json) throw Misuse("--json and -o - would both print; choose one");
  if (is_run(options)) return write_run(options);
  if (options.unaligned) throw Misuse("--unaligned is for several documents, and one is given");
  const std::string output = to_stdout                ? "/dev/stdout"
                             : options.output.empty() ? default_output(options)
                                                      : options.output;
  refuse_to_overwrite(options, output);
  const Trace trace = open_trace(options);
  return tell_written(options, json_of(trace), output, write(trace, options, output));
}

}  // namespace

void add_export(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "export", "Export a document for other programs", run);
  verb.add_option("more", options.more,
                  "perfetto: documents of one run, or a folder of them, go into one file")
      .type_name("FILE");
  verb.add_option("--to", options.to, "The format").required().one_of(format_names());
  verb.add_option("-o,--output", options.output,
                  "The file (csv, parquet, arrow: the folder), or - for standard output; default: "
                  "x.pftrace, …")
      .type_name("FILE");
  verb.add_flag("--overwrite", options.overwrite, "Replace an existing file");
  verb.add_flag("--hta", options.hta,
                "chrome: calls by the names that Holistic Trace Analysis knows");
  verb.add_flag(
      "--unaligned", options.unaligned,
      "perfetto: documents without a common clock begin at the same moment; order between "
      "them means nothing then");
  verb.add_option("--most", options.most, "dot: draw the first N commands").show_default();
  verb.add_option(
          "--table", options.table,
          "csv, parquet, arrow: this table alone, into a file; reel sql x.reel .tables lists them")
      .type_name("NAME");
  verb.footer(
      "perfetto  timeline for ui.perfetto.dev and trace_processor\n"
      "chrome    the same in JSON, for speedscope, chrome://tracing and PyTorch's tools\n"
      "sqlite    tables and views, those of reel sql\n"
      "dot       dependencies, for Graphviz\n"
      "parquet   a folder with one file per table, for DuckDB, pandas, Spark\n"
      "arrow     the same as Arrow IPC files, for pyarrow, Polars\n"
      "csv       a folder with one file per table\n"
      "jsonl     one line per row\n"
      "pprof     time and bytes by scope and kernel\n"
      "html      the page of reel view as one file\n\n"
      "Examples:\n"
      "  reel export pass.reel --to perfetto\n"
      "  reel export run-*.reel --to perfetto        the ranks of a run in one file\n"
      "  reel export pass.reel --to chrome -o pass.json.gz\n"
      "  reel export pass.reel --to parquet --table commands -o commands.parquet\n"
      "  reel export pass.reel --to dot -o - | dot -Tsvg -o pass.svg");
}

}  // namespace reel::cli
