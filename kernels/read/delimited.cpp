#include "read/delimited.hpp"

#include <limits>

#include "core/dictionary.hpp"
#include "read/fields.hpp"
#include "read/parse_numbers.hpp"

namespace hedgerow {
namespace {

constexpr double NAN_VALUE = std::numeric_limits<double>::quiet_NaN();

bool may_start_number(Byte c, Byte decimal) {
  return static_cast<Byte>(c - '0') < 10 || c == '-' || c == '+' || c == decimal;
}

class Parser {
 public:
  Parser(std::span<const Byte> data, const Dialect& dialect, std::span<const Byte> modes, const ByteRowsView& missing,
         Block<double> numbers, Block<std::int32_t> codes)
      : fields_(data, dialect), dialect_(dialect), modes_(modes), numbers_(numbers), codes_(codes) {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      missing_.add_missing(missing[i]);
      if (!missing[i].empty() && may_start_number(missing[i][0], dialect.decimal)) quick_ = false;
    }
    std::size_t count[4] = {};
    for (auto mode : modes) places_.push_back(count[mode]++);
    out_.strays.resize(count[static_cast<int>(Mode::NUMERIC)]);
    words_.resize(out_.strays.size());
    dictionaries_.resize(count[static_cast<int>(Mode::NOMINAL)], missing_);
    out_.texts.resize(count[static_cast<int>(Mode::TEXT)]);
    for (auto& column : out_.texts) column.text.offsets.push_back(0);
  }

  void know(const ByteRowsView& words, std::span<const std::int64_t> counts) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (const auto end = next + static_cast<std::size_t>(counts[i]); next < end; ++next)
        dictionaries_[i].find_or_add_literal(words[next]);
    known_ = counts;
  }

  Parsed run() {
    while (out_.problem == Problem::NONE && fields_.begin_row()) {
      if (parse_row()) ++out_.n_rows;
    }
    collect();
    return std::move(out_);
  }

 private:
  bool parse_row() {
    std::size_t column = 0;
    do {
      if (column == modes_.size()) return parse_rest(column);
      switch (static_cast<Mode>(modes_[column])) {
        case Mode::SKIP:
          fields_.next();
          break;
        case Mode::NUMERIC:
          parse_number(places_[column]);
          break;
        case Mode::NOMINAL:
          parse_level(places_[column]);
          break;
        case Mode::TEXT:
          parse_text(places_[column]);
          break;
      }
      ++column;
    } while (!fields_.row_is_over());
    if (fields_.fault() != Fault::NONE) return fail_at_fault();
    if (column < modes_.size()) return fail(Problem::RAGGED, static_cast<std::int64_t>(column));
    if (!out_.weights.empty()) out_.weights.push_back(1);
    return true;
  }

  bool fail(Problem problem, std::int64_t size) {
    out_.problem = problem;
    out_.problem_row = out_.n_rows;
    out_.problem_size = size;
    return false;
  }

  bool fail_at_fault() {
    const auto problem = fields_.fault() == Fault::UNCLOSED ? Problem::UNCLOSED : Problem::GARBLED;
    return fail(problem, fields_.fault_position());
  }

  // What follows the last column: a weight in braces, or too much.
  bool parse_rest(std::size_t column) {
    const auto field = fields_.next();
    if (dialect_.weight_in_braces && fields_.row_is_over() && field.end - field.begin >= 2 && *field.begin == '{' &&
        field.end[-1] == '}') {
      double weight;
      if (read_number(field.begin + 1, field.end - 1, dialect_.decimal, weight) != Number::FINITE)
        return fail(Problem::WEIGHT, field.begin - fields_.row());
      if (out_.weights.empty()) out_.weights.assign(out_.n_rows, 1);
      out_.weights.push_back(weight);
      return true;
    }
    for (++column; !fields_.row_is_over(); ++column) fields_.next();
    if (fields_.fault() != Fault::NONE) return fail_at_fault();
    return fail(Problem::RAGGED, static_cast<std::int64_t>(column));
  }

  void parse_number(std::size_t place) {
    double& value = numbers_.data[place * numbers_.stride + out_.n_rows];
    double number;
    if (quick_) {  // most numbers are read without looking for the end of the field first
      const auto* stop = quick_number(fields_.at(), fields_.end(), dialect_.decimal, number);
      if (stop && fields_.close(stop)) {
        value = number;
        return;
      }
    }
    value = NAN_VALUE;
    const auto field = decoded(fields_.next());
    if (!quick_ && is_missing(field)) return;
    const auto kind = read_number(field.begin, field.end, dialect_.decimal, number);
    if (kind == Number::FINITE)
      value = number;
    else if (!is_missing(field))
      keep_stray(place, field, kind);
  }

  void keep_stray(std::size_t place, const Field& field, Number kind) {
    auto& strays = out_.strays[place];
    ++(kind == Number::INFINITE ? strays.infinite : strays.words);
    if (strays.rows.size() == 3) return;
    strays.rows.push_back(out_.n_rows);
    words_[place].emplace_back(field.begin, field.end);
  }

  void parse_level(std::size_t place) {
    const auto field = fields_.next();
    auto& dictionary = dictionaries_[place];
    auto& code = codes_.data[place * codes_.stride + out_.n_rows];
    if (!field.quoted) {
      code = dictionary.find_or_add(field.begin, field.end, fields_.end());
      return;
    }
    const auto plain = decoded(field);
    const std::span<const Byte> word(plain.begin, plain.end);
    code = dialect_.quoted_missing ? dictionary.find_or_add(word) : dictionary.find_or_add_literal(word);
  }

  void parse_text(std::size_t place) {
    const auto field = decoded(fields_.next());
    auto& [text, missing] = out_.texts[place];
    missing.push_back(is_missing(field));
    if (!missing.back()) text.data.insert(text.data.end(), field.begin, field.end);
    text.offsets.push_back(static_cast<std::int64_t>(text.data.size()));
  }

  // The field with doubled quotes and escapes undone.
  Field decoded(Field field) {
    if (!field.coded) return field;
    scratch_.clear();
    decode(field, dialect_, scratch_);
    return {scratch_.data(), scratch_.data() + scratch_.size(), true};
  }

  bool is_missing(Field field) const {
    if (field.quoted && !dialect_.quoted_missing) return false;
    while (field.begin < field.end && (*field.begin == ' ' || *field.begin == '\t')) ++field.begin;
    while (field.end > field.begin && (field.end[-1] == ' ' || field.end[-1] == '\t')) --field.end;
    return missing_.is_missing(field.begin, field.end);
  }

  void collect() {
    out_.levels.offsets.push_back(0);
    for (std::size_t i = 0; i < dictionaries_.size(); ++i) {
      dictionaries_[i].append_words_to(out_.levels, static_cast<std::size_t>(known_[i]));
      out_.level_counts.push_back(static_cast<std::int64_t>(dictionaries_[i].size()) - known_[i]);
    }
    auto& [data, offsets] = out_.stray_words;
    offsets.push_back(0);
    for (const auto& words : words_)
      for (const auto& word : words) {
        data.insert(data.end(), word.begin(), word.end());
        offsets.push_back(static_cast<std::int64_t>(data.size()));
      }
  }

  Fields fields_;
  const Dialect dialect_;
  std::span<const Byte> modes_;
  Block<double> numbers_;
  Block<std::int32_t> codes_;
  bool quick_ = true;                // no missing token looks like a number
  std::vector<std::size_t> places_;  // of each column among those of its mode
  Dictionary missing_;               // the missing tokens and nothing else
  std::vector<Dictionary> dictionaries_;
  std::span<const std::int64_t> known_;                // how many levels each of them began with
  std::vector<std::vector<std::vector<Byte>>> words_;  // the first three strays of each numeric column
  std::vector<Byte> scratch_;
  Parsed out_;
};

}  // namespace

Parsed parse_delimited(std::span<const Byte> data, const Dialect& dialect, std::span<const Byte> modes,
                       const ByteRowsView& missing, const ByteRowsView& known,
                       std::span<const std::int64_t> known_counts, Block<double> numbers, Block<std::int32_t> codes) {
  Parser parser(data, dialect, modes, missing, numbers, codes);
  parser.know(known, known_counts);
  return parser.run();
}

}  // namespace hedgerow
