// What most rooms include, read once by the compiler instead of once per room (cmake/Rooms.cmake).
// Every file still includes what it uses: `make alone` compiles without this.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmpxx.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/decompositions.h"
