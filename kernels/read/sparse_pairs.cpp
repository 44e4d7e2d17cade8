#include "read/sparse_pairs.hpp"

#include <limits>

#include "read/parse_numbers.hpp"

namespace hedgerow {
namespace {

bool is_blank(Byte byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
bool is_digit(Byte byte) { return static_cast<Byte>(byte - '0') < 10; }

// What both readers share: a cursor over the data and the pairs found so far.
class SparsePairReader {
 public:
  explicit SparsePairReader(std::span<const Byte> data)
      : begin_(data.data()), end_(data.data() + data.size()), cursor_(begin_) {}

  IndexValuePairs read_arff() {
    while (skip_empty_lines('%') && read_arff_row()) {
    }
    return std::move(pairs_);
  }

  IndexValuePairs read_svmlight() {
    while (skip_empty_lines('#') && read_svmlight_row()) {
    }
    return std::move(pairs_);
  }

 private:
  void skip_blanks() {
    while (cursor_ < end_ && is_blank(*cursor_)) ++cursor_;
  }
  void skip_line() {
    while (cursor_ < end_ && *cursor_ != '\n') ++cursor_;
  }
  bool at_line_end(Byte comment) const { return cursor_ == end_ || *cursor_ == '\n' || *cursor_ == comment; }

  // Go to the next row that holds something; false at the end.
  bool skip_empty_lines(Byte comment) {
    for (; cursor_ < end_; ++cursor_) {
      skip_blanks();
      if (cursor_ < end_ && *cursor_ == comment) skip_line();
      if (cursor_ < end_ && *cursor_ != '\n') return true;
      if (cursor_ == end_) return false;
    }
    return false;
  }

  bool fail(PairFault fault, const Byte* where) {
    pairs_.fault = fault;
    pairs_.fault_at = where - begin_;
    return false;
  }

  void end_row(const Byte* label, const Byte* label_end, double weight) {
    pairs_.rows.push_back(static_cast<std::int64_t>(pairs_.index.size()));
    pairs_.label.push_back(label - begin_);
    pairs_.label_end.push_back(label_end - begin_);
    pairs_.weight.push_back(weight);
  }

  void add_pair(std::int64_t index, PairValueKind state, double number, const Byte* from, const Byte* to) {
    pairs_.index.push_back(index);
    pairs_.state.push_back(static_cast<Byte>(state));
    pairs_.number.push_back(number);
    pairs_.begin.push_back(from - begin_);
    pairs_.end.push_back(to - begin_);
  }

  // A whole number of at most nine digits at the cursor; -1 if there is none.
  std::int64_t read_index() {
    std::int64_t index = 0;
    const auto* from = cursor_;
    for (; cursor_ < end_ && is_digit(*cursor_) && cursor_ - from < 10; ++cursor_)
      index = index * 10 + (*cursor_ - '0');
    return cursor_ == from || cursor_ - from > 9 ? -1 : index;
  }

  void add_plain_value(std::int64_t index, const Byte* from, const Byte* to) {
    double number = std::numeric_limits<double>::quiet_NaN();
    auto state = PairValueKind::WORD;
    if (to - from == 1 && *from == '?') {
      state = PairValueKind::MISSING;
    } else {
      const auto kind = read_number(from, to, '.', number);
      if (kind == NumberKind::FINITE) state = PairValueKind::NUMBER;
      if (kind == NumberKind::INFINITE) state = PairValueKind::INFINITE;
    }
    add_pair(index, state, number, from, to);
  }

  bool add_quoted_value(std::int64_t index) {
    const auto* open = cursor_;
    const Byte quote = *cursor_++;
    auto state = PairValueKind::QUOTED;
    for (; cursor_ < end_ && *cursor_ != quote && *cursor_ != '\n'; ++cursor_)
      if (*cursor_ == '\\' && cursor_ + 1 < end_) {
        state = PairValueKind::ESCAPED;
        ++cursor_;
      }
    if (cursor_ >= end_ || *cursor_ != quote) return fail(PairFault::UNCLOSED_QUOTE, open);
    add_pair(index, state, std::numeric_limits<double>::quiet_NaN(), open + 1, cursor_);
    ++cursor_;
    return true;
  }

  // {i v, i v, ...} and perhaps , {w}
  bool read_arff_row() {
    const auto* row = cursor_;
    if (*cursor_ != '{') return fail(PairFault::NO_BRACE, cursor_);
    ++cursor_;
    skip_blanks();
    while (cursor_ < end_ && *cursor_ != '}') {
      if (!read_arff_pair(row)) return false;
      skip_blanks();
      while (cursor_ < end_ && *cursor_ == ',') {
        ++cursor_;
        skip_blanks();
      }
    }
    if (cursor_ == end_) return fail(PairFault::UNCLOSED_BRACE, row);
    ++cursor_;
    double weight = 1;
    if (!read_arff_weight(weight)) return false;
    end_row(row, row, weight);
    return true;
  }

  bool read_arff_pair(const Byte* row) {
    if (*cursor_ == '\n') return fail(PairFault::UNCLOSED_BRACE, row);
    const auto* from = cursor_;
    const auto index = read_index();
    if (index < 0 || cursor_ == end_ || !is_blank(*cursor_)) return fail(PairFault::BAD_INDEX, from);
    skip_blanks();
    if (cursor_ == end_ || *cursor_ == ',' || *cursor_ == '}' || *cursor_ == '\n')
      return fail(PairFault::NO_VALUE, from);
    if (*cursor_ == '\'' || *cursor_ == '"') {
      if (!add_quoted_value(index)) return false;
      if (cursor_ < end_ && !is_blank(*cursor_) && *cursor_ != ',' && *cursor_ != '}' && *cursor_ != '\n')
        return fail(PairFault::TRAILING, cursor_);
      return true;
    }
    const auto* value = cursor_;
    while (cursor_ < end_ && *cursor_ != ',' && *cursor_ != '}' && *cursor_ != '\n') ++cursor_;
    const auto* stop = cursor_;
    while (is_blank(stop[-1])) --stop;
    add_plain_value(index, value, stop);
    return true;
  }

  bool read_arff_weight(double& weight) {
    skip_blanks();
    if (cursor_ < end_ && *cursor_ == ',') {
      ++cursor_;
      skip_blanks();
      const auto* from = cursor_;
      if (cursor_ == end_ || *cursor_ != '{') return fail(PairFault::BAD_WEIGHT, from);
      while (cursor_ < end_ && *cursor_ != '}' && *cursor_ != '\n') ++cursor_;
      if (cursor_ == end_ || *cursor_ != '}' || read_number(from + 1, cursor_, '.', weight) != NumberKind::FINITE ||
          weight < 0)
        return fail(PairFault::BAD_WEIGHT, from);
      ++cursor_;
      skip_blanks();
    }
    if (cursor_ < end_ && *cursor_ == '%') skip_line();
    return cursor_ == end_ || *cursor_ == '\n' ? true : fail(PairFault::TRAILING, cursor_);
  }

  // label [qid:n] i:v i:v ... [# comment]
  bool read_svmlight_row() {
    const auto* label = cursor_;
    while (cursor_ < end_ && !is_blank(*cursor_) && *cursor_ != '\n' && *cursor_ != '#') ++cursor_;
    const auto* label_end = cursor_;
    for (skip_blanks(); !at_line_end('#'); skip_blanks())
      if (!read_svmlight_pair()) return false;
    skip_line();
    end_row(label, label_end, 1);
    return true;
  }

  bool read_svmlight_pair() {
    const auto* from = cursor_;
    const bool is_query =
        end_ - cursor_ > 4 && cursor_[0] == 'q' && cursor_[1] == 'i' && cursor_[2] == 'd' && cursor_[3] == ':';
    if (is_query) cursor_ += 3;
    const auto index = is_query ? -1 : read_index();
    if (cursor_ == end_ || *cursor_ != ':' || (index < 0 && !is_query)) return fail(PairFault::BAD_INDEX, from);
    const auto* value = ++cursor_;
    while (cursor_ < end_ && !is_blank(*cursor_) && *cursor_ != '\n' && *cursor_ != '#') ++cursor_;
    if (cursor_ == value) return fail(PairFault::NO_VALUE, from);
    add_plain_value(index, value, cursor_);
    return true;
  }

  const Byte* begin_;
  const Byte* end_;
  const Byte* cursor_;
  IndexValuePairs pairs_;
};

}  // namespace

IndexValuePairs read_arff_pairs(std::span<const Byte> data) { return SparsePairReader(data).read_arff(); }

IndexValuePairs read_svmlight_pairs(std::span<const Byte> data) { return SparsePairReader(data).read_svmlight(); }

}  // namespace hedgerow
