"""The toolkit that painted plots itself, until the last of them has moved to pyqtgraph."""
