"""What is collected on a cluster: the commands that print its log and its site, and a script of them."""
