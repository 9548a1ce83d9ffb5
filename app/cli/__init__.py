"""The command line: parser, commands, and what they print."""
