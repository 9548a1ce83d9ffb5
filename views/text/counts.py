"""Numbers as people say them: the engine's words, for charts and tables too."""

from engine.words import clip, format_count, format_seconds, plural

__all__ = ["clip", "format_count", "format_seconds", "plural"]
