"""What the operator sees of the running site: metrics and logs.

A worker fills a report for each request (`report.py`) and sends it to the front after the response. The front, one
process, passes the record of the finished request to the observers that the settings ask for (`options.py`): `logs.py`
and `metrics.py`. None of them ever sees a visitor's text.
"""
