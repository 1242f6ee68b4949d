"""The commands of `oracle plot`, a module a subject."""
