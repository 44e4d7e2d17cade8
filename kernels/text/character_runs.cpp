#include "text/character_runs.hpp"

#include "text/words.hpp"

namespace hedgerow {
namespace {

constexpr std::uint32_t DOTTED_I = 0x130, DOT_ABOVE = 0x307, REPLACEMENT = 0xFFFD;

// Writes characters; of blanks in a row at most one.
class CharacterWriter {
 public:
  CharacterWriter(Byte* out, bool in_words) : out_(out), in_words_(in_words) {
    if (in_words_) *out_++ = ' ';
    blanks_in_row_ = in_words_;
  }

  Byte* out_;

  void write(std::uint32_t code) {
    blanks_in_row_ = 0;
    out_ = write_utf8(code, out_);
  }
  void write_ascii(Byte letter) {
    blanks_in_row_ = 0;
    *out_++ = letter;
  }
  // A blank that stands alone stays what it is, unless words are parted by it.
  void write_blank(std::uint32_t code) {
    if (++blanks_in_row_ == 1) {
      last_blank_ = out_;
      out_ = write_utf8(in_words_ ? ' ' : code, out_);
    } else if (blanks_in_row_ == 2 && !in_words_) {
      *last_blank_ = ' ';
      out_ = last_blank_ + 1;
    }
  }
  // In words, the last one has a space behind it; where there is no word there is nothing.
  Byte* finish(const Byte* begin) {
    if (in_words_ && !blanks_in_row_) *out_++ = ' ';
    if (in_words_ && out_ == begin + 1) --out_;
    return out_;
  }

 private:
  bool in_words_;
  std::size_t blanks_in_row_;
  Byte* last_blank_ = nullptr;
};

std::size_t invalid_size(const Byte* at, const Byte* end) {
  std::size_t bad = 0;
  while (at < end) {
    const int size = utf8_size(at, end);
    bad += !size;
    at += size ? size : 1;
  }
  return bad;
}

}  // namespace

bool is_space(std::uint32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

void CharacterRunReader::prepare(const Byte* begin, const Byte* end, bool ascii) {
  // A letter grows by half at most (U+023A, U+0130), a byte that is none to three.
  const auto bytes = static_cast<std::size_t>(end - begin);
  const auto needed = bytes + 2 + 8 + (ascii ? 0 : bytes / 2 + 3 * invalid_size(begin, end));
  if (buffer_.size() < needed) buffer_.resize(needed);
  if (ascii) {
    prepare_ascii(begin, end);
  } else {
    prepare_utf8(begin, end);
  }
}

void CharacterRunReader::prepare_ascii(const Byte* begin, const Byte* end) {
  CharacterWriter writer(buffer_.data(), in_words_);
  for (const auto* at = begin; at < end; ++at) {
    const Byte c = *at;
    if (is_space(c)) {
      writer.write_blank(c);
    } else {
      writer.write_ascii(lower_ && static_cast<Byte>(c - 'A') < 26 ? c | 0x20 : c);
    }
  }
  size_ = static_cast<std::size_t>(writer.finish(buffer_.data()) - buffer_.data());
}

void CharacterRunReader::prepare_utf8(const Byte* begin, const Byte* end) {
  CharacterWriter writer(buffer_.data(), in_words_);
  for (const auto* at = begin; at < end;) {
    const int size = utf8_size(at, end);
    if (!size) {
      writer.write(REPLACEMENT);
      at += invalid_utf8_size(at, end);
      continue;
    }
    const auto code = utf8_code(at, size);
    if (is_space(code)) {
      writer.write_blank(code);
    } else {
      writer.write(lower_ ? read_lower_letter(begin, at, size, end).code : code);
      if (lower_ && code == DOTTED_I) writer.write(DOT_ABOVE);
    }
    at += size;
  }
  size_ = static_cast<std::size_t>(writer.finish(buffer_.data()) - buffer_.data());
}

}  // namespace hedgerow
