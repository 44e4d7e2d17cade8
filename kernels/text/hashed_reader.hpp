// From the bytes of a block to hashed columns in one scan: VW's lines, or texts, without a text or a dictionary in
// between.
//
// A feature's column is that of `hash_features`, a word's that of `count_hashed_terms`: MurmurHash3 modulo 2^bits. The
// columns of a row stand in the order in which they come; those of one column add up, and features that come to 0 are
// left out.
// What is read can still be told: each spelling is handed out once, with the block that it is met in first. Whether it
// was met is asked of a table by column, which holds the fingerprint (the whole hash) of its first spelling, and only
// where that differs of a set of all that were met. So names that share a column are distinguished, too.
//
// O(bytes), and 8 bytes a column; the same for any way of cutting a file into blocks. Blocks must be read in their
// order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/bytes.hpp"
#include "core/uninitialized_vector.hpp"
#include "text/terms.hpp"
#include "text/vw_lines.hpp"

namespace hedgerow {

// Hashed columns of a namespace or a text, and spellings that were not met before. What is missing at the end of
// `starts` are empty rows.
struct HashedColumns {
  UninitializedVector<std::int64_t> starts;
  UninitializedVector<std::int32_t> ids;
  UninitializedVector<double> values;
  ByteRows names;
};

struct HashedLines {
  VwLines rows;  // without features
  std::vector<HashedColumns> features;
};

// Keys of spellings.
class SpellingSet {
 public:
  std::size_t size() const { return size_; }
  bool add(std::uint64_t key);  // false if it is there already; 0 is no key
  bool contains(std::uint64_t key) const;
  void prefetch(std::uint64_t key) const;  // it will be asked for soon

 private:
  std::size_t first_slot(std::uint64_t key) const;
  std::size_t find_slot(std::uint64_t key) const;
  void grow();

  std::vector<std::uint64_t> keys_;
  std::size_t size_ = 0;
};

class HashedReader {
 public:
  // At most `max_names` spellings are handed out.
  HashedReader(int bits, bool is_signed, std::size_t max_names);

  // See read_vw.
  HashedLines read_lines(std::span<const Byte> data, std::size_t max_namespaces, bool plain);

  // The single words of a column of texts (words.hpp); each counts how often it is there, or 1.
  HashedColumns read_words(const TextRows& text, std::string_view column, std::size_t min_length, bool lower,
                           bool binary);

  // Spellings of a namespace or column that are known already.
  void add_known_spellings(const ByteRowsView& names, std::string_view column);

 private:
  friend class HashedRowBuilder;
  // A place is counted on from block to block: one that is not below that of the row's first entry is in the row at
  // hand.
  std::uint32_t take_stamp();
  struct HashedCell {
    std::uint32_t position;
    std::uint32_t fingerprint;  // 0: no spelling was met
  };
  std::vector<HashedCell> cells_;
  std::uint32_t next_position_ = 1;  // the place of the next entry
  std::uint32_t mask_;
  bool is_signed_;
  std::size_t max_names_;
  SpellingSet known_spellings_;
};

// How words stand in order by their bytes.
std::vector<std::int64_t> argsort_words(const ByteRowsView& words);

}  // namespace hedgerow
