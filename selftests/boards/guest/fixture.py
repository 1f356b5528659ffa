# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The module in the state that a test asks for; loaded again only when it is in another one."""

import module

# Forced, so that NEON code that the module would have to give up cannot hide behind portable code.
NEON = {"blake2b_impl": "neon-a7", "sha3_impl": "neon-a7"}

_parameters = None  # of the module as it is loaded; None: not loaded


def loaded(**parameters):
    global _parameters
    parameters = NEON | parameters
    if _parameters == parameters and module.is_loaded():
        return
    unloaded()
    module.load_and_wait(**parameters)
    _parameters = parameters


def unloaded():
    global _parameters
    if module.is_loaded():
        module.unload()
    _parameters = None
