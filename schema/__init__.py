"""The contract: what is stored in table files and what is said over gRPC."""
