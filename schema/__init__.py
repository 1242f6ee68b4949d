"""The contract: stored tables, and messages of the gRPC contract."""
