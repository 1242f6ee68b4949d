"""The service that answers: index, probers, core, server and command line."""
