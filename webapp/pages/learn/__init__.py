"""`/learn`: a course with live examples, one page per lesson, in every language of the site."""

from webapp.pages.learn.routes import blueprint
