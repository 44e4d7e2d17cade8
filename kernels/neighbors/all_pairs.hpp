// Many rows compared with many, where trees do not help: by products of floats first, then exactly.
//
// The distance of a query q and a row p is written as a(q) + <u(q), v(p)>. A number that is nowhere missing takes one
// place, as (q - p)^2 = q^2 - 2 q p + p^2, and all p^2 together one more; one that may be missing takes three:
//   known(q) known(p) (q^2 - 2 q p + p^2 - gap) + gap
// and a code a feature for every level, with -step where both have it. Products of floats, taken in tiles, say which
// rows may be among the nearest, with a margin for all their rounding; these few are then compared exactly. So
// neighbors and distances are those of comparing every row, to the last bit. For squared differences only.
// O(queries * rows * features) time at the speed of products of matrices, O(rows * features) memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernel_tiles.hpp"
#include "core/mixed_rows.hpp"
#include "core/thread_pool.hpp"

namespace hedgerow {

// The same rows by row: what is compared exactly.
struct RowMajorRows {
  std::span<const double> numbers;
  std::span<const std::int32_t> codes;
};

// How many features products of these rows and queries take.
std::size_t count_product_features(const MixedRows& rows, const MixedRows& queries);

class PairwiseScan {
 public:
  PairwiseScan(const MixedRows& rows, const RowMajorRows& row_major, const MixedDistance& distance,
               const MixedRows& queries, ThreadPool& pool);

  // Offers rows to the collector of each of some queries.
  template <typename Collector>
  void search(std::span<const std::size_t> selected, std::span<Collector> collectors) const {
    std::vector<QueryGroup> groups;
    for (std::size_t first = 0; first < selected.size(); first += kGroupPoints)
      groups.emplace_back(*this, selected.subspan(first, std::min(kGroupPoints, selected.size() - first)));
    AlignedArray<float> values(panels_at_once * kTileValues<float>);
    const std::size_t in_cache = std::max(panels_at_once, cached_floats / (n_features_ * kPanelPoints<float>));
    for (std::size_t begin = 0; begin < panels_; begin += in_cache) {
      const auto end = std::min(panels_, begin + in_cache);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (auto panel = begin; panel < end; panel += panels_at_once)
          compare_hits(groups[g], panel, std::min(panels_at_once, end - panel), values.data(),
                       collectors.data() + g * kGroupPoints);
      }
    }
  }

 private:
  static constexpr std::size_t panels_at_once = 8, cached_floats = 100'000;

  // Some queries, kGroup at most, packed.
  struct QueryGroup {
    QueryGroup(const PairwiseScan& scan, std::span<const std::size_t> selected);

    // What products are compared with: the largest that may belong to a distance of at most `maximum`.
    void set_limit(std::size_t a, double maximum) {
      const double value = maximum - starts[a] + margins[a];
      limits[a] = value < max_float ? std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity())
                                    : std::numeric_limits<float>::infinity();
    }

    static constexpr double max_float = 1e30;
    std::size_t size;
    AlignedArray<float> packed;
    double starts[kGroupPoints], margins[kGroupPoints];
    float limits[kGroupPoints];
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
  };

  struct NumericColumn {  // of a numeric column
    bool missing;
    double mean;
  };

  // Products of a group with some panels; hits[p] has the bit of every query that may be near to a row of panel p.
  void multiply(const QueryGroup& group, std::size_t panel, std::size_t n, float* values, std::uint8_t* hits) const;
  void pack_panel(std::size_t panel);
  void encode_query(std::size_t query, std::vector<double>& out, double& start) const;
  void encode_row(std::size_t row, std::vector<double>& out) const;

  template <typename Collector>
  void compare_hits(QueryGroup& group, std::size_t panel, std::size_t n, float* values, Collector* collectors) const {
    std::uint8_t hits[panels_at_once];
    multiply(group, panel, n, values, hits);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t a = 0; a < group.size && hits[p]; ++a) {
        if (!(hits[p] >> a & 1)) continue;
        offer_exact(group, a, values + p * kTileValues<float> + a * kPanelPoints<float>,
                    (panel + p) * kPanelPoints<float>, collectors[a]);
      }
    }
  }

  template <typename Collector>
  void offer_exact(QueryGroup& group, std::size_t a, const float* values, std::size_t first,
                   Collector& collector) const {
    const MixedRow query{group.numbers.data() + a * rows_.n_numbers, group.codes.data() + a * rows_.n_codes};
    for (std::size_t c = 0; c < kPanelPoints<float> && first + c < rows_.size; ++c) {
      if (values[c] > group.limits[a]) continue;
      const auto row = first + c;
      const double exact = compute_distance(
          distance_, query,
          {row_major_.numbers.data() + row * rows_.n_numbers, row_major_.codes.data() + row * rows_.n_codes});
      if (!(exact <= collector.limit())) continue;
      collector.offer(exact, static_cast<std::int32_t>(row), row);
      group.set_limit(a, collector.limit());
    }
  }

  MixedRows rows_, queries_;
  RowMajorRows row_major_;
  MixedDistance distance_;
  std::vector<NumericColumn> columns_;
  std::vector<std::size_t> levels_;  // of each nominal column
  std::size_t n_features_ = 0, panels_ = 0;
  AlignedArray<float> packed_;  // (panel, feature, row)
  std::vector<double> longest_of_panels_;
  double longest_ = 0;  // of all v(p)
};

}  // namespace hedgerow
