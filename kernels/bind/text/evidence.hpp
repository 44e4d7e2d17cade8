// The evidence of terms as arrays.
#pragma once

#include "bind/bind.hpp"
#include "text/term_scores.hpp"

namespace bind {

// Evidence of `n_terms` terms for `n_classes` classes, checked.
inline hedgerow::TermEvidence make_evidence(const In<std::int64_t>& term_starts, const In<std::int32_t>& classes,
                                            const In<double>& more, const In<double>& height, const In<double>& slope,
                                            const In<double>& level, const In<bool>& strict, std::size_t n_terms,
                                            std::size_t n_classes) {
  check_same_length(term_starts.size(), n_terms + 1, "terms and their evidence differ in number");
  check_offsets(as_span(term_starts), classes.size());
  check_same_length(classes.size(), more.size(), "classes and evidence differ in length");
  check_below(as_span(classes), n_classes, "a class out of range");
  for (auto size : {slope.size(), level.size(), strict.size()})
    check_same_length(size, n_classes, "the evidence and scores differ in classes");
  if (height.size()) check_same_length(height.size(), n_terms, "a height a term, or none");
  return {{as_span(term_starts), as_span(classes), as_span(more)},
          as_span(height),
          as_span(slope),
          as_span(level),
          as_span(strict)};
}

}  // namespace bind
