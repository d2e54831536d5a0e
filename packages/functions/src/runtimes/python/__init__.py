"""Sealway's part of a function: what calls the customer's handler, and what seals values for it. Not for customers'
modules to import: it changes with Sealway.
"""
