"""The prints of sacct and of its database: from texts to the fields of sacct."""
