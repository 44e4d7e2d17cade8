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

class DelimitedParser {
 public:
  DelimitedParser(std::span<const Byte> data, const Dialect& dialect, std::span<const Byte> modes,
                  const ByteRowsView& missing, ColumnBlock<double> numbers, ColumnBlock<std::int32_t> codes)
      : fields_(data, dialect), dialect_(dialect), modes_(modes), numbers_(numbers), codes_(codes) {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      missing_.add_missing(missing[i]);
      if (!missing[i].empty() && may_start_number(missing[i][0], dialect.decimal)) numbers_first_ = false;
    }
    std::size_t count[4] = {};
    for (auto mode : modes) positions_.push_back(count[mode]++);
    out_.invalid_numbers.resize(count[static_cast<int>(ColumnMode::NUMERIC)]);
    invalid_words_.resize(out_.invalid_numbers.size());
    dictionaries_.resize(count[static_cast<int>(ColumnMode::NOMINAL)], missing_);
    out_.texts.resize(count[static_cast<int>(ColumnMode::TEXT)]);
    for (auto& column : out_.texts) column.text.offsets.push_back(0);
  }

  void add_known_levels(const ByteRowsView& words, std::span<const std::int64_t> counts) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (const auto end = next + static_cast<std::size_t>(counts[i]); next < end; ++next)
        dictionaries_[i].find_or_add_literal(words[next]);
    known_counts_ = counts;
  }

  ParsedTable parse() {
    while (out_.problem == ParseProblem::NONE && fields_.begin_row()) {
      if (parse_row()) ++out_.n_rows;
    }
    collect_results();
    return std::move(out_);
  }

 private:
  bool parse_row() {
    std::size_t column = 0;
    do {
      if (column == modes_.size()) return parse_weight(column);
      switch (static_cast<ColumnMode>(modes_[column])) {
        case ColumnMode::SKIP:
          fields_.next_field();
          break;
        case ColumnMode::NUMERIC:
          parse_number(positions_[column]);
          break;
        case ColumnMode::NOMINAL:
          parse_level(positions_[column]);
          break;
        case ColumnMode::TEXT:
          parse_text(positions_[column]);
          break;
      }
      ++column;
    } while (!fields_.row_is_over());
    if (fields_.fault() != FieldFault::NONE) return fail_at_field();
    if (column < modes_.size()) return fail(ParseProblem::WRONG_FIELD_COUNT, static_cast<std::int64_t>(column));
    if (!out_.weights.empty()) out_.weights.push_back(1);
    return true;
  }

  bool fail(ParseProblem problem, std::int64_t size) {
    out_.problem = problem;
    out_.problem_row = out_.n_rows;
    out_.problem_size = size;
    return false;
  }

  bool fail_at_field() {
    const auto problem =
        fields_.fault() == FieldFault::UNCLOSED ? ParseProblem::UNCLOSED : ParseProblem::TEXT_AFTER_QUOTE;
    return fail(problem, fields_.fault_position());
  }

  // What follows the last column: a weight in braces, or too much.
  bool parse_weight(std::size_t column) {
    const auto field = fields_.next_field();
    if (dialect_.weight_in_braces && fields_.row_is_over() && field.end - field.begin >= 2 && *field.begin == '{' &&
        field.end[-1] == '}') {
      double weight;
      if (read_number(field.begin + 1, field.end - 1, dialect_.decimal, weight) != NumberKind::FINITE)
        return fail(ParseProblem::BAD_WEIGHT, field.begin - fields_.row_begin());
      if (out_.weights.empty()) out_.weights.assign(out_.n_rows, 1);
      out_.weights.push_back(weight);
      return true;
    }
    for (++column; !fields_.row_is_over(); ++column) fields_.next_field();
    if (fields_.fault() != FieldFault::NONE) return fail_at_field();
    return fail(ParseProblem::WRONG_FIELD_COUNT, static_cast<std::int64_t>(column));
  }

  void parse_number(std::size_t position) {
    double& value = numbers_.data[position * numbers_.stride + out_.n_rows];
    double number;
    if (numbers_first_) {  // most numbers are read without looking for the end of the field first
      const auto* stop = read_number_fast(fields_.cursor(), fields_.end(), dialect_.decimal, number);
      if (stop && fields_.end_field(stop)) {
        value = number;
        return;
      }
    }
    value = NAN_VALUE;
    const auto field = decode_if_needed(fields_.next_field());
    if (!numbers_first_ && is_missing(field)) return;
    const auto kind = read_number(field.begin, field.end, dialect_.decimal, number);
    if (kind == NumberKind::FINITE)
      value = number;
    else if (!is_missing(field))
      keep_invalid_number(position, field, kind);
  }

  void keep_invalid_number(std::size_t position, const Field& field, NumberKind kind) {
    auto& invalid = out_.invalid_numbers[position];
    ++(kind == NumberKind::INFINITE ? invalid.infinite : invalid.count);
    if (invalid.rows.size() == 3) return;
    invalid.rows.push_back(out_.n_rows);
    invalid_words_[position].emplace_back(field.begin, field.end);
  }

  void parse_level(std::size_t position) {
    const auto field = fields_.next_field();
    auto& dictionary = dictionaries_[position];
    auto& code = codes_.data[position * codes_.stride + out_.n_rows];
    if (!field.quoted) {
      code = dictionary.find_or_add(field.begin, field.end, fields_.end());
      return;
    }
    const auto plain = decode_if_needed(field);
    const std::span<const Byte> word(plain.begin, plain.end);
    code = dialect_.quoted_missing ? dictionary.find_or_add(word) : dictionary.find_or_add_literal(word);
  }

  void parse_text(std::size_t position) {
    const auto field = decode_if_needed(fields_.next_field());
    auto& [text, missing] = out_.texts[position];
    missing.push_back(is_missing(field));
    if (!missing.back()) text.data.insert(text.data.end(), field.begin, field.end);
    text.offsets.push_back(static_cast<std::int64_t>(text.data.size()));
  }

  // The field with doubled quotes and escapes undone.
  Field decode_if_needed(Field field) {
    if (!field.has_escapes) return field;
    scratch_.clear();
    decode_quoted_field(field, dialect_, scratch_);
    return {scratch_.data(), scratch_.data() + scratch_.size(), true};
  }

  bool is_missing(Field field) const {
    if (field.quoted && !dialect_.quoted_missing) return false;
    while (field.begin < field.end && (*field.begin == ' ' || *field.begin == '\t')) ++field.begin;
    while (field.end > field.begin && (field.end[-1] == ' ' || field.end[-1] == '\t')) --field.end;
    return missing_.is_missing(field.begin, field.end);
  }

  void collect_results() {
    out_.levels.offsets.push_back(0);
    for (std::size_t i = 0; i < dictionaries_.size(); ++i) {
      dictionaries_[i].append_words_to(out_.levels, static_cast<std::size_t>(known_counts_[i]));
      out_.level_counts.push_back(static_cast<std::int64_t>(dictionaries_[i].size()) - known_counts_[i]);
    }
    auto& [data, offsets] = out_.invalid_words;
    offsets.push_back(0);
    for (const auto& words : invalid_words_)
      for (const auto& word : words) {
        data.insert(data.end(), word.begin(), word.end());
        offsets.push_back(static_cast<std::int64_t>(data.size()));
      }
  }

  FieldReader fields_;
  const Dialect dialect_;
  std::span<const Byte> modes_;
  ColumnBlock<double> numbers_;
  ColumnBlock<std::int32_t> codes_;
  bool numbers_first_ = true;           // no missing token looks like a number
  std::vector<std::size_t> positions_;  // of each column among those of its mode
  Dictionary missing_;                  // the missing tokens and nothing else
  std::vector<Dictionary> dictionaries_;
  std::span<const std::int64_t> known_counts_;  // how many levels each of them began with
  std::vector<std::vector<std::vector<Byte>>>
      invalid_words_;  // the first three words of each numeric column that are no finite numbers
  std::vector<Byte> scratch_;
  ParsedTable out_;
};

}  // namespace

ParsedTable parse_delimited(std::span<const Byte> data, const Dialect& dialect, std::span<const Byte> modes,
                            const ByteRowsView& missing, const ByteRowsView& known,
                            std::span<const std::int64_t> known_counts, ColumnBlock<double> numbers,
                            ColumnBlock<std::int32_t> codes) {
  DelimitedParser parser(data, dialect, modes, missing, numbers, codes);
  parser.add_known_levels(known, known_counts);
  return parser.parse();
}

}  // namespace hedgerow
