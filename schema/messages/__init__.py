"""Conversion of answers to and from messages: the server writes them, the clients read them."""
