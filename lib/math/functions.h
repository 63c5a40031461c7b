// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All mathematical functions.
#pragma once

#include "math/error_function.h"
#include "math/exponential.h"
#include "math/fast.h"
#include "math/gamma.h"
#include "math/hyperbolic.h"
#include "math/inverse_trigonometric.h"
#include "math/logarithm.h"
#include "math/power.h"
#include "math/remainder.h"
#include "math/trigonometric.h"
