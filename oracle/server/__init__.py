"""The gRPC adapter of the oracle."""
