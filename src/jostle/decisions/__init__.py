"""Decisions on records of an application, with identities and late rewards."""
