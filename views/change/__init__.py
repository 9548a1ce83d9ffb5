"""Whether a change of a site's rules helped."""
