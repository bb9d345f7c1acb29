"""`/train`: a corpus, the choices of a training, and the page of each job."""

from webapp.pages.train.routes import blueprint
