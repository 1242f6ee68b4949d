"""The contract of the protocol-buffer package `position_oracle`."""
