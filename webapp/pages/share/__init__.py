"""`/share` and `/s/ID`: snapshots, results stored exactly as they were, each with its own permanent link."""

from webapp.pages.share.routes import blueprint
