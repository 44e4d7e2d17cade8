#include "read/fields.hpp"

#include "core/utf8.hpp"

namespace hedgerow {

bool FieldReader::find_next_row() {
  while (cursor_ < end_) {
    const auto* first = skip_blanks(cursor_);
    if (first < end_ && *first == dialect_.comment && dialect_.comment) first = find_line_end(first);
    if (first == end_ || is_row_end(first)) {
      cursor_ = first == end_ ? end_ : find_line_end(first) + (find_line_end(first) < end_);
      continue;
    }
    if (trims_blanks_) cursor_ = first;
    row_begin_ = cursor_;
    return true;
  }
  return false;
}

bool FieldReader::is_row_end(const Byte* at) const {
  return at == end_ || *at == '\n' || (*at == '\r' && (at + 1 == end_ || at[1] == '\n'));
}

// Ends a field that no delimiter byte follows: the row ends, or there are blanks between fields.
bool FieldReader::end_row(const Byte* field_end) {
  const bool separator = dialect_.blank_delimited && field_end < end_ && byte_kinds_[*field_end] == BLANK;
  if (separator) field_end = skip_blanks(field_end);
  if (field_end < end_ && dialect_.comment && *field_end == dialect_.comment) field_end = find_line_end(field_end);
  if (is_row_end(field_end)) {
    const auto* newline = field_end < end_ && *field_end == '\r' ? field_end + 1 : field_end;
    cursor_ = newline < end_ ? newline + 1 : end_;
    row_over_ = true;
    return true;
  }
  if (!separator) return false;
  cursor_ = field_end;
  row_over_ = false;
  return true;
}

// An unquoted field that may hold more than its value: blanks, a carriage return, a full stop.
Field FieldReader::trim_plain_field(const Byte* begin, const Byte* field_end) {
  const auto* last = field_end;
  if (last > begin && last[-1] == '\r' && (field_end == end_ || *field_end == '\n')) --last;
  end_field(field_end);
  if (trims_blanks_) last = trim_blanks(begin, last);
  if (dialect_.trailing_dot && row_over_ && last > begin && last[-1] == '.') last = trim_blanks(begin, last - 1);
  return {begin, last};
}

Field FieldReader::read_quoted() {
  bool has_escapes = false;
  const auto* open = cursor_;
  const auto& closing_finder = *open == dialect_.quotes[0] ? closing_finders_[0] : closing_finders_[1];
  const auto* close_at = find_closing_quote(open + 1, end_, *open, closing_finder, dialect_, has_escapes);
  if (!close_at) return fail(FieldFault::UNCLOSED, open);
  const auto* after_quote = close_at + 1;
  if (dialect_.trailing_dot && after_quote < end_ && *after_quote == '.') ++after_quote;
  if (!dialect_.blank_delimited) after_quote = skip_blanks(after_quote);
  if (!end_field(after_quote)) return fail(FieldFault::TEXT_AFTER_QUOTE, close_at);
  return {open + 1, close_at, true, has_escapes};
}

Field FieldReader::fail(FieldFault fault, const Byte* where) {
  fault_ = fault;
  fault_at_ = where;
  cursor_ = end_;
  row_over_ = true;
  return {end_, end_, true};
}

namespace {

// Reads four hexadecimal digits; -1 if they are not there.
int read_hex4(const Byte* at, const Byte* end) {
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
  const int unit = read_hex4(at, end);
  if (unit < 0) {
    out.push_back('u');
    return at;
  }
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  const int low = high && end - at >= 10 && at[4] == '\\' && at[5] == 'u' ? read_hex4(at + 6, end) : -1;
  if (low >= 0xDC00 && low < 0xE000) {
    append_utf8(0x10000u + ((unit - 0xD800u) << 10) + (low - 0xDC00u), out);
    return at + 10;
  }
  append_utf8(static_cast<std::uint32_t>(unit), out);
  return at + 4;
}

}  // namespace

void decode_quoted_field(const Field& field, const Dialect& dialect, std::vector<Byte>& out) {
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
