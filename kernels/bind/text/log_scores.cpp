// Python bindings of text/log_scores.hpp.
#include "text/log_scores.hpp"

#include "bind/bind.hpp"

using namespace bind;

void init_log_scores(nb::module_& m) {
  m.def(
      "add_level_scores",
      [](In<std::int32_t> code, In2<double> evidence, InOut2<double> scores) {
        check_same_length(code.size(), scores.shape(0), "code and scores differ in rows");
        check_same_length(evidence.shape(1), scores.shape(1), "evidence and scores differ in classes");
        if (scores.shape(1) == 0) throw nb::value_error("there must be at least one class");
        nb::gil_scoped_release unlocked;
        hedgerow::add_level_scores(as_span(code), as_span(evidence), scores.shape(1), as_span(scores));
      },
      "code"_a.noconvert(), "evidence"_a.noconvert(), "scores"_a.noconvert());
  m.def(
      "add_normal_scores",
      [](In<double> value, In<double> mean, In<double> deviation, InOut2<double> scores) {
        check_same_length(value.size(), scores.shape(0), "value and scores differ in rows");
        for (auto size : {mean.size(), deviation.size()})
          check_same_length(size, scores.shape(1), "the parameters and scores differ in classes");
        nb::gil_scoped_release unlocked;
        hedgerow::add_normal_scores(as_span(value), as_span(mean), as_span(deviation), as_span(scores));
      },
      "value"_a.noconvert(), "mean"_a.noconvert(), "deviation"_a.noconvert(), "scores"_a.noconvert());
  m.def(
      "add_kernel_scores",
      [](In<double> value, In<double> point, In2<double> share, In<double> width, InOut2<double> scores) {
        check_same_length(value.size(), scores.shape(0), "value and scores differ in rows");
        check_same_length(share.shape(0), point.size(), "share and point differ in length");
        check_same_length(share.shape(1), scores.shape(1), "share and scores differ in classes");
        check_same_length(width.size(), scores.shape(1), "width and scores differ in classes");
        nb::gil_scoped_release unlocked;
        hedgerow::add_kernel_scores(as_span(value), as_span(point), as_span(share), as_span(width), as_span(scores));
      },
      "value"_a.noconvert(), "point"_a.noconvert(), "share"_a.noconvert(), "width"_a.noconvert(),
      "scores"_a.noconvert());
  m.def(
      "subtract_best",
      [](InOut2<double> scores) {
        if (scores.shape(1) == 0) throw nb::value_error("there must be at least one class");
        nb::gil_scoped_release unlocked;
        return hedgerow::subtract_best(scores.shape(1), as_span(scores));
      },
      "scores"_a.noconvert());
  m.def(
      "divide_by_sum",
      [](InOut2<double> scores) {
        if (scores.shape(1) == 0) throw nb::value_error("there must be at least one class");
        nb::gil_scoped_release unlocked;
        hedgerow::divide_by_sum(scores.shape(1), as_span(scores));
      },
      "scores"_a.noconvert());
}
