"""Answers to and from messages of the contract: the server writes them, the clients read them."""
