// Python bindings of read/delimited.hpp, read/parse_numbers.hpp, read/row_boundaries.hpp.
#include "read/delimited.hpp"

#include "bind/bind.hpp"
#include "read/parse_numbers.hpp"
#include "read/row_boundaries.hpp"

using namespace bind;
using hedgerow::Byte;

namespace {

using Bytes = In<Byte>;

// The settings in the order of the fields of hedgerow::Dialect.
hedgerow::Dialect make_dialect(const Bytes& settings) {
  check_same_length(settings.size(), 12, "a dialect has 12 settings");
  const auto* s = settings.data();
  return {s[0], s[1] != 0, {s[2], s[3]}, s[4] != 0,  s[5] != 0, s[6],
          s[7], s[8] != 0, s[9] != 0,    s[10] != 0, s[11] != 0};
}

nb::tuple to_tuple(hedgerow::ByteRows&& rows) {
  return nb::make_tuple(to_numpy(std::move(rows.data)), to_numpy(std::move(rows.offsets)));
}

nb::list to_list(std::vector<hedgerow::TextColumn>&& texts) {
  nb::list out;
  for (auto& [text, missing] : texts) {
    std::vector<std::uint8_t> flags(missing.begin(), missing.end());
    out.append(
        nb::make_tuple(to_numpy(std::move(text.data)), to_numpy(std::move(text.offsets)), to_numpy(std::move(flags))));
  }
  return out;
}

// Per numeric column: words, infinite values, and how many of them `rows` and `words` tell of.
nb::tuple invalid_to_tuple(hedgerow::ParsedTable& parsed) {
  std::vector<std::int64_t> counts, rows;
  for (const auto& invalid : parsed.invalid_numbers) {
    for (auto count : {invalid.count, invalid.infinite, static_cast<std::int64_t>(invalid.rows.size())})
      counts.push_back(count);
    rows.insert(rows.end(), invalid.rows.begin(), invalid.rows.end());
  }
  return nb::make_tuple(to_numpy(std::move(counts)), to_numpy(std::move(rows)),
                        to_tuple(std::move(parsed.invalid_words)));
}

nb::tuple parse_delimited(Bytes data, Bytes settings, Bytes modes, Bytes missing, In<std::int64_t> missing_offsets,
                          Bytes known, In<std::int64_t> known_offsets, In<std::int64_t> known_counts,
                          InOut2<double> numbers, InOut2<std::int32_t> codes, std::size_t at, std::size_t rows) {
  const auto dialect = make_dialect(settings);
  check_offsets(as_span(missing_offsets), missing.size());
  check_offsets(as_span(known_offsets), known.size());
  std::size_t count[4] = {};
  for (auto mode : as_span(modes)) {
    if (mode > 3) throw nb::value_error("unknown mode");
    ++count[mode];
  }
  check_same_length(numbers.shape(0), count[1], "numbers need one line a numeric column");
  check_same_length(codes.shape(0), count[2], "codes need one line a nominal column");
  check_same_length(known_counts.size(), count[2], "known levels need one count a nominal column");
  std::int64_t total = 0;
  for (auto n : as_span(known_counts)) total += n;
  check_same_length(known_offsets.size(), static_cast<std::size_t>(total) + 1, "known levels are miscounted");
  if ((count[1] && numbers.shape(1) < at + rows) || (count[2] && codes.shape(1) < at + rows))
    throw nb::value_error("too little room for the rows");
  hedgerow::ParsedTable parsed;
  std::int64_t bad = -1;
  {
    nb::gil_scoped_release unlocked;
    if (static_cast<std::size_t>(hedgerow::count_lines(as_span(data))) > rows)
      throw nb::value_error("there are more lines than rows");
    bad = hedgerow::find_bad_utf8(as_span(data));
    parsed =
        hedgerow::parse_delimited(as_span(data), dialect, as_span(modes), {as_span(missing), as_span(missing_offsets)},
                                  {as_span(known), as_span(known_offsets)}, as_span(known_counts),
                                  {numbers.data() + at, numbers.shape(1)}, {codes.data() + at, codes.shape(1)});
  }
  return nb::make_tuple(parsed.n_rows, to_tuple(std::move(parsed.levels)), to_numpy(std::move(parsed.level_counts)),
                        to_list(std::move(parsed.texts)), invalid_to_tuple(parsed), to_numpy(std::move(parsed.weights)),
                        nb::make_tuple(static_cast<int>(parsed.problem), parsed.problem_row, parsed.problem_size), bad);
}

nb::tuple split_delimited(Bytes data, Bytes settings) {
  const auto dialect = make_dialect(settings);
  hedgerow::SplitRows out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::split_delimited(as_span(data), dialect);
  }
  return nb::make_tuple(to_numpy(std::move(out.offsets)), to_numpy(std::move(out.codes)),
                        to_tuple(std::move(out.words)),
                        nb::make_tuple(static_cast<int>(out.problem), out.problem_row, out.problem_size));
}

nb::tuple encode_words(Bytes data, In<std::int64_t> offsets, In<bool> missing) {
  check_offsets(as_span(offsets), data.size());
  check_same_length(offsets.size(), missing.size() + 1, "offsets and missing differ in length");
  hedgerow::EncodedWords out;
  {
    nb::gil_scoped_release unlocked;
    out = hedgerow::encode_words(as_span(data), as_span(offsets), as_span(missing));
  }
  return nb::make_tuple(to_numpy(std::move(out.codes)), to_tuple(std::move(out.words)));
}

}  // namespace

void init_delimited(nb::module_& m) {
  m.def("parse_delimited", parse_delimited, "data"_a.noconvert(), "dialect"_a.noconvert(), "modes"_a.noconvert(),
        "missing"_a.noconvert(), "missing_offsets"_a.noconvert(), "known"_a.noconvert(), "known_offsets"_a.noconvert(),
        "known_counts"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a.noconvert(), "at"_a, "rows"_a);
  m.def("split_delimited", split_delimited, "data"_a.noconvert(), "dialect"_a.noconvert());
  m.def("encode_words", encode_words, "data"_a.noconvert(), "offsets"_a.noconvert(), "missing"_a.noconvert());
  m.def(
      "read_numbers",
      [](Bytes data, In<std::int64_t> offsets, Byte decimal) {
        check_offsets(as_span(offsets), data.size());
        return to_numpy(hedgerow::read_numbers(as_span(data), as_span(offsets), decimal));
      },
      "data"_a.noconvert(), "offsets"_a.noconvert(), "decimal"_a);
  m.def(
      "find_row_cuts",
      [](Bytes data, Bytes settings, In<std::int64_t> targets) {
        for (auto target : as_span(targets))
          if (target < 0 || target > static_cast<std::int64_t>(data.size())) throw nb::index_error("no such byte");
        return to_numpy(hedgerow::find_row_cuts(as_span(data), make_dialect(settings), as_span(targets)));
      },
      "data"_a.noconvert(), "dialect"_a.noconvert(), "targets"_a.noconvert());
  m.def(
      "find_complete_rows_end",
      [](Bytes data, Bytes settings) {
        return hedgerow::find_complete_rows_end(as_span(data), make_dialect(settings));
      },
      "data"_a.noconvert(), "dialect"_a.noconvert());
  m.def(
      "find_row_starts",
      [](Bytes data, Bytes settings) {
        return to_numpy(hedgerow::find_row_starts(as_span(data), make_dialect(settings)));
      },
      "data"_a.noconvert(), "dialect"_a.noconvert());
  m.def(
      "count_lines",
      [](Bytes data) {
        nb::gil_scoped_release unlocked;
        return hedgerow::count_lines(as_span(data));
      },
      "data"_a.noconvert());
  m.def(
      "find_bad_utf8",
      [](Bytes data) {
        nb::gil_scoped_release unlocked;
        return hedgerow::find_bad_utf8(as_span(data));
      },
      "data"_a.noconvert());
}
