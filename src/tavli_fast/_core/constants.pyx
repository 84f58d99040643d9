"""Numbers that the core and Python share; constants.pxd names them."""
