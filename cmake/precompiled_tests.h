// The same for tests, which are compiled with other options.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "precompiled.h"
