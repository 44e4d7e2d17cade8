#include "text/hashed_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "read/parse_numbers.hpp"
#include "text/batch_hash.hpp"
#include "text/vocabulary.hpp"
#include "text/vw_reader.hpp"
#include "text/words.hpp"

namespace hedgerow {
namespace {

// Which bytes part features.
constexpr bool is_separator(Byte byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Which of 64 bytes are gaps.
std::uint64_t find_separators(const Byte* at) {
#if defined(__SSE2__)
  std::uint64_t bits = 0;
  for (int part = 0; part < 4; ++part) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
    const auto low = _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - '\t'))),
                                    _mm_set1_epi8(static_cast<char>(0x80 + '\r' - '\t' + 1)));
    const auto found = _mm_or_si128(low, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << (16 * part);
  }
  return bits;
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(is_separator(at[i])) << i;
  return bits;
#endif
}

// How many bits are set; the compiler's own is a call where not every machine can count.
constexpr std::size_t count_set_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555ull;
  bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
  return ((bits + (bits >> 4)) & repeat_byte(0x0F)) * repeat_byte(0x01) >> 56;
}

// Where the feature's name or the feature ends: at a colon or gap.
const Byte* find_name_end(const Byte* at, const Byte* end) {
  while (at < end && *at != ':' && !is_separator(*at)) ++at;
  return at;
}

// A digit, a point and one to six digits, `0.1234`, with a gap behind them; 8 bytes can be read. Returns the end, or
// nullptr.
[[gnu::always_inline]] inline const Byte* read_short_decimal(const Byte* at, double& value) {
  static constexpr double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  const auto word = load8(at);
  const auto ends =
      (word - repeat_byte(0x21)) & ~word & repeat_byte(0x80);  // the first byte that is below 0x21 is found right
  if (!ends) return nullptr;
  const auto length = static_cast<std::size_t>(std::countr_zero(ends)) >> 3;
  const auto whole = static_cast<std::uint64_t>(static_cast<Byte>(word) - '0');
  if (length < 3 || whole > 9 || static_cast<Byte>(word >> 8) != '.' || !is_separator(at[length])) return nullptr;
  const auto count = length - 2;  // 1 to 5
  auto digits = (word >> 16) << (64 - 8 * count) | repeat_byte('0') >> (8 * count);
  if (((digits & repeat_byte(0xF0)) ^ repeat_byte('0')) |
      (((digits + repeat_byte(6)) & repeat_byte(0xF0)) ^ repeat_byte('0')))
    return nullptr;
  digits &= repeat_byte(0x0F);
  digits = digits * 10 + (digits >> 8);
  const auto part = (((digits & 0x000000FF000000FFull) * 0x000F424000000064ull) +
                     (((digits >> 16) & 0x000000FF000000FFull) * 0x0000271000000001ull)) >>
                    32;
  const auto all = whole * static_cast<std::uint64_t>(POWERS[count]) + static_cast<std::uint32_t>(part);
  value = static_cast<double>(all) / POWERS[count];
  return at + length;
}

std::uint64_t make_spelling_key(std::uint32_t seed, std::uint32_t hash) {
  return (static_cast<std::uint64_t>(seed) << 32 | hash) + 1;
}

std::uint32_t hash_namespace(std::string_view name) {
  return murmur3({reinterpret_cast<const Byte*>(name.data()), name.size()});
}

}  // namespace

// -- spellings
// ----------------------------------------------------------------------------------------------------------

std::size_t SpellingSet::first_slot(std::uint64_t key) const {
  return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ull >> 20) & (keys_.size() - 1);
}

std::size_t SpellingSet::find_slot(std::uint64_t key) const {
  const auto mask = keys_.size() - 1;
  auto at = first_slot(key);
  while (keys_[at] && keys_[at] != key) at = (at + 1) & mask;
  return at;
}

bool SpellingSet::contains(std::uint64_t key) const { return !keys_.empty() && keys_[find_slot(key)] == key; }

void SpellingSet::prefetch(std::uint64_t key) const {
  if (!keys_.empty()) __builtin_prefetch(keys_.data() + first_slot(key), 1);
}

bool SpellingSet::add(std::uint64_t key) {
  if (keys_.size() < 2 * (size_ + 1)) grow();
  auto& own = keys_[find_slot(key)];
  if (own) return false;
  own = key;
  ++size_;
  return true;
}

void SpellingSet::grow() {
  auto before = std::move(keys_);
  keys_.assign(std::max<std::size_t>(1024, before.size() * 4), 0);
  for (const auto key : before)
    if (key) keys_[find_slot(key)] = key;
}

// -- columns
// ------------------------------------------------------------------------------------------------------------

// Takes the features of lines, or the words of texts, as columns.
class HashedRowBuilder {
 public:
  struct NamespaceColumns {
    HashedColumns columns;
    std::size_t size = 0;  // entries; there is room for more
    std::uint32_t seed = 0;
    bool repeats_in_row = false;   // it comes once more in the row
    bool has_nonpositive = false;  // a value of the row is not positive
  };

  // `bytes` are those of all rows together.
  HashedRowBuilder(HashedReader& reader, std::size_t bytes, const Byte* end)
      : reader_(reader), cells_(reader.cells_.data()), end_(end), expected_(bytes / 8) {}

  const Byte* fault_at = nullptr;
  std::vector<NamespaceColumns> namespaces;

  // The namespaces of the chunk get their seeds as they come.
  const VwChunk* chunk = nullptr;

  bool add_features(std::size_t row, std::size_t which, const Byte* at, const Byte* to, double scale) {
    if (which >= namespaces.size()) {
      for (auto i = namespaces.size(); i <= which; ++i) add_namespace(chunk->names[i]);
    }
    if (scale == 1) {
      begin_features(row, which, static_cast<std::size_t>(to - at));
      return read_features(at, to, end_);
    }
    double unused = 0;
    if (!read_finite_value(at, to, unused)) return false;
    scaled_.clear();
    fault_at = write_scaled_features(at, to, scale, scaled_);
    if (fault_at) return false;
    begin_features(row, which, scaled_.size());
    return read_features(scaled_.data(), scaled_.data() + scaled_.size(), scaled_.data() + scaled_.size());
  }

  void end_row(std::size_t row) {
    for (const auto which : touched_) {
      auto& columns_of_namespace = namespaces[which];
      if (columns_of_namespace.repeats_in_row) merge_duplicates(row, columns_of_namespace);
      if (columns_of_namespace.has_nonpositive) drop_zeros(row, columns_of_namespace);
      columns_of_namespace.repeats_in_row = columns_of_namespace.has_nonpositive = false;
    }
    touched_.clear();
  }

  void add_namespace(std::string_view name) {
    auto& columns_of_namespace = namespaces.emplace_back();
    columns_of_namespace.seed = hash_namespace(name);
    columns_of_namespace.columns.names.offsets.push_back(0);
  }

  // Makes ready for at most bytes / 2 + 1 features of a namespace in a row.
  void begin_features(std::size_t row, std::size_t which, std::size_t bytes) {
    const bool is_other =
        namespace_columns_ != &namespaces[which];  // other columns may have taken the places of its own
    namespace_columns_ = &namespaces[which];
    auto& starts = namespace_columns_->columns.starts;
    const bool is_new = starts.size() != row + 1;
    if (is_new) {
      starts.resize(row + 1, static_cast<std::int64_t>(namespace_columns_->size));
      touched_.push_back(which);
    } else {
      namespace_columns_->repeats_in_row |= is_other;
    }
    if (is_new || is_other) {
      row_begin_ = namespace_columns_->size;
      stamp_ = reader_.take_stamp();
    }
    const auto needed = namespace_columns_->size + bytes / 2 + 2;
    if (namespace_columns_->columns.ids.size() < needed) {
      const auto capacity = std::max({needed, namespace_columns_->columns.ids.size() * 2, which == 0 ? expected_ : 0});
      namespace_columns_->columns.ids.resize(capacity);
      namespace_columns_->columns.values.resize(capacity);
    }
  }

  // Adds a feature; `end` is where the bytes that can be read end.
  [[gnu::always_inline]] inline void add(const Byte* name, std::size_t length, double value, const Byte* end) {
    values_[batch_.size()] = value;
    if (static_cast<std::size_t>(end - name) >= NameBatch::READABLE_BYTES) [[likely]] {
      batch_.add(name, length);
    } else {
      batch_.add_unpadded(name, length);
    }
    if (batch_.is_full()) flush_batch<false>();
  }

  // Looks the names of the batch up. With `Ones` all count 1.
  template <bool Ones>
  void flush_batch() {
    batch_.compute_hashes(reader_.mask_);
    const auto size = batch_.size();
    for (std::size_t i = 0; i < size; ++i) __builtin_prefetch(cells_ + batch_.id(i), 1);
    auto* const ids = namespace_columns_->columns.ids.data() + row_begin_;
    auto* const values = namespace_columns_->columns.values.data() + row_begin_;
    auto n = static_cast<std::uint32_t>(namespace_columns_->size - row_begin_);
    const auto stamp = stamp_, seed = namespace_columns_->seed;
    std::size_t n_unknown = 0;
    bool cancels = false;
    for (std::size_t i = 0; i < size; ++i) {
      const auto id = batch_.id(i);
      auto& cell = cells_[id];
      const auto fingerprint = (batch_.hash(i) ^ seed) | 1;
      unknown_names_[n_unknown] = static_cast<std::uint8_t>(i);
      n_unknown += cell.fingerprint != fingerprint;
      cell.fingerprint =
          cell.fingerprint ? cell.fingerprint : fingerprint;  // the first, which is most often the most frequent
      double value = 1.0;
      if constexpr (!Ones) {
        value = reader_.is_signed_ && static_cast<std::int32_t>(batch_.hash(i)) < 0 ? -values_[i] : values_[i];
        cancels |= !(value > 0);
      }
      // Half of them are here already, which nobody can foresee: no branch on it.
      const auto here = 0 - static_cast<std::uint64_t>(cell.position >= stamp);  // all bits or none
      const auto at = n ^ ((n ^ (cell.position - stamp)) & static_cast<std::uint32_t>(here));
      std::uint64_t before;
      std::memcpy(&before, values + at, sizeof before);
      ids[at] = static_cast<std::int32_t>(id);
      values[at] = std::bit_cast<double>(before & here) + value;
      cell.position = stamp + at;
      n += 1 + static_cast<std::uint32_t>(here);
    }
    namespace_columns_->size = row_begin_ + n;
    namespace_columns_->has_nonpositive |= cancels;
    reader_.next_position_ = stamp + n;
    record_spellings(n_unknown);
    batch_.clear();
  }

  // Cuts a namespace to what it holds.
  static HashedColumns finish_columns(NamespaceColumns& columns_of_namespace, std::size_t rows) {
    columns_of_namespace.columns.ids.resize(columns_of_namespace.size);
    columns_of_namespace.columns.values.resize(columns_of_namespace.size);
    columns_of_namespace.columns.starts.resize(rows + 1, static_cast<std::int64_t>(columns_of_namespace.size));
    return std::move(columns_of_namespace.columns);
  }

 private:
  // Names of the batch that their columns do not remember.
  void record_spellings(std::size_t n_unknown) {
    auto& known = reader_.known_spellings_;
    if (known.size() >= reader_.max_names_) return;
    for (std::size_t k = 0; k < n_unknown; ++k)
      known.prefetch(make_spelling_key(namespace_columns_->seed, batch_.hash(unknown_names_[k])));
    auto& names = namespace_columns_->columns.names;
    for (std::size_t k = 0; k < n_unknown && known.size() < reader_.max_names_; ++k) {
      const auto i = unknown_names_[k];
      if (!known.add(make_spelling_key(namespace_columns_->seed, batch_.hash(i)))) continue;
      names.data.insert(names.data.end(), batch_.name(i), batch_.name(i) + batch_.length(i));
      names.offsets.push_back(static_cast<std::int64_t>(names.data.size()));
    }
  }

  // The features between at and to; false if a value is too large.
  bool read_features(const Byte* at, const Byte* to, const Byte* end) {
    if (!std::memchr(at, ':', static_cast<std::size_t>(to - at))) {
      add_words(at, to, end);
      return true;
    }
    const bool valid = read_valued_features(at, to, end);
    flush_batch<false>();
    return valid;
  }

  // Words begin and end where the bits of blocks change: the changes of some blocks are listed, then taken two by two.
  void add_words(const Byte* at, const Byte* to, const Byte* end) {
    const auto size = static_cast<std::size_t>(to - at);
    const bool is_last = static_cast<std::size_t>(end - to) < NameBatch::READABLE_BYTES;
    std::size_t n_edges = 0;
    std::uint64_t inside = 0;  // 1: a word has begun
    for (std::size_t from = 0; from < size; from += 64) {
      std::uint64_t in_word;
      if (static_cast<std::size_t>(end - at) - from >= 64) {
        in_word = ~find_separators(at + from);
      } else {
        Byte rest[64];
        std::memset(rest, ' ', 64);
        std::memcpy(rest, at + from, size - from);
        in_word = ~find_separators(rest);
      }
      if (size - from < 64) in_word &= (1ull << (size - from)) - 1;
      list_edges(in_word ^ (in_word << 1 | inside), from, n_edges);
      inside = in_word >> 63;
      if (n_edges > EDGES) {
        add_words_between_edges(at, n_edges, end, is_last);
        edges_[0] = edges_[n_edges - n_edges % 2];
        n_edges %= 2;
      }
    }
    if (n_edges % 2) edges_[n_edges++] = size;
    add_words_between_edges(at, n_edges, end, is_last);
    counts_one() ? flush_batch<true>() : flush_batch<false>();
  }

  // Whether words count 1 each.
  bool counts_one() const { return !reader_.is_signed_; }

  // Lists where bits are set: eight at a time, as it costs less to list too many than to look for the last one.
  [[gnu::always_inline]] inline void list_edges(std::uint64_t bits, std::size_t from, std::size_t& n_edges) {
    auto* out = edges_ + n_edges;
    n_edges += count_set_bits(bits);
    for (; bits; out += 8) {
      for (int k = 0; k < 8; ++k) {
        out[k] = from + static_cast<std::size_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    }
  }

  void add_words_between_edges(const Byte* at, std::size_t n_edges, const Byte* end, bool is_last) {
    const bool plain = counts_one();
    for (std::size_t k = 0; k + 1 < n_edges;) {
      if (is_last || !plain) {
        add_word(at + edges_[k], edges_[k + 1] - edges_[k], end, plain);
        k += 2;
        continue;
      }
      const auto maximum = std::min(n_edges & ~std::size_t{1}, k + 2 * (NameBatch::CAPACITY - batch_.size()));
      for (; k < maximum; k += 2) batch_.add(at + edges_[k], edges_[k + 1] - edges_[k]);
      if (batch_.is_full()) flush_batch<true>();
    }
  }

  void add_word(const Byte* name, std::size_t length, const Byte* end, bool plain) {
    values_[batch_.size()] = 1.0;
    if (static_cast<std::size_t>(end - name) >= NameBatch::READABLE_BYTES) {
      batch_.add(name, length);
    } else {
      batch_.add_unpadded(name, length);
    }
    if (batch_.is_full()) plain ? flush_batch<true>() : flush_batch<false>();
  }

  bool read_valued_features(const Byte* at, const Byte* to, const Byte* end) {
    while (at < to) {
      if (is_separator(*at)) {
        ++at;
        continue;
      }
      const auto* stop = find_name_end(at, to);
      double value = 1;
      const auto* next = stop;
      if (stop < to && *stop == ':') {
        next = end - stop > 9 ? read_short_decimal(stop + 1, value) : nullptr;
        if (!next || next > to) next = read_value(stop, to, value, stop);
        if (!next) return false;
      }
      add(at, static_cast<std::size_t>(stop - at), value, end);
      at = next;
    }
    return true;
  }

  // What follows a colon: a value, or no number, and then it belongs to the name. Returns its end, nullptr at a fault.
  const Byte* read_value(const Byte* colon, const Byte* to, double& value, const Byte*& stop) {
    const auto* from = colon + 1;
    value = 1;
    const auto* quick = read_number_fast(from, to, '.', value);
    if (quick && (quick == to || is_separator(*quick))) return quick;
    const auto* end = from;
    while (end < to && !is_separator(*end)) ++end;
    const auto found = end == from ? NumberKind::NONE : read_number(from, end, '.', value);
    if (found == NumberKind::FINITE) return end;
    if (found == NumberKind::INFINITE && !read_finite_value(colon, to, value)) return nullptr;
    value = 1;
    if (end != from) stop = end;
    return end;
  }

  // Whether values are finite, as read_vw has it: words end at blanks and tabs.
  bool read_finite_value(const Byte* from, const Byte* to, double& value) {
    for (const auto* colon = find_vw_mark(from, to, ':'); colon < to; colon = find_vw_mark(from, to, ':')) {
      const auto* begin = from = colon + 1;
      while (from < to && !is_vw_blank(*from)) ++from;
      if (read_number(begin, from, '.', value) == NumberKind::INFINITE) {
        fault_at = begin;
        return false;
      }
    }
    return true;
  }

  // Adds up columns that a row has more than once, as its namespace was left and come back to.
  void merge_duplicates(std::size_t row, NamespaceColumns& columns_of_namespace) {
    const auto base = static_cast<std::size_t>(columns_of_namespace.columns.starts[row]);
    auto* const ids = columns_of_namespace.columns.ids.data() + base;
    auto* const values = columns_of_namespace.columns.values.data() + base;
    const auto stamp = reader_.take_stamp();
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < columns_of_namespace.size - base; ++i) {
      auto& cell = cells_[static_cast<std::size_t>(ids[i])];
      if (cell.position >= stamp) {
        values[cell.position - stamp] += values[i];
        continue;
      }
      ids[n] = ids[i];
      values[n] = values[i];
      cell.position = stamp + n++;
    }
    reader_.next_position_ = stamp + n;
    columns_of_namespace.size = base + n;
  }

  void drop_zeros(std::size_t row, NamespaceColumns& columns_of_namespace) {
    auto to = static_cast<std::size_t>(columns_of_namespace.columns.starts[row]);
    for (auto i = to; i < columns_of_namespace.size; ++i) {
      if (columns_of_namespace.columns.values[i] == 0) continue;
      columns_of_namespace.columns.ids[to] = columns_of_namespace.columns.ids[i];
      columns_of_namespace.columns.values[to++] = columns_of_namespace.columns.values[i];
    }
    columns_of_namespace.size = to;
  }

  HashedReader& reader_;
  HashedReader::HashedCell* cells_;
  const Byte* end_;
  std::size_t expected_;  // entries of the first namespace; room that is not used costs nothing
  NamespaceColumns* namespace_columns_ = nullptr;
  std::size_t row_begin_ = 0;  // where the features at hand begin
  std::uint32_t stamp_ = 1;    // the place of their first
  std::vector<std::size_t> touched_;
  std::vector<Byte> scaled_;
  static constexpr std::size_t EDGES = 960;
  std::size_t edges_[EDGES + 64 + 8 + 2];  // where words begin and end
  NameBatch batch_;
  double values_[NameBatch::CAPACITY];
  std::uint8_t unknown_names_[NameBatch::CAPACITY + 1];
};

HashedReader::HashedReader(int bits, bool is_signed, std::size_t max_names)
    : cells_(std::size_t{1} << bits), mask_((1u << bits) - 1), is_signed_(is_signed), max_names_(max_names) {}

std::uint32_t HashedReader::take_stamp() {
  if (next_position_ > 1u << 31) {  // no place is larger than those to come
    for (auto& cell : cells_) cell.position = 0;
    next_position_ = 1;
  }
  return next_position_;
}

HashedLines HashedReader::read_lines(std::span<const Byte> data, std::size_t max_namespaces, bool plain) {
  VwChunk chunk;
  HashedRowBuilder builder(*this, data.size(), data.data() + data.size());
  builder.chunk = &chunk;
  VwReader(data, 0, data.size(), max_namespaces, plain, chunk, builder).read();
  HashedLines out{std::move(chunk.rows), {}};
  if (out.rows.fault != VwFault::NONE) return out;
  out.rows.names.offsets.push_back(0);
  for (std::size_t i = 0; i < chunk.names.size(); ++i) {
    if (i >= builder.namespaces.size()) builder.add_namespace(chunk.names[i]);
    const auto& name = chunk.names[i];
    out.rows.names.data.insert(out.rows.names.data.end(), name.begin(), name.end());
    out.rows.names.offsets.push_back(static_cast<std::int64_t>(out.rows.names.data.size()));
    out.features.push_back(HashedRowBuilder::finish_columns(builder.namespaces[i], out.rows.label.size()));
  }
  out.rows.first = std::move(chunk.first);
  return out;
}

HashedColumns HashedReader::read_words(const TextRows& text, std::string_view column, std::size_t min_length,
                                       bool lower, bool binary) {
  HashedRowBuilder builder(*this, text.rows.data.size(), nullptr);
  builder.add_namespace(column);
  WordReader words(min_length, lower);
  for (std::size_t row = 0; row < text.rows.size(); ++row) {
    if (text.missing[row]) continue;
    const auto bytes = text.rows[row];
    builder.begin_features(row, 0, 2 * bytes.size());  // lower-case letters may be more bytes
    words.read(bytes.data(), bytes.data() + bytes.size(), [&](const Byte* begin, const Byte* end) {
      builder.add(begin, static_cast<std::size_t>(end - begin), 1.0,
                  begin + NameBatch::READABLE_BYTES);  // there is room behind words
    });
    builder.flush_batch<false>();
    builder.namespaces[0].has_nonpositive =
        false;  // words that cancel each other are there all the same, as count_hashed_terms has it
    builder.end_row(row);
  }
  auto out = HashedRowBuilder::finish_columns(builder.namespaces[0], text.rows.size());
  if (binary) std::fill(out.values.begin(), out.values.end(), 1.0);
  return out;
}

void HashedReader::add_known_spellings(const ByteRowsView& names, std::string_view column) {
  const auto seed = hash_namespace(column);
  for (std::size_t i = 0; i < names.size(); ++i) known_spellings_.add(make_spelling_key(seed, murmur3(names[i])));
}

namespace {

struct WordKey {
  std::uint64_t prefix;  // the first bytes
  std::int64_t index;
};

// The first bytes of a word, those that are missing 0; `at_hand` if eight can be read.
std::uint64_t load_prefix(std::span<const Byte> word, bool at_hand) {
  if (!at_hand) {
    std::uint64_t head = 0;
    for (std::size_t at = 0; at < 8; ++at) head = head << 8 | (at < word.size() ? word[at] : 0);
    return head;
  }
  const auto bytes = load8(word.data());
  const auto kept = word.size() >= 8 ? bytes : bytes & ((1ull << (8 * word.size())) - 1);
  return __builtin_bswap64(kept);
}

// Sorts by the heads, eleven bits at a time from the last ones on; keys that are alike stay in their order.
void sort_by_prefix(std::vector<WordKey>& keys) {
  constexpr int DIGIT = 11, DIGITS = 6;
  constexpr std::size_t SIZE = 1 << DIGIT;
  std::vector<std::array<std::uint32_t, SIZE>> counts(DIGITS);
  const auto digit = [](const WordKey& key, int which) { return key.prefix >> (DIGIT * which) & (SIZE - 1); };
  for (const auto& key : keys)
    for (int which = 0; which < DIGITS; ++which) ++counts[static_cast<std::size_t>(which)][digit(key, which)];
  std::vector<WordKey> other(keys.size());
  for (int which = 0; which < DIGITS; ++which) {
    auto& own = counts[static_cast<std::size_t>(which)];
    if (own[digit(keys[0], which)] == keys.size()) continue;
    std::exclusive_scan(own.begin(), own.end(), own.begin(), 0u);
    for (const auto& key : keys) other[own[digit(key, which)]++] = key;
    keys.swap(other);
  }
}

}  // namespace

std::vector<std::int64_t> argsort_words(const ByteRowsView& words) {
  std::vector<WordKey> keys(words.size());
  if (keys.empty()) return {};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool at_hand = words.data.size() - static_cast<std::size_t>(words.offsets[i]) >= 8;
    keys[i] = {load_prefix(words[i], at_hand), static_cast<std::int64_t>(i)};
  }
  sort_by_prefix(keys);
  for (auto from = keys.begin(); from != keys.end();) {
    const auto to = std::find_if(from, keys.end(), [&](const WordKey& key) { return key.prefix != from->prefix; });
    if (to - from > 1) {
      std::stable_sort(from, to, [&](const WordKey& a, const WordKey& b) {
        const auto one = words[static_cast<std::size_t>(a.index)], other = words[static_cast<std::size_t>(b.index)];
        return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
      });
    }
    from = to;
  }
  std::vector<std::int64_t> out;
  out.reserve(keys.size());
  for (const auto& key : keys) out.push_back(key.index);
  return out;
}

}  // namespace hedgerow
