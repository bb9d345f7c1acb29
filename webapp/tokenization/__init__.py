"""From a form to a result: the form's state, the result, the details of its tokens, and its messages.

All pages that show, share or compare results use these modules.
"""
