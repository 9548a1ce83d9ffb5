"""Actions, menus, palette and keys."""
