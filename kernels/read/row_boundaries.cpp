#include "read/row_boundaries.hpp"

#include <algorithm>

#include "core/utf8.hpp"
#include "read/fields.hpp"

namespace hedgerow {
namespace {

const Byte* find_byte(const Byte* at, const Byte* end, Byte byte) {
  const auto* found = std::memchr(at, byte, static_cast<std::size_t>(end - at));
  return found ? static_cast<const Byte*>(found) : end;
}

bool is_blank(Byte c) { return c == ' ' || c == '\t'; }

// Whether a quote at `at` opens a field: only a row's start, a delimiter or skipped blanks stand before it.
bool opens_field(const Byte* begin, const Byte* at, const Dialect& dialect) {
  const auto* before = at;
  if (dialect.trim || dialect.blank_delimited)
    while (before > begin && is_blank(before[-1]) && (dialect.blank_delimited || before[-1] != dialect.delimiter))
      --before;
  if (before == begin || before[-1] == '\n') return true;
  return dialect.blank_delimited ? before < at : before[-1] == dialect.delimiter;
}

// Call visit(from, to) for every stretch outside quotes, until it returns false.
template <typename Visit>
void for_each_unquoted_stretch(std::span<const Byte> data, const Dialect& dialect, Visit visit) {
  const auto* begin = data.data();
  const auto* end = begin + data.size();
  const Byte quote = dialect.quotes[0], other = dialect.quotes[1] ? dialect.quotes[1] : quote;
  if (!quote) return void(visit(begin, end));
  const ByteFinder marks(quote, other, dialect.comment ? dialect.comment : quote, other);
  const ByteFinder closers[2] = {make_closing_finder(dialect, quote), make_closing_finder(dialect, other)};
  const auto behind_quotes = [&](const Byte* open) {
    bool coded;
    const auto* close = find_closing_quote(open + 1, end, *open, closers[*open != quote], dialect, coded);
    return close ? close + 1 : end;
  };
  const auto* stretch_begin = begin;
  const bool simple = other == quote && !dialect.comment;
  for (const auto* at = begin;;) {
    if (simple && stretch_begin == at && end - at > 1 && at[0] == dialect.delimiter && at[1] == quote) {
      stretch_begin = at = behind_quotes(at + 1);  // one quoted field after the other
      continue;
    }
    at = simple ? find_byte(at, end, quote) : marks.find(at, end);
    if (at == end) break;
    if (*at != quote && *at != other) {
      at = find_byte(at, end, '\n');
    } else if (!opens_field(begin, at, dialect)) {
      ++at;
    } else {
      if (!visit(stretch_begin, at)) return;
      stretch_begin = at = behind_quotes(at);
    }
  }
  visit(stretch_begin, end);
}

}  // namespace

std::vector<std::int64_t> find_row_cuts(std::span<const Byte> data, const Dialect& dialect,
                                        std::span<const std::int64_t> targets) {
  std::vector<std::int64_t> cuts;
  for_each_unquoted_stretch(data, dialect, [&](const Byte* from, const Byte* to) {
    while (cuts.size() < targets.size()) {
      const auto* at = std::max(from, data.data() + targets[cuts.size()]);
      const auto* newline = at < to ? find_byte(at, to, '\n') : to;
      if (newline == to) return true;
      cuts.push_back(newline + 1 - data.data());
    }
    return false;
  });
  cuts.resize(targets.size(), static_cast<std::int64_t>(data.size()));
  return cuts;
}

std::int64_t find_complete_rows_end(std::span<const Byte> data, const Dialect& dialect) {
  std::int64_t last = 0;
  for_each_unquoted_stretch(data, dialect, [&](const Byte* from, const Byte* to) {
    for (const auto* at = to; at > from; --at)
      if (at[-1] == '\n') {
        last = at - data.data();
        break;
      }
    return true;
  });
  return last;
}

std::vector<std::int64_t> find_row_starts(std::span<const Byte> data, const Dialect& dialect) {
  std::vector<std::int64_t> starts;
  FieldReader fields(data, dialect);
  while (fields.begin_row()) {
    starts.push_back(fields.row_begin() - data.data());
    do fields.next_field();
    while (!fields.row_is_over());
  }
  return starts;
}

std::int64_t count_lines(std::span<const Byte> data) {
  constexpr std::size_t STRIP = 240;  // a byte can count it, which makes for wide vector code
  std::int64_t newlines = 0;
  for (std::size_t from = 0; from < data.size(); from += STRIP) {
    Byte found = 0;
    for (auto byte : data.subspan(from, std::min(STRIP, data.size() - from))) found += byte == '\n';
    newlines += found;
  }
  return newlines + (!data.empty() && data.back() != '\n');
}

std::int64_t find_bad_utf8(std::span<const Byte> data) {
  const auto* end = data.data() + data.size();
  for (const auto* at = data.data(); at < end;) {
    while (end - at >= 8 && !(load8(at) & repeat_byte(0x80))) at += 8;
    if (at == end) break;
    const int size = utf8_size(at, end);
    if (!size) return at - data.data();
    at += size;
  }
  return -1;
}

}  // namespace hedgerow
