// json_writer.hpp - JSON, written from front to back.
//
//   JsonWriter json;
//   json.object([&] { json.member("name", name); json.array("runs", runs, …); });
//
// Puts commas where they belong; texts are escaped, bytes that aren't UTF-8 replaced. Numbers that
// JSON doesn't have become null.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "graph/commands/text.hpp"

namespace reel {

class JsonWriter {
 public:
  template <class Members>
  void object(Members&& members) {
    open('{');
    members();
    close('}');
  }
  template <class Rows, class Write>
  void array(const Rows& rows, Write&& write) {
    open('[');
    for (const auto& row : rows) write(row);
    close(']');
  }
  void key(std::string_view name) {
    separate();
    text_ += json_string(name);
    text_ += ':';
    after_value_ = false;
  }

  void value(std::string_view text) { put(json_string(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool value) { put(value ? "true" : "false"); }
  void value(std::integral auto number) { put(fmt::format_int(number).c_str()); }
  void value(double number) {
    if (std::isfinite(number))
      put(fmt::format("{}", number));
    else
      null();
  }
  void null() { put("null"); }
  void raw(std::string_view json) { put(json); }  // is JSON already

  void member(std::string_view name, const auto& of) {
    key(name);
    value(of);
  }
  template <class Members>
  void object(std::string_view name, Members&& members) {
    key(name);
    object(std::forward<Members>(members));
  }
  template <class Rows, class Write>
  void array(std::string_view name, const Rows& rows, Write&& write) {
    key(name);
    array(rows, std::forward<Write>(write));
  }

  std::string take() && { return std::move(text_); }

 private:
  void separate() {
    if (after_value_) text_ += ',';
  }
  void put(std::string_view json) {
    separate();
    text_ += json;
    after_value_ = true;
  }
  void open(char bracket) {
    separate();
    text_ += bracket;
    after_value_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    after_value_ = true;
  }

  std::string text_;
  bool after_value_ = false;
};

}  // namespace reel
