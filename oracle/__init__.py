"""The service: sources of answers, probers, the Oracle, server and command line."""
