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
struct Ends {
  bool blank[256] = {}, name[256] = {};
  constexpr Ends() {
    for (const unsigned char one : {' ', '\t', '\n', '\r', '\v', '\f'}) blank[one] = name[one] = true;
    name[static_cast<unsigned char>(':')] = true;
  }
};
constexpr Ends ends;

// Where a name stands, and the column that it is the first of.
struct Name {
  std::uint32_t id, length;
  std::int64_t begin;
};

// Some rows, and what they hold.
struct Chunk {
  std::size_t begin = 0, end = 0;
  std::vector<std::uint32_t> sizes, ids;
  std::vector<double> values;
};

// What a thread keeps from chunk to chunk: as it takes them in their order, its names are the first that it met.
struct Member {
  std::vector<std::uint32_t> place;  // by column: where the row at hand has it, plus 1; void if that is another column
  std::vector<bool> named;
  std::vector<Name> names;
};

class Reader {
 public:
  Reader(const ByteRowsView& texts, int bits, bool is_signed, Member& member, Chunk& out)
      : texts_(texts), mask_((1u << bits) - 1), is_signed_(is_signed), member_(member), out_(out) {
    if (member_.place.empty()) {
      member_.place.resize(std::size_t{1} << bits);
      member_.named.resize(std::size_t{1} << bits);
    }
  }

  void read() {
    const auto bytes = static_cast<std::size_t>(texts_.offsets[out_.end] - texts_.offsets[out_.begin]);
    out_.ids.reserve(bytes / 8 + 1);
    out_.values.reserve(bytes / 8 + 1);
    for (std::size_t row = out_.begin; row < out_.end; ++row) {
      const auto text = texts_[row];
      row_.clear();
      for (const auto *at = text.data(), *end = at + text.size(); at < end;) {
        if (ends.blank[*at]) {
          ++at;
        } else {
          at = feature(at, end);
        }
      }
      finish();
    }
  }

 private:
  struct Entry {
    std::uint32_t id;
    double value;
  };

  const Byte* feature(const Byte* at, const Byte* end) {
    const auto* begin = at;
    while (at < end && !ends.name[*at]) ++at;
    const auto* name_end = at;
    double value = 1;
    if (at < end && *at == ':') {
      const auto* from = at + 1;
      const auto* quick = read_number_fast(from, end, '.', value);
      if (quick && (quick == end || ends.blank[*quick])) {
        at = quick;
      } else {
        while (at < end && !ends.blank[*at]) ++at;
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
    auto& place = member_.place[id];
    if (place && place <= row_.size() && row_[place - 1].id == id) {
      row_[place - 1].value += value;
      return;
    }
    row_.push_back({id, value});
    place = static_cast<std::uint32_t>(row_.size());
    if (member_.named[id]) return;
    member_.named[id] = true;
    member_.names.push_back({id, static_cast<std::uint32_t>(name.size()), name.data() - texts_.data.data()});
  }

  // Keep what the row has.
  void finish() {
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
  Member& member_;
  Chunk& out_;
  std::vector<Entry> row_;
};

std::vector<Chunk> chunks_of(const ByteRowsView& texts) {
  std::vector<Chunk> out;
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
void add_names(const std::vector<Member>& members, const ByteRowsView& texts, FeatureRows& out) {
  std::vector<Name> names;
  for (const auto& member : members) names.insert(names.end(), member.names.begin(), member.names.end());
  if (members.size() > 1) {
    std::sort(names.begin(), names.end(),
              [](const Name& a, const Name& b) { return std::tie(a.id, a.begin) < std::tie(b.id, b.begin); });
    names.erase(std::unique(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.id == b.id; }),
                names.end());
  }
  std::erase_if(names, [&](const Name& name) { return out.n_rows[name.id] == 0; });  // its values came to 0
  const auto text = [&](const Name& name) {
    return std::string_view(reinterpret_cast<const char*>(texts.data.data()) + name.begin, name.length);
  };
  std::sort(names.begin(), names.end(), [&](const Name& a, const Name& b) { return text(a) < text(b); });
  out.names.offsets.push_back(0);
  for (const auto& name : names) {
    const auto bytes = text(name);
    out.names.data.insert(out.names.data.end(), bytes.begin(), bytes.end());
    out.names.offsets.push_back(static_cast<std::int64_t>(out.names.data.size()));
    out.rows.push_back(out.n_rows[name.id]);
  }
}

}  // namespace

FeatureRows hash_features(const ByteRowsView& texts, int bits, bool is_signed, ThreadPool& crew) {
  auto chunks = chunks_of(texts);
  std::vector<Member> members(crew.size());
  crew.parallel_for(chunks.size(), [&](std::size_t i, std::size_t member) {
    Reader(texts, bits, is_signed, members[member], chunks[i]).read();
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
  crew.parallel_for(chunks.size(), [&](std::size_t i, std::size_t) {
    const auto at = static_cast<std::ptrdiff_t>(begins[i]);
    std::copy(chunks[i].ids.begin(), chunks[i].ids.end(), out.ids.begin() + at);
    std::copy(chunks[i].values.begin(), chunks[i].values.end(), out.values.begin() + at);
    chunks[i] = {};
  });
  out.n_rows.assign(std::size_t{1} << bits, 0);
  for (const auto id : out.ids) ++out.n_rows[static_cast<std::size_t>(id)];
  add_names(members, texts, out);
  return out;
}

}  // namespace hedgerow
