// A walk over the rows and fields of a delimited text, in one pass and without copying.
//
//   Fields fields(data, dialect);
//   while (fields.begin_row())
//     do { Field field = fields.next_field(); ... } while (!fields.row_is_over());
//
// Rows end at \n, \r\n or the end of the data; rows of blanks or comments only are passed over. A fault
// (an unclosed quote, text behind a closing quote) ends the walk and is told by fault().
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/delimited_layout.hpp"
#include "read/field_ends.hpp"

namespace hedgerow {

struct Field {
  const Byte* begin;
  const Byte* end;
  bool quoted = false;
  bool has_escapes = false;  // holds doubled quotes or escapes: see decode
};

enum class FieldFault : Byte { NONE, UNCLOSED, TEXT_AFTER_QUOTE };

class FieldReader {
 public:
  FieldReader(std::span<const Byte> data, const Dialect& dialect)
      : dialect_(dialect),
        field_ends_(data, dialect.blank_delimited ? ' ' : dialect.delimiter, '\n',
                    dialect.blank_delimited ? '\t' : dialect.delimiter, dialect.comment ? dialect.comment : '\n'),
        closing_finders_{make_closing_finder(dialect, dialect.quotes[0]),
                         make_closing_finder(dialect, dialect.quotes[1])},
        trims_blanks_(dialect.trim || dialect.blank_delimited),
        needs_trimming_(trims_blanks_ || dialect.comment || dialect.trailing_dot),
        begin_(data.data()),
        end_(data.data() + data.size()),
        cursor_(begin_) {
    byte_kinds_['\n'] = byte_kinds_['\r'] = ROW;
    if (dialect.comment) byte_kinds_[dialect.comment] = ROW;
    byte_kinds_[' '] = byte_kinds_['\t'] = BLANK;
    if (!dialect.blank_delimited) byte_kinds_[dialect.delimiter] = 0;
    for (auto quote : dialect.quotes)
      if (quote) byte_kinds_[quote] = QUOTE;
  }

  // Go to the next row that holds something; false at the end.
  bool begin_row() {
    if (cursor_ == end_ || byte_kinds_[*cursor_] & (BLANK | ROW)) return find_next_row();
    row_begin_ = cursor_;
    return true;
  }

  // The field at the cursor; the cursor goes behind it.
  Field next_field() {
    if (trims_blanks_) cursor_ = skip_blanks(cursor_);
    return cursor_ < end_ && byte_kinds_[*cursor_] == QUOTE ? read_quoted() : read_plain();
  }

  // End the field at `field_end`, if a field can end there.
  bool end_field(const Byte* field_end) {
    if (field_end == end_ || dialect_.blank_delimited) return end_row(field_end);
    row_over_ = *field_end == '\n';
    if (!row_over_ && *field_end != dialect_.delimiter) return end_row(field_end);
    cursor_ = field_end + 1;
    return true;
  }

  bool row_is_over() const { return row_over_; }
  const Byte* cursor() const { return cursor_; }
  const Byte* end() const { return end_; }
  const Byte* row_begin() const { return row_begin_; }
  FieldFault fault() const { return fault_; }
  std::int64_t fault_position() const { return fault_at_ - begin_; }

 private:
  enum : Byte { BLANK = 1, QUOTE = 2, ROW = 4 };  // ROW: may end the row or begin a comment

  bool find_next_row();
  Field read_plain() {
    const auto* begin = cursor_;
    const auto* field_end = field_ends_.find_next(begin);
    if (needs_trimming_ || field_end == end_) return trim_plain_field(begin, field_end);
    row_over_ = *field_end == '\n';
    if (row_over_ && field_end > begin && field_end[-1] == '\r') return trim_plain_field(begin, field_end);
    cursor_ = field_end + 1;
    return {begin, field_end};
  }
  Field trim_plain_field(const Byte* begin, const Byte* field_end);
  Field read_quoted();
  bool end_row(const Byte* field_end);
  bool is_row_end(const Byte* at) const;
  Field fail(FieldFault fault, const Byte* where);

  const Byte* skip_blanks(const Byte* at) const {
    while (at < end_ && byte_kinds_[*at] == BLANK) ++at;
    return at;
  }
  const Byte* trim_blanks(const Byte* begin, const Byte* last) const {
    while (last > begin && byte_kinds_[last[-1]] == BLANK) --last;
    return last;
  }
  const Byte* find_line_end(const Byte* at) const {
    const auto* found = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
    return found ? static_cast<const Byte*>(found) : end_;
  }

  Dialect dialect_;
  FieldEndIndex field_ends_;
  ByteFinder closing_finders_[2];
  bool trims_blanks_;
  bool needs_trimming_;
  bool row_over_ = true;
  FieldFault fault_ = FieldFault::NONE;
  std::array<Byte, 256> byte_kinds_{};
  const Byte* begin_;
  const Byte* end_;
  const Byte* cursor_;
  const Byte* row_begin_ = nullptr;
  const Byte* fault_at_ = nullptr;
};

// Append the bytes that a quoted field stands for: doubled quotes and escapes undone.
// Escapes are \n \t \r, \uXXXX (one UTF-16 unit or a pair), and any other byte for itself.
void decode_quoted_field(const Field& field, const Dialect& dialect, std::vector<Byte>& out);

}  // namespace hedgerow
