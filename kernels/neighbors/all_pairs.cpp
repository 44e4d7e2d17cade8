#include "neighbors/all_pairs.hpp"

#include <algorithm>

#include "core/target_avx2.hpp"

namespace hedgerow {

namespace {

bool is_missing(double value) { return !(value == value); }

bool any_missing(const MixedRows& rows, std::size_t column) {
  const std::span values(rows.number(column), rows.size);
  return std::any_of(values.begin(), values.end(), is_missing);
}

std::size_t count_levels(const MixedRows& rows, std::size_t column) {
  std::int32_t maximum = -1;
  for (std::size_t row = 0; row < rows.size; ++row) maximum = std::max(maximum, rows.code(column)[row]);
  return static_cast<std::size_t>(maximum + 1);
}

// Bit a of hits[p] says whether a product of query a with panel p is not above its limit.
HEDGEROW_AVX2_CLONES void find_hits(const float* values, std::size_t panels, const float* limits, std::size_t m,
                                    std::uint8_t* hits) {
  for (std::size_t p = 0; p < panels; ++p) {
    unsigned found = 0;
    for (std::size_t a = 0; a < m; ++a) {
      const float* own = values + p * kTileValues<float> + a * kPanelPoints<float>;
      const float limit = limits[a];
      std::int32_t any = 0;
      for (std::size_t c = 0; c < kPanelPoints<float>; ++c) any |= !(own[c] > limit) ? 1 : 0;
      found |= static_cast<unsigned>(any) << a;
    }
    hits[p] = static_cast<std::uint8_t>(found);
  }
}

}  // namespace

std::size_t count_product_features(const MixedRows& rows, const MixedRows& queries) {
  std::size_t features = 1;
  for (std::size_t d = 0; d < rows.n_numbers; ++d) features += any_missing(rows, d) || any_missing(queries, d) ? 3 : 1;
  for (std::size_t c = 0; c < rows.n_codes; ++c) features += count_levels(rows, c);
  return features;
}

PairwiseScan::PairwiseScan(const MixedRows& rows, const RowMajorRows& row_major, const MixedDistance& distance,
                           const MixedRows& queries, ThreadPool& pool)
    : rows_(rows), queries_(queries), row_major_(row_major), distance_(distance) {
  for (std::size_t d = 0; d < rows.n_numbers; ++d) {
    double sum = 0, known = 0;
    for (std::size_t row = 0; row < rows.size; ++row)
      if (!is_missing(rows.number(d)[row])) sum += rows.number(d)[row], ++known;
    columns_.push_back({any_missing(rows, d) || any_missing(queries, d), known ? sum / known : 0.0});
  }
  for (std::size_t c = 0; c < rows.n_codes; ++c) levels_.push_back(count_levels(rows, c));
  n_features_ = count_product_features(rows, queries);
  panels_ = (rows.size + kPanelPoints<float> - 1) / kPanelPoints<float>;
  packed_ = AlignedArray<float>(panels_ * n_features_ * kPanelPoints<float>);
  longest_of_panels_.assign(panels_, 0.0);
  pool.parallel_for((panels_ + 15) / 16, [&](std::size_t job, std::size_t) {
    for (auto panel = job * 16; panel < std::min(panels_, (job + 1) * 16); ++panel) pack_panel(panel);
  });
  for (const double length : longest_of_panels_) longest_ = std::max(longest_, length);
}

void PairwiseScan::pack_panel(std::size_t panel) {
  std::vector<double> features;
  float* to = packed_.data() + panel * n_features_ * kPanelPoints<float>;
  for (std::size_t c = 0; c < kPanelPoints<float>; ++c) {
    const auto row = panel * kPanelPoints<float> + c;
    if (row >= rows_.size) break;  // these are 0, and nobody looks at their products
    encode_row(row, features);
    double length = 0;
    for (std::size_t k = 0; k < n_features_; ++k) {
      to[k * kPanelPoints<float> + c] = static_cast<float>(features[k]);
      length += features[k] * features[k];
    }
    longest_of_panels_[panel] = std::max(longest_of_panels_[panel], std::sqrt(length));
  }
}

// v(p).
void PairwiseScan::encode_row(std::size_t row, std::vector<double>& out) const {
  out.clear();
  double squares = 0;
  for (std::size_t d = 0; d < columns_.size(); ++d) {
    const double value = row_major_.numbers[row * rows_.n_numbers + d] - columns_[d].mean;
    if (!columns_[d].missing) {
      out.push_back(value);
      squares += value * value;
    } else if (is_missing(value)) {
      out.insert(out.end(), 3, 0.0);
    } else {
      out.insert(out.end(), {1.0, value, value * value - distance_.missing_distances[d]});
    }
  }
  for (std::size_t c = 0; c < levels_.size(); ++c) {
    const auto at = out.size(), code = static_cast<std::size_t>(row_major_.codes[row * rows_.n_codes + c]);
    out.resize(at + levels_[c], 0.0);
    if (code < levels_[c]) out[at + code] = 1.0;
  }
  out.push_back(squares);
}

// u(q), and a(q).
void PairwiseScan::encode_query(std::size_t query, std::vector<double>& out, double& start) const {
  out.clear(), start = 0;
  for (std::size_t d = 0; d < columns_.size(); ++d) {
    const double value = queries_.number(d)[query] - columns_[d].mean;
    if (!columns_[d].missing) {
      out.push_back(-2 * value);
      start += value * value;
      continue;
    }
    start += distance_.missing_distances[d];
    if (is_missing(value))
      out.insert(out.end(), 3, 0.0);
    else
      out.insert(out.end(), {value * value, -2 * value, 1.0});
  }
  for (std::size_t c = 0; c < levels_.size(); ++c) {
    const auto at = out.size(), code = static_cast<std::size_t>(queries_.code(c)[query]);
    out.resize(at + levels_[c], 0.0);
    if (code < levels_[c]) out[at + code] = -distance_.mismatch_distances[c];
    start += distance_.mismatch_distances[c];
  }
  out.push_back(1.0);
}

PairwiseScan::QueryGroup::QueryGroup(const PairwiseScan& scan, std::span<const std::size_t> selected)
    : size(selected.size()), packed(scan.n_features_ * kGroupPoints) {
  std::vector<double> features;
  for (std::size_t a = 0; a < size; ++a) {
    scan.encode_query(selected[a], features, starts[a]);
    double length = 0;
    for (std::size_t k = 0; k < scan.n_features_; ++k) {
      packed.data()[k * kGroupPoints + a] = static_cast<float>(features[k]);
      length += features[k] * features[k];
    }
    // Sums of n products of rounded floats err by n + 3 units at most, relative to the product of the lengths.
    const double product = std::sqrt(length) * scan.longest_;
    margins[a] = (static_cast<double>(scan.n_features_) + 8) * 0x1p-24 * (product + std::abs(starts[a]));
    if (!(product < max_float)) margins[a] = std::numeric_limits<double>::infinity();
    set_limit(a, std::numeric_limits<double>::infinity());
    for (std::size_t d = 0; d < scan.rows_.n_numbers; ++d) numbers.push_back(scan.queries_.number(d)[selected[a]]);
    for (std::size_t c = 0; c < scan.rows_.n_codes; ++c) codes.push_back(scan.queries_.code(c)[selected[a]]);
  }
}

void PairwiseScan::multiply(const QueryGroup& group, std::size_t panel, std::size_t n, float* values,
                            std::uint8_t* hits) const {
  const float* panels = packed_.data() + panel * n_features_ * kPanelPoints<float>;
  tile_functions<float>().dense_values({}, group.packed.data(), values, group.size, panels, values, n, n_features_,
                                       values);
  find_hits(values, n, group.limits, group.size, hits);
}

}  // namespace hedgerow
