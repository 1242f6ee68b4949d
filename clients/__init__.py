"""The room of users: clients, rules, bots, records, plots and adapters; see `position_oracle`."""
