// Numbers as they print: the C++ side of hedgerow.layout.rounding.
#pragma once

namespace hedgerow {

// `value` rounded to some decimals, half to even on its exact decimal expansion; `digits` may be negative.
double round_decimals(double value, int digits);

// The decimal of fewest digits within `tolerance` of `value`.
double find_shortest_decimal(double value, double tolerance);

// `value` rounded to so many significant digits, at least one.
double round_significant(double value, int digits);

// The threshold between two neighboring values, low <= threshold < high: short, and close to the middle.
double choose_threshold(double low, double high);

}  // namespace hedgerow
