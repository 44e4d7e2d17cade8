// Python bindings of linear/linear_scores.hpp.
#include "linear/linear_scores.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"

using namespace bind;

namespace {

constexpr std::size_t kFewCells = 200000;  // of a table, for a thread of its own to be worth it

void check_table(const In2<double>& table, std::size_t functions) {
  check_same_length(table.shape(0), functions, "a table and the functions differ in length");
  if (!table.shape(1) || table.shape(1) > (std::size_t{1} << 31))
    throw nb::value_error("a table lacks the missing value");
}

// One column as it comes: codes with a table and what of it is known; numbers with slopes, or with cuts and a table.
hedgerow::ScoreColumn make_score_column(nb::handle array, nb::handle table, nb::handle more, double mean,
                                        std::size_t rows, std::size_t functions) {
  hedgerow::ScoreColumn out;
  const auto own = nb::cast<In2<double>>(table, false);
  out.mean = mean;
  if (nb::isinstance<In<std::int32_t>>(array)) {
    const auto codes = nb::cast<In<std::int32_t>>(array, false);
    const auto known = nb::cast<In<bool>>(more, false);
    check_table(own, functions);
    check_same_length(codes.size(), rows, "columns differ in length");
    check_same_length(known.size() + 1, own.shape(1), "a table and what is known of it differ in length");
    out.codes = codes.data();
    out.contributions = own.data();
    out.choices = known.size();
    out.known = known.data();
    return out;
  }
  const auto numbers = nb::cast<In<double>>(array, false);
  check_same_length(numbers.size(), rows, "columns differ in length");
  out.numbers = numbers.data();
  if (more.is_none()) {
    if (own.shape(0) != 1 && own.shape(0) != 2) throw nb::value_error("numbers take one place or two");
    check_same_length(own.shape(1), functions, "slopes and functions differ in length");
    out.slopes = own.data();
    out.missing_offsets = own.shape(0) == 2 ? own.data() + functions : nullptr;
    return out;
  }
  const auto cuts = nb::cast<In<double>>(more, false);
  check_table(own, functions);
  check_same_length(cuts.size() + 2, own.shape(1), "a table and its cuts differ in length");
  out.cuts = as_span(cuts);
  out.contributions = own.data();
  out.choices = cuts.size() + 1;
  return out;
}

// Where functions go: to the lines of `out`, or to some of its columns.
hedgerow::ScoreTarget make_target(InOut2<double>& out, const In<std::int64_t>& positions, bool by_row,
                                  std::size_t rows) {
  check_same_length(out.shape(by_row ? 0 : 1), rows, "out and rows differ in length");
  for (const std::int64_t position : as_span(positions)) {
    if (position < 0 || position >= static_cast<std::int64_t>(out.shape(by_row ? 1 : 0)))
      throw nb::value_error("out lacks a place");
  }
  hedgerow::ScoreTarget target;
  target.values = out.data();
  target.step = by_row ? out.shape(1) : 1;
  return target;
}

void compute_linear_scores(const nb::list& arrays, const nb::list& tables, const nb::list& more, In<double> means,
                           In<double> intercepts, std::optional<In2<double>> added, InOut2<double> out, bool by_row,
                           In<std::int64_t> positions, std::int64_t base, int link, double temperature,
                           std::optional<InOut<bool>> known, std::size_t rows, std::size_t threads) {
  const std::size_t n = means.size(), functions = intercepts.size();
  check_same_length(nb::len(arrays), n, "columns and means differ in length");
  check_same_length(nb::len(tables), n, "tables and means differ in length");
  check_same_length(nb::len(more), n, "columns and cuts differ in length");
  check_same_length(positions.size(), functions, "places and functions differ in length");
  if (link < 0 || link > 2) throw nb::value_error("there is no such link");
  if (!(temperature > 0)) throw nb::value_error("the temperature must be above 0");
  if (base >= 0 && (!by_row || base >= static_cast<std::int64_t>(out.shape(1))))
    throw nb::value_error("out lacks the base");
  if (added) {
    check_same_length(added->shape(0), functions, "added and functions differ in length");
    check_same_length(added->shape(1), rows, "added and rows differ in length");
  }
  if (known) check_same_length(known->size(), rows, "known and rows differ in length");
  auto target = make_target(out, positions, by_row, rows);
  std::vector<std::int64_t> where(positions.data(), positions.data() + functions);
  if (!by_row) {
    for (std::int64_t& position : where) position *= static_cast<std::int64_t>(rows);
  }
  target.positions = where;
  target.base = base;
  target.link = static_cast<hedgerow::ScoreLink>(link);
  target.temperature = temperature;
  std::vector<hedgerow::ScoreColumn> columns;
  for (std::size_t i = 0; i < n; ++i) {
    columns.push_back(make_score_column(arrays[i], tables[i], more[i], means.data()[i], rows, functions));
  }
  nb::gil_scoped_release unlocked;
  const std::size_t maximum = std::max<std::size_t>(1, rows * (n + functions) / kFewCells);
  hedgerow::ThreadPool pool(std::clamp<std::size_t>(threads, 1, maximum), Interrupts());
  hedgerow::compute_linear_scores(columns, as_span(intercepts), added ? added->data() : nullptr, rows, target,
                                  known ? as_span(*known) : std::span<bool>(), pool);
}

}  // namespace

void init_linear_scores(nb::module_& m) {
  m.def("compute_linear_scores", compute_linear_scores, "arrays"_a, "tables"_a, "more"_a, "means"_a.noconvert(),
        "intercepts"_a.noconvert(), "added"_a.noconvert().none(), "out"_a.noconvert(), "by_row"_a,
        "positions"_a.noconvert(), "base"_a, "link"_a, "temperature"_a, "known"_a.noconvert().none(), "rows"_a,
        "threads"_a);
}
