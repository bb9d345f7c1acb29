"""What the operator sees of the running site: metrics, logs and traces.

A worker fills a report for each request (`report.py`) and sends it to the front after the response. The front, one
process, passes the finished request to the observers: `metrics.py`, `logs.py` and `traces.py`. None of them ever sees a
visitor's text.
"""
