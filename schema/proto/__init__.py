"""The gRPC contract, with the code that scripts/generate_proto.py generates."""
