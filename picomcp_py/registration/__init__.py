"""How a server comes by what it offers: `server.tool`, `server.resource`, `server.prompt`, and what takes them away.

One class a kind, each a part of Server; what they share is in `offering`.
"""

from .prompts import Prompts
from .resources import Resources
from .tools import Tools

__all__ = ["Prompts", "Resources", "Tools"]
