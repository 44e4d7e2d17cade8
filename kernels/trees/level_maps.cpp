#include "trees/level_maps.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hedgerow {

LevelMaps make_level_maps(std::span<const std::int32_t> starts, std::span<const std::int32_t> children) {
  LevelMaps maps;
  std::vector<std::int32_t> times;  // by child, from -1 on
  std::vector<LevelChild> listed;
  for (std::size_t test = 0; test + 1 < starts.size(); ++test) {
    const auto count = static_cast<std::size_t>(starts[test + 1] - starts[test]);
    if (count == 0) {
      maps.add_none();
      continue;
    }
    const auto run = children.subspan(static_cast<std::size_t>(starts[test]), count);
    times.assign(count + 1, 0);
    for (const std::int32_t child : run) {
      if (child >= -1 && child < static_cast<std::int32_t>(count)) ++times[static_cast<std::size_t>(child + 1)];
    }
    const auto maximum = std::max_element(times.begin(), times.end());
    const std::int32_t rest = *maximum > 0 ? static_cast<std::int32_t>(maximum - times.begin()) - 1 : run[0];
    listed.clear();
    for (std::size_t code = 0; code < count; ++code) {
      if (run[code] != rest) listed.push_back({static_cast<std::int32_t>(code), run[code]});
    }
    maps.add(static_cast<std::int32_t>(count), rest, listed);
  }
  return maps;
}

}  // namespace hedgerow
