"""One prober a family: position in, answer out."""
