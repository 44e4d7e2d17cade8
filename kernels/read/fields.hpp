// A walk over the rows and fields of a delimited text, in one pass and without copying.
//
//   Fields fields(data, dialect);
//   while (fields.begin_row())
//     do { Field field = fields.next(); ... } while (!fields.row_is_over());
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
  bool coded = false;  // holds doubled quotes or escapes: see decode
};

enum class Fault : Byte { NONE, UNCLOSED, GARBLED };

class Fields {
 public:
  Fields(std::span<const Byte> data, const Dialect& dialect)
      : dialect_(dialect),
        stops_(data, dialect.blank_delimited ? ' ' : dialect.delimiter, '\n',
               dialect.blank_delimited ? '\t' : dialect.delimiter, dialect.comment ? dialect.comment : '\n'),
        closing_{make_closing_finder(dialect, dialect.quotes[0]), make_closing_finder(dialect, dialect.quotes[1])},
        trims_(dialect.trim || dialect.blank_delimited),
        careful_(trims_ || dialect.comment || dialect.trailing_dot),
        begin_(data.data()),
        end_(data.data() + data.size()),
        at_(begin_) {
    kinds_['\n'] = kinds_['\r'] = ROW;
    if (dialect.comment) kinds_[dialect.comment] = ROW;
    kinds_[' '] = kinds_['\t'] = BLANK;
    if (!dialect.blank_delimited) kinds_[dialect.delimiter] = 0;
    for (auto quote : dialect.quotes)
      if (quote) kinds_[quote] = QUOTE;
  }

  // Go to the next row that holds something; false at the end.
  bool begin_row() {
    if (at_ == end_ || kinds_[*at_] & (BLANK | ROW)) return find_row();
    row_ = at_;
    return true;
  }

  // The field at the cursor; the cursor goes behind it.
  Field next() {
    if (trims_) at_ = behind_blanks(at_);
    return at_ < end_ && kinds_[*at_] == QUOTE ? quoted() : plain();
  }

  // End the field at `stop`, if a field can end there.
  bool close(const Byte* stop) {
    if (stop == end_ || dialect_.blank_delimited) return close_row(stop);
    over_ = *stop == '\n';
    if (!over_ && *stop != dialect_.delimiter) return close_row(stop);
    at_ = stop + 1;
    return true;
  }

  bool row_is_over() const { return over_; }
  const Byte* at() const { return at_; }
  const Byte* end() const { return end_; }
  const Byte* row() const { return row_; }
  Fault fault() const { return fault_; }
  std::int64_t fault_position() const { return fault_at_ - begin_; }

 private:
  enum : Byte { BLANK = 1, QUOTE = 2, ROW = 4 };  // ROW: may end the row or begin a comment

  bool find_row();
  Field plain() {
    const auto* begin = at_;
    const auto* stop = stops_.find(begin);
    if (careful_ || stop == end_) return careful_plain(begin, stop);
    over_ = *stop == '\n';
    if (over_ && stop > begin && stop[-1] == '\r') return careful_plain(begin, stop);
    at_ = stop + 1;
    return {begin, stop};
  }
  Field careful_plain(const Byte* begin, const Byte* stop);
  Field quoted();
  bool close_row(const Byte* stop);
  bool is_row_end(const Byte* at) const;
  Field failed(Fault fault, const Byte* where);

  const Byte* behind_blanks(const Byte* at) const {
    while (at < end_ && kinds_[*at] == BLANK) ++at;
    return at;
  }
  const Byte* before_blanks(const Byte* begin, const Byte* last) const {
    while (last > begin && kinds_[last[-1]] == BLANK) --last;
    return last;
  }
  const Byte* line_end(const Byte* at) const {
    const auto* found = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
    return found ? static_cast<const Byte*>(found) : end_;
  }

  Dialect dialect_;
  Stops stops_;
  ByteFinder closing_[2];
  bool trims_;
  bool careful_;
  bool over_ = true;
  Fault fault_ = Fault::NONE;
  std::array<Byte, 256> kinds_{};
  const Byte* begin_;
  const Byte* end_;
  const Byte* at_;
  const Byte* row_ = nullptr;
  const Byte* fault_at_ = nullptr;
};

// Append the bytes that a quoted field stands for: doubled quotes and escapes undone.
// Escapes are \n \t \r, \uXXXX (one UTF-16 unit or a pair), and any other byte for itself.
void decode(const Field& field, const Dialect& dialect, std::vector<Byte>& out);

}  // namespace hedgerow
