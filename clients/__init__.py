"""The package for users: clients, rules, bots, records, plots and adapters."""
