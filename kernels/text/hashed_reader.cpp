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
constexpr bool is_gap(Byte byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// Which of 64 bytes are gaps.
std::uint64_t gaps(const Byte* at) {
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
  for (int i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(is_gap(at[i])) << i;
  return bits;
#endif
}

// How many bits are set; the compiler's own is a call where not every machine can count.
constexpr std::size_t set_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555ull;
  bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
  return ((bits + (bits >> 4)) & repeat_byte(0x0F)) * repeat_byte(0x01) >> 56;
}

// Where the feature's name or the feature ends: at a colon or gap.
const Byte* name_end(const Byte* at, const Byte* end) {
  while (at < end && *at != ':' && !is_gap(*at)) ++at;
  return at;
}

// A digit, a point and one to six digits, `0.1234`, with a gap behind them; 8 bytes can be read. Returns the end, or
// nullptr.
[[gnu::always_inline]] inline const Byte* share_number(const Byte* at, double& value) {
  static constexpr double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  const auto word = load8(at);
  const auto ends =
      (word - repeat_byte(0x21)) & ~word & repeat_byte(0x80);  // the first byte that is below 0x21 is found right
  if (!ends) return nullptr;
  const auto length = static_cast<std::size_t>(std::countr_zero(ends)) >> 3;
  const auto whole = static_cast<std::uint64_t>(static_cast<Byte>(word) - '0');
  if (length < 3 || whole > 9 || static_cast<Byte>(word >> 8) != '.' || !is_gap(at[length])) return nullptr;
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

std::uint64_t mixed_key(std::uint32_t seed, std::uint32_t hash) {
  return (static_cast<std::uint64_t>(seed) << 32 | hash) + 1;
}

std::uint32_t seed_of(std::string_view name) {
  return murmur3({reinterpret_cast<const Byte*>(name.data()), name.size()});
}

}  // namespace

// -- spellings
// ----------------------------------------------------------------------------------------------------------

std::size_t KeySet::home(std::uint64_t key) const {
  return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ull >> 20) & (keys_.size() - 1);
}

std::size_t KeySet::place(std::uint64_t key) const {
  const auto mask = keys_.size() - 1;
  auto at = home(key);
  while (keys_[at] && keys_[at] != key) at = (at + 1) & mask;
  return at;
}

bool KeySet::has(std::uint64_t key) const { return !keys_.empty() && keys_[place(key)] == key; }

void KeySet::fetch(std::uint64_t key) const {
  if (!keys_.empty()) __builtin_prefetch(keys_.data() + home(key), 1);
}

bool KeySet::add(std::uint64_t key) {
  if (keys_.size() < 2 * (size_ + 1)) grow();
  auto& own = keys_[place(key)];
  if (own) return false;
  own = key;
  ++size_;
  return true;
}

void KeySet::grow() {
  auto before = std::move(keys_);
  keys_.assign(std::max<std::size_t>(1024, before.size() * 4), 0);
  for (const auto key : before)
    if (key) keys_[place(key)] = key;
}

// -- columns
// ------------------------------------------------------------------------------------------------------------

// Takes the features of lines, or the words of texts, as columns.
class SlotTaker {
 public:
  struct Space {
    SlotColumns out;
    std::size_t size = 0;  // entries; there is room for more
    std::uint32_t seed = 0;
    bool again = false;    // it comes once more in the row
    bool cancels = false;  // a value of the row is not positive
  };

  // `bytes` are those of all rows together.
  SlotTaker(SlotReader& reader, std::size_t bytes, const Byte* end)
      : reader_(reader), cells_(reader.cells_.data()), end_(end), expected_(bytes / 8) {}

  const Byte* fault_at = nullptr;
  std::vector<Space> spaces;

  // The namespaces of the chunk get their seeds as they come.
  const VwChunk* chunk = nullptr;

  bool features(std::size_t row, std::size_t which, const Byte* at, const Byte* to, double scale) {
    if (which >= spaces.size()) {
      for (auto i = spaces.size(); i <= which; ++i) add_space(chunk->names[i]);
    }
    if (scale == 1) {
      begin(row, which, static_cast<std::size_t>(to - at));
      return read(at, to, end_);
    }
    double unused = 0;
    if (!sound(at, to, unused)) return false;
    made_.clear();
    fault_at = write_scaled(at, to, scale, made_);
    if (fault_at) return false;
    begin(row, which, made_.size());
    return read(made_.data(), made_.data() + made_.size(), made_.data() + made_.size());
  }

  void end_row(std::size_t row) {
    for (const auto which : touched_) {
      auto& space = spaces[which];
      if (space.again) merge(row, space);
      if (space.cancels) drop_zeros(row, space);
      space.again = space.cancels = false;
    }
    touched_.clear();
  }

  void add_space(std::string_view name) {
    auto& space = spaces.emplace_back();
    space.seed = seed_of(name);
    space.out.names.offsets.push_back(0);
  }

  // Makes ready for at most bytes / 2 + 1 features of a namespace in a row.
  void begin(std::size_t row, std::size_t which, std::size_t bytes) {
    const bool is_other = space_ != &spaces[which];  // other columns may have taken the places of its own
    space_ = &spaces[which];
    auto& starts = space_->out.starts;
    const bool is_new = starts.size() != row + 1;
    if (is_new) {
      starts.resize(row + 1, static_cast<std::int64_t>(space_->size));
      touched_.push_back(which);
    } else {
      space_->again |= is_other;
    }
    if (is_new || is_other) {
      base_ = space_->size;
      stamp_ = reader_.stamp();
    }
    const auto needed = space_->size + bytes / 2 + 2;
    if (space_->out.ids.size() < needed) {
      const auto room = std::max({needed, space_->out.ids.size() * 2, which == 0 ? expected_ : 0});
      space_->out.ids.resize(room);
      space_->out.values.resize(room);
    }
  }

  // Adds a feature; `end` is where the bytes that can be read end.
  [[gnu::always_inline]] inline void add(const Byte* name, std::size_t length, double value, const Byte* end) {
    values_[batch_.size()] = value;
    if (static_cast<std::size_t>(end - name) >= NameBatch::AT_HAND) [[likely]] {
      batch_.add(name, length);
    } else {
      batch_.add_alone(name, length);
    }
    if (batch_.is_full()) flush<false>();
  }

  // Looks the names of the batch up. With `Ones` all count 1.
  template <bool Ones>
  void flush() {
    batch_.reckon(reader_.mask_);
    const auto size = batch_.size();
    for (std::size_t i = 0; i < size; ++i) __builtin_prefetch(cells_ + batch_.id(i), 1);
    auto* const ids = space_->out.ids.data() + base_;
    auto* const values = space_->out.values.data() + base_;
    auto n = static_cast<std::uint32_t>(space_->size - base_);
    const auto stamp = stamp_, seed = space_->seed;
    std::size_t n_strange = 0;
    bool cancels = false;
    for (std::size_t i = 0; i < size; ++i) {
      const auto id = batch_.id(i);
      auto& cell = cells_[id];
      const auto print = (batch_.hash(i) ^ seed) | 1;
      strange_[n_strange] = static_cast<std::uint8_t>(i);
      n_strange += cell.print != print;
      cell.print = cell.print ? cell.print : print;  // the first, which is most often the most frequent
      double value = 1.0;
      if constexpr (!Ones) {
        value = reader_.is_signed_ && static_cast<std::int32_t>(batch_.hash(i)) < 0 ? -values_[i] : values_[i];
        cancels |= !(value > 0);
      }
      // Half of them are here already, which nobody can foresee: no branch on it.
      const auto here = 0 - static_cast<std::uint64_t>(cell.place >= stamp);  // all bits or none
      const auto at = n ^ ((n ^ (cell.place - stamp)) & static_cast<std::uint32_t>(here));
      std::uint64_t before;
      std::memcpy(&before, values + at, sizeof before);
      ids[at] = static_cast<std::int32_t>(id);
      values[at] = std::bit_cast<double>(before & here) + value;
      cell.place = stamp + at;
      n += 1 + static_cast<std::uint32_t>(here);
    }
    space_->size = base_ + n;
    space_->cancels |= cancels;
    reader_.next_ = stamp + n;
    meet(n_strange);
    batch_.clear();
  }

  // Cuts a namespace to what it holds.
  static SlotColumns finished(Space& space, std::size_t rows) {
    space.out.ids.resize(space.size);
    space.out.values.resize(space.size);
    space.out.starts.resize(rows + 1, static_cast<std::int64_t>(space.size));
    return std::move(space.out);
  }

 private:
  // Names of the batch that their columns do not remember.
  void meet(std::size_t n_strange) {
    auto& known = reader_.known_;
    if (known.size() >= reader_.most_names_) return;
    for (std::size_t k = 0; k < n_strange; ++k) known.fetch(mixed_key(space_->seed, batch_.hash(strange_[k])));
    auto& names = space_->out.names;
    for (std::size_t k = 0; k < n_strange && known.size() < reader_.most_names_; ++k) {
      const auto i = strange_[k];
      if (!known.add(mixed_key(space_->seed, batch_.hash(i)))) continue;
      names.data.insert(names.data.end(), batch_.name(i), batch_.name(i) + batch_.length(i));
      names.offsets.push_back(static_cast<std::int64_t>(names.data.size()));
    }
  }

  // The features between at and to; false if a value is too large.
  bool read(const Byte* at, const Byte* to, const Byte* end) {
    if (!std::memchr(at, ':', static_cast<std::size_t>(to - at))) {
      words(at, to, end);
      return true;
    }
    const bool good = pairs(at, to, end);
    flush<false>();
    return good;
  }

  // Words begin and end where the bits of blocks change: the changes of some blocks are listed, then taken two by two.
  void words(const Byte* at, const Byte* to, const Byte* end) {
    const auto size = static_cast<std::size_t>(to - at);
    const bool is_last = static_cast<std::size_t>(end - to) < NameBatch::AT_HAND;
    std::size_t n_edges = 0;
    std::uint64_t inside = 0;  // 1: a word has begun
    for (std::size_t from = 0; from < size; from += 64) {
      std::uint64_t in_word;
      if (static_cast<std::size_t>(end - at) - from >= 64) {
        in_word = ~gaps(at + from);
      } else {
        Byte rest[64];
        std::memset(rest, ' ', 64);
        std::memcpy(rest, at + from, size - from);
        in_word = ~gaps(rest);
      }
      if (size - from < 64) in_word &= (1ull << (size - from)) - 1;
      list_edges(in_word ^ (in_word << 1 | inside), from, n_edges);
      inside = in_word >> 63;
      if (n_edges > EDGES) {
        take_edges(at, n_edges, end, is_last);
        edges_[0] = edges_[n_edges - n_edges % 2];
        n_edges %= 2;
      }
    }
    if (n_edges % 2) edges_[n_edges++] = size;
    take_edges(at, n_edges, end, is_last);
    is_plain() ? flush<true>() : flush<false>();
  }

  // Whether words count 1 each.
  bool is_plain() const { return !reader_.is_signed_; }

  // Lists where bits are set: eight at a time, as it costs less to list too many than to look for the last one.
  [[gnu::always_inline]] inline void list_edges(std::uint64_t bits, std::size_t from, std::size_t& n_edges) {
    auto* out = edges_ + n_edges;
    n_edges += set_bits(bits);
    for (; bits; out += 8) {
      for (int k = 0; k < 8; ++k) {
        out[k] = from + static_cast<std::size_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    }
  }

  void take_edges(const Byte* at, std::size_t n_edges, const Byte* end, bool is_last) {
    const bool plain = is_plain();
    for (std::size_t k = 0; k + 1 < n_edges;) {
      if (is_last || !plain) {
        add_word(at + edges_[k], edges_[k + 1] - edges_[k], end, plain);
        k += 2;
        continue;
      }
      const auto most = std::min(n_edges & ~std::size_t{1}, k + 2 * (NameBatch::MOST - batch_.size()));
      for (; k < most; k += 2) batch_.add(at + edges_[k], edges_[k + 1] - edges_[k]);
      if (batch_.is_full()) flush<true>();
    }
  }

  void add_word(const Byte* name, std::size_t length, const Byte* end, bool plain) {
    values_[batch_.size()] = 1.0;
    if (static_cast<std::size_t>(end - name) >= NameBatch::AT_HAND) {
      batch_.add(name, length);
    } else {
      batch_.add_alone(name, length);
    }
    if (batch_.is_full()) plain ? flush<true>() : flush<false>();
  }

  bool pairs(const Byte* at, const Byte* to, const Byte* end) {
    while (at < to) {
      if (is_gap(*at)) {
        ++at;
        continue;
      }
      const auto* stop = name_end(at, to);
      double value = 1;
      const auto* next = stop;
      if (stop < to && *stop == ':') {
        next = end - stop > 9 ? share_number(stop + 1, value) : nullptr;
        if (!next || next > to) next = number(stop, to, value, stop);
        if (!next) return false;
      }
      add(at, static_cast<std::size_t>(stop - at), value, end);
      at = next;
    }
    return true;
  }

  // What follows a colon: a value, or no number, and then it belongs to the name. Returns its end, nullptr at a fault.
  const Byte* number(const Byte* colon, const Byte* to, double& value, const Byte*& stop) {
    const auto* from = colon + 1;
    value = 1;
    const auto* quick = read_number_fast(from, to, '.', value);
    if (quick && (quick == to || is_gap(*quick))) return quick;
    const auto* end = from;
    while (end < to && !is_gap(*end)) ++end;
    const auto found = end == from ? NumberKind::NONE : read_number(from, end, '.', value);
    if (found == NumberKind::FINITE) return end;
    if (found == NumberKind::INFINITE && !sound(colon, to, value)) return nullptr;
    value = 1;
    if (end != from) stop = end;
    return end;
  }

  // Whether values are finite, as read_vw has it: words end at blanks and tabs.
  bool sound(const Byte* from, const Byte* to, double& value) {
    for (const auto* colon = vw_found(from, to, ':'); colon < to; colon = vw_found(from, to, ':')) {
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
  void merge(std::size_t row, Space& space) {
    const auto base = static_cast<std::size_t>(space.out.starts[row]);
    auto* const ids = space.out.ids.data() + base;
    auto* const values = space.out.values.data() + base;
    const auto stamp = reader_.stamp();
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < space.size - base; ++i) {
      auto& cell = cells_[static_cast<std::size_t>(ids[i])];
      if (cell.place >= stamp) {
        values[cell.place - stamp] += values[i];
        continue;
      }
      ids[n] = ids[i];
      values[n] = values[i];
      cell.place = stamp + n++;
    }
    reader_.next_ = stamp + n;
    space.size = base + n;
  }

  void drop_zeros(std::size_t row, Space& space) {
    auto to = static_cast<std::size_t>(space.out.starts[row]);
    for (auto i = to; i < space.size; ++i) {
      if (space.out.values[i] == 0) continue;
      space.out.ids[to] = space.out.ids[i];
      space.out.values[to++] = space.out.values[i];
    }
    space.size = to;
  }

  SlotReader& reader_;
  SlotReader::Cell* cells_;
  const Byte* end_;
  std::size_t expected_;  // entries of the first namespace; room that is not used costs nothing
  Space* space_ = nullptr;
  std::size_t base_ = 0;     // where the features at hand begin
  std::uint32_t stamp_ = 1;  // the place of their first
  std::vector<std::size_t> touched_;
  std::vector<Byte> made_;
  static constexpr std::size_t EDGES = 960;
  std::size_t edges_[EDGES + 64 + 8 + 2];  // where words begin and end
  NameBatch batch_;
  double values_[NameBatch::MOST];
  std::uint8_t strange_[NameBatch::MOST + 1];
};

SlotReader::SlotReader(int bits, bool is_signed, std::size_t most_names)
    : cells_(std::size_t{1} << bits), mask_((1u << bits) - 1), is_signed_(is_signed), most_names_(most_names) {}

std::uint32_t SlotReader::stamp() {
  if (next_ > 1u << 31) {  // no place is larger than those to come
    for (auto& cell : cells_) cell.place = 0;
    next_ = 1;
  }
  return next_;
}

SlotLines SlotReader::read_lines(std::span<const Byte> data, std::size_t most_namespaces, bool plain) {
  VwChunk chunk;
  SlotTaker taker(*this, data.size(), data.data() + data.size());
  taker.chunk = &chunk;
  VwReader(data, 0, data.size(), most_namespaces, plain, chunk, taker).read();
  SlotLines out{std::move(chunk.rows), {}};
  if (out.rows.fault != VwFault::NONE) return out;
  out.rows.names.offsets.push_back(0);
  for (std::size_t i = 0; i < chunk.names.size(); ++i) {
    if (i >= taker.spaces.size()) taker.add_space(chunk.names[i]);
    const auto& name = chunk.names[i];
    out.rows.names.data.insert(out.rows.names.data.end(), name.begin(), name.end());
    out.rows.names.offsets.push_back(static_cast<std::int64_t>(out.rows.names.data.size()));
    out.features.push_back(SlotTaker::finished(taker.spaces[i], out.rows.label.size()));
  }
  out.rows.first = std::move(chunk.first);
  return out;
}

SlotColumns SlotReader::read_words(const TextRows& text, std::string_view column, std::size_t min_length, bool lower,
                                   bool binary) {
  SlotTaker taker(*this, text.rows.data.size(), nullptr);
  taker.add_space(column);
  WordReader words(min_length, lower);
  for (std::size_t row = 0; row < text.rows.size(); ++row) {
    if (text.missing[row]) continue;
    const auto bytes = text.rows[row];
    taker.begin(row, 0, 2 * bytes.size());  // lower-case letters may be more bytes
    words.read(bytes.data(), bytes.data() + bytes.size(), [&](const Byte* begin, const Byte* end) {
      taker.add(begin, static_cast<std::size_t>(end - begin), 1.0,
                begin + NameBatch::AT_HAND);  // there is room behind words
    });
    taker.flush<false>();
    taker.spaces[0].cancels = false;  // words that cancel each other are there all the same, as hash_terms has it
    taker.end_row(row);
  }
  auto out = SlotTaker::finished(taker.spaces[0], text.rows.size());
  if (binary) std::fill(out.values.begin(), out.values.end(), 1.0);
  return out;
}

void SlotReader::know(const ByteRowsView& names, std::string_view column) {
  const auto seed = seed_of(column);
  for (std::size_t i = 0; i < names.size(); ++i) known_.add(mixed_key(seed, murmur3(names[i])));
}

namespace {

struct WordKey {
  std::uint64_t head;  // the first bytes
  std::int64_t place;
};

// The first bytes of a word, those that are missing 0; `at_hand` if eight can be read.
std::uint64_t head_of(std::span<const Byte> word, bool at_hand) {
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
void sort_heads(std::vector<WordKey>& keys) {
  constexpr int DIGIT = 11, DIGITS = 6;
  constexpr std::size_t SIZE = 1 << DIGIT;
  std::vector<std::array<std::uint32_t, SIZE>> counts(DIGITS);
  const auto digit = [](const WordKey& key, int which) { return key.head >> (DIGIT * which) & (SIZE - 1); };
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

std::vector<std::int64_t> words_order(const ByteRowsView& words) {
  std::vector<WordKey> keys(words.size());
  if (keys.empty()) return {};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool at_hand = words.data.size() - static_cast<std::size_t>(words.offsets[i]) >= 8;
    keys[i] = {head_of(words[i], at_hand), static_cast<std::int64_t>(i)};
  }
  sort_heads(keys);
  for (auto from = keys.begin(); from != keys.end();) {
    const auto to = std::find_if(from, keys.end(), [&](const WordKey& key) { return key.head != from->head; });
    if (to - from > 1) {
      std::stable_sort(from, to, [&](const WordKey& a, const WordKey& b) {
        const auto one = words[static_cast<std::size_t>(a.place)], other = words[static_cast<std::size_t>(b.place)];
        return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
      });
    }
    from = to;
  }
  std::vector<std::int64_t> out;
  out.reserve(keys.size());
  for (const auto& key : keys) out.push_back(key.place);
  return out;
}

}  // namespace hedgerow
