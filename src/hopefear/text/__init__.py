"""Text as people write it: sentences, and the documents that hold them."""
