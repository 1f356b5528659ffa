// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The contracts, as contract.py reads them. */
#include "abi.h"

#include "cores.inc"
#include "example.inc"
