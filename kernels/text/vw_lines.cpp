#include "text/vw_lines.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "text/vw_reader.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t chunk_bytes = 1 << 18;

// The features of a namespace in a line.
struct FeatureSpan {
  std::int64_t row = 0;  // of its chunk
  std::uint32_t namespace_index = 0;
  bool is_scaled = false;  // it stands in `scaled`, not in the data
  std::int64_t begin = 0, end = 0;
};

// Some lines, read by one thread.
struct VwLineChunk : VwChunk {
  std::vector<FeatureSpan> spans;
  std::vector<Byte> scaled;
  std::vector<std::uint32_t> namespace_of;  // of its namespaces among those of all chunks
  std::int64_t start = 0;                   // its first row
};

// Keeps the pieces of a chunk.
struct FeatureSpanCollector {
  const Byte* data;
  VwLineChunk& out;
  const Byte* fault_at = nullptr;

  bool add_features(std::size_t row, std::size_t which, const Byte* at, const Byte* to, double scale) {
    if (!check_values(at, to)) return false;
    FeatureSpan span{static_cast<std::int64_t>(row), static_cast<std::uint32_t>(which), false, at - data, to - data};
    if (scale != 1) {
      span.is_scaled = true;
      span.begin = static_cast<std::int64_t>(out.scaled.size());
      fault_at = write_scaled_features(at, to, scale, out.scaled);
      if (fault_at) return false;
      span.end = static_cast<std::int64_t>(out.scaled.size());
    }
    out.spans.push_back(span);
    return true;
  }
  void end_row(std::size_t) {}

  // Values must be finite; a word behind a colon is none, and belongs to the name.
  bool check_values(const Byte* from, const Byte* to) {
    for (const auto* colon = find_vw_mark(from, to, ':'); colon < to; colon = find_vw_mark(from, to, ':')) {
      from = colon + 1;
      double value = 0;
      const auto* number_end = read_number_fast(from, to, '.', value);
      if (number_end && (number_end == to || is_vw_blank(*number_end))) {
        from = number_end;
        continue;
      }
      const auto* begin = from;
      while (from < to && !is_vw_blank(*from)) ++from;
      if (read_number(begin, from, '.', value) == NumberKind::INFINITE) {
        fault_at = begin;
        return false;
      }
    }
    return true;
  }
};

// Where chunks of whole lines begin, and the end.
std::vector<std::size_t> find_chunk_starts(std::span<const Byte> data) {
  std::vector<std::size_t> out{0};
  const auto *begin = data.data(), *end = begin + data.size();
  while (data.size() - out.back() > chunk_bytes) {
    const auto* stop = find_vw_mark(begin + out.back() + chunk_bytes, end, '\n');
    if (stop == end) break;
    out.push_back(static_cast<std::size_t>(stop + 1 - begin));
  }
  if (out.back() < data.size() || out.size() == 1) out.push_back(data.size());
  return out;
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

void join_rows(std::vector<VwLineChunk>& chunks, VwLines& out) {
  for (auto& chunk : chunks) {
    chunk.start = static_cast<std::int64_t>(out.label.size());
    append(out.label, chunk.rows.label);
    append(out.label_begin, chunk.rows.label_begin);
    append(out.label_end, chunk.rows.label_end);
    append(out.importance, chunk.rows.importance);
    append(out.base, chunk.rows.base);
    append(out.tag_begin, chunk.rows.tag_begin);
    append(out.tag_end, chunk.rows.tag_end);
  }
}

// False if there are too many namespaces.
bool join_names(std::vector<VwLineChunk>& chunks, std::size_t maximum, VwLines& out) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  out.names.offsets.push_back(0);
  for (auto& chunk : chunks)
    for (std::size_t i = 0; i < chunk.names.size(); ++i) {
      const auto [entry, is_new] = known.try_emplace(chunk.names[i], static_cast<std::uint32_t>(known.size()));
      chunk.namespace_of.push_back(entry->second);
      if (!is_new) continue;
      if (known.size() > maximum) {
        out.fault = VwFault::MANY_NAMESPACES;
        out.fault_at = chunk.first[i];
        return false;
      }
      out.names.data.insert(out.names.data.end(), chunk.names[i].begin(), chunk.names[i].end());
      out.names.offsets.push_back(static_cast<std::int64_t>(out.names.data.size()));
      out.first.push_back(chunk.first[i]);
    }
  return true;
}

// How long the texts of a chunk's rows are: offsets[row + 1] gets the length of a row.
void measure_lengths(const VwLineChunk& chunk, VwLines& out) {
  for (auto& features : out.features) {
    auto* lengths = features.offsets.data() + chunk.start + 1;
    std::fill(lengths, lengths + chunk.rows.label.size(), 0);
  }
  for (const auto& span : chunk.spans) {
    auto& length = out.features[chunk.namespace_of[span.namespace_index]]
                       .offsets[static_cast<std::size_t>(chunk.start + span.row + 1)];
    length += (length > 0) + span.end - span.begin;
  }
}

void copy_features(const VwLineChunk& chunk, const Byte* data, VwLines& out) {
  std::vector<std::pair<std::int64_t, std::int64_t>> last(out.features.size(),
                                                          {-1, 0});  // row, and where its text ends
  for (const auto& span : chunk.spans) {
    const auto columns_of_namespace = chunk.namespace_of[span.namespace_index];
    auto& features = out.features[columns_of_namespace];
    auto& [row, at] = last[columns_of_namespace];
    if (row == span.row) {
      features.data[static_cast<std::size_t>(at++)] = ' ';
    } else {
      row = span.row;
      at = features.offsets[static_cast<std::size_t>(chunk.start + row)];
    }
    const auto size = span.end - span.begin;
    std::memcpy(features.data.data() + at, (span.is_scaled ? chunk.scaled.data() : data) + span.begin,
                static_cast<std::size_t>(size));
    at += size;
  }
}

// Passes over features.
struct FeatureSkipper {
  const Byte* fault_at = nullptr;

  bool add_features(std::size_t, std::size_t, const Byte*, const Byte*, double) { return true; }
  void end_row(std::size_t) {}
};

}  // namespace

VwLines scan_vw(std::span<const Byte> data, std::size_t max_namespaces, bool is_svmlight) {
  std::vector<VwLineChunk> chunks(1);
  FeatureSkipper skipper;
  VwReader(data, 0, data.size(), max_namespaces, is_svmlight, chunks[0], skipper).read();
  VwLines out = std::move(chunks[0].rows);
  if (out.fault == VwFault::NONE) join_names(chunks, max_namespaces, out);
  return out;
}

VwLines read_vw(std::span<const Byte> data, std::size_t max_namespaces, bool is_svmlight, ThreadPool& pool) {
  const auto begins = find_chunk_starts(data);
  std::vector<VwLineChunk> chunks(begins.size() - 1);
  pool.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) {
    FeatureSpanCollector collector{data.data(), chunks[i]};
    VwReader(data, begins[i], begins[i + 1], max_namespaces, is_svmlight, chunks[i], collector).read();
  });
  VwLines out;
  for (const auto& chunk : chunks)
    if (chunk.rows.fault != VwFault::NONE) {
      out.fault = chunk.rows.fault;
      out.fault_at = chunk.rows.fault_at;
      return out;
    }
  if (!join_names(chunks, max_namespaces, out)) return out;
  join_rows(chunks, out);
  out.features.resize(out.first.size());
  for (auto& features : out.features) {
    features.offsets.resize(out.label.size() + 1);
    features.offsets[0] = 0;
  }
  pool.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) { measure_lengths(chunks[i], out); });
  pool.parallel_for(out.features.size(), [&](std::size_t i, std::size_t) {
    auto& features = out.features[i];
    for (std::size_t row = 1; row < features.offsets.size(); ++row) features.offsets[row] += features.offsets[row - 1];
    features.data.resize(static_cast<std::size_t>(features.offsets.back()));
  });
  pool.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) { copy_features(chunks[i], data.data(), out); });
  return out;
}

}  // namespace hedgerow
