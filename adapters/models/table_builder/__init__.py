"""Makes the static query table: words, training sentences, fitting. Nothing here runs when a query is answered."""
