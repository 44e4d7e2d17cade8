#include "text/feature_terms.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "read/parse_numbers.hpp"
#include "text/vocabulary.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t chunk_bytes = 1 << 17;

// Which bytes end a feature, and which end its name.
struct FeatureDelimiters {
  bool blank[256] = {}, name[256] = {};
  constexpr FeatureDelimiters() {
    for (const unsigned char one : {' ', '\t', '\n', '\r', '\v', '\f'}) blank[one] = name[one] = true;
    name[static_cast<unsigned char>(':')] = true;
  }
};
constexpr FeatureDelimiters delimiters;

// Where a name stands, and the column that it is the first of.
struct FeatureName {
  std::uint32_t id, length;
  std::int64_t begin;
};

// Some rows, and what they hold.
struct FeatureChunk {
  std::size_t begin = 0, end = 0;
  std::vector<std::uint32_t> sizes, ids;
  std::vector<double> values;
};

// What a thread keeps from chunk to chunk: as it takes them in their order, its names are the first that it met.
struct FeatureHashState {
  std::vector<std::uint32_t>
      position;  // by column: where the row at hand has it, plus 1; void if that is another column
  std::vector<bool> is_named;
  std::vector<FeatureName> names;
};

class FeatureReader {
 public:
  FeatureReader(const ByteRowsView& texts, int bits, bool is_signed, FeatureHashState& state, FeatureChunk& out)
      : texts_(texts), mask_((1u << bits) - 1), is_signed_(is_signed), state_(state), out_(out) {
    if (state_.position.empty()) {
      state_.position.resize(std::size_t{1} << bits);
      state_.is_named.resize(std::size_t{1} << bits);
    }
  }

  void read_rows() {
    const auto bytes = static_cast<std::size_t>(texts_.offsets[out_.end] - texts_.offsets[out_.begin]);
    out_.ids.reserve(bytes / 8 + 1);
    out_.values.reserve(bytes / 8 + 1);
    for (std::size_t row = out_.begin; row < out_.end; ++row) {
      const auto text = texts_[row];
      row_.clear();
      for (const auto *at = text.data(), *end = at + text.size(); at < end;) {
        if (delimiters.blank[*at]) {
          ++at;
        } else {
          at = read_feature(at, end);
        }
      }
      finish_row();
    }
  }

 private:
  struct FeatureEntry {
    std::uint32_t id;
    double value;
  };

  const Byte* read_feature(const Byte* at, const Byte* end) {
    const auto* begin = at;
    while (at < end && !delimiters.name[*at]) ++at;
    const auto* name_end = at;
    double value = 1;
    if (at < end && *at == ':') {
      const auto* from = at + 1;
      const auto* number_end = read_number_fast(from, end, '.', value);
      if (number_end && (number_end == end || delimiters.blank[*number_end])) {
        at = number_end;
      } else {
        while (at < end && !delimiters.blank[*at]) ++at;
        if (at == from || read_number(from, at, '.', value) != NumberKind::FINITE) {
          value = 1;
          if (at != from) name_end = at;  // no number: it belongs to the name
        }
      }
    }
    const std::span<const Byte> name(begin, name_end);
    const auto hash = static_cast<std::int32_t>(murmur3(name));
    const auto size = static_cast<std::uint32_t>(hash < 0 ? -static_cast<std::int64_t>(hash) : hash);
    add(size & mask_, is_signed_ && hash < 0 ? -value : value, name);
    return at;
  }

  void add(std::uint32_t id, double value, std::span<const Byte> name) {
    auto& position = state_.position[id];
    if (position && position <= row_.size() && row_[position - 1].id == id) {
      row_[position - 1].value += value;
      return;
    }
    row_.push_back({id, value});
    position = static_cast<std::uint32_t>(row_.size());
    if (state_.is_named[id]) return;
    state_.is_named[id] = true;
    state_.names.push_back({id, static_cast<std::uint32_t>(name.size()), name.data() - texts_.data.data()});
  }

  // Keep what the row has.
  void finish_row() {
    const auto before = out_.ids.size();
    for (const auto& [id, value] : row_) {
      if (value == 0) continue;
      out_.ids.push_back(id);
      out_.values.push_back(value);
    }
    out_.sizes.push_back(static_cast<std::uint32_t>(out_.ids.size() - before));
  }

  const ByteRowsView& texts_;
  std::uint32_t mask_;
  bool is_signed_;
  FeatureHashState& state_;
  FeatureChunk& out_;
  std::vector<FeatureEntry> row_;
};

std::vector<FeatureChunk> split_into_chunks(const ByteRowsView& texts) {
  std::vector<FeatureChunk> out;
  for (std::size_t row = 0; row < texts.size();) {
    const auto limit = texts.offsets[row] + static_cast<std::int64_t>(chunk_bytes);
    const auto stop =
        std::upper_bound(texts.offsets.begin() + static_cast<std::ptrdiff_t>(row) + 1, texts.offsets.end(), limit);
    const auto next = std::max(row + 1, static_cast<std::size_t>(stop - texts.offsets.begin()) - 1);
    out.push_back({row, next, {}, {}, {}});
    row = next;
  }
  return out;
}

// The first name of every column, ascending.
void add_names(const std::vector<FeatureHashState>& states, const ByteRowsView& texts, FeatureRows& out) {
  std::vector<FeatureName> names;
  for (const auto& state : states) names.insert(names.end(), state.names.begin(), state.names.end());
  if (states.size() > 1) {
    std::sort(names.begin(), names.end(), [](const FeatureName& a, const FeatureName& b) {
      return std::tie(a.id, a.begin) < std::tie(b.id, b.begin);
    });
    names.erase(std::unique(names.begin(), names.end(),
                            [](const FeatureName& a, const FeatureName& b) { return a.id == b.id; }),
                names.end());
  }
  std::erase_if(names, [&](const FeatureName& name) { return out.n_rows[name.id] == 0; });  // its values came to 0
  const auto text = [&](const FeatureName& name) {
    return std::string_view(reinterpret_cast<const char*>(texts.data.data()) + name.begin, name.length);
  };
  std::sort(names.begin(), names.end(), [&](const FeatureName& a, const FeatureName& b) { return text(a) < text(b); });
  out.names.offsets.push_back(0);
  for (const auto& name : names) {
    const auto bytes = text(name);
    out.names.data.insert(out.names.data.end(), bytes.begin(), bytes.end());
    out.names.offsets.push_back(static_cast<std::int64_t>(out.names.data.size()));
    out.rows.push_back(out.n_rows[name.id]);
  }
}

}  // namespace

FeatureRows hash_features(const ByteRowsView& texts, int bits, bool is_signed, ThreadPool& pool) {
  auto chunks = split_into_chunks(texts);
  std::vector<FeatureHashState> states(pool.size());
  pool.parallel_for(chunks.size(), [&](std::size_t i, std::size_t thread) {
    FeatureReader(texts, bits, is_signed, states[thread], chunks[i]).read_rows();
  });
  FeatureRows out;
  out.starts.resize(texts.size() + 1);
  out.starts[0] = 0;
  std::vector<std::size_t> begins;
  std::size_t total = 0;
  for (const auto& chunk : chunks) {
    begins.push_back(total);
    auto at = static_cast<std::int64_t>(total);
    for (std::size_t i = 0; i < chunk.sizes.size(); ++i) out.starts[chunk.begin + i + 1] = at += chunk.sizes[i];
    total += chunk.ids.size();
  }
  out.ids.resize(total);
  out.values.resize(total);
  pool.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) {
    const auto at = static_cast<std::ptrdiff_t>(begins[i]);
    std::copy(chunks[i].ids.begin(), chunks[i].ids.end(), out.ids.begin() + at);
    std::copy(chunks[i].values.begin(), chunks[i].values.end(), out.values.begin() + at);
    chunks[i] = {};
  });
  out.n_rows.assign(std::size_t{1} << bits, 0);
  for (const auto id : out.ids) ++out.n_rows[static_cast<std::size_t>(id)];
  add_names(states, texts, out);
  return out;
}

}  // namespace hedgerow
