// Rows split into items: part of read/delimited.hpp.
#include "core/dictionary.hpp"
#include "read/delimited.hpp"
#include "read/fields.hpp"

namespace hedgerow {

SplitRows split_delimited(std::span<const Byte> data, const Dialect& dialect) {
  SplitRows out;
  Dictionary dictionary;
  std::vector<Byte> scratch;
  FieldReader fields(data, dialect);
  out.offsets.push_back(0);
  while (fields.begin_row()) {
    do {
      const auto field = fields.next_field();
      if (fields.fault() != FieldFault::NONE) break;
      if (field.has_escapes) {
        scratch.clear();
        decode_quoted_field(field, dialect, scratch);
        out.codes.push_back(dictionary.find_or_add(scratch));
      } else {
        out.codes.push_back(dictionary.find_or_add(field.begin, field.end, fields.end()));
      }
    } while (!fields.row_is_over());
    if (fields.fault() != FieldFault::NONE) {
      out.problem = fields.fault() == FieldFault::UNCLOSED ? ParseProblem::UNCLOSED : ParseProblem::TEXT_AFTER_QUOTE;
      out.problem_row = static_cast<std::int64_t>(out.offsets.size()) - 1;
      out.problem_size = fields.fault_position();
      break;
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.codes.size()));
  }
  dictionary.append_words_to(out.words);
  return out;
}

EncodedWords encode_words(std::span<const Byte> data, std::span<const std::int64_t> offsets,
                          std::span<const bool> missing) {
  EncodedWords out;
  Dictionary dictionary;
  out.codes.reserve(missing.size());
  const auto* begin = data.data();
  for (std::size_t i = 0; i < missing.size(); ++i)
    out.codes.push_back(missing[i]
                            ? Dictionary::MISSING
                            : dictionary.find_or_add(begin + offsets[i], begin + offsets[i + 1], begin + data.size()));
  dictionary.append_words_to(out.words);
  return out;
}

}  // namespace hedgerow
