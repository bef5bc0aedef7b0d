// Nothing: what is compiled here is the header that all tests share.
