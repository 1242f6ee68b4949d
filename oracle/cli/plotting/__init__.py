"""The commands of `oracle plot`, one module for each subject."""
