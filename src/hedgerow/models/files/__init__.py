"""Files: models saved, loaded and checked.

Start with model_file.py (save and load), then manifest.py and archive.py (what a file holds and how it is checked);
rule_file.py and association_file.py read rules that people write.
"""
