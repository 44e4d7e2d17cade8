#include "read/sparse_pairs.hpp"

#include <limits>

#include "read/parse_numbers.hpp"

namespace hedgerow {
namespace {

bool is_blank(Byte byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
bool is_digit(Byte byte) { return static_cast<Byte>(byte - '0') < 10; }

// What both readers share: a cursor over the data and the pairs found so far.
class Reader {
 public:
  explicit Reader(std::span<const Byte> data) : begin_(data.data()), end_(data.data() + data.size()), at_(begin_) {}

  Pairs arff() {
    while (skip_lines('%') && arff_row()) {
    }
    return std::move(out_);
  }

  Pairs svmlight() {
    while (skip_lines('#') && svmlight_row()) {
    }
    return std::move(out_);
  }

 private:
  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
  }
  void skip_line() {
    while (at_ < end_ && *at_ != '\n') ++at_;
  }
  bool at_line_end(Byte comment) const { return at_ == end_ || *at_ == '\n' || *at_ == comment; }

  // Go to the next row that holds something; false at the end.
  bool skip_lines(Byte comment) {
    for (; at_ < end_; ++at_) {
      skip_blanks();
      if (at_ < end_ && *at_ == comment) skip_line();
      if (at_ < end_ && *at_ != '\n') return true;
      if (at_ == end_) return false;
    }
    return false;
  }

  bool fail(PairFault fault, const Byte* where) {
    out_.fault = fault;
    out_.fault_at = where - begin_;
    return false;
  }

  void end_row(const Byte* label, const Byte* label_end, double weight) {
    out_.rows.push_back(static_cast<std::int64_t>(out_.index.size()));
    out_.label.push_back(label - begin_);
    out_.label_end.push_back(label_end - begin_);
    out_.weight.push_back(weight);
  }

  void add(std::int64_t index, Value state, double number, const Byte* from, const Byte* to) {
    out_.index.push_back(index);
    out_.state.push_back(static_cast<Byte>(state));
    out_.number.push_back(number);
    out_.begin.push_back(from - begin_);
    out_.end.push_back(to - begin_);
  }

  // A whole number of at most nine digits at the cursor; -1 if there is none.
  std::int64_t read_index() {
    std::int64_t index = 0;
    const auto* from = at_;
    for (; at_ < end_ && is_digit(*at_) && at_ - from < 10; ++at_) index = index * 10 + (*at_ - '0');
    return at_ == from || at_ - from > 9 ? -1 : index;
  }

  void add_plain(std::int64_t index, const Byte* from, const Byte* to) {
    double number = std::numeric_limits<double>::quiet_NaN();
    auto state = Value::WORD;
    if (to - from == 1 && *from == '?') {
      state = Value::MISSING;
    } else {
      const auto kind = read_number(from, to, '.', number);
      if (kind == Number::FINITE) state = Value::NUMBER;
      if (kind == Number::INFINITE) state = Value::INFINITE;
    }
    add(index, state, number, from, to);
  }

  bool add_quoted(std::int64_t index) {
    const auto* open = at_;
    const Byte quote = *at_++;
    auto state = Value::QUOTED;
    for (; at_ < end_ && *at_ != quote && *at_ != '\n'; ++at_)
      if (*at_ == '\\' && at_ + 1 < end_) {
        state = Value::ESCAPED;
        ++at_;
      }
    if (at_ >= end_ || *at_ != quote) return fail(PairFault::UNCLOSED_QUOTE, open);
    add(index, state, std::numeric_limits<double>::quiet_NaN(), open + 1, at_);
    ++at_;
    return true;
  }

  // {i v, i v, ...} and perhaps , {w}
  bool arff_row() {
    const auto* row = at_;
    if (*at_ != '{') return fail(PairFault::NO_BRACE, at_);
    ++at_;
    skip_blanks();
    while (at_ < end_ && *at_ != '}') {
      if (!arff_pair(row)) return false;
      skip_blanks();
      while (at_ < end_ && *at_ == ',') {
        ++at_;
        skip_blanks();
      }
    }
    if (at_ == end_) return fail(PairFault::UNCLOSED_BRACE, row);
    ++at_;
    double weight = 1;
    if (!arff_weight(weight)) return false;
    end_row(row, row, weight);
    return true;
  }

  bool arff_pair(const Byte* row) {
    if (*at_ == '\n') return fail(PairFault::UNCLOSED_BRACE, row);
    const auto* from = at_;
    const auto index = read_index();
    if (index < 0 || at_ == end_ || !is_blank(*at_)) return fail(PairFault::BAD_INDEX, from);
    skip_blanks();
    if (at_ == end_ || *at_ == ',' || *at_ == '}' || *at_ == '\n') return fail(PairFault::NO_VALUE, from);
    if (*at_ == '\'' || *at_ == '"') {
      if (!add_quoted(index)) return false;
      if (at_ < end_ && !is_blank(*at_) && *at_ != ',' && *at_ != '}' && *at_ != '\n')
        return fail(PairFault::TRAILING, at_);
      return true;
    }
    const auto* value = at_;
    while (at_ < end_ && *at_ != ',' && *at_ != '}' && *at_ != '\n') ++at_;
    const auto* stop = at_;
    while (is_blank(stop[-1])) --stop;
    add_plain(index, value, stop);
    return true;
  }

  bool arff_weight(double& weight) {
    skip_blanks();
    if (at_ < end_ && *at_ == ',') {
      ++at_;
      skip_blanks();
      const auto* from = at_;
      if (at_ == end_ || *at_ != '{') return fail(PairFault::BAD_WEIGHT, from);
      while (at_ < end_ && *at_ != '}' && *at_ != '\n') ++at_;
      if (at_ == end_ || *at_ != '}' || read_number(from + 1, at_, '.', weight) != Number::FINITE || weight < 0)
        return fail(PairFault::BAD_WEIGHT, from);
      ++at_;
      skip_blanks();
    }
    if (at_ < end_ && *at_ == '%') skip_line();
    return at_ == end_ || *at_ == '\n' ? true : fail(PairFault::TRAILING, at_);
  }

  // label [qid:n] i:v i:v ... [# comment]
  bool svmlight_row() {
    const auto* label = at_;
    while (at_ < end_ && !is_blank(*at_) && *at_ != '\n' && *at_ != '#') ++at_;
    const auto* label_end = at_;
    for (skip_blanks(); !at_line_end('#'); skip_blanks())
      if (!svmlight_pair()) return false;
    skip_line();
    end_row(label, label_end, 1);
    return true;
  }

  bool svmlight_pair() {
    const auto* from = at_;
    const bool is_query = end_ - at_ > 4 && at_[0] == 'q' && at_[1] == 'i' && at_[2] == 'd' && at_[3] == ':';
    if (is_query) at_ += 3;
    const auto index = is_query ? -1 : read_index();
    if (at_ == end_ || *at_ != ':' || (index < 0 && !is_query)) return fail(PairFault::BAD_INDEX, from);
    const auto* value = ++at_;
    while (at_ < end_ && !is_blank(*at_) && *at_ != '\n' && *at_ != '#') ++at_;
    if (at_ == value) return fail(PairFault::NO_VALUE, from);
    add_plain(index, value, at_);
    return true;
  }

  const Byte* begin_;
  const Byte* end_;
  const Byte* at_;
  Pairs out_;
};

}  // namespace

Pairs arff_pairs(std::span<const Byte> data) { return Reader(data).arff(); }

Pairs svmlight_pairs(std::span<const Byte> data) { return Reader(data).svmlight(); }

}  // namespace hedgerow
