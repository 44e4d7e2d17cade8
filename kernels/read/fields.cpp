#include "read/fields.hpp"

#include "core/utf8.hpp"

namespace hedgerow {

bool Fields::find_row() {
  while (at_ < end_) {
    const auto* first = behind_blanks(at_);
    if (first < end_ && *first == dialect_.comment && dialect_.comment) first = line_end(first);
    if (first == end_ || is_row_end(first)) {
      at_ = first == end_ ? end_ : line_end(first) + (line_end(first) < end_);
      continue;
    }
    if (trims_) at_ = first;
    row_ = at_;
    return true;
  }
  return false;
}

bool Fields::is_row_end(const Byte* at) const {
  return at == end_ || *at == '\n' || (*at == '\r' && (at + 1 == end_ || at[1] == '\n'));
}

// Ends a field that no delimiter byte follows: the row ends, or there are blanks between fields.
bool Fields::close_row(const Byte* stop) {
  const bool gap = dialect_.blank_delimited && stop < end_ && kinds_[*stop] == BLANK;
  if (gap) stop = behind_blanks(stop);
  if (stop < end_ && dialect_.comment && *stop == dialect_.comment) stop = line_end(stop);
  if (is_row_end(stop)) {
    const auto* newline = stop < end_ && *stop == '\r' ? stop + 1 : stop;
    at_ = newline < end_ ? newline + 1 : end_;
    over_ = true;
    return true;
  }
  if (!gap) return false;
  at_ = stop;
  over_ = false;
  return true;
}

// An unquoted field that may hold more than its value: blanks, a carriage return, a full stop.
Field Fields::careful_plain(const Byte* begin, const Byte* stop) {
  const auto* last = stop;
  if (last > begin && last[-1] == '\r' && (stop == end_ || *stop == '\n')) --last;
  close(stop);
  if (trims_) last = before_blanks(begin, last);
  if (dialect_.trailing_dot && over_ && last > begin && last[-1] == '.') last = before_blanks(begin, last - 1);
  return {begin, last};
}

Field Fields::quoted() {
  bool coded = false;
  const auto* open = at_;
  const auto& marks = *open == dialect_.quotes[0] ? closing_[0] : closing_[1];
  const auto* close_at = find_closing_quote(open + 1, end_, *open, marks, dialect_, coded);
  if (!close_at) return failed(Fault::UNCLOSED, open);
  const auto* behind = close_at + 1;
  if (dialect_.trailing_dot && behind < end_ && *behind == '.') ++behind;
  if (!dialect_.blank_delimited) behind = behind_blanks(behind);
  if (!close(behind)) return failed(Fault::GARBLED, close_at);
  return {open + 1, close_at, true, coded};
}

Field Fields::failed(Fault fault, const Byte* where) {
  fault_ = fault;
  fault_at_ = where;
  at_ = end_;
  over_ = true;
  return {end_, end_, true};
}

namespace {

// Reads four hexadecimal digits; -1 if they are not there.
int hex4(const Byte* at, const Byte* end) {
  if (end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const Byte c = at[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::uint32_t code, std::vector<Byte>& out) {
  Byte bytes[4];
  out.insert(out.end(), bytes, write_utf8(code, bytes));
}

// Decodes what follows "\u"; returns where to go on.
const Byte* decode_unicode(const Byte* at, const Byte* end, std::vector<Byte>& out) {
  const int unit = hex4(at, end);
  if (unit < 0) {
    out.push_back('u');
    return at;
  }
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  const int low = high && end - at >= 10 && at[4] == '\\' && at[5] == 'u' ? hex4(at + 6, end) : -1;
  if (low >= 0xDC00 && low < 0xE000) {
    append_utf8(0x10000u + ((unit - 0xD800u) << 10) + (low - 0xDC00u), out);
    return at + 10;
  }
  append_utf8(static_cast<std::uint32_t>(unit), out);
  return at + 4;
}

}  // namespace

void decode(const Field& field, const Dialect& dialect, std::vector<Byte>& out) {
  const Byte quote = field.begin[-1];
  for (const auto* at = field.begin; at < field.end; ++at) {
    if (dialect.doubled_quotes && *at == quote) {
      out.push_back(*at++);
    } else if (dialect.escapes && *at == '\\' && at + 1 < field.end) {
      const Byte c = *++at;
      if (c == 'u')
        at = decode_unicode(at + 1, field.end, out) - 1;
      else
        out.push_back(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
    } else {
      out.push_back(*at);
    }
  }
}

}  // namespace hedgerow
