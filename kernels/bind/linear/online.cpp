// Python bindings of linear/online_updates.hpp.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/interrupts.hpp"
#include "linear/online_updates.hpp"

using namespace bind;

namespace {

constexpr std::size_t kSums = 4;

// Columns as they come: (values, center, slot, gap), (codes, slots) and (starts, ids, values, base, mask).
hedgerow::SlotColumns make_slot_columns(const nb::list& numbers, const nb::list& levels, const nb::list& entries,
                                        std::size_t rows, std::size_t slots) {
  hedgerow::SlotColumns out;
  const auto check_slot = [&](std::int64_t slot) {
    if (slot < -1 || slot >= static_cast<std::int64_t>(slots)) throw nb::value_error("a slot is out of range");
  };
  for (const nb::handle one : numbers) {
    const auto [values, center, slot, missing_slot] =
        nb::cast<std::tuple<In<double>, double, std::int32_t, std::int32_t>>(one, false);
    check_same_length(values.size(), rows, "columns differ in length");
    check_slot(slot);
    check_slot(missing_slot);
    out.numbers.push_back({values.data(), center, slot, missing_slot});
  }
  for (const nb::handle one : levels) {
    const auto [codes, slots_of_codes] = nb::cast<std::tuple<In<std::int32_t>, In<std::int32_t>>>(one, false);
    check_same_length(codes.size(), rows, "columns differ in length");
    if (!slots_of_codes.size()) throw nb::value_error("a column lacks the slot of missing values");
    for (const std::int32_t slot : as_span(slots_of_codes)) check_slot(slot);
    for (const std::int32_t code : as_span(codes)) {
      if (code >= static_cast<std::int64_t>(slots_of_codes.size()) - 1)
        throw nb::value_error("a code is not below its number of levels");
    }
    out.levels.push_back({codes.data(), as_span(slots_of_codes)});
  }
  for (const nb::handle one : entries) {
    const auto [starts, ids, values, base, mask] =
        nb::cast<std::tuple<In<std::int64_t>, In<std::int32_t>, In<double>, std::uint32_t, std::uint32_t>>(one, false);
    check_same_length(starts.size(), rows + 1, "columns differ in length");
    check_same_length(ids.size(), values.size(), "ids and values differ in length");
    check_offsets(as_span(starts), ids.size());
    if (static_cast<std::size_t>(mask) + 1 >= slots) {
      for (const std::int32_t id : as_span(ids))
        check_slot(1 + static_cast<std::int64_t>((static_cast<std::uint32_t>(id) + base) & mask));
    }
    out.entries.push_back({as_span(starts), as_span(ids), values.data(), base, mask});
  }
  return out;
}

hedgerow::OnlineCells make_cells(const InOut2<float>& cells, const InOut<double>& shrunk_before,
                                 std::size_t functions) {
  if (!functions || cells.shape(1) != hedgerow::online_stride(functions))
    throw nb::value_error("cells of another width");
  if (!cells.shape(0)) throw nb::value_error("there is no slot of the constant");
  if (shrunk_before.size())
    check_same_length(shrunk_before.size(), cells.shape(0), "cells and what was seen differ in length");
  return {as_span(cells), as_span(shrunk_before), functions, cells.shape(1)};
}

hedgerow::OnlineSums make_sums(const InOut<double>& sums) {
  check_same_length(sums.size(), kSums, "there are four sums");
  const double* const s = sums.data();
  return {s[0], s[1], s[2], s[3]};
}

void write_sums(const hedgerow::OnlineSums& from, const InOut<double>& to) {
  const double all[kSums] = {from.t, from.n, from.shrunk, from.largest};
  std::copy(all, all + kSums, to.data());
}

using RuleArguments = std::tuple<int, double, double, double, bool, bool, bool, double, double, std::size_t>;

hedgerow::OnlineRule make_rule(const RuleArguments& given) {
  const auto& [loss, tau, rate, power, adaptive, normal, invariant, l1, l2, delay] = given;
  if (loss < 0 || loss > 3) throw nb::value_error("there is no such loss");
  return {static_cast<hedgerow::OnlineLoss>(loss), tau, rate, power, adaptive, normal, invariant, l1, l2, delay};
}

std::size_t learn_online(const RuleArguments& rule, const nb::list& numbers, const nb::list& levels,
                         const nb::list& entries, std::size_t rows, In<std::int64_t> order,
                         std::optional<In<double>> target, std::optional<In<std::int32_t>> codes,
                         In<std::int32_t> classes, std::optional<In<double>> weight, InOut2<float> cells,
                         InOut<double> shrunk_before, InOut<double> sums, InOut2<double> predictions,
                         std::size_t threads) {
  const auto options = make_rule(rule);
  const auto table = make_slot_columns(numbers, levels, entries, rows, cells.shape(0));
  const auto own = make_cells(cells, shrunk_before, predictions.shape(1));
  if (target.has_value() == codes.has_value()) throw nb::value_error("targets are either numbers or codes");
  if (target) check_same_length(target->size(), rows, "target and rows differ in length");
  if (codes) {
    check_same_length(codes->size(), rows, "target and rows differ in length");
    check_same_length(classes.size(), own.functions, "classes and functions differ in number");
  }
  if (weight) check_same_length(weight->size(), rows, "weight and rows differ in length");
  check_same_length(predictions.shape(0), order.size(), "predictions and rows differ in number");
  for (const std::int64_t row : as_span(order)) {
    if (row < 0 || static_cast<std::size_t>(row) >= rows) throw nb::value_error("a row is out of range");
  }
  auto state = make_sums(sums);
  const auto numbers_ = target ? as_span(*target) : std::span<const double>();
  const auto codes_ = codes ? as_span(*codes) : std::span<const std::int32_t>();
  const auto classes_ = codes ? as_span(classes) : std::span<const std::int32_t>();
  const auto weight_ = weight ? as_span(*weight) : std::span<const double>();
  std::size_t done = 0;
  {
    nb::gil_scoped_release unlocked;
    try {
      done = hedgerow::learn_online(options, table, as_span(order), numbers_, codes_, classes_, weight_, own, state,
                                    as_span(predictions), threads, Interrupts());
    } catch (...) {  // Ctrl-C: what was learned stays learned
      write_sums(state, sums);
      throw;
    }
  }
  write_sums(state, sums);
  return done;
}

}  // namespace

void init_online(nb::module_& m) {
  m.def("learn_online", learn_online, "rule"_a, "numbers"_a, "levels"_a, "entries"_a, "rows"_a, "order"_a.noconvert(),
        "target"_a.noconvert().none(), "codes"_a.noconvert().none(), "classes"_a.noconvert(),
        "weight"_a.noconvert().none(), "cells"_a.noconvert(), "shrunk_before"_a.noconvert(), "sums"_a.noconvert(),
        "predictions"_a.noconvert(), "threads"_a = 1);

  m.def(
      "predict_online",
      [](const RuleArguments& rule, const nb::list& numbers, const nb::list& levels, const nb::list& entries,
         std::size_t rows, InOut2<float> cells, InOut<double> shrunk_before, InOut<double> sums,
         InOut2<double> predictions) {
        const auto table = make_slot_columns(numbers, levels, entries, rows, cells.shape(0));
        const auto own = make_cells(cells, shrunk_before, predictions.shape(1));
        check_same_length(predictions.shape(0), rows, "predictions and rows differ in number");
        const auto state = make_sums(sums);
        const auto options = make_rule(rule);
        nb::gil_scoped_release unlocked;
        hedgerow::predict_online(options, table, rows, own, state, as_span(predictions));
      },
      "rule"_a, "numbers"_a, "levels"_a, "entries"_a, "rows"_a, "cells"_a.noconvert(), "shrunk_before"_a.noconvert(),
      "sums"_a.noconvert(), "predictions"_a.noconvert());

  m.def(
      "finish_online",
      [](const RuleArguments& rule, InOut2<float> cells, InOut<double> shrunk_before, InOut<double> sums,
         std::size_t functions) {
        const auto own = make_cells(cells, shrunk_before, functions);
        const auto state = make_sums(sums);
        const auto options = make_rule(rule);
        nb::gil_scoped_release unlocked;
        hedgerow::finish_online(options, own, state);
      },
      "rule"_a, "cells"_a.noconvert(), "shrunk_before"_a.noconvert(), "sums"_a.noconvert(), "functions"_a);

  m.def("online_stride", hedgerow::online_stride, "functions"_a);
}
