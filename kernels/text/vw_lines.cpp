#include "text/vw_lines.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "text/vw_reader.hpp"

namespace hedgerow {
namespace {

constexpr std::size_t chunk_bytes = 1 << 18;

// The features of a namespace in a line.
struct Piece {
  std::int64_t row = 0;  // of its chunk
  std::uint32_t space = 0;
  bool is_made = false;  // it stands in `made`, not in the data
  std::int64_t begin = 0, end = 0;
};

// Some lines, read by one thread.
struct Chunk : VwChunk {
  std::vector<Piece> pieces;
  std::vector<Byte> made;
  std::vector<std::uint32_t> space_of;  // of its namespaces among those of all chunks
  std::int64_t start = 0;               // its first row
};

// Keeps the pieces of a chunk.
struct Pieces {
  const Byte* data;
  Chunk& out;
  const Byte* fault_at = nullptr;

  bool features(std::size_t row, std::size_t which, const Byte* at, const Byte* to, double scale) {
    if (!values(at, to)) return false;
    Piece piece{static_cast<std::int64_t>(row), static_cast<std::uint32_t>(which), false, at - data, to - data};
    if (scale != 1) {
      piece.is_made = true;
      piece.begin = static_cast<std::int64_t>(out.made.size());
      fault_at = write_scaled(at, to, scale, out.made);
      if (fault_at) return false;
      piece.end = static_cast<std::int64_t>(out.made.size());
    }
    out.pieces.push_back(piece);
    return true;
  }
  void end_row(std::size_t) {}

  // Values must be finite; a word behind a colon is none, and belongs to the name.
  bool values(const Byte* from, const Byte* to) {
    for (const auto* colon = vw_found(from, to, ':'); colon < to; colon = vw_found(from, to, ':')) {
      from = colon + 1;
      double value = 0;
      const auto* quick = read_number_fast(from, to, '.', value);
      if (quick && (quick == to || is_vw_blank(*quick))) {
        from = quick;
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
std::vector<std::size_t> cuts(std::span<const Byte> data) {
  std::vector<std::size_t> out{0};
  const auto *begin = data.data(), *end = begin + data.size();
  while (data.size() - out.back() > chunk_bytes) {
    const auto* stop = vw_found(begin + out.back() + chunk_bytes, end, '\n');
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

void join_rows(std::vector<Chunk>& chunks, VwLines& out) {
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
bool join_names(std::vector<Chunk>& chunks, std::size_t most, VwLines& out) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  out.names.offsets.push_back(0);
  for (auto& chunk : chunks)
    for (std::size_t i = 0; i < chunk.names.size(); ++i) {
      const auto [entry, is_new] = known.try_emplace(chunk.names[i], static_cast<std::uint32_t>(known.size()));
      chunk.space_of.push_back(entry->second);
      if (!is_new) continue;
      if (known.size() > most) {
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
void measure(const Chunk& chunk, VwLines& out) {
  for (auto& features : out.features) {
    auto* lengths = features.offsets.data() + chunk.start + 1;
    std::fill(lengths, lengths + chunk.rows.label.size(), 0);
  }
  for (const auto& piece : chunk.pieces) {
    auto& length =
        out.features[chunk.space_of[piece.space]].offsets[static_cast<std::size_t>(chunk.start + piece.row + 1)];
    length += (length > 0) + piece.end - piece.begin;
  }
}

void copy(const Chunk& chunk, const Byte* data, VwLines& out) {
  std::vector<std::pair<std::int64_t, std::int64_t>> last(out.features.size(),
                                                          {-1, 0});  // row, and where its text ends
  for (const auto& piece : chunk.pieces) {
    const auto space = chunk.space_of[piece.space];
    auto& features = out.features[space];
    auto& [row, at] = last[space];
    if (row == piece.row) {
      features.data[static_cast<std::size_t>(at++)] = ' ';
    } else {
      row = piece.row;
      at = features.offsets[static_cast<std::size_t>(chunk.start + row)];
    }
    const auto size = piece.end - piece.begin;
    std::memcpy(features.data.data() + at, (piece.is_made ? chunk.made.data() : data) + piece.begin,
                static_cast<std::size_t>(size));
    at += size;
  }
}

// Passes over features.
struct Nothing {
  const Byte* fault_at = nullptr;

  bool features(std::size_t, std::size_t, const Byte*, const Byte*, double) { return true; }
  void end_row(std::size_t) {}
};

}  // namespace

VwLines scan_vw(std::span<const Byte> data, std::size_t most_namespaces, bool plain) {
  std::vector<Chunk> chunks(1);
  Nothing nothing;
  VwReader(data, 0, data.size(), most_namespaces, plain, chunks[0], nothing).read();
  VwLines out = std::move(chunks[0].rows);
  if (out.fault == VwFault::NONE) join_names(chunks, most_namespaces, out);
  return out;
}

VwLines read_vw(std::span<const Byte> data, std::size_t most_namespaces, bool plain, ThreadPool& crew) {
  const auto begins = cuts(data);
  std::vector<Chunk> chunks(begins.size() - 1);
  crew.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) {
    Pieces pieces{data.data(), chunks[i]};
    VwReader(data, begins[i], begins[i + 1], most_namespaces, plain, chunks[i], pieces).read();
  });
  VwLines out;
  for (const auto& chunk : chunks)
    if (chunk.rows.fault != VwFault::NONE) {
      out.fault = chunk.rows.fault;
      out.fault_at = chunk.rows.fault_at;
      return out;
    }
  if (!join_names(chunks, most_namespaces, out)) return out;
  join_rows(chunks, out);
  out.features.resize(out.first.size());
  for (auto& features : out.features) {
    features.offsets.resize(out.label.size() + 1);
    features.offsets[0] = 0;
  }
  crew.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) { measure(chunks[i], out); });
  crew.parallel_for(out.features.size(), [&](std::size_t i, std::size_t) {
    auto& features = out.features[i];
    for (std::size_t row = 1; row < features.offsets.size(); ++row) features.offsets[row] += features.offsets[row - 1];
    features.data.resize(static_cast<std::size_t>(features.offsets.back()));
  });
  crew.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) { copy(chunks[i], data.data(), out); });
  return out;
}

}  // namespace hedgerow
