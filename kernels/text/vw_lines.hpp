// Lines of VW's text format: label [importance [base]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...
#pragma once

#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/delimited_layout.hpp"
#include "core/thread_pool.hpp"
#include "core/uninitialized_vector.hpp"

namespace hedgerow {

enum class VwFault : Byte {
  NONE,
  NO_BAR,           // a line without features, and without the sign that begins them
  MANY_WORDS,       // more than label, importance and base before the first bar
  BAD_IMPORTANCE,   // not a finite number of 0 or more
  BAD_BASE,         // not a finite number
  BAD_SCALE,        // of a namespace: not a finite number
  BAD_VALUE,        // of a feature: too large for a number
  MANY_NAMESPACES,  // more different ones than asked for
};

// What the lines say, a row a line. Positions are those of bytes in the data.
struct VwLines {
  std::vector<double> label;                         // NaN: none, or a word
  std::vector<std::int64_t> label_begin, label_end;  // equal: the row has no label
  std::vector<double> importance, base;              // 1 and 0 unless said
  std::vector<std::int64_t> tag_begin, tag_end;      // equal: the row has no tag
  struct Features {                                  // of one namespace: row i is data[offsets[i], offsets[i + 1])
    UninitializedVector<Byte> data;
    UninitializedVector<std::int64_t> offsets;
  };
  ByteRows names;                   // of the namespaces, in the order of their first appearance
  std::vector<std::int64_t> first;  // where each of them appears first
  std::vector<Features> features;
  VwFault fault = VwFault::NONE;
  std::int64_t fault_at = 0;  // the first of all faults; nothing else is set then
};

// Read whole lines. Blank lines and lines that begin with # are passed over; blanks and tabs part words, a carriage
// return before a line's end is none of it. As in VW, the last word before the first bar is a tag if it begins with '
// or touches the bar. The features of a namespace are its text as it stands, without blanks around it; where a
// namespace comes twice in a line they are joined by a blank, and where it has a scale every feature is written with
// its value times the scale. O(bytes); memory beside the result: 40 bytes a namespace of a line. `is_svmlight` lines
// are svmlight's, label [qid:n] index:value ... [# comment]: one namespace without a name, the query left out.
VwLines read_vw(std::span<const Byte> data, std::size_t max_namespaces, bool is_svmlight, ThreadPool& pool);

// The same without features, which are passed over: their values may have faults still.
VwLines scan_vw(std::span<const Byte> data, std::size_t max_namespaces, bool is_svmlight);

}  // namespace hedgerow
