"""Claims: what the program says in words, as values; `words` renders them."""
