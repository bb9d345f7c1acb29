"""`/homework`: hand-ins with their record, reports and sheets of exercises."""

from webapp.pages.homework.routes import blueprint
