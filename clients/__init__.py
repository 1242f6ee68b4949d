"""What users import: clients, rules, bots, records, plots and adapters; see `position_oracle`."""
