"""Papers as folders: a file that says how every figure, table and number is made, and what makes them."""
