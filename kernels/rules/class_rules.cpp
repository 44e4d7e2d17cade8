#include "rules/class_rules.hpp"

#include <bit>

namespace hedgerow::cars {

ClassRowLayout::ClassRowLayout(const Rows& rows)
    : positions_(rows.label.size()), starts_(static_cast<std::size_t>(rows.classes) + 1) {
  std::vector<std::size_t> next(static_cast<std::size_t>(rows.classes) + 1);
  for (const std::int32_t label : rows.label) ++next[static_cast<std::size_t>(label)];
  std::size_t words = 0;
  for (std::size_t label = 0; label + 1 < starts_.size(); ++label) {
    starts_[label] = words;
    words += (next[label] + kWordBits - 1) / kWordBits;
    next[label] = starts_[label] * kWordBits;
  }
  starts_.back() = words;
  if (!rows.weight.empty()) weight_.resize(words * kWordBits);
  for (std::size_t row = 0; row < positions_.size(); ++row) {
    positions_[row] = static_cast<std::uint32_t>(next[static_cast<std::size_t>(rows.label[row])]++);
    if (!weight_.empty()) weight_[positions_[row]] = rows.weight[row];
  }
}

std::int64_t ClassRowLayout::weigh_bits(std::size_t word, BitWord bits) const {
  if (weight_.empty()) return std::popcount(bits);
  return sum_weights(bits, weight_.data() + word * kWordBits);
}

TestBits::TestBits(const Rows& rows, const ClassRowLayout& layout, const RuleTests& tests)
    : starts_(tests.starts), bits_of_(tests.columns.size()) {
  std::vector<std::vector<std::int32_t>> number(rows.columns.size());  // of the bits of a level; -1 if no rule tests it
  for (std::size_t c = 0; c < number.size(); ++c)
    number[c].assign(static_cast<std::size_t>(rows.columns[c].levels), -1);
  std::int32_t n_used = 0;
  for (std::size_t test = 0; test < tests.columns.size(); ++test) {
    auto& one = number[static_cast<std::size_t>(tests.columns[test])][static_cast<std::size_t>(tests.codes[test])];
    if (one < 0) one = n_used++;
  }
  bits_.resize(static_cast<std::size_t>(n_used) * layout.words());
  for (std::size_t c = 0; c < number.size(); ++c) {
    for (std::size_t row = 0; row < rows.label.size(); ++row) {
      const std::int32_t code = rows.columns[c].codes[row];
      if (code < 0 || number[c][static_cast<std::size_t>(code)] < 0) continue;
      const std::size_t start = static_cast<std::size_t>(number[c][static_cast<std::size_t>(code)]) * layout.words();
      const std::size_t position = layout.position(row);
      bits_[start + position / kWordBits] |= BitWord{1} << (position % kWordBits);
    }
  }
  for (std::size_t test = 0; test < bits_of_.size(); ++test) {
    const auto one = number[static_cast<std::size_t>(tests.columns[test])][static_cast<std::size_t>(tests.codes[test])];
    bits_of_[test] = bits_.data() + static_cast<std::size_t>(one) * layout.words();
  }
}

}  // namespace hedgerow::cars
