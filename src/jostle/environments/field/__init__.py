"""Streams that applications have: adverts, offers, sales, arms that come and go, drift."""
