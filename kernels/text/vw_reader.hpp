// Reading VW's lines, whatever is done with their features; see vw_lines.hpp.
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/parse_numbers.hpp"
#include "text/vw_lines.hpp"

namespace hedgerow {

inline bool is_vw_blank(Byte byte) { return byte == ' ' || byte == '\t'; }

inline const Byte* find_vw_mark(const Byte* from, const Byte* end, char mark) {
  const auto* at = static_cast<const Byte*>(std::memchr(from, mark, static_cast<std::size_t>(end - from)));
  return at ? at : end;
}

inline std::string_view as_vw_text(const Byte* from, const Byte* to) {
  return {reinterpret_cast<const char*>(from), static_cast<std::size_t>(to - from)};
}

inline bool read_vw_number(const Byte* from, const Byte* to, double& value) {
  return read_number(from, to, '.', value) == NumberKind::FINITE;
}

// Some lines, read by one thread; of `rows` all is set but namespaces and features.
struct VwChunk {
  VwLines rows;
  std::vector<std::string_view> names;
  std::vector<std::int64_t> first;
};

// Write features with their values times a scale; returns where a value is too large, or nullptr.
inline const Byte* write_scaled_features(const Byte* from, const Byte* to, double scale, std::vector<Byte>& scaled) {
  while (from < to) {
    const auto* end = from;
    while (end < to && !is_vw_blank(*end)) ++end;
    const auto* colon = find_vw_mark(from, end, ':');
    double value = 1;
    const auto* name_end = colon;
    if (colon < end && end - colon > 1 && !read_vw_number(colon + 1, end, value)) {
      name_end = end;  // no value, but a word
      value = 1;
    }
    scaled.insert(scaled.end(), from, name_end);
    scaled.push_back(':');
    char digits[32];
    value *= scale;
    if (!std::isfinite(value)) return from;
    const auto written = std::to_chars(digits, digits + sizeof digits, value);
    scaled.insert(scaled.end(), digits, written.ptr);
    for (from = end; from < to && is_vw_blank(*from);) ++from;
    if (from < to) scaled.push_back(' ');
  }
  return nullptr;
}

// Reads the lines of [begin, end). `sink` gets every namespace of a line that has features, and the end of every line:
//   bool take.features(std::size_t row, std::size_t which, const Byte* at, const Byte* to, double scale)
//   void take.end_row(std::size_t row)
// The features are those between at and to, without blanks around them. Where the first returns false, take.fault_at is
// where a value is too large, and reading ends.
template <typename Sink>
class VwReader {
 public:
  VwReader(std::span<const Byte> data, std::size_t begin, std::size_t end, std::size_t maximum, bool is_svmlight,
           VwChunk& out, Sink& sink)
      : data_(data.data()),
        cursor_(data_ + begin),
        end_(data_ + end),
        max_namespaces_(maximum),
        is_svmlight_(is_svmlight),
        out_(out),
        sink_(sink) {}

  void read() {
    while (cursor_ < end_) {
      const auto* stop = find_vw_mark(cursor_, end_, '\n');
      const auto* next = stop + (stop < end_);
      if (stop > cursor_ && stop[-1] == '\r') --stop;
      while (cursor_ < stop && is_vw_blank(*cursor_)) ++cursor_;
      if (cursor_ < stop && *cursor_ != '#' &&
          !(is_svmlight_ ? read_svmlight_line(cursor_, stop) : read_line(cursor_, stop)))
        return;
      cursor_ = next;
    }
  }

 private:
  std::int64_t offset_of(const Byte* at) const { return at - data_; }

  bool fail(VwFault fault, const Byte* at) {
    out_.rows.fault = fault;
    out_.rows.fault_at = offset_of(at);
    return false;
  }

  bool read_line(const Byte* from, const Byte* stop) {
    const auto* bar = find_vw_mark(from, stop, '|');
    if (bar == stop) return fail(VwFault::NO_BAR, from);
    if (!read_head(from, bar)) return false;
    const auto row = static_cast<std::int64_t>(out_.rows.label.size()) - 1;
    for (std::size_t number = 0; bar < stop; ++number) {
      const auto* next = find_vw_mark(bar + 1, stop, '|');
      if (!read_namespace(row, number, bar + 1, next)) return false;
      bar = next;
    }
    sink_.end_row(static_cast<std::size_t>(row));
    return true;
  }

  // A line of svmlight.
  bool read_svmlight_line(const Byte* from, const Byte* stop) {
    stop = find_vw_mark(from, stop, '#');
    const auto* end = from;
    while (end < stop && !is_vw_blank(*end)) ++end;
    double label = 0;
    if (!read_vw_number(from, end, label)) label = std::numeric_limits<double>::quiet_NaN();
    add_row(label, from, end, 1, 0, from, from);
    while (end < stop && is_vw_blank(*end)) ++end;
    if (as_vw_text(end, stop).starts_with("qid:"))
      while (end < stop && !is_vw_blank(*end)) ++end;
    const auto row = static_cast<std::int64_t>(out_.rows.label.size()) - 1;
    if (!read_features(row, find_namespace(0, end, end), end, stop, 1)) return false;
    sink_.end_row(static_cast<std::size_t>(row));
    return true;
  }

  // What stands before the first bar.
  bool read_head(const Byte* from, const Byte* bar) {
    struct HeadWord {
      const Byte *begin, *end;
    } words[4] = {};
    std::size_t n = 0;
    for (const auto* at = from; at < bar;) {
      if (is_vw_blank(*at)) {
        ++at;
        continue;
      }
      if (n == 4) return fail(VwFault::MANY_WORDS, at);
      const auto* begin = at;
      while (at < bar && !is_vw_blank(*at)) ++at;
      words[n++] = {begin, at};
    }
    const Byte *tag = from, *tag_end = from;
    if (n && (words[n - 1].end == bar || *words[n - 1].begin == '\'')) {
      --n;
      tag = words[n].begin + (*words[n].begin == '\'');
      tag_end = words[n].end;
    }
    if (n > 3) return fail(VwFault::MANY_WORDS, words[3].begin);
    double label = std::numeric_limits<double>::quiet_NaN(), importance = 1, base = 0;
    if (n > 0 && !read_vw_number(words[0].begin, words[0].end, label)) label = std::numeric_limits<double>::quiet_NaN();
    if (n > 1 && (!read_vw_number(words[1].begin, words[1].end, importance) || importance < 0))
      return fail(VwFault::BAD_IMPORTANCE, words[1].begin);
    if (n > 2 && !read_vw_number(words[2].begin, words[2].end, base)) return fail(VwFault::BAD_BASE, words[2].begin);
    add_row(label, n ? words[0].begin : from, n ? words[0].end : from, importance, base, tag, tag_end);
    return true;
  }

  void add_row(double label, const Byte* label_begin, const Byte* label_end, double importance, double base,
               const Byte* tag, const Byte* tag_end) {
    auto& rows = out_.rows;
    rows.label.push_back(label);
    rows.label_begin.push_back(offset_of(label_begin));
    rows.label_end.push_back(offset_of(label_end));
    rows.importance.push_back(importance);
    rows.base.push_back(base);
    rows.tag_begin.push_back(offset_of(tag));
    rows.tag_end.push_back(offset_of(tag_end));
  }

  // One namespace: the `number`th of its line.
  bool read_namespace(std::int64_t row, std::size_t number, const Byte* from, const Byte* to) {
    const auto* name_end = from;
    while (name_end < to && !is_vw_blank(*name_end) && *name_end != ':') ++name_end;
    const auto* at = name_end;
    double scale = 1;
    if (at < to && *at == ':') {
      const auto* begin = ++at;
      while (at < to && !is_vw_blank(*at)) ++at;
      if (!read_vw_number(begin, at, scale)) return fail(VwFault::BAD_SCALE, begin);
    }
    const auto namespace_number = find_namespace(number, from, name_end);
    if (namespace_number == max_namespaces_) return fail(VwFault::MANY_NAMESPACES, from);
    return read_features(row, namespace_number, at, to, scale);
  }

  bool read_features(std::int64_t row, std::size_t namespace_number, const Byte* at, const Byte* to, double scale) {
    while (at < to && is_vw_blank(*at)) ++at;
    while (to > at && is_vw_blank(to[-1])) --to;
    if (at == to || sink_.add_features(static_cast<std::size_t>(row), namespace_number, at, to, scale)) return true;
    return fail(VwFault::BAD_VALUE, sink_.fault_at);
  }

  // The number of a namespace; most often it is the same as that of the line before.
  std::size_t find_namespace(std::size_t number, const Byte* from, const Byte* to) {
    const auto name = as_vw_text(from, to);
    if (number < last_namespaces_.size() && out_.names[last_namespaces_[number]] == name)
      return last_namespaces_[number];
    const auto [entry, is_new] = namespace_numbers_.try_emplace(name, out_.names.size());
    if (is_new) {
      if (out_.names.size() == max_namespaces_) return max_namespaces_;
      out_.names.push_back(name);
      out_.first.push_back(offset_of(from));
    }
    if (number >= last_namespaces_.size()) last_namespaces_.resize(number + 1, entry->second);
    return last_namespaces_[number] = entry->second;
  }

  const Byte *data_, *cursor_, *end_;
  std::size_t max_namespaces_;
  bool is_svmlight_;
  VwChunk& out_;
  Sink& sink_;
  std::unordered_map<std::string_view, std::size_t> namespace_numbers_;
  std::vector<std::size_t> last_namespaces_;  // the namespaces of the line before, by their order in it
};

}  // namespace hedgerow
