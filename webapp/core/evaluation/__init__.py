"""Scores a segmentation against a gold standard, as the bakeoffs of SIGHAN do, and says what kind its errors are.

a gold text → lines of words                  `gold.read_gold`
lines → precision, recall, F1, OOV recall     `score.score_lines`
lines → errors with their kinds               `errors.errors_of`
all of it, for several segmentations          `report.Report`
"""
