"""Match files in Jellyfish's .mat format: the grammar, the reader and the writer.

May import the rest of `play`. The top level offers `read_mat` and `write_mat`.
"""
