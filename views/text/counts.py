"""Numbers as people say them: the engine's words, for charts and tables too."""

from engine.words import clip, plural, spell_count, spell_seconds

__all__ = ["clip", "plural", "spell_count", "spell_seconds"]
