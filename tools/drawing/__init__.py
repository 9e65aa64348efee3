"""How tools/pictures.py draws: a canvas, and what is drawn on it."""
