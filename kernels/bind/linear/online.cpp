// Python bindings of linear/online_updates.hpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "linear/online_updates.hpp"

using namespace bind;

namespace {

constexpr std::size_t n_sums = 4;

// Columns as they come: (values, center, slot, gap), (codes, slots) and (starts, ids, values, base, mask).
hedgerow::SlotColumns slot_rows(const nb::list& numbers, const nb::list& levels, const nb::list& entries,
                                std::size_t rows, std::size_t slots) {
  hedgerow::SlotColumns out;
  const auto check_slot = [&](std::int64_t slot) {
    if (slot < -1 || slot >= static_cast<std::int64_t>(slots)) throw nb::value_error("a slot is out of range");
  };
  for (const nb::handle one : numbers) {
    const auto [values, center, slot, gap] =
        nb::cast<std::tuple<In<double>, double, std::int32_t, std::int32_t>>(one, false);
    same_length(values.size(), rows, "columns differ in length");
    check_slot(slot);
    check_slot(gap);
    out.numbers.push_back({values.data(), center, slot, gap});
  }
  for (const nb::handle one : levels) {
    const auto [codes, places] = nb::cast<std::tuple<In<std::int32_t>, In<std::int32_t>>>(one, false);
    same_length(codes.size(), rows, "columns differ in length");
    if (!places.size()) throw nb::value_error("a column lacks the slot of missing values");
    for (const std::int32_t slot : span(places)) check_slot(slot);
    for (const std::int32_t code : span(codes)) {
      if (code >= static_cast<std::int64_t>(places.size()) - 1)
        throw nb::value_error("a code is not below its number of levels");
    }
    out.levels.push_back({codes.data(), span(places)});
  }
  for (const nb::handle one : entries) {
    const auto [starts, ids, values, base, mask] =
        nb::cast<std::tuple<In<std::int64_t>, In<std::int32_t>, In<double>, std::uint32_t, std::uint32_t>>(one, false);
    same_length(starts.size(), rows + 1, "columns differ in length");
    same_length(ids.size(), values.size(), "ids and values differ in length");
    check_offsets(span(starts), ids.size());
    if (static_cast<std::size_t>(mask) + 1 >= slots) {
      for (const std::int32_t id : span(ids))
        check_slot(1 + static_cast<std::int64_t>((static_cast<std::uint32_t>(id) + base) & mask));
    }
    out.entries.push_back({span(starts), span(ids), values.data(), base, mask});
  }
  return out;
}

hedgerow::OnlineCells cells_of(const InOut2<float>& cells, const InOut<double>& seen, std::size_t functions) {
  if (!functions || cells.shape(1) != hedgerow::online_stride(functions))
    throw nb::value_error("cells of another width");
  if (!cells.shape(0)) throw nb::value_error("there is no slot of the constant");
  if (seen.size()) same_length(seen.size(), cells.shape(0), "cells and what was seen differ in length");
  return {span(cells), span(seen), functions, cells.shape(1)};
}

hedgerow::OnlineSums sums_of(const InOut<double>& sums) {
  same_length(sums.size(), n_sums, "there are four sums");
  const double* const s = sums.data();
  return {s[0], s[1], s[2], s[3]};
}

void put_sums(const hedgerow::OnlineSums& from, const InOut<double>& to) {
  const double all[n_sums] = {from.t, from.n, from.shrunk, from.largest};
  std::copy(all, all + n_sums, to.data());
}

using Rule = std::tuple<int, double, double, double, bool, bool, bool, double, double, std::size_t>;

hedgerow::OnlineRule rule_of(const Rule& given) {
  const auto& [loss, tau, rate, power, adaptive, normal, invariant, l1, l2, delay] = given;
  if (loss < 0 || loss > 3) throw nb::value_error("there is no such loss");
  return {static_cast<hedgerow::OnlineLoss>(loss), tau, rate, power, adaptive, normal, invariant, l1, l2, delay};
}

std::size_t learn_online(const Rule& rule, const nb::list& numbers, const nb::list& levels, const nb::list& entries,
                         std::size_t rows, In<std::int64_t> order, std::optional<In<double>> target,
                         std::optional<In<std::int32_t>> codes, In<std::int32_t> classes,
                         std::optional<In<double>> weight, InOut2<float> cells, InOut<double> seen, InOut<double> sums,
                         InOut2<double> said, std::size_t threads) {
  const auto how = rule_of(rule);
  const auto table = slot_rows(numbers, levels, entries, rows, cells.shape(0));
  const auto own = cells_of(cells, seen, said.shape(1));
  if (target.has_value() == codes.has_value()) throw nb::value_error("targets are either numbers or codes");
  if (target) same_length(target->size(), rows, "target and rows differ in length");
  if (codes) {
    same_length(codes->size(), rows, "target and rows differ in length");
    same_length(classes.size(), own.functions, "classes and functions differ in number");
  }
  if (weight) same_length(weight->size(), rows, "weight and rows differ in length");
  same_length(said.shape(0), order.size(), "predictions and rows differ in number");
  for (const std::int64_t row : span(order)) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows) throw nb::value_error("a row is out of range");
  }
  auto state = sums_of(sums);
  const auto numbers_ = target ? span(*target) : std::span<const double>();
  const auto codes_ = codes ? span(*codes) : std::span<const std::int32_t>();
  const auto classes_ = codes ? span(classes) : std::span<const std::int32_t>();
  const auto weight_ = weight ? span(*weight) : std::span<const double>();
  std::size_t done = 0;
  {
    nb::gil_scoped_release unlocked;
    try {
      done = hedgerow::learn_online(how, table, span(order), numbers_, codes_, classes_, weight_, own, state,
                                    span(said), threads, Interrupts());
    } catch (...) {  // Ctrl-C: what was learned stays learned
      put_sums(state, sums);
      throw;
    }
  }
  put_sums(state, sums);
  return done;
}

}  // namespace

void init_online(nb::module_& m) {
  m.def("learn_online", learn_online, "rule"_a, "numbers"_a, "levels"_a, "entries"_a, "rows"_a, "order"_a.noconvert(),
        "target"_a.noconvert().none(), "codes"_a.noconvert().none(), "classes"_a.noconvert(),
        "weight"_a.noconvert().none(), "cells"_a.noconvert(), "seen"_a.noconvert(), "sums"_a.noconvert(),
        "said"_a.noconvert(), "threads"_a = 1);

  m.def(
      "predict_online",
      [](const Rule& rule, const nb::list& numbers, const nb::list& levels, const nb::list& entries, std::size_t rows,
         InOut2<float> cells, InOut<double> seen, InOut<double> sums, InOut2<double> said) {
        const auto table = slot_rows(numbers, levels, entries, rows, cells.shape(0));
        const auto own = cells_of(cells, seen, said.shape(1));
        same_length(said.shape(0), rows, "predictions and rows differ in number");
        const auto state = sums_of(sums);
        const auto how = rule_of(rule);
        nb::gil_scoped_release unlocked;
        hedgerow::predict_online(how, table, rows, own, state, span(said));
      },
      "rule"_a, "numbers"_a, "levels"_a, "entries"_a, "rows"_a, "cells"_a.noconvert(), "seen"_a.noconvert(),
      "sums"_a.noconvert(), "said"_a.noconvert());

  m.def(
      "settle_online",
      [](const Rule& rule, InOut2<float> cells, InOut<double> seen, InOut<double> sums, std::size_t functions) {
        const auto own = cells_of(cells, seen, functions);
        const auto state = sums_of(sums);
        const auto how = rule_of(rule);
        nb::gil_scoped_release unlocked;
        hedgerow::finish_online(how, own, state);
      },
      "rule"_a, "cells"_a.noconvert(), "seen"_a.noconvert(), "sums"_a.noconvert(), "functions"_a);

  m.def("online_stride", hedgerow::online_stride, "functions"_a);
}
